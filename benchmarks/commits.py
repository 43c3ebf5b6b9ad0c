"""Is tqp as fast as it was? TPC-H on two commits, query by query in turns.

python -m benchmarks.commits --base 4445153 --sf 0.1 --threads 2                  the commit against this working tree
python -m benchmarks.commits --base 4445153 --new HEAD --modes fresh plan         two commits, some of the modes
python -m benchmarks.commits --base HEAD~5 --queries 1,6-9 --rounds 21 --json commits.jsonl

Modes: `same` runs a text whose plan is remembered, `constants` the same queries with other parameters each time, `fresh` a text
never seen before, `plan` only plans one. Each commit has a process of its own, and the two are never busy at the same time;
which goes first alternates. Both are started anew several times (`--starts`), as where memory happens to lie can make one
process a third slower than the next. Ratios are base / new, so above 1 the new one is faster.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, log
from pathlib import Path
from statistics import median

from benchmarks.side import HOME, Side
from benchmarks.timing import Record
from tpch import data, parameters
from tpch.__main__ import queries
from tpch.needed import names_what_is_missing
from tpch.run import Options

__all__ = ["MODES", "Commit", "Times", "checked_out", "compare"]

MODES = ("same", "constants", "fresh", "plan")

SCRIPT = Path(__file__).with_name("one_commit.py")

_WARM_UP = 2
_KEYWORD = re.compile(r"\b(select|from|where|group|order)\b")


@contextlib.contextmanager
def checked_out(commit: str | None) -> Iterator[Path]:
    """A folder with the files of the commit, for as long as it is needed; None is the working tree itself."""
    if commit is None:
        yield HOME
        return
    git = ["git", "-C", str(HOME), "worktree"]
    with tempfile.TemporaryDirectory(prefix="tqp-commit-") as above:
        folder = Path(above) / "tree"
        subprocess.run([*git, "add", "--quiet", "--detach", str(folder), commit], check=True)
        try:
            yield folder
        finally:
            subprocess.run([*git, "remove", "--force", str(folder)], check=True)


class Commit(Side):
    """The process of one commit, with TPC-H's tables in memory."""

    def __init__(self, tree: Path, sf: float, threads: int) -> None:
        files = {table: str(path) for table, path in data.files(sf).items()}
        # -P: `tqp` shall be that of the tree, not the one beside the script.
        command = [sys.executable, "-P", str(SCRIPT), json.dumps(files), str(threads)]
        super().__init__(command, tree, {"PYTHONPATH": str(tree)})
        where = Path(self.line())
        if tree.resolve() not in where.resolve().parents:
            raise RuntimeError(f"imported {where} instead of tqp in {tree}")

    def milliseconds(self, action: str, text: str) -> tuple[float, float]:
        """Wall and CPU time of `run` or `plan` with the text."""
        return self.asked([action, text])


@dataclass
class Times:
    """Milliseconds of one query in one mode, one of each kind a round."""

    base_wall: list[float] = field(default_factory=list)
    base_cpu: list[float] = field(default_factory=list)
    new_wall: list[float] = field(default_factory=list)
    new_cpu: list[float] = field(default_factory=list)


def compare(base: Commit, new: Commit, mode: str, found: dict[int, Times], sf: float, rounds: int) -> None:
    """Add `rounds` times of each query in `found` on both sides, interleaved."""
    action = "plan" if mode == "plan" else "run"
    for turn in range(-_WARM_UP, rounds):
        for number, times in found.items():
            text = parameters.query(number, sf=sf, seed=turn if mode == "constants" else None)
            if mode in ("fresh", "plan"):
                text = _in_other_letters(text, turn + _WARM_UP + 1)
            sides = [(base, times.base_wall, times.base_cpu), (new, times.new_wall, times.new_cpu)]
            for side, walls, cpus in sides if turn % 2 else reversed(sides):
                wall, cpu = side.milliseconds(action, text)
                if turn >= 0:
                    walls.append(wall)
                    cpus.append(cpu)


def _in_other_letters(text: str, turn: int) -> str:
    """The same query in words that were not there before: a plan serves other constants and remarks, but no other words."""

    def other(match: re.Match[str]) -> str:
        nonlocal turn
        letters = [letter.upper() if turn >> place & 1 else letter for place, letter in enumerate(match[0])]
        turn >>= len(letters)
        return "".join(letters)

    return _KEYWORD.sub(other, text)


def report(record: Record, mode: str, found: dict[int, Times], **facts: object) -> None:
    """A line for each query, and one with the geometric means of their ratios and the sums."""
    for number, times in found.items():
        record.add(f"{mode}: Q{number}", times.new_wall, **_compared([times]), **facts)
    every = list(found.values())
    totals = [sum(runs) for runs in zip(*(times.new_wall for times in every), strict=True)]
    record.add(f"{mode}: all", totals, **_compared(every), **facts)


def _compared(times: Sequence[Times]) -> dict[str, float]:
    facts: dict[str, float] = {}
    for kind in ("wall", "cpu"):
        before = [median(getattr(one, f"base_{kind}")) for one in times]
        after = [median(getattr(one, f"new_{kind}")) for one in times]
        ratios = [log(b / a) for b, a in zip(before, after, strict=True)]
        facts[f"base_{kind}_ms"] = round(sum(before), 3)
        facts[f"new_{kind}_ms"] = round(sum(after), 3)
        facts[f"{kind}_ratio"] = round(exp(sum(ratios) / len(ratios)), 3)
    return facts


@names_what_is_missing
def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", required=True, metavar="COMMIT")
    parser.add_argument("--new", metavar="COMMIT", help="instead of the working tree")
    parser.add_argument("--modes", nargs="+", choices=MODES, default=list(MODES))
    parser.add_argument("--queries", type=queries, default=list(parameters.QUERIES))
    parser.add_argument("--sf", type=float, default=0.1)
    parser.add_argument("--threads", type=int, default=Options().threads)
    parser.add_argument("--rounds", type=int, default=3, help="of each start")
    parser.add_argument("--starts", type=int, default=3, help="processes of each commit, one after the other")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(arguments)
    record = Record("commits", args.json)
    facts = {"base": args.base, "new": args.new or "working tree", "sf": args.sf, "threads": args.threads}
    found = {mode: {number: Times() for number in args.queries} for mode in args.modes}
    with checked_out(args.base) as before, checked_out(args.new) as after:
        for _ in range(args.starts):
            with Commit(before, args.sf, args.threads) as base, Commit(after, args.sf, args.threads) as new:
                for mode, times in found.items():
                    compare(base, new, mode, times, args.sf, args.rounds)
    for mode, times in found.items():
        report(record, mode, times, **facts, starts=args.starts, load=round(os.getloadavg()[0], 1))


if __name__ == "__main__":
    sys.exit(main())
