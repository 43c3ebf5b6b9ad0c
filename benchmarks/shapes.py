"""Shapes of queries that TPC-H lacks and a decision gives times for: tqp beside DuckDB, in turns.

    python -m benchmarks.shapes                            all, two threads
    python -m benchmarks.shapes --only like --threads 1    one family: cube or like
    python -m benchmarks.shapes --limit 60 --json shapes.jsonl

A query that DuckDB does not end within the limit is interrupted, which may itself take some seconds, and not asked again.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

import tqp
from benchmarks.timing import Record
from tpch.needed import names_what_is_missing
from tpch.run import Options

if TYPE_CHECKING:
    import duckdb

Case = tuple[str, pa.Table, str]
"""What it is called, the table `t`, and the query, whose answer is one row."""

WORDS = ("special", "requests", "carefully", "final", "pending", "deposits", "quick", "ironic")
PATTERNS = 16


def cubes(scale: float) -> Iterator[Case]:
    """CUBE of 12 columns, 4096 sets, over few rows and over more (docs/decisions/0015)."""
    keys = ", ".join(f"k{place}" for place in range(12))
    for rows in (4, round(1000 * scale)):
        rng = np.random.default_rng(0)
        columns = {f"k{place}": rng.integers(0, 3, rows) for place in range(12)}
        table = pa.table({**columns, "v": rng.integers(0, 100, rows)})
        inner = f"SELECT {keys}, sum(v) AS total FROM t GROUP BY CUBE ({keys})"
        yield f"cube: 12 columns, {rows} rows", table, f"SELECT count(*), sum(total) FROM ({inner})"


def likes(scale: float) -> Iterator[Case]:
    """LIKE with constant patterns and with a column of few patterns (docs/decisions/0013)."""
    rows = round(1_000_000 * scale)
    rng = np.random.default_rng(0)
    texts = [" ".join(words) for words in rng.choice(WORDS, (rows, 6))]
    parts = [f"{a}%{b}" for a, b in rng.choice(WORDS, (PATTERNS, 2))]
    table = pa.table({"s": texts, "k": rng.choice(parts, rows)})
    for name, condition in (
        ("two words", "s LIKE '%special%requests%'"),
        ("a prefix", "s LIKE 'spec%'"),
        (f"a column of {PATTERNS} patterns", "s LIKE '%' || k || '%'"),
    ):
        yield f"like: {name}, {rows} rows", table, f"SELECT count(*) FROM t WHERE {condition}"


FAMILIES = {"cube": cubes, "like": likes}


def compare(record: Record, case: Case, args: argparse.Namespace) -> None:
    """Run both engines in turns and write down the times of each; AssertionError where the answers differ."""
    import duckdb

    name, table, query = case
    with tqp.connect(device=args.device, threads=args.threads) as ours, duckdb.connect() as peer:
        ours.register("t", table)
        peer.execute(f"SET threads = {args.threads}")
        peer.register("arrow", table)
        peer.execute("CREATE TABLE t AS SELECT * FROM arrow")
        sides: dict[str, Callable[[], list[tuple[object, ...]] | None]] = {
            "tqp": lambda: ours.sql(query).fetchall(),
            "duckdb": lambda: _within(args.limit, peer, query),
        }
        times: dict[str, list[float]] = {engine: [] for engine in sides}
        answers: dict[str, list[tuple[object, ...]]] = {}
        # The first turn reads and plans; it counts only where there is no other.
        for turn in range(args.repeat + 1):
            for engine, run in list(sides.items()):
                start = time.perf_counter()
                answer = run()
                elapsed = (time.perf_counter() - start) * 1e3
                if answer is None:
                    times[engine] = [elapsed]
                    answers.pop(engine, None)
                    del sides[engine]
                    continue
                answers[engine] = answer
                times[engine] = [*(times[engine] if turn > 1 else []), elapsed]
        if len(answers) == 2:
            assert answers["tqp"] == answers["duckdb"], f"{name}: {answers}"
    for engine, runs in times.items():
        ended = engine in answers
        record.add(f"{name}, {engine}", runs, engine=engine, threads=args.threads, interrupted=None if ended else True)


def _within(seconds: float, connection: duckdb.DuckDBPyConnection, query: str) -> list[tuple[object, ...]] | None:
    """The answer; None where it was not there after so long."""
    import duckdb

    timer = threading.Timer(seconds, connection.interrupt)
    timer.start()
    try:
        return connection.execute(query).fetchall()
    except duckdb.InterruptException:
        return None
    finally:
        timer.cancel()


@names_what_is_missing
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=Options().threads)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1, help="rows over those of the decisions")
    parser.add_argument("--limit", type=float, default=20, help="seconds that DuckDB gets for a query")
    parser.add_argument("--only", choices=list(FAMILIES), default="")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(arguments)
    record = Record("shapes", args.json, args.device)
    for family, cases in FAMILIES.items():
        if args.only in ("", family):
            for case in cases(args.scale):
                compare(record, case, args)


if __name__ == "__main__":
    sys.exit(main())
