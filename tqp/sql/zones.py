"""The session's time zone: AT TIME ZONE, and a bound plan with the name of its zone in all that depends on it."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.functions.buckets import MONDAY
from tqp.functions.zoned import has_instants, in_zone, series_in_zone
from tqp.ir.expr import Expr, Literal
from tqp.ir.inputs import decide
from tqp.ir.plan import Generate, Plan
from tqp.ir.rewriting import rewrite_all
from tqp.ir.visit import definitions, expressions, walk_query
from tqp.sql.expr import ExprBinder, handles, named
from tqp.sql.operators import call, cast
from tqp.types import INTERVAL, TIMESTAMP, TIMESTAMPTZ, TIMESTAMPTZ_NS, VARCHAR

__all__ = ["with_zone"]


@handles(exp.AtTimeZone)
def _at_time_zone(binder: ExprBinder, node: exp.AtTimeZone) -> Expr:
    return call("timezone", binder.bind(node.args["zone"]), binder.bind(node.this))


@named("time_bucket")
def _time_bucket(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    """Of a TIMESTAMPTZ and the name of a zone: periods of days and more by its clocks, others from when they show 2000-01-03."""
    args = [binder.bind(arg) for arg in node.expressions]
    if len(args) != 3 or args[1].dtype not in (TIMESTAMPTZ, TIMESTAMPTZ_NS) or args[2].dtype != VARCHAR:
        return call("time_bucket", *args)
    width, value, zone = cast(args[0], INTERVAL), cast(args[1], TIMESTAMPTZ), args[2]
    if not isinstance(width, Literal):
        raise UnsupportedError(
            "periods of several lengths by the clocks of a zone are not supported", hint="write it as a constant"
        )
    if decide(_is_of_days, width):
        return call("time_bucket_in_zone", zone, width, value)
    if decide(_is_of_months, width):
        return call("timezone", zone, call("time_bucket", width, call("timezone", zone, value)))
    return call("time_bucket", width, value, call("timezone", zone, Literal(MONDAY, TIMESTAMP)))


def _is_of_days(width: Literal) -> bool:
    months, days, micros = width.value if isinstance(width.value, tuple) else (0, 0, 0)
    return days > 0 and not months and not micros


def _is_of_months(width: Literal) -> bool:
    return isinstance(width.value, tuple) and bool(width.value[0])


def with_zone(plan: Plan, name: str) -> Plan:
    """The plan with the time zone of that name in it; as it is where nothing depends on one."""
    trees = (plan, *definitions(plan))
    if not has_instants([expr for tree in trees for node in walk_query(tree) for expr in expressions(node)]):
        return plan

    def rule(node: Plan) -> Plan | None:
        if not isinstance(node, Generate) or not node.args:
            return None
        args = series_in_zone(node.args, name)
        return None if args is None else replace(node, args=args)

    return rewrite_all(plan, rule, lambda expr: in_zone(expr, name))
