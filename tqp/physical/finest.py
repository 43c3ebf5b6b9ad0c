"""By which keys rows are grouped for several grouping sets: a pass over the rows for each, and all other sets of their groups."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Final

from tqp.ir.plan import Aggregate, GroupingSets, Plan
from tqp.operators.choice import Choice

__all__ = ["finest_sets"]

_WHAT: Final = "rows of sets"
_ONE: Final = "grouped by all keys"
_APART: Final = "grouped by the keys of some sets each"
_COMPARED: Final = 500
"""So many sets are compared with each other at most."""
_MOST: Final = 12
"""Of more sets of which none holds another the best union is not looked for: all are united."""


def finest_sets(
    plan: GroupingSets, rows: Callable[[Plan], float], share: float
) -> tuple[tuple[tuple[int, ...], ...], tuple[Choice, ...]]:
    """Sets of places of keys, ascending, of which each set of the plan is within one; and the choice, where there was one.

    `rows` estimates the rows of plans. Two sets become one where their keys together have at most this `share` of the rows as
    groups: then a pass over the rows costs more than making both of these groups.
    """
    every = tuple(sorted(set[int]().union(*plan.sets)))
    found = {frozenset(one) for one in plan.sets}
    if frozenset(every) in found:
        return (every,), ()
    if len(found) <= _COMPARED:
        found = {one for one in found if not any(one < other for other in found)}
    if len(found) > _MOST:
        return (every,), (Choice(_WHAT, _ONE, (_APART,), f"there are {len(found)} sets"),)
    most, groups = share * rows(plan.input), 0.0
    while len(found) > 1:
        groups, union = min(_united(plan, rows, one | other) for one, other in combinations(found, 2))
        if groups > most:
            break
        found = {one for one in found if not one <= frozenset(union)} | {frozenset(union)}
    chosen, other = (_ONE, _APART) if len(found) == 1 else (_APART, _ONE)
    reason = f"keys together have about {groups:,.0f} groups, {most:,.0f} allowed"
    return tuple(sorted(tuple(sorted(one)) for one in found)), (Choice(_WHAT, chosen, (other,), reason),)


def _united(plan: GroupingSets, rows: Callable[[Plan], float], places: frozenset[int]) -> tuple[float, tuple[int, ...]]:
    """About how many groups there are by these keys, and their places."""
    keys = tuple(dict.fromkeys(plan.keys[place] for place in sorted(places)))
    return rows(Aggregate(plan.input, keys, (), ())), tuple(sorted(places))
