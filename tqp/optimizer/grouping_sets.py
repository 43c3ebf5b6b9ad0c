"""Which of its grouping sets a query asks for: conditions on GROUPING(…) and on keys that a set does not have decide it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tqp.ir.expr import ColumnRef, Expr, Literal
from tqp.ir.plan import Aggregate, GroupingSets, Project
from tqp.ir.visit import rename, symbols
from tqp.optimizer.predicates import rejects_nulls
from tqp.optimizer.rules.simplify import simplify_expr
from tqp.types import BIGINT

__all__ = ["asked", "plain"]


def asked(plan: GroupingSets, parts: Iterable[Expr]) -> tuple[GroupingSets, tuple[Expr, ...]]:
    """The node without the sets of which no row passes all of the conditions, and those of these that say more."""
    sets, rest = plan.sets, []
    known = {field.symbol for field in (*plan.key_fields, *plan.mark_fields)}
    for part in parts:
        read = symbols(part) & known
        if not read:
            rest.append(part)
            continue
        found: dict[tuple[Literal | None, ...], bool | None] = {}
        verdicts = []
        for one in sets:
            fixed = {symbol: value for symbol, value in _fixed(plan, one).items() if symbol in read}
            key = tuple(fixed.get(symbol) for symbol in sorted(read))
            if key not in found:
                found[key] = _verdict(part, fixed)
            verdicts.append(found[key])
        sets = tuple(one for one, verdict in zip(sets, verdicts, strict=True) if verdict is not False)
        if any(verdict is None for verdict in verdicts):
            rest.append(part)
    if sets != plan.sets:
        plan = GroupingSets(plan.input, plan.keys, sets, plan.marked, plan.aggregates, plan.fields)
    return plan, tuple(rest)


def _fixed(plan: GroupingSets, chosen: tuple[int, ...]) -> dict[str, Literal]:
    """The columns that have one value in all rows of a set."""
    absent = {
        field.symbol: Literal(None, field.dtype) for place, field in enumerate(plan.key_fields) if place not in chosen
    }
    marks = zip(plan.mark_fields, plan.marked, strict=True)
    return absent | {field.symbol: Literal(plan.mark(chosen, places), BIGINT) for field, places in marks}


def _verdict(part: Expr, fixed: Mapping[str, Literal]) -> bool | None:
    """Whether the condition is true where columns have these values; None: it depends on others, or takes evaluating."""
    if rejects_nulls(part, frozenset(symbol for symbol, value in fixed.items() if value.is_null)):
        return False
    value = simplify_expr(rename(part, fixed))
    return value.value is True if isinstance(value, Literal) else None


def plain(plan: GroupingSets) -> Project:
    """One set alone as a plain aggregation, which more rules know."""
    (chosen,) = plan.sets
    keys = tuple(dict.fromkeys(plan.keys[place] for place in chosen))
    grouped = Aggregate(plan.input, keys, plan.aggregate_fields, plan.aggregates)
    fixed = _fixed(plan, chosen)
    exprs: list[Expr] = []
    for field, key in zip(plan.key_fields, plan.keys, strict=True):
        exprs.append(fixed.get(field.symbol) or ColumnRef(key, field.dtype))
    exprs += [fixed[field.symbol] for field in plan.mark_fields]
    return Project(grouped, plan.fields, (*exprs, *(field.ref for field in plan.aggregate_fields)))
