"""Plans that are equal except for the names of their symbols, wherever in a query they stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeVar

from tqp.ir.expr import ColumnRef, Expr
from tqp.ir.outside import iterates
from tqp.ir.plan import Plan, Scan
from tqp.ir.symbols import numbers, renamed
from tqp.ir.visit import blind_hash, expressions, free_symbols, rename, walk, walk_plan

__all__ = ["Numbers", "equal_sets", "named"]

Numbers = dict[str, str]
"""For each symbol that a plan makes a name that says no more than its place in the plan."""
Owner = TypeVar("Owner", bound=Plan)


def equal_sets(plans: Iterable[tuple[Owner, Plan]]) -> list[tuple[Plan, dict[Owner, Numbers]]]:
    """Of nodes, each with a plan, those whose plans are equal under their numbers: sets of two nodes or more, with that plan.

    Plans that read columns of a query around them, or what a recursion around them gave, are in none.
    """
    alike: dict[object, list[tuple[Owner, Plan]]] = defaultdict(list)
    for owner, plan in plans:
        alike[_shape(plan)].append((owner, plan))
    equal: dict[Plan, dict[Owner, Numbers]] = defaultdict(dict)
    for pairs in alike.values():
        for owner, plan in pairs if len(pairs) > 1 else ():
            if not free_symbols(plan) and not iterates(plan):
                names = numbers(plan)
                equal[renamed(plan, names)][owner] = names
    return [(plan, owners) for plan, owners in equal.items() if len(owners) > 1]


def named(expr: Expr, names: Numbers) -> Expr:
    """The expression with other names for its symbols, of which each has one."""
    reads = {below.symbol: below for below in walk(expr) if isinstance(below, ColumnRef)}
    return rename(expr, {symbol: ColumnRef(names[symbol], ref.dtype) for symbol, ref in reads.items()})


def _shape(plan: Plan) -> object:
    """What equal plans have in common, and what takes little time to compare; found out once for a node.

    Nothing is built on what tells two plans apart here, the values of inputs among it: plans that become equal with others are
    computed one by one.
    """
    known: object = plan.__dict__.get("_shape")
    if known is None:
        known = tuple([
            (type(part), id(part.source) if isinstance(part, Scan) else None, *map(blind_hash, expressions(part)))
            for part in walk_plan(plan)
        ])  # fmt: skip
        object.__setattr__(plan, "_shape", known)
    return known
