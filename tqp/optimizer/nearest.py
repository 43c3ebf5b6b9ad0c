"""The first rows of a correlated query in an order that reads the rows around it, as a join with the nearest rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tqp.functions.registry import find
from tqp.ir import words
from tqp.ir.conditions import conjunction
from tqp.ir.expr import Call, Case, ColumnRef, Expr, SortKey
from tqp.ir.expr import Literal as Constant
from tqp.ir.plan import Field, Filter, Limit, NearestJoin, Plan, Project, Sort, TopN
from tqp.ir.visit import free_symbols, rename, symbols, walk
from tqp.optimizer.correlated_predicates import Pull
from tqp.optimizer.fresh import Symbols, pass_through, select
from tqp.optimizer.literals import boolean
from tqp.optimizer.sorted_input import without_sort
from tqp.types import BOOLEAN

__all__ = ["Nearest", "first_rows", "nearest_rows"]

_MOST: Final = 2**20
"""More rows than this for each row are no few of them."""


@dataclass(frozen=True)
class Nearest:
    """`plan`: a source with the rows of the query for each of its rows; `outputs` are the query's columns over it."""

    plan: NearestJoin
    outputs: tuple[Expr, ...]


def nearest_rows(source: Plan, inner: Plan, names: Symbols, kind: Literal["inner", "left"]) -> Nearest | None:
    """The rows of `inner` for each row of `source`, whose columns it reads; None where it is no LIMIT of an order that does.

    In a `left` join the outputs are NULL where there is no row. Neither plan holds subquery expressions.
    """
    outer = free_symbols(inner) & {field.symbol for field in source.schema}
    above, rows = _below_projections(inner)
    if not outer or not isinstance(rows, Limit | TopN) or rows.offset or not 1 <= (rows.limit or 0) <= _MOST:
        return None
    assert rows.limit is not None
    ordered, keys = (rows.input, rows.keys) if isinstance(rows, TopN) else without_sort(rows.input, names)
    computed, below = _below_projections(ordered)
    projects = (*above, *computed)
    if any(_is_of_each_row(expr) for project in projects for expr in project.exprs):
        return None
    order = tuple(SortKey(_over(k.expr, computed), k.descending, k.nulls_first) for k in keys)
    if not any(symbols(key.expr) & outer for key in order):
        return None
    found = Pull(frozenset(outer), names).pull(below)
    if found is None or found.empty is not None:
        return None
    right, predicates = found.plan, found.predicates
    outputs = tuple(_over(field.ref, projects) for field in inner.schema)
    if kind == "left":
        # Beside padded rows what is no column of them is computed of nothing.
        there = Field(names.fresh("there"), "there", BOOLEAN)
        own = {field.symbol for field in right.schema}
        if not all(_is_column(expr, own) for expr in outputs):
            right = pass_through(right, ((there, boolean(True)),))
            missing = Call(words.IS_NULL, (there.ref,), BOOLEAN)
            outputs = tuple(
                expr if _is_column(expr, own) else Case((missing,), (Constant(None, expr.dtype),), expr)
                for expr in outputs
            )
    condition, skips_null = _without_null_test(predicates, order[0].expr)
    return Nearest(NearestJoin(kind, source, right, order, rows.limit, condition, skips_null), outputs)


def first_rows(plan: NearestJoin, names: Symbols) -> Plan:
    """The right side's rows that belong to a row of the left one, by that row's columns."""
    keys = tuple(Field(names.fresh("key"), "key", key.expr.dtype) for key in plan.order)
    rows = plan.right if plan.condition is None else Filter(plan.right, plan.condition)
    rows = pass_through(rows, tuple((field, key.expr) for field, key in zip(keys, plan.order, strict=True)))
    if plan.skips_null:
        missing = Call(words.IS_NULL, (keys[0].ref,), BOOLEAN)
        rows = Filter(rows, Call(words.NOT, (missing,), BOOLEAN))
    order = (SortKey(field.ref, k.descending, k.nulls_first) for field, k in zip(keys, plan.order, strict=True))
    return select(Limit(Sort(rows, tuple(order)), plan.limit), plan.right.schema)


def _without_null_test(parts: tuple[Expr, ...], value: Expr) -> tuple[Expr | None, bool]:
    """The conjunction of the parts, None of none, but the one that says that `value` is not NULL, and whether it is there."""
    test = Call(words.NOT, (Call(words.IS_NULL, (value,), BOOLEAN),), BOOLEAN)
    rest = tuple(part for part in parts if part != test)
    return conjunction(rest) if rest else None, len(rest) < len(parts)


def _below_projections(plan: Plan) -> tuple[tuple[Project, ...], Plan]:
    """The projections on top of a plan, the topmost first, and what is below them."""
    found: list[Project] = []
    while isinstance(plan, Project):
        found.append(plan)
        plan = plan.input
    return tuple(found), plan


def _over(expr: Expr, projects: tuple[Project, ...]) -> Expr:
    """An expression over the first of the projections as one over the input of the last."""
    for project in projects:
        expr = rename(expr, {f.symbol: e for f, e in zip(project.fields, project.exprs, strict=True)})
    return expr


def _is_column(expr: Expr, own: set[str]) -> bool:
    return isinstance(expr, ColumnRef) and expr.symbol in own


def _is_of_each_row(expr: Expr) -> bool:
    return any(isinstance(part, Call) and find(part.function).each_row for part in walk(expr))
