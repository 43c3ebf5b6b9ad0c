"""Rewriting all that a plan is made of."""

from __future__ import annotations

from collections.abc import Callable

from tqp.ir.expr import Expr
from tqp.ir.plan import Plan, Shared
from tqp.ir.visit import definitions, rewrite_query

__all__ = ["rewrite_all"]


def rewrite_all(plan: Plan, rule: Callable[[Plan], Plan | None], within: Callable[[Expr], Expr | None]) -> Plan:
    """As `rewrite_query`, in the definitions of what is shared too."""
    known: dict[int, Plan] = {}

    def both(node: Plan) -> Plan | None:
        if not isinstance(node, Shared):
            return rule(node)
        definition = known[id(node.definition)]
        return None if definition is node.definition else Shared(definition, node.columns, node.fields)

    for definition in definitions(plan):
        known[id(definition)] = rewrite_query(definition, both, within=within)
    return rewrite_query(plan, both, within=within)
