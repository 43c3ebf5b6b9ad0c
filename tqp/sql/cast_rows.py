"""The rows of a plan in the types that are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from tqp.ir.plan import Plan, Project
from tqp.sql.context import Context
from tqp.sql.operators import cast
from tqp.types import DType

__all__ = ["as_types"]


def as_types(context: Context, plan: Plan, dtypes: Sequence[DType]) -> Plan:
    """The plan with its columns cast to these types."""
    columns = list(zip(plan.schema, dtypes, strict=True))
    if all(column.dtype == dtype for column, dtype in columns):
        return plan
    if isinstance(plan, Project):
        # Constants take their type at once instead of by a cast of every row.
        exprs = tuple(cast(expr, dtype) for expr, dtype in zip(plan.exprs, dtypes, strict=True))
        fields = tuple(
            column if column.dtype == dtype else context.field(column.name, dtype) for column, dtype in columns
        )
        return Project(plan.input, fields, exprs)
    fields = tuple(column if column.dtype == dtype else context.field(column.name, dtype) for column, dtype in columns)
    return Project(plan, fields, tuple(cast(column.ref, dtype) for column, dtype in columns))
