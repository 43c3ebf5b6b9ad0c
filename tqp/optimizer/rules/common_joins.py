"""Equal joins are computed once: the same tables, joined by the same conditions, in two subqueries or branches of a UNION.

Joins are equal if they differ in symbols alone. They become one shared definition under the conditions that all of them have; those
that differ stay above, and `narrow_shared` leaves rows that no reader wants, and columns that none reads, out of it.
Only whole regions of joins are taken, so that none is cut in two before its joins are ordered, and only where few rows are
left of many: else to keep the rows takes longer than to join them again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import Expr, Predict
from tqp.ir.plan import Filter, Join, Plan, Scan, Shared
from tqp.ir.symbols import renamed
from tqp.ir.visit import definitions, rewrite_plan, symbols, walk, walk_plan
from tqp.optimizer.cardinality import Estimator
from tqp.optimizer.equal import Numbers, equal_sets, named
from tqp.optimizer.fresh import Symbols
from tqp.optimizer.predicates import filtered
from tqp.optimizer.rules.pushdown import push_down
from tqp.optimizer.rules.share import with_definitions
from tqp.optimizer.rules.simplify import disjunction

__all__ = ["share_joins"]

_KEPT: Final = 0.125
"""At most this share of the rows that are read may be left."""
_READ: Final = 10_000
"""Fewer rows than this are read again."""


def share_joins(plan: Plan) -> Plan:
    """The plan with each set of equal joins as references to one definition, where that pays."""
    while groups := _groups(plan):
        names = Symbols(plan)
        places = {place: reader for group in groups for place, reader in group.readers(names)}
        done: dict[Plan, Plan] = {}
        for tree in (*definitions(plan), plan):
            done[tree] = rewrite_plan(with_definitions(tree, done), places.get)
        plan = done[plan]
    return plan


def _groups(plan: Plan) -> list[_Group]:
    """Sets of equal joins that pay, none of which is within another one's."""
    regions = [region for tree in (*definitions(plan), plan) for region in _regions(tree)]
    if len(regions) < 2:
        return []
    estimator = Estimator()
    groups = [_Group(owners) for _, owners in equal_sets((region, _joins(region)) for region in regions)]
    groups = [group for group in groups if group.pays(estimator)]
    within = {below for group in groups for region in group.owners for below in walk_plan(_joins(region))}
    return [group for group in groups if within.isdisjoint(group.owners)]


def _regions(tree: Plan) -> Iterator[Plan]:
    """Joins with the conditions above them, that are no input of another join or condition."""
    stack: list[tuple[Plan, bool]] = [(tree, False)]
    while stack:
        node, inside = stack.pop()
        is_part = isinstance(node, Join | Filter)
        if is_part and not inside and isinstance(_joins(node), Join):
            yield node
        stack += [(child, is_part) for child in node.children]


def _joins(region: Plan) -> Plan:
    """What lies below the conditions on top."""
    while isinstance(region, Filter):
        region = region.input
    return region


def _conditions(region: Plan) -> tuple[Expr, ...]:
    found: list[Expr] = []
    while isinstance(region, Filter):
        found += conjuncts(region.predicate)
        region = region.input
    return tuple(found)


@dataclass(slots=True)
class _Group:
    """Regions whose joins are equal, each with the numbers of the joins' symbols."""

    owners: dict[Plan, Numbers]

    def _of(self, region: Plan) -> tuple[list[Expr], list[Expr]]:
        """The region's conditions that all have, and its others."""
        every = [
            {named(part, names) for part in _conditions(other) if _is_common(part, names)}
            for other, names in self.owners.items()
        ]
        common, names = set.intersection(*every), self.owners[region]
        shared: list[Expr] = []
        rest: list[Expr] = []
        for part in _conditions(region):
            is_shared = _is_common(part, names) and named(part, names) in common
            (shared if is_shared else rest).append(part)
        return shared, rest

    def pays(self, estimator: Estimator) -> bool:
        """Whether to keep the rows that some reader wants takes less than to join them again."""
        joins, names = _joins(first := next(iter(self.owners))), self.owners[first]
        read = sum(estimator.rows(part) for part in walk_plan(joins) if isinstance(part, Scan | Shared))
        if read < _READ:
            return False
        shared, _ = self._of(first)
        back = {number: symbol for symbol, number in names.items()}
        wanted = []
        for region, numbers in self.owners.items():
            _, rest = self._of(region)
            own = (part for part in rest if _is_common(part, numbers))
            wanted.append(conjunction(tuple(named(part, {s: back[n] for s, n in numbers.items()}) for part in own)))
        kept = push_down(filtered(joins, (*shared, disjunction(tuple(wanted)))))
        return estimator.rows(kept) <= _KEPT * read

    def readers(self, names: Symbols) -> Iterator[tuple[Plan, Plan]]:
        """For each region what replaces it: a reader of their common definition, under its own conditions."""
        first = next(iter(self.owners))
        fresh = {number: names.fresh(symbol) for symbol, number in self.owners[first].items()}
        shared, _ = self._of(first)
        made = {symbol: fresh[number] for symbol, number in self.owners[first].items()}
        definition = renamed(filtered(_joins(first), shared), made)
        for region, numbers in self.owners.items():
            _, rest = self._of(region)
            columns = tuple(fresh[numbers[field.symbol]] for field in region.schema)
            yield region, filtered(Shared(definition, columns, region.schema), rest)


def _is_common(part: Expr, names: Numbers) -> bool:
    """Whether a condition may be one of several regions: it reads their joins alone, and asks no model."""
    return symbols(part) <= names.keys() and not any(isinstance(below, Predict) for below in walk(part))
