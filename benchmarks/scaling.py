"""How many cores do the workers of a pipeline keep busy, and how much faster are they than one?

python -m benchmarks.scaling                           scans, probes and aggregations over 6 M rows, two threads
python -m benchmarks.scaling --sf 1 --queries 1,6-9    TPC-H's queries
python -m benchmarks.scaling --threads 4 --json scaling.jsonl

One thread and several run each query in turns. `cores`: CPU time of the workers over time on the clock, from the start of the
first one to the end of the last (`explain(True)` says it, too). `speed_up`: of the whole query, with what runs on one thread
before and after. What else runs on the machine makes both smaller.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import tqp
from benchmarks.timing import Record
from tpch import data, parameters
from tpch.__main__ import queries
from tpch.needed import names_what_is_missing
from tpch.run import Options
from tqp.interrupt import Interrupt
from tqp.physical.planner import lower
from tqp.physical.target import Target
from tqp.runtime import executor, workers
from tqp.runtime.trace import Trace

ROWS = 6_000_000

SHAPES = {
    "scan: one condition, one sum": "SELECT sum(price) FROM t WHERE day < 1000",
    "scan: four conditions, arithmetic": (
        "SELECT sum(price * (100 - part)) FROM t WHERE day BETWEEN 500 AND 1500 AND part > 3 AND few <> 2 AND price < 90000"
    ),
    "scan: floats": "SELECT avg(sqrt(x) * x + ln(x)) FROM t WHERE x > 0.25",
    "probe: unique keys of a small table": "SELECT sum(t.price + d.bonus) FROM t JOIN d ON t.thing = d.id WHERE d.bonus > 10",
    "probe: keys of a large table": "SELECT sum(t.price - e.cost) FROM t JOIN e ON t.many = e.id WHERE e.cost < 500",
    "probe: whether a key is there": "SELECT count(*) FROM t WHERE many IN (SELECT id FROM e WHERE cost < 100)",
    "aggregation: 5 groups": "SELECT few, sum(price), avg(x), count(*) FROM t GROUP BY few",
    "aggregation: 100,000 groups": "SELECT thing, sum(price), count(*) FROM t GROUP BY thing",
    "aggregation: 1,000,000 groups": "SELECT many, sum(price), max(day) FROM t GROUP BY many",
}
"""Queries over `tables`, by what their longest pipeline does."""


def tables(rows: int) -> dict[str, pa.Table]:
    """A table of that many rows, and two that it refers to."""
    rng = np.random.default_rng(0)
    things, many = rows // 60, rows // 6
    return {
        "t": pa.table(
            {
                "day": rng.integers(0, 2000, rows, dtype=np.int32),
                "price": rng.integers(0, 100_000, rows, dtype=np.int64),
                "part": rng.integers(0, 10, rows, dtype=np.int8),
                "few": rng.integers(0, 5, rows, dtype=np.int8),
                "thing": rng.integers(0, things, rows, dtype=np.int32),
                "many": rng.integers(0, many, rows, dtype=np.int32),
                "x": rng.random(rows),
            }
        ),
        "d": pa.table({"id": rng.permutation(things), "bonus": rng.integers(0, 100, things)}),
        "e": pa.table({"id": rng.permutation(many), "cost": rng.integers(0, 1000, many)}),
    }


def measure(record: Record, sides: dict[int, tqp.Connection], name: str, text: str, repeat: int) -> None:
    """Run the query on each side in turns, and write down its times and how busy its workers were."""
    programs = {
        threads: lower(side.sql(text).bound_query.optimized, Target.of(side.settings))
        for threads, side in sides.items()
    }
    walls: dict[int, list[float]] = {threads: [] for threads in sides}
    cores: list[float] = []
    longest: list[float] = []
    for turn in range(-1, repeat):
        for threads, side in sides.items():
            trace = Trace()
            started = time.perf_counter()
            workers.call(partial(executor.run, programs[threads], side.settings, trace), Interrupt())
            elapsed = 1e3 * (time.perf_counter() - started)
            if turn < 0:
                continue
            walls[threads].append(elapsed)
            if threads > 1:
                cores.append(trace.busy or 1)
                slowest = max(trace.pipelines, key=lambda item: item.working)
                longest.append(slowest.busy / slowest.working if slowest.working else 1)
    one, several = (walls[threads] for threads in sorted(walls))
    record.add(
        name,
        several,
        threads=max(sides),
        one_thread_ms=round(median(one), 2),
        speed_up=round(median(one) / median(several), 2),
        cores=round(median(cores), 2),
        cores_of_longest_pipeline=round(median(longest), 2),
    )


def cases(args: argparse.Namespace) -> tuple[dict[str, pa.Table], Iterator[tuple[str, str]]]:
    """Tables, and the queries over them with their names."""
    if args.sf is None:
        return tables(args.rows), iter(SHAPES.items())
    found = {name: pq.read_table(path) for name, path in data.files(args.sf).items()}
    return found, ((f"Q{number}", parameters.query(number, sf=args.sf)) for number in args.queries)


@names_what_is_missing
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--sf", type=float, help="TPC-H of this scale factor in place of the shapes")
    parser.add_argument("--queries", type=queries, default=Options().queries)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(arguments)
    record = Record("scaling", args.json)
    found, texts = cases(args)
    with tqp.connect(threads=1) as one, tqp.connect(threads=args.threads) as several:
        for side in (one, several):
            for name, table in found.items():
                side.register(name, table)
        for name, text in texts:
            measure(record, {1: one, args.threads: several}, name, text, args.repeat)


if __name__ == "__main__":
    sys.exit(main())
