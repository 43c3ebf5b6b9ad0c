"""By which keys rows are grouped for several grouping sets: a pass over the rows for each, and all other sets of their groups."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Final

from tqp.ir.plan import Aggregate, GroupingSets, Plan

__all__ = ["finest_sets"]

_MOST: Final = 12
"""Of more sets of which none holds another the best union is not looked for: all are united."""


def finest_sets(plan: GroupingSets, rows: Callable[[Plan], float], share: float) -> tuple[tuple[int, ...], ...]:
    """Sets of places of keys, ascending, of which each set of the plan is within one.

    `rows` estimates the rows of plans. Two sets become one where their keys together have at most this `share` of the rows as
    groups: then a pass over the rows costs more than making both of these groups.
    """
    every = tuple(sorted(set[int]().union(*plan.sets)))
    found = {frozenset(one) for one in plan.sets}
    if frozenset(every) in found or len(found) > _MOST:
        return (every,)
    found = {one for one in found if not any(one < other for other in found)}
    most = share * rows(plan.input)
    while len(found) > 1:
        groups, union = min(_united(plan, rows, one | other) for one, other in combinations(found, 2))
        if groups > most:
            break
        found = {one for one in found if not one <= frozenset(union)} | {frozenset(union)}
    return tuple(sorted(tuple(sorted(one)) for one in found))


def _united(plan: GroupingSets, rows: Callable[[Plan], float], places: frozenset[int]) -> tuple[float, tuple[int, ...]]:
    """About how many groups there are by these keys, and their places."""
    keys = tuple(dict.fromkeys(plan.keys[place] for place in sorted(places)))
    return rows(Aggregate(plan.input, keys, (), ())), tuple(sorted(places))
