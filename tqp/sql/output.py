"""The rows that a SELECT gives: which of them DISTINCT keeps, and their order."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tqp.functions.aggregates import bind_aggregate
from tqp.ir.expr import Expr, Literal, SortKey
from tqp.ir.plan import Aggregate, Field, Filter, Plan, Project, Window
from tqp.ir.visit import rename, symbols
from tqp.sql.context import Context
from tqp.sql.limits import numbered
from tqp.sql.operators import call
from tqp.sql.ordering import sorted_by
from tqp.types import BIGINT

__all__ = ["Output", "given_out"]


@dataclass(frozen=True)
class Output:
    """A SELECT before its output is projected: the input, the output columns, and the sort keys over both.

    `distinct`: the expressions over both of which one row is kept for each combination, none of them: the output columns;
    None: all rows are kept.
    """

    plan: Plan
    fields: tuple[Field, ...]
    exprs: tuple[Expr, ...]
    order: tuple[SortKey, ...]
    distinct: tuple[Expr, ...] | None


def given_out(context: Context, output: Output) -> Plan:
    """The rows in their order; columns by which they are sorted may stand behind those of the output."""
    fields, order, distinct = output.fields, output.order, output.distinct
    shown = {column.symbol for column in fields}
    below = {column.symbol: column for column in output.plan.schema}
    read = [symbol for expr in (*(key.expr for key in order), *(distinct or ())) for symbol in sorted(symbols(expr))]
    extra = tuple(below[symbol] for symbol in dict.fromkeys(read) if symbol in below and symbol not in shown)
    plan: Plan = Project(output.plan, (*fields, *extra), (*output.exprs, *(column.ref for column in extra)))
    if distinct is None:
        return sorted_by(context, plan, order)
    if not distinct:
        # Rows that are one differ in what they are sorted by: any of them says where it stands.
        kept = tuple(context.field(column.name, column.dtype) for column in extra)
        first = tuple(bind_aggregate("first", (column.ref,)) for column in extra)
        plan = Aggregate(plan, tuple(column.symbol for column in fields), kept, first)
        places: dict[str, Expr] = {column.symbol: other.ref for column, other in zip(extra, kept, strict=True)}
        return sorted_by(context, plan, tuple(replace(key, expr=rename(key.expr, places)) for key in order))
    keys = tuple(key for key in dict.fromkeys(distinct) if not isinstance(key, Literal))
    # What the rows are alike by does not say which of them is the first.
    ordered = tuple(key for key in order if not isinstance(key.expr, Literal) and key.expr not in keys)
    number, numbers = numbered(context)
    plan = Window(plan, keys, ordered, (number,), (numbers,))
    return sorted_by(context, Filter(plan, call("eq", number.ref, Literal(1, BIGINT))), order)
