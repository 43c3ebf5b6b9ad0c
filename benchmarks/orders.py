"""Are the orders of joins good? Rows between joins, of tqp's plans and of DuckDB's, query by query.

    python -m benchmarks.orders --rows 100000                     all workloads
    python -m benchmarks.orders --only star graph --all           some of them, with the queries that are alike
    python -m benchmarks.orders --only tpch --rows 6000000 --json orders.jsonl

The sum of the rows that all joins of a plan give (C_out) is a measure of its order that does not hang on the machine. Both plans
run, and rows are counted as they come. A query is shown, and written down, where tqp's sum is more than `--worse` times DuckDB's.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import tqp
from benchmarks.timing import Record
from benchmarks.workloads.__main__ import NAMES, WORKLOADS
from benchmarks.workloads.tpch import Tpch
from tpch.needed import names_what_is_missing
from tqp import device
from tqp.operators.filter import FilterStage
from tqp.operators.membership import MembershipStage
from tqp.operators.probe import ProbeStage
from tqp.operators.setops import FullJoinSink
from tqp.runtime.observe import EVERYWHERE
from tqp.runtime.trace import PipelineTrace, Trace

if TYPE_CHECKING:
    import duckdb

__all__ = ["duckdb_rows", "tqp_rows"]

_JOINS: Final = {
    "HASH_JOIN",
    "NESTED_LOOP_JOIN",
    "BLOCKWISE_NL_JOIN",
    "PIECEWISE_MERGE_JOIN",
    "IE_JOIN",
    "CROSS_PRODUCT",
}


def duckdb_rows(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    """The rows that the joins of DuckDB's plan give, all together; without joins with at most one row, as of a scalar subquery."""
    (found,) = connection.execute(f"EXPLAIN (ANALYZE, FORMAT json) {sql}").fetchall()
    rows, pending = 0, list(json.loads(found[1])["operator"])
    while pending:
        node = pending.pop()
        below = node.get("children", [])
        pending += below
        if node["type"] in _JOINS and not (node["type"] == "CROSS_PRODUCT" and _is_scalar(below)):
            rows += node["intermediate_rows"]
    return rows


def _is_scalar(sides: Sequence[Mapping[str, Any]]) -> bool:
    return any(side["intermediate_rows"] <= 1 for side in sides)


def tqp_rows(connection: tqp.Connection, sql: str) -> int:
    """The same of tqp's plan. Of a table that an index finds rows of, those count that pass its filter."""
    trace = Trace()
    EVERYWHERE.append(lambda: trace)
    try:
        connection.sql(sql).arrow()
    finally:
        EVERYWHERE.pop()
    return sum(rows for pipeline in trace.pipelines for rows in _joined(pipeline))


def _joined(found: PipelineTrace) -> Iterator[int]:
    stages = found.pipeline.stages
    for place, stage in enumerate(stages):
        if not isinstance(stage, ProbeStage | MembershipStage) or not stage.keys and stage.kind == "single":
            continue
        if isinstance(stage, MembershipStage) and stage.is_optional or isinstance(stage, ProbeStage) and stage.track:
            # It is needed for no answer, or gives its rows together with those of the sink.
            continue
        is_filtered = place + 1 < len(stages) and isinstance(stages[place + 1], FilterStage)
        yield found.stages[place + is_filtered].rows
    if isinstance(found.pipeline.sink, FullJoinSink):
        yield found.rows_out or 0


def _opened(files: Mapping[str, Path]) -> tuple[tqp.Connection, duckdb.DuckDBPyConnection]:
    import duckdb

    ours, theirs = tqp.connect(), duckdb.connect()
    for table, path in files.items():
        ours.register(table, str(path))
        theirs.execute(f"CREATE TABLE {table} AS SELECT * FROM read_parquet('{path}')")
    return ours, theirs


@names_what_is_missing
def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--turn", type=int, default=0, help="the constants")
    parser.add_argument("--worse", type=float, default=1.5)
    parser.add_argument("--all", action="store_true", help="show all queries")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(arguments)
    # A loop counts no rows between joins.
    here = device.TYPES["cpu"]
    device.TYPES["cpu"] = replace(here, limits=replace(here.limits, looped_rows=None))
    record = Record("orders", args.json)
    for name in args.only:
        workload = WORKLOADS.get(name) or Tpch(args.rows)
        ours, theirs = _opened(workload.files(args.rows))
        compared = worse = 0
        for query in workload.queries:
            sql = query.sql(args.turn)
            rows, peer = tqp_rows(ours, sql), duckdb_rows(theirs, sql)
            if not rows and not peer:
                continue
            compared += 1
            is_worse = rows > args.worse * max(peer, 1)
            worse += is_worse
            if is_worse or args.all:
                record.fact(f"{name}, {query.name}:", tqp_rows=rows, duckdb_rows=peer, rows=args.rows, worse=is_worse)
        record.fact(f"{name}:", queries=compared, worse=worse, rows=args.rows, turn=args.turn)
        ours.close()
        theirs.close()


if __name__ == "__main__":
    sys.exit(main())
