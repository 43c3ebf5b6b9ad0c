"""UNION, INTERSECT and EXCEPT of rows whose values are compared by a form of them: those with equal keys are the same row, and the
first of them, of the left side where it has one, is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from tqp.functions.aggregates import bind_aggregate
from tqp.functions.bind import bind
from tqp.functions.windows import bind_window
from tqp.ir import words
from tqp.ir.expr import Expr
from tqp.ir.expr import Literal as Constant
from tqp.ir.plan import Aggregate, Field, Filter, Plan, Project, SetOp, Window
from tqp.ir.window import WindowCall
from tqp.sql.collations import has_key, key_of
from tqp.sql.context import Context
from tqp.types import BIGINT

__all__ = ["set_operation"]

Kind = Literal["union", "intersect", "except"]

_LEFT: Final = Constant(0, BIGINT)
_RIGHT: Final = Constant(1, BIGINT)


def set_operation(
    context: Context, kind: Kind, keep_all: bool, inputs: tuple[Plan, ...], fields: tuple[Field, ...]
) -> Plan:
    """The set operation of inputs whose types agree, with `fields` as its columns."""
    if kind == "union" and keep_all or not any(has_key(column.dtype) for column in fields):
        return SetOp(kind, keep_all, inputs, fields)
    side = context.field("side", BIGINT)
    marked = tuple([_of_side(context, one, _RIGHT if place else _LEFT) for place, one in enumerate(inputs)])
    both = SetOp("union", True, marked, (*_again(context, fields), side))
    rows = both.schema[:-1]
    forms = [key_of(column.ref) for column in rows]
    keys = [context.field(column.name, form.dtype) for column, form in zip(rows, forms, strict=True)]
    plan: Plan = Project(both, (*both.schema, *keys), (*_refs(both.schema), *forms))
    if keep_all:
        # Of rows with equal keys each goes with one of the other side.
        number = context.field("number", BIGINT)
        call = WindowCall(bind_window(words.ROW_NUMBER, ()))
        plan = Window(plan, (*_refs(keys), side.ref), (), (number,), (call,))
        keys.append(number)
    firsts = tuple([bind_aggregate("first", (column.ref,)) for column in rows])
    if kind == "union":
        return _shown(Aggregate(plan, _symbols(keys), fields, firsts), fields)
    sides = tuple([context.field("side", BIGINT) for _ in range(2)])
    of_sides = tuple([bind_aggregate(name, (side.ref,)) for name in ("min", "max")])
    plan = Aggregate(plan, _symbols(keys), (*fields, *sides), (*firsts, *of_sides))
    least, greatest = _refs(sides)
    kept = bind(words.NEQ, least, greatest) if kind == "intersect" else bind(words.EQ, greatest, _LEFT)
    return _shown(Filter(plan, kept), fields)


def _of_side(context: Context, plan: Plan, side: Expr) -> Plan:
    mark = context.field("side", BIGINT)
    return Project(plan, (*_again(context, plan.schema), mark), (*_refs(plan.schema), side))


def _again(context: Context, columns: Sequence[Field]) -> tuple[Field, ...]:
    return tuple([context.field(column.name, column.dtype) for column in columns])


def _refs(columns: Sequence[Field]) -> list[Expr]:
    return [column.ref for column in columns]


def _symbols(columns: Sequence[Field]) -> tuple[str, ...]:
    return tuple([column.symbol for column in columns])


def _shown(plan: Plan, fields: tuple[Field, ...]) -> Plan:
    return Project(plan, fields, tuple(_refs(fields)))
