"""What does tqp cost beside the work itself?

python -m benchmarks.overheads --sf 1 --threads 2          import, planning, small queries, loading, cold runs
python -m benchmarks.overheads --growth 0.1 1 5            how times grow with the data
python -m benchmarks.overheads --only plan --json o.jsonl  one part: import, plan, small, load, cold or growth
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.timing import Record, milliseconds
from tpch import data, parameters
from tpch.needed import names_what_is_missing
from tpch.run import Options, run

GROWING = (1, 3, 6, 9, 18)
COLD = (1, 3, 6, 13)

LOAD = """
import sys, time
import tqp
from tpch import data

def most():
    # What getrusage tells includes what the parent had when it started this process.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

before = most()
connection = tqp.connect(device=sys.argv[2], threads=int(sys.argv[3]))
start = time.perf_counter()
for table, path in data.files(float(sys.argv[1])).items():
    connection.register(table, str(path))
    stored = connection.catalog.lookup(table)
    for column, _ in stored.schema:
        stored.column(column)
seconds = time.perf_counter() - start
held = sum(connection.catalog.lookup(table).bytes() for table in connection.tables())
print(seconds * 1e3, most() - before, held)
"""


def importing(record: Record, args: argparse.Namespace) -> None:
    """`import tqp` in a new process, above an empty one; and with the first connection, which brings torch."""
    statements = {"nothing": "pass", "import tqp": "import tqp", "first connection": "import tqp; tqp.connect()"}
    for name, statement in statements.items():
        runs = []
        for _ in range(args.repeat):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True)
            runs.append((time.perf_counter() - start) * 1e3)
        record.add(f"import: {name}", runs)


def planning(record: Record, args: argparse.Namespace) -> None:
    """Each stage from text to program at its best, one TPC-H query a line; and a text that was planned before."""
    import tqp
    from tqp.optimizer import optimize
    from tqp.physical.planner import lower
    from tqp.sql import bind
    from tqp.sql.parse import parse

    with tqp.connect(device=args.device, threads=args.threads) as connection:
        for table, path in data.files(args.sf).items():
            connection.register(table, str(path))
        stages: list[list[float]] = []
        for number in parameters.QUERIES:
            text = parameters.query(number, sf=args.sf)
            # The first planning reads the statistics of the columns; that belongs to loading.
            plan = bind(text, connection.lookup).plan
            optimized = optimize(plan)
            parts = [
                milliseconds(lambda text=text: parse(text), args.repeat),
                milliseconds(lambda text=text: bind(text, connection.lookup), args.repeat),
                milliseconds(lambda plan=plan: optimize(plan), args.repeat),
                milliseconds(lambda plan=optimized: lower(plan), args.repeat),
                milliseconds(lambda text=text: connection.sql(text), args.repeat),
            ]
            parsed, bound, optimizing, lowering, cached = map(min, parts)
            stages.append([parsed, bound - parsed, optimizing, lowering, cached])
            record.add(
                f"plan: Q{number}",
                [a + b + c for a, b, c in zip(*parts[1:4], strict=True)],
                parse_ms=round(parsed, 3),
                bind_ms=round(bound - parsed, 3),
                optimize_ms=round(optimizing, 3),
                lower_ms=round(lowering, 3),
                cached_ms=round(cached, 3),
            )
        for name, times in zip(
            ("parse", "bind", "optimize", "lower", "cached"), zip(*stages, strict=True), strict=True
        ):
            record.add(f"plan: {name}, median query", list(times))


def small(record: Record, args: argparse.Namespace) -> None:
    """Queries with next to no work, from text to Arrow table."""
    import tqp

    with tqp.connect(device=args.device, threads=args.threads) as connection:
        for table, path in data.files(args.sf).items():
            connection.register(table, str(path))
        for text in ("SELECT 42", "SELECT count(*) FROM nation", "SELECT n_name FROM nation ORDER BY n_name LIMIT 3"):
            runs = milliseconds(lambda text=text: connection.sql(text).arrow(), args.repeat * 5, args.device)
            record.add(f"small: {text}", runs)


def loading(record: Record, args: argparse.Namespace) -> None:
    """Every column of every Parquet file into resident columns, in a new process."""
    data.generate(args.sf)
    command = [sys.executable, "-c", LOAD, str(args.sf), args.device, str(args.threads)]
    results = [
        [float(word) for word in subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()]
        for _ in range(min(args.repeat, 3))
    ]
    files = sum(path.stat().st_size for path in data.files(args.sf).values())
    record.add(
        f"load: SF {args.sf:g}, all columns",
        [milliseconds for milliseconds, _, _ in results],
        file_bytes=files,
        resident_bytes=int(results[-1][2]),
        peak_rss_bytes=int(max(peak for _, peak, _ in results)),
    )


def cold(record: Record, args: argparse.Namespace) -> None:
    """A query straight from Parquet with a new connection, beside DuckDB."""
    _compare(record, args, "cold", args.sf, COLD, cold=True)


def growth(record: Record, args: argparse.Namespace) -> None:
    """Warm times at several scale factors, beside DuckDB; linear is good."""
    for sf in args.growth:
        _compare(record, args, "growth", sf, GROWING, cold=False)


def _compare(
    record: Record, args: argparse.Namespace, part: str, sf: float, queries: Sequence[int], *, cold: bool
) -> None:
    options = Options(
        sf=sf, queries=queries, device=args.device, threads=args.threads, repeat=args.repeat, cold=cold, validate=False
    )
    for results in run(options):
        for result in results:
            if result.problem is not None:
                print(f"{part}: Q{result.query} {result.engine} failed: {result.problem}", file=sys.stderr)
                continue
            facts = {"engine": result.engine, "sf": sf, "peak_rss_bytes": result.peak_rss_bytes}
            record.add(f"{part}: Q{result.query} {result.engine} SF {sf:g}", result.runs_ms, **facts)


PARTS = {"import": importing, "plan": planning, "small": small, "load": loading, "cold": cold, "growth": growth}


def _chosen(args: argparse.Namespace) -> Iterator[str]:
    for part in PARTS:
        if args.only in ("", part) and (part != "growth" or args.growth):
            yield part


@names_what_is_missing
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sf", type=float, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=Options().threads)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--growth", type=float, nargs="+", default=[], metavar="SF")
    parser.add_argument("--only", choices=list(PARTS), default="")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    record = Record("overheads", args.json, args.device)
    for part in _chosen(args):
        PARTS[part](record, args)


if __name__ == "__main__":
    sys.exit(main())
