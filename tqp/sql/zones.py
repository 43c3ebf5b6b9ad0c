"""The session's time zone: AT TIME ZONE, and a bound plan with the name of its zone in all that depends on it."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from tqp.functions.zoned import has_instants, in_zone, series_in_zone
from tqp.ir.expr import Expr
from tqp.ir.plan import Generate, Plan, Shared
from tqp.ir.visit import definitions, expressions, rewrite_query, walk_query
from tqp.sql.expr import ExprBinder, handles
from tqp.sql.operators import call

__all__ = ["with_zone"]


@handles(exp.AtTimeZone)
def _at_time_zone(binder: ExprBinder, node: exp.AtTimeZone) -> Expr:
    return call("timezone", binder.bind(node.args["zone"]), binder.bind(node.this))


def with_zone(plan: Plan, name: str) -> Plan:
    """The plan with the time zone of that name in it; as it is where nothing depends on one."""
    trees = (plan, *definitions(plan))
    if not has_instants([expr for tree in trees for node in walk_query(tree) for expr in expressions(node)]):
        return plan
    known: dict[int, Plan] = {}

    def rule(node: Plan) -> Plan | None:
        if isinstance(node, Generate) and node.args:
            args = series_in_zone(node.args, name)
            return None if args is None else replace(node, args=args)
        if not isinstance(node, Shared) or known[id(node.definition)] is node.definition:
            return None
        return Shared(known[id(node.definition)], node.columns, node.fields)

    def changed(tree: Plan) -> Plan:
        return rewrite_query(tree, rule, within=lambda expr: in_zone(expr, name))

    for definition in trees[1:]:
        known[id(definition)] = changed(definition)
    return changed(plan)
