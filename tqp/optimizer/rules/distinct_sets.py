"""DISTINCT aggregates of grouping sets from the groups by key and value, which are sets themselves.

For `count(DISTINCT x)` by the sets (a, b), (a) and () these are made, and (a, b, x), (a, x) and (x): each value once for each
group. Above that, groups count their values, which differ, and take the other aggregates from the one row without a value. All sets
come from finer ones then; else each is made of all rows. Only where values repeat within the finest groups: else sets with a value
have as many rows.
"""

from __future__ import annotations

from typing import Final

from tqp.functions.aggregates import aggregate_of
from tqp.functions.bind import bind
from tqp.ir import words
from tqp.ir.conditions import conjunction
from tqp.ir.expr import AggregateCall, Case, ColumnRef, Expr, Literal
from tqp.ir.plan import Aggregate, Field, GroupingSets, Plan, Project
from tqp.ir.visit import rewrite_plan
from tqp.optimizer.cardinality import Estimator
from tqp.optimizer.fresh import Symbols, pass_through
from tqp.types import BIGINT

__all__ = ["distinct_sets"]

_REPEATED: Final = 0.5
"""At most this share of the rows may be pairs of a group and a value that differ."""
_KEYS: Final = 60
"""A number of 64 bits has one for each key."""


def distinct_sets(plan: Plan) -> Plan:
    """The plan with such aggregates over groups by key and value."""
    estimator = Estimator()
    names: list[Symbols] = []

    def rule(node: Plan) -> Plan | None:
        if not isinstance(node, GroupingSets) or not any(call.distinct for call in node.aggregates):
            return None
        if not names:
            names.append(Symbols(plan))
        return _over_values(node, names[0], estimator) if _can(node) else None

    return rewrite_plan(plan, rule)


def _can(node: GroupingSets) -> bool:
    """Whether all aggregates can be had so, and no two sets are the same."""
    if len(set(node.sets)) < len(node.sets) or len(node.keys) > _KEYS:
        return False
    for call in node.aggregates:
        known = aggregate_of(call)
        if known.collect is not None or (call.distinct and (len(call.args) != 1 or call.order or not known.order_free)):
            return False
        # States of text that is computed batch by batch do not merge.
        if any(arg.dtype.is_coded and not isinstance(arg, ColumnRef) for arg in call.args):
            return False
    return True


def _over_values(node: GroupingSets, names: Symbols, estimator: Estimator) -> Plan | None:
    values: dict[tuple[Expr, Expr | None], Field] = {}
    for call in node.aggregates:
        if call.distinct:
            arg = call.args[0]
            values.setdefault((arg, call.filter), Field(names.fresh("value"), "value", arg.dtype))
    made = tuple((field, _value(*kind)) for kind, field in values.items())
    below = pass_through(node.input, made)
    most, keys = _REPEATED * estimator.rows(node.input), tuple(dict.fromkeys(node.keys))
    if any(estimator.rows(Aggregate(below, (*keys, field.symbol), (), ())) > most for field, _ in made):
        return None

    def fresh(field: Field) -> Field:
        return Field(names.fresh(field.symbol), field.name, field.dtype)

    count = len(node.keys)
    places = range(count, count + len(values))
    sets = tuple(one for chosen in node.sets for one in (chosen, *((*chosen, place) for place in places)))
    of_keys, of_values = (
        Field(names.fresh("set"), "set", BIGINT),
        [Field(names.fresh("no"), "no", BIGINT) for _ in places],
    )
    marked = (tuple(range(count)), *((place,) for place in places), *node.marked)
    grouped = {
        field: call for field, call in zip(node.aggregate_fields, node.aggregates, strict=True) if not call.distinct
    }
    keys_below, values_below = (
        tuple(map(fresh, node.key_fields)),
        {kind: fresh(field) for kind, field in values.items()},
    )
    marks_below, calls_below = tuple(map(fresh, node.mark_fields)), {field: fresh(field) for field in grouped}
    fields = (*keys_below, *values_below.values(), of_keys, *of_values, *marks_below, *calls_below.values())
    symbols_of_keys = (*node.keys, *(field.symbol for field in values.values()))
    inner = GroupingSets(below, symbols_of_keys, sets, marked, tuple(grouped.values()), fields)

    one = Literal(1, BIGINT)
    alone = conjunction(tuple(bind(words.EQ, field.ref, one) for field in of_values))
    calls: list[AggregateCall] = [AggregateCall(words.ANY_VALUE, (field.ref,), field.dtype) for field in marks_below]
    for field, call in zip(node.aggregate_fields, node.aggregates, strict=True):
        if call.distinct:
            value = values_below[call.args[0], call.filter]
            calls.append(AggregateCall(call.function, (value.ref,), call.type))
        else:
            calls.append(AggregateCall(words.ANY_VALUE, (calls_below[field].ref,), field.dtype, filter=alone))
    found = tuple(map(fresh, (*node.mark_fields, *node.aggregate_fields)))
    outer = Aggregate(inner, (*(field.symbol for field in keys_below), of_keys.symbol), found, tuple(calls))
    return Project(outer, node.fields, tuple(field.ref for field in (*keys_below, *found)))


def _value(arg: Expr, condition: Expr | None) -> Expr:
    """The argument, NULL where the FILTER fails: aggregates pass over it."""
    return arg if condition is None else Case((condition,), (arg,), Literal(None, arg.dtype))
