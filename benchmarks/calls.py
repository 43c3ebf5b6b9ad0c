"""How many Python functions does a TPC-H query call while it runs?

python -m benchmarks.calls --sf 0.1                          a line a query: calls of the third run of its text
python -m benchmarks.calls --base 4445153 --json calls.jsonl  beside those of a commit
python -m benchmarks.calls --queries 1 --where 30            and the functions that are called most

The number is the same on every machine, whatever else that does: what a change costs the interpreter, without a clock. One
thread, tables in memory; the plan is remembered, so that only its run is counted. A generator that goes on counts as a call.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from math import exp, log
from pathlib import Path
from types import CodeType, FrameType

from benchmarks.commits import HOME, checked_out
from benchmarks.timing import Record
from tpch import data, parameters
from tpch.__main__ import queries
from tpch.needed import names_what_is_missing

__all__ = ["counted"]

_WARM_UP = 2


class _Counter:
    """Counts calls on this thread and all that start after it was made, while it is `on`."""

    def __init__(self) -> None:
        self.on = False
        self.found: Counter[CodeType] = Counter()
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def _profile(self, frame: FrameType, event: str, argument: object) -> None:
        if self.on and event == "call":
            self.found[frame.f_code] += 1


def counted(sf: float, numbers: Sequence[int]) -> dict[int, Counter[str]]:
    """Calls of each query by function, with whatever tqp is on the path."""
    counter = _Counter()
    import pyarrow.parquet as pq

    import tqp

    found: dict[int, Counter[str]] = {}
    with tqp.connect(threads=1) as connection:
        for table, path in data.files(sf).items():
            connection.register(table, pq.read_table(path))
        for number in numbers:
            text = parameters.query(number, sf=sf)
            for _ in range(_WARM_UP):
                connection.sql(text).result()
            counter.found.clear()
            counter.on = True
            connection.sql(text).result()
            counter.on = False
            by_name: Counter[str] = Counter()
            for code, calls in counter.found.items():
                by_name[f"{'/'.join(Path(code.co_filename).parts[-2:])} {code.co_qualname}"] += calls
            found[number] = by_name
    sys.setprofile(None)
    return found


def _of_tree(tree: Path, sf: float, numbers: Sequence[int]) -> dict[int, Counter[str]]:
    """What `counted` gives with the tqp of that tree, in a process of its own."""
    # -P and this tree last: `tqp` shall be that of the tree, and `benchmarks` this one.
    program = (
        "import json, sys; import tqp; sys.path.insert(0, sys.argv[1])\n"
        "from benchmarks.calls import counted\n"
        "print(json.dumps([tqp.__file__, counted(float(sys.argv[2]), json.loads(sys.argv[3]))]))"
    )
    command = [sys.executable, "-P", "-c", program, str(HOME), str(sf), json.dumps(list(numbers))]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    where, found = json.loads(done.stdout)
    if tree.resolve() not in Path(where).resolve().parents:
        raise RuntimeError(f"imported {where} instead of tqp in {tree}")
    return {int(number): Counter(by_name) for number, by_name in found.items()}


@names_what_is_missing
def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", metavar="COMMIT", help="count those of a commit, too")
    parser.add_argument("--queries", type=queries, default=list(parameters.QUERIES))
    parser.add_argument("--sf", type=float, default=0.1)
    parser.add_argument("--where", type=int, default=0, metavar="N", help="show the N functions that are called most")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(arguments)
    data.files(args.sf)  # the processes below shall find them
    record = Record("calls", args.json)
    before = None
    if args.base is not None:
        with checked_out(args.base) as tree:
            before = _of_tree(tree, args.sf, args.queries)
    after = _of_tree(HOME, args.sf, args.queries)
    every: Counter[str] = Counter()
    ratios = []
    for number, by_name in after.items():
        facts: dict[str, object] = {"calls": by_name.total(), "sf": args.sf}
        if before is not None:
            ratios.append(log(by_name.total() / before[number].total()))
            facts |= {"base": args.base, "base_calls": before[number].total(), "ratio": round(exp(ratios[-1]), 3)}
        record.fact(f"Q{number}", **facts)
        every += by_name
    facts = {"calls": every.total(), "sf": args.sf}
    if before is not None:
        total = sum(by_name.total() for by_name in before.values())
        facts |= {"base": args.base, "base_calls": total, "ratio": round(exp(sum(ratios) / len(ratios)), 3)}
    record.fact("all", **facts)
    for name, calls in every.most_common(args.where):
        print(f"{calls:8,}  {name}")


if __name__ == "__main__":
    sys.exit(main())
