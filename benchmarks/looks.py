"""How long does the first look at a file take, and the first query that needs all of it?

python -m benchmarks.looks --rows 500000 --threads 2                  every format, beside DuckDB
python -m benchmarks.looks --only csv json --json looks.jsonl         some of them

Every query is of a file that nobody has read: each side has a name of its own for the file in each turn, and a new connection.
Both run in this process, in turns, after one small query that is not counted.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

import tqp
from benchmarks.timing import Record
from tpch.needed import names_what_is_missing

if TYPE_CHECKING:
    import duckdb

_ROWS_OF: Final = """
SELECT i AS id, i % 1000 AS kind, TIMESTAMP '2020-01-01' + INTERVAL (i) SECOND AS at, DATE '2020-01-01' + (i % 500)::INTEGER AS day,
       (i * 7919 % 100000) / 100 AS amount, i % 3 = 0 AS flag, 'customer ' || i % 5000 AS customer, md5(i::VARCHAR) AS note
FROM range({rows}) t(i)
"""
_FORMATS: Final = {
    "parquet": "(FORMAT parquet)",
    "csv": "(FORMAT csv)",
    "csv.gz": "(FORMAT csv, COMPRESSION gzip)",
    "json": "(FORMAT json)",
}
_QUERIES: Final = {
    "look": "SELECT * FROM '{file}' LIMIT 5",
    "filtered look": "SELECT * FROM '{file}' WHERE kind = 7 LIMIT 5",
    "count": "SELECT count(*) FROM '{file}'",
    "sums": "SELECT kind, sum(id), max(amount), max(customer) FROM '{file}' GROUP BY kind",
    "all columns": "SELECT count(COLUMNS(*)) FROM '{file}'",
}


def _timed(connect: Callable[[], Any], text: str) -> tuple[float, float, list[Any]]:
    """Wall and CPU milliseconds of a query on a new connection, and its answer."""
    connection = connect()
    wall, cpu = time.perf_counter(), time.process_time()
    answer = connection.sql(text).fetchall()
    found = (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3, answer
    connection.close()
    return found


def _compared(
    record: Record, name: str, file: Path, text: str, sides: dict[str, Callable[[], Any]], repeat: int
) -> None:
    runs: dict[str, list[tuple[float, float]]] = {side: [] for side in sides}
    for turn in range(repeat):
        answers = []
        for side, connect in sides.items():
            fresh = file.with_name(f"{side}-{turn}-{file.name}")
            os.link(file, fresh)
            wall, cpu, answer = _timed(connect, text.format(file=fresh))
            fresh.unlink()
            runs[side].append((wall, cpu))
            answers.append(sorted(map(repr, answer)))
        if answers[0] != answers[1]:
            raise SystemExit(f"{name}: the answers differ")
    walls = {side: median(wall for wall, _ in some) for side, some in runs.items()}
    cpus = {side: median(cpu for _, cpu in some) for side, some in runs.items()}
    record.add(
        name, [wall for wall, _ in runs["tqp"]], duckdb_ms=round(walls["duckdb"], 2), wall=f"{walls['duckdb'] / walls['tqp']:.2f}x",
        cpu_ms=round(cpus["tqp"], 2), duckdb_cpu_ms=round(cpus["duckdb"], 2), cpu=f"{cpus['duckdb'] / cpus['tqp']:.2f}x",
    )  # fmt: skip


@names_what_is_missing
def main(arguments: Sequence[str] | None = None) -> None:
    import duckdb

    parser = argparse.ArgumentParser(
        prog="benchmarks.looks", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=_FORMATS, default=list(_FORMATS))
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(arguments)

    def of_duckdb() -> duckdb.DuckDBPyConnection:
        return duckdb.connect(config={"threads": args.threads})

    sides: dict[str, Callable[[], Any]] = {"tqp": lambda: tqp.connect(threads=args.threads), "duckdb": of_duckdb}
    record = Record("looks", args.json)
    with tempfile.TemporaryDirectory() as folder:
        for connect in sides.values():
            _timed(connect, "SELECT 1")
        for ending in args.only:
            file = Path(folder) / f"x.{ending}"
            of_duckdb().execute(f"COPY ({_ROWS_OF.format(rows=args.rows)}) TO '{file}' {_FORMATS[ending]}")
            # Files that were written just now are looked at twice.
            os.utime(file, (time.time() - 60, time.time() - 60))
            for name, text in _QUERIES.items():
                _compared(record, f"{ending}: {name}", file, text, sides, args.repeat)
            file.unlink()


if __name__ == "__main__":
    main()
