"""Conditions on their way down through many projections, each of which computes what they read."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pyarrow as pa

import tqp
from tqp.ir.expr import Expr
from tqp.ir.plan import Plan
from tqp.ir.visit import expressions, walk_query

_ROWS = pa.table({"k": list(range(1000)), "v": [one * 7919 % 1009 for one in range(1000)]})


def _chain(count: int) -> str:
    ctes = ["c0 AS (SELECT k, v FROM t WHERE k < 900)"]
    ctes += [f"c{at} AS (SELECT k, v + {at % 7} AS v FROM c{at - 1} WHERE v > {at % 13})" for at in range(1, count)]
    return f"WITH {', '.join(ctes)} SELECT count(*), sum(v) FROM c{count - 1}"


def _depth(expr: Expr) -> int:
    return 1 + max((_depth(child) for child in expr.children), default=0)


def _conditions(plan: Plan) -> Iterator[Expr]:
    for node in walk_query(plan):
        if type(node).__name__ == "Filter":
            yield from expressions(node)


def test_conditions_do_not_grow_without_end() -> None:
    con = tqp.connect(threads=1)
    con.register("t", _ROWS)
    short, long = (con.sql(_chain(count))._query.optimized for count in (4, 80))
    assert len(list(_conditions(short))) == 1, "all conditions of a short chain are at its end"
    assert max(map(_depth, _conditions(long))) < 40
    t = _ROWS  # noqa: F841
    assert con.sql(_chain(80)).fetchall() == duckdb.sql(_chain(80)).fetchall()
