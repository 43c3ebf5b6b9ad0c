"""POSITIONAL JOIN: rows side by side, the first with the first."""

from __future__ import annotations

from tqp.ir.plan import Join, Plan, Project, Window
from tqp.sql.context import Context
from tqp.sql.limits import numbered
from tqp.sql.operators import call

__all__ = ["side_by_side"]


def side_by_side(context: Context, left: Plan, right: Plan) -> Plan:
    """Each row beside that of the same number; NULL beside those that the other side is too short for."""
    (ours, our_numbers), (theirs, their_numbers) = numbered(context), numbered(context)
    beside = Join(
        "full",
        Window(left, (), (), (ours,), (our_numbers,)),
        Window(right, (), (), (theirs,), (their_numbers,)),
        residual=call("eq", ours.ref, theirs.ref),
    )
    fields = (*left.schema, *right.schema)
    return Project(beside, fields, tuple(column.ref for column in fields))
