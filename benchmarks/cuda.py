"""What to run first on a machine with a GPU: one command, under ten minutes, the most telling first.

    python -m benchmarks.cuda                       everything, into cuda-out/
    python -m benchmarks.cuda --only micro,answers  some of its parts
    python -m benchmarks.cuda --device sim          a rehearsal at small sizes, on the simulated device of the tests

Each part runs in a process of its own, as a wrong index on a GPU ends the process that made it; it has a time limit of its own and
leaves OUT/<part>.txt and what it measured in OUT/<part>.jsonl. What only a GPU can do says that it was left out.

Needs torch, pyarrow, sqlglot, duckdb and tpchgen-cli; the suites pytest, pytest-xdist and hypothesis too. Where they are in a
folder of their own: PYTHONPATH=FOLDER PATH=FOLDER/bin:$PATH.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.timing import require
from tpch import data
from tpch.needed import names_what_is_missing

__all__ = ["PARTS", "Part", "Setting", "main"]

ROOT = Path(__file__).parents[1]
PATH = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))

SUITES = ("tests/sql", "tests/tpch", "tests/predict/test_sql.py")

ON_SIM = """\
import os, runpy, sys
from tests.device.simulated import install
install()
sys.argv = sys.argv[1:]
status = 0
try:
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
except SystemExit as ended:
    status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
sys.stdout.flush()
sys.stderr.flush()
os._exit(status)
"""
"""Runs a module where the simulated device is known. Ends at once, as taking down such an interpreter may hang."""


@dataclass(frozen=True)
class Setting:
    """Where and how large."""

    device: str
    out: Path
    small: bool
    """A rehearsal."""

    def module(self, name: str, *args: object) -> list[str]:
        """The command that runs a module of the checkout on the device."""
        start = ["-c", ON_SIM] if self.device == "sim" else ["-m"]
        return [sys.executable, *start, name, *map(str, args)]

    def tpch(self, part: str, command: str, sf: float, *args: object) -> list[str]:
        file = self.out / f"{part}.jsonl"
        return self.module("tpch", command, "--sf", sf, "--device", self.device, "--json", file, *args)


Commands = Callable[[Setting], "list[list[str]] | str"]


@dataclass(frozen=True)
class Part:
    """One question: the commands that answer it one after the other, or why they are left out."""

    name: str
    question: str
    seconds: int
    commands: Commands
    sf: float = 0
    """The scale factor of the data that must be there, which are made meanwhile."""


def _machine(at: Setting) -> list[list[str]]:
    about = (
        "import platform, duckdb, torch; from tpch.report import hardware;"
        f"print(platform.python_version(), torch.__version__, duckdb.__version__, hardware({at.device!r}), sep='\\n')"
    )
    smi = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv"]
    return [[sys.executable, "-c", about], *([] if at.small else [smi])]


def _micro(at: Setting) -> list[list[str]]:
    return [at.module("benchmarks.cuda_micro", "--device", at.device, "--json", at.out / "micro.jsonl")]


def _answers(at: Setting) -> list[list[str]]:
    seeds: list[tuple[object, ...]] = [()] if at.small else [(), ("--seed", 1), ("--seed", 2)]
    return [at.tpch("answers", "validate", 0.01, *seed) for seed in seeds]


def _sf1(at: Setting) -> list[list[str]]:
    return [at.tpch("sf1", "run", 0.01 if at.small else 1, "--repeat", 1 if at.small else 7)]


def _work(at: Setting) -> list[list[str]]:
    sf = 0.01 if at.small else 1
    return [at.module("benchmarks.cuda_work", "--device", at.device, "--sf", sf, "--json", at.out / "work.jsonl")]


def _suites(at: Setting) -> list[list[str]] | str:
    lacking = [name for name in ("pytest", "hypothesis") if importlib.util.find_spec(name) is None]
    if lacking:
        return f"{' and '.join(lacking)} must be installed"
    if at.small:
        return [_pytest(at, "tests/sql/test_bind_meaning.py")]
    workers = ["-n", "8"] if importlib.util.find_spec("xdist") is not None else []
    return [_pytest(at, *SUITES, *workers)]


def _pytest(at: Setting, *args: str) -> list[str]:
    cache = f"cache_dir={at.out / 'pytest'}"
    return [sys.executable, "-m", "pytest", "--device", at.device, "-q", "-rfE", "-o", cache, *args]


def _sf10(at: Setting) -> list[list[str]] | str:
    if at.small:
        return "ten gigabytes are too much for a rehearsal"
    return [at.tpch("sf10", "run", 10, "--repeat", 3)]


def _compile(at: Setting) -> list[list[str]] | str:
    if at.small:
        return "nothing is compiled for the simulated device"
    return [at.tpch("compile", "run", 1, "--queries", "1,6", "--backend", "compile", "--repeat", 5)]


PARTS = (
    Part("machine", "what is it?", 20, _machine),
    Part("micro", "the constants of a cost model", 70, _micro),
    Part("answers", "are all 22 answers DuckDB's?", 60, _answers),
    Part("sf1", "TPC-H at scale factor 1 against DuckDB", 90, _sf1, sf=1),
    Part("work", "waits, kernels and busy share of each query", 60, _work, sf=1),
    Part("suites", "do the suites pass there?", 150, _suites),
    Part("sf10", "TPC-H at scale factor 10 against DuckDB", 120, _sf10, sf=10),
    Part("compile", "queries 1 and 6 compiled", 60, _compile, sf=1),
)


def _run(command: list[str], file: Path, seconds: float, extra: dict[str, str] | None = None) -> str:
    """Run it with its output in `file` as well as here; how it ended."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": PATH, **(extra or {})}
    with file.open("a") as out:
        try:
            # A session of its own, so that the workers of what runs too long end with it.
            child = subprocess.Popen(
                command, stdout=out, stderr=subprocess.STDOUT, cwd=ROOT, env=environment, start_new_session=True
            )
        except OSError as error:
            return f"failed: {error}"
        try:
            status = child.wait(max(seconds, 0.1))
        except subprocess.TimeoutExpired:
            return f"stopped after {seconds:.0f} s"
        finally:
            _kill(child)
    return "done" if status == 0 else f"failed with status {status}"


def _kill(child: subprocess.Popen[bytes]) -> None:
    """End the session of a child, if it has not ended itself."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _run_part(part: Part, at: Setting, seconds: float) -> str:
    """How the part ended."""
    commands = part.commands(at)
    if isinstance(commands, str):
        return f"left out: {commands}"
    file = at.out / f"{part.name}.txt"
    file.unlink(missing_ok=True)
    (at.out / f"{part.name}.jsonl").unlink(missing_ok=True)
    end = time.monotonic() + seconds
    endings = [_run(command, file, end - time.monotonic()) for command in commands]
    if part.name == "suites" and endings != ["done"]:
        # What an assertion on the device broke in its process says nothing of the later tests: those that failed, alone.
        alone = _pytest(at, *SUITES, "--last-failed", "-x")
        _run(alone, at.out / "suites_first.txt", max(end - time.monotonic(), 30), {"CUDA_LAUNCH_BLOCKING": "1"})
    return next((ending for ending in endings if ending != "done"), "done")


def _generated_ahead(at: Setting) -> subprocess.Popen[bytes] | None:
    """Data takes as long to make as the first parts to run."""
    if at.small:
        return None
    make = "from tpch import data; [data.generate(sf) for sf in (0.01, 1, 10)]"
    with (at.out / "data.txt").open("w") as log:
        environment = {**os.environ, "PYTHONPATH": PATH}
        return subprocess.Popen(
            [sys.executable, "-c", make], cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
        )


def _await(sf: float, making: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait until the data are there, or cannot be made."""
    end = time.monotonic() + seconds
    while sf and not data.folder(sf).is_dir() and making.poll() is None and time.monotonic() < end:
        time.sleep(0.2)


@names_what_is_missing
def main(argv: list[str] | None = None) -> int:
    """Run the parts; the status is 1 where one failed or was stopped."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cuda", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [part.name for part in PARTS]
    parser.add_argument("--device", default="cuda", choices=["cuda", "sim"])
    parser.add_argument("--out", type=Path, default=Path("cuda-out"), help="folder of what is written")
    parser.add_argument("--seconds", type=float, default=570, help="for everything together")
    parser.add_argument("--only", default=",".join(names), help=f"of {', '.join(names)}")
    args = parser.parse_args(argv)
    require(args.device)
    chosen = args.only.split(",")
    if unknown := sorted(set(chosen) - set(names)):
        parser.error(f"there is no part {unknown[0]!r}")
    at = Setting(args.device, args.out.resolve(), args.device == "sim")
    at.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    making = _generated_ahead(at)
    endings = []
    for part in PARTS:
        if part.name not in chosen:
            continue
        if making is not None:
            _await(part.sf, making, args.seconds - (time.monotonic() - started))
        left = args.seconds - (time.monotonic() - started)
        began = time.monotonic()
        ending = "left out: no time is left" if left < 1 else _run_part(part, at, min(part.seconds, left))
        endings.append(ending)
        print(f"{part.name:<8} {time.monotonic() - began:6.1f} s  {ending:<28} {part.question}", flush=True)
    if making is not None:
        _kill(making)
    print(f"{time.monotonic() - started:.0f} s in all; see {at.out}")
    return int(any(not ending.startswith(("done", "left out")) for ending in endings))


if __name__ == "__main__":
    sys.exit(main())
