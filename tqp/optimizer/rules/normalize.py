"""One form for what may be written in several: a right join is a left join with its sides exchanged."""

from __future__ import annotations

from tqp.ir.plan import Join, Plan
from tqp.ir.visit import rewrite_query
from tqp.optimizer.fresh import select

__all__ = ["flipped", "normalize"]


def normalize(plan: Plan) -> Plan:
    """The plan without right joins, in subqueries too; the order of columns stays."""
    return rewrite_query(plan, lambda node: flipped(node) if isinstance(node, Join) and node.kind == "right" else None)


def flipped(join: Join) -> Plan:
    """A right join as a left join, with its columns in their order."""
    keys = tuple((right, left) for left, right in join.keys)
    return select(Join("left", join.right, join.left, keys, join.residual), join.schema)
