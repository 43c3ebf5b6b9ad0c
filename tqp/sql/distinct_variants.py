"""UNION of columns of VARIANT: rows whose variants are equal are one, though their values may be of unlike types."""

from __future__ import annotations

from tqp.functions.aggregates import bind_aggregate
from tqp.ir.plan import Aggregate, Field, Plan, Project
from tqp.sql.collations import collation_key, collation_of
from tqp.sql.context import Context
from tqp.types import VARIANT

__all__ = ["without_repeats"]


def without_repeats(context: Context, plan: Plan) -> Plan:
    """One row of those whose values are equal, with the first of the variants that are."""
    made: list[tuple[Field, Field]] = []
    keys: list[Field] = []
    for column in plan.schema:
        if column.dtype == VARIANT:
            form = collation_key(column.ref, collation_of(column.ref))
            keys.append(context.field(column.name, form.dtype))
            made.append((column, context.field(column.name, VARIANT)))
        else:
            keys.append(column)
    forms = [key for key in keys if key not in plan.schema]
    exprs = [collation_key(column.ref, collation_of(column.ref)) for column, _ in made]
    inner = Project(plan, (*plan.schema, *forms), (*(column.ref for column in plan.schema), *exprs))
    firsts = tuple([bind_aggregate("first", (column.ref,)) for column, _ in made])
    grouped = Aggregate(inner, tuple([key.symbol for key in keys]), tuple([first for _, first in made]), firsts)
    shown = dict(made)
    fields = tuple([shown.get(column, column) for column in plan.schema])
    return Project(grouped, fields, tuple([column.ref for column in fields]))
