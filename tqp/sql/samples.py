"""TABLESAMPLE and USING SAMPLE: rows drawn by their number, so that a seed gives the same ones again."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from tqp.ir.expr import Expr, Literal, SortKey
from tqp.ir.inputs import derived
from tqp.ir.plan import Filter, Limit, Plan, Project, Sort, Window
from tqp.sql.context import Context
from tqp.sql.limits import counted, numbered
from tqp.sql.operators import call, cast
from tqp.types import BIGINT, DOUBLE

__all__ = ["sampled"]

_METHODS: Final = ("bernoulli", "reservoir", "system")
_BLOCK: Final = 2048
"""Rows that SYSTEM takes or leaves together, as DuckDB's vectors."""
_MOST_ROWS: Final = 1_000_000_000


def sampled(context: Context, node: exp.TableSample | None, plan: Plan) -> Plan:
    """The rows of the plan that the clause draws; all of them without one.

    A number of rows, and a part of them by RESERVOIR, is exact; BERNOULLI decides for each row, and SYSTEM for each 2048.
    Without a seed it is the moment of the query. BindError for a size beyond 0 and 100 percent, or 10^9 rows.
    """
    if node is None:
        return plan
    percent, rows, seed = node.args.get("percent"), node.args.get("size"), node.args.get("seed")
    written = percent if percent is not None else rows
    size = _number(context, node, written)
    method = node.args.get("method")
    name = (method.name if method is not None else "system" if percent is not None else "reservoir").lower()
    if name not in _METHODS:
        raise context.error(node, f"there is no method {name} of sampling", hint=f"there are {', '.join(_METHODS)}")
    if percent is not None and not 0 <= size <= 100:
        raise context.error(written, "a sample in percent goes from 0 to 100")
    if percent is None and size > _MOST_ROWS:
        raise context.error(written, f"a sample has {_MOST_ROWS} rows at most", hint="LIMIT takes the first of more")
    if percent is None and name == "bernoulli":
        raise context.error(node, "BERNOULLI takes a part of the rows, in percent", hint="use RESERVOIR for a number")
    start = _moment(context) if not seed else _seed_given(context, node, seed)
    number, numbers = numbered(context)
    found: Plan = Window(plan, (), (), (number,), (numbers,))
    if percent is not None and name != "reservoir":
        row: Expr = number.ref
        if name == "system":
            row = call("intdiv", call("sub", row, Literal(1, BIGINT)), Literal(_BLOCK, BIGINT))
        drawn = call("lt", call("sample draw", row, start), Literal(size / 100, DOUBLE))
        return _without(Filter(found, drawn), plan)
    draw = context.field("draw", DOUBLE)
    drawing = (*found.schema, draw)
    found = Project(found, drawing, (*(column.ref for column in found.schema), call("sample draw", number.ref, start)))
    by_draw = (SortKey(draw.ref, False, False), SortKey(number.ref, False, False))
    if percent is None:
        return _without(Limit(Sort(found, by_draw), round(size)), plan)
    total = context.field("rows", BIGINT)
    place, places = numbered(context)
    found = Window(Window(found, (), (), (total,), (counted(),)), (), by_draw, (place,), (places,))
    most = call("add", call("mul", cast(total.ref, DOUBLE), Literal(size / 100, DOUBLE)), Literal(0.5, DOUBLE))
    return _without(Filter(found, call("lte", cast(place.ref, DOUBLE), call("floor", most))), plan)


def _without(found: Plan, plan: Plan) -> Plan:
    """The rows with the columns of the plan alone."""
    return Project(found, plan.schema, tuple(column.ref for column in plan.schema))


def _number(context: Context, node: exp.Expr, written: exp.Expr | None) -> float:
    if not isinstance(written, exp.Literal) or written.is_string:
        raise context.error(written or node, "a sample takes constants", hint="USING SAMPLE 10% or 100 ROWS")
    return float(written.this)


def _seed_given(context: Context, node: exp.Expr, written: exp.Expr) -> Literal:
    seed = int(_number(context, node, written))
    if seed >= 2**63:
        raise context.error(written, f"{written.name} is too large for the seed of a sample")
    return Literal(seed, BIGINT)


def _moment(context: Context) -> Literal:
    """The seed of a sample that has none; each of a query has another."""
    context.is_dated = True
    context.samples += 1
    return derived(_seed, context.session.moment, rest=(context.samples,))


def _seed(moment: Literal, sample: int) -> Literal:
    assert isinstance(moment.value, int)
    return Literal((moment.value * 31 + sample) % 2**62, BIGINT)
