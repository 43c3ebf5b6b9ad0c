"""Aggregates of equal inputs by equal keys are computed together, once: `(SELECT count(*) FROM t), (SELECT max(x) FROM t)`.

Inputs are equal if they differ in symbols alone. What they compute becomes one shared definition, of which each place reads its
columns, as if the query had named it in a WITH.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tqp.ir.expr import AggregateCall
from tqp.ir.plan import Aggregate, Field, Plan, Shared
from tqp.ir.symbols import numbers, renamed, renamed_over
from tqp.ir.visit import definitions, rewrite_plan, walk_plan
from tqp.optimizer.equal import equal_sets
from tqp.optimizer.fresh import Symbols
from tqp.optimizer.rules.share import with_definitions

__all__ = ["share_aggregates"]

_Group = dict[Aggregate, Aggregate]
"""Aggregates, each with itself under symbols that say no more than their order."""


def share_aggregates(plan: Plan) -> Plan:
    """The plan with each set of aggregates over equal inputs as references to one definition."""
    groups, others_wait = _groups(plan)
    while groups:
        names = Symbols(plan)
        places = {place: shared for group in groups for place, shared in _shared(group, names)}
        done: dict[Plan, Plan] = {}
        for tree in (*definitions(plan), plan):
            done[tree] = rewrite_plan(with_definitions(tree, done), places.get)
        plan = done[plan]
        groups, others_wait = _groups(plan) if others_wait else ([], False)
    return plan


def _groups(plan: Plan) -> tuple[list[_Group], bool]:
    """Sets of two or more aggregates with equal inputs and keys, none of which is within another aggregate of a set.

    And whether others wait within those: they come to light when those are one.
    """
    nodes = (node for tree in (*definitions(plan), plan) for node in walk_plan(tree) if isinstance(node, Aggregate))
    equal: dict[Plan, _Group] = defaultdict(dict)
    for below, owners in equal_sets((node, node.input) for node in nodes):
        for node, names in owners.items():
            numbered = renamed_over(node, (below,), names)
            equal[Aggregate(numbered.input, numbered.keys, (), ())][node] = numbered
    groups = [group for group in equal.values() if len(group) > 1]
    within = {below for group in groups for node in group for below in walk_plan(node.input)}
    outer = [{node: numbered for node, numbered in group.items() if node not in within} for group in groups]
    found = [group for group in outer if len(group) > 1]
    return found, outer != groups


def _shared(group: _Group, names: Symbols) -> Iterator[tuple[Plan, Shared]]:
    """For each of the group: the reference to their common definition that replaces it."""
    calls: dict[AggregateCall, Field] = {}
    for node in group.values():
        for field, call in zip(node.fields, node.aggregates, strict=True):
            if call not in calls:
                calls[call] = Field(names.fresh(field.symbol), field.name, field.dtype)
    (node, first), *_ = group.items()
    made = {number: names.fresh(symbol) for symbol, number in numbers(node.input).items()}
    definition = renamed(Aggregate(first.input, first.keys, tuple(calls.values()), tuple(calls)), made)
    for node, numbered in group.items():
        columns = (*(made[key] for key in numbered.keys), *(calls[call].symbol for call in numbered.aggregates))
        yield node, Shared(definition, columns, node.schema)
