"""Leave out joins that only repeat rows once: L join R on k = key(R) is L where nothing above reads a column of R.

A left join keeps every left row once if the right side has each key at most once. An inner join does, too, if each left
key is there: never NULL, and between the least and the greatest of right keys that lack no number between them. That needs
integers, one key, and a stored table on the right without a filter.
"""

from __future__ import annotations

from typing import assert_never

from tqp.ir.expr import ColumnRef
from tqp.ir.lineage import stored_statistics
from tqp.ir.plan import (
    Aggregate,
    AsofJoin,
    DependentJoin,
    Field,
    Filter,
    Generate,
    GroupingSets,
    Join,
    Limit,
    NearestJoin,
    Pivot,
    Plan,
    Project,
    Recursion,
    Scan,
    SetOp,
    Shared,
    Sort,
    TopN,
    Values,
    Window,
    Working,
)
from tqp.ir.visit import expressions, symbols
from tqp.optimizer.facts import covers, never_null, unique_keys
from tqp.optimizer.fresh import select
from tqp.stack import deep

__all__ = ["eliminate_joins"]

Needed = frozenset[str]


def eliminate_joins(plan: Plan) -> Plan:
    """The plan without joins that change nothing of what it shows."""
    return select(_eliminate(plan, frozenset(field.symbol for field in plan.schema)), plan.schema)


@deep
def _eliminate(plan: Plan, needed: Needed) -> Plan:
    """The plan with at least the columns `needed`."""
    made = _eliminated(plan, needed)
    return plan if made == plan else made


def _eliminated(plan: Plan, needed: Needed) -> Plan:
    own = frozenset[str]().union(*map(symbols, expressions(plan)))
    match plan:
        case Project():
            return plan.with_children((_eliminate(plan.input, own),))
        case Aggregate() | GroupingSets():
            return plan.with_children((_eliminate(plan.input, own | frozenset(plan.keys)),))
        case Pivot():
            return plan.with_children((_eliminate(plan.input, plan.reads),))
        case Filter() | Sort() | TopN() | Limit() | Window():
            return plan.with_children((_eliminate(plan.input, needed | own),))
        case SetOp():
            sides = (_eliminate(side, frozenset(field.symbol for field in side.schema)) for side in plan.children)
            return plan.with_children(
                tuple(select(side, old.schema) for side, old in zip(sides, plan.children, strict=True))
            )
        case Join():
            return _join(plan, needed, own)
        case Generate():
            return plan.with_children((_eliminate(plan.input, needed | own),))
        case AsofJoin() | NearestJoin():
            return plan.with_children(tuple(_eliminate(side, needed | own) for side in plan.children))
        case DependentJoin() | Recursion():
            sides = (_eliminate(side, frozenset(field.symbol for field in side.schema)) for side in plan.children)
            return plan.with_children(
                tuple(select(side, old.schema) for side, old in zip(sides, plan.children, strict=True))
            )
        case Scan() | Values() | Shared() | Working():
            return plan
        case _:
            assert_never(plan)


def _join(plan: Join, needed: Needed, own: Needed) -> Plan:
    if not needed & _columns(plan.right.schema) and _keeps_each_row(plan, plan.left, 1):
        return _eliminate(plan.left, needed)
    if plan.kind == "inner" and not needed & _columns(plan.left.schema) and _keeps_each_row(plan, plan.right, 0):
        return _eliminate(plan.right, needed)
    sides = tuple(_eliminate(side, needed | own) for side in plan.children)
    return plan.with_children(sides)


def _columns(schema: tuple[Field, ...]) -> Needed:
    return frozenset(field.symbol for field in schema)


def _keeps_each_row(plan: Join, kept: Plan, place: int) -> bool:
    """Whether each row of `kept` comes out exactly once; `place` is the other side's, as in the pairs of keys."""
    other = plan.children[place]
    if plan.kind not in ("inner", "left") or not plan.keys:
        return False
    if not covers(unique_keys(other), (pair[place] for pair in plan.keys)):
        return False
    if plan.kind == "left":
        return True
    if plan.residual is not None or len(plan.keys) != 1:
        return False
    key, target = plan.keys[0][1 - place], plan.keys[0][place]
    if not isinstance(key, ColumnRef) or not isinstance(target, ColumnRef) or not key.type.is_integer:
        return False
    if not _has_all_rows(other):
        return False
    facts, mine = stored_statistics(other, target), stored_statistics(kept, key)
    if facts is None or mine is None or facts.minimum is None or facts.maximum is None or not never_null(kept, key):
        return False
    if mine.minimum is None or mine.maximum is None:
        return mine.rows == 0
    complete = facts.is_unique and facts.maximum - facts.minimum + 1 == facts.rows
    return complete and facts.minimum <= mine.minimum and mine.maximum <= facts.maximum


def _has_all_rows(plan: Plan) -> bool:
    """Whether the plan is a stored table, with all its rows, under projections."""
    while isinstance(plan, Project):
        plan = plan.input
    return isinstance(plan, Scan)
