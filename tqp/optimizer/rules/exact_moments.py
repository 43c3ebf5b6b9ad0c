"""Variances of integers are computed from their sums, which are exact.

Of n integers x with the sum s and the sum of squares q, n * q - s * s is n times the squared differences from their mean. It is
an integer, so that nothing is lost before it is divided. Sums are found in one pass, among others, and merge by an addition.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Final

from tqp.functions.aggregates import aggregate_of
from tqp.functions.bind import bind, coerce
from tqp.ir import words
from tqp.ir.expr import AggregateCall, Cast, Expr
from tqp.ir.plan import Aggregate, Field, Plan, Project
from tqp.ir.visit import rewrite_plan
from tqp.optimizer.cardinality import Estimator
from tqp.optimizer.fresh import Symbols
from tqp.optimizer.ranges import stored_limits
from tqp.types import BIGINT, HUGEINT

__all__ = ["exact_moments"]

_LARGEST: Final = 2**31
"""Of so large values their squares are BIGINT, and n * q is HUGEINT for 2**32 of them."""
_SUMMED: Final = 2.0**63
"""Sums beyond take two words each, and longer than what they replace."""


def exact_moments(plan: Plan) -> Plan:
    """The plan with variances and standard deviations of integers from their count, sum and sum of squares."""
    names: list[Symbols] = []
    estimator = Estimator()

    def rule(node: Plan) -> Plan | None:
        if not isinstance(node, Aggregate):
            return None
        found = {call: x for call in node.aggregates if (x := _integer(call, node.input, estimator)) is not None}
        if not found:
            return None
        if not names:
            names.append(Symbols(plan))
        return _from_sums(node, found, names[0])

    return rewrite_plan(plan, rule)


def _integer(call: AggregateCall, plan: Plan, estimator: Estimator) -> Expr | None:
    """The integers that a call aggregates, where it has a form from their sums, and these are cheap."""
    if call.distinct or call.order or aggregate_of(call).from_sums is None:
        return None
    (arg,) = call.args
    if not isinstance(arg, Cast) or arg.safe or not arg.arg.dtype.is_integer:
        return None
    low, high = stored_limits(plan, arg.arg)
    largest = max(-low, high)
    if largest == inf or largest > _LARGEST or largest**2 * estimator.rows(plan) > _SUMMED:
        return None
    return arg.arg


def _from_sums(node: Aggregate, found: dict[AggregateCall, Expr], names: Symbols) -> Plan:
    made: dict[AggregateCall, Field] = {}

    def field(call: AggregateCall, base: str) -> Expr:
        if call not in made:
            made[call] = Field(names.fresh(base), base, call.dtype)
        return made[call].ref

    exprs: list[Expr] = [item.ref for item in node.schema[: len(node.keys)]]
    for item, call in zip(node.fields, node.aggregates, strict=True):
        x, form = found.get(call), aggregate_of(call).from_sums
        if x is None or form is None:
            exprs.append(field(call, item.symbol))
            continue
        wide = coerce(x, BIGINT)
        count = field(AggregateCall(words.COUNT, (x,), BIGINT, filter=call.filter), words.COUNT)
        total, squares = (
            field(AggregateCall(words.SUM, (value,), HUGEINT, filter=call.filter), words.SUM)
            for value in (wide, bind(words.MUL, wide, wide))
        )
        exprs.append(form(coerce(count, HUGEINT), total, squares))
    grouped = replace(node, fields=tuple(made.values()), aggregates=tuple(made))
    return Project(grouped, node.schema, tuple(exprs))
