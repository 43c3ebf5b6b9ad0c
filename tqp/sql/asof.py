"""ASOF JOIN: which equalities and which comparison its condition is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from tqp.ir import words
from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import Call, Expr, Literal, SortKey
from tqp.ir.plan import AsofJoin, AsofKind, DependentJoin, Filter, Join, Limit, Plan, Project, Sort
from tqp.ir.visit import subplans, symbols
from tqp.sql.context import Context
from tqp.types import BOOLEAN

__all__ = ["asof_join"]

_MIRRORED: Final = {words.LT: words.GT, words.LTE: words.GTE, words.GT: words.LT, words.GTE: words.LTE}
_HINT: Final = "as in a.key = b.key AND a.time >= b.time"


@dataclass
class _Condition:
    """The parts of an ASOF JOIN's condition by what they say."""

    keys: list[tuple[Expr, Expr]] = field(default_factory=list)
    orders: list[tuple[Expr, Expr, str]] = field(default_factory=list)
    """Left value, right value, and how the left one compares with the right one."""
    of_left: list[Expr] = field(default_factory=list)
    of_right: list[Expr] = field(default_factory=list)
    others: list[Expr] = field(default_factory=list)


def asof_join(context: Context, node: exp.Join, kind: AsofKind, left: Plan, right: Plan, on: Expr) -> Plan:
    """The plan of an ASOF JOIN; BindError unless `on` has exactly one comparison of both sides beside equalities.

    What else is said in `on` says of which right rows the nearest is taken.
    """
    found = _parts(conjuncts(on), left, right)
    if len(found.orders) != 1:
        problem = "needs a comparison" if not found.orders else "takes one comparison, not several,"
        raise context.error(node, f"ASOF JOIN {problem} by <, <=, > or >= of its two sides", hint=_HINT)
    ((ours, theirs, comparison),) = found.orders
    if found.others:
        return _by_rows(context, node, kind, left, right, on, (theirs, comparison))
    if found.of_right:
        if kind in ("right", "full"):
            context.gap(node, f"ASOF {kind.upper()} JOIN with a condition on its right side alone is not supported")
        right = Filter(right, conjunction(tuple(found.of_right)))
    keys = list(found.keys)
    if found.of_left:
        # A row for which it is not true finds none.
        keys.append((conjunction(tuple(found.of_left)), Literal(True, BOOLEAN)))
    mine, of_left = _computed(context, left, [ours, *(a for a, _ in keys)])
    other, of_right = _computed(context, right, [theirs, *(b for _, b in keys)])
    pairs = tuple(zip(of_left[1:], of_right[1:], strict=True))
    joined = AsofJoin(kind, mine, other, pairs, (of_left[0], of_right[0]), comparison)
    if mine is left and other is right:
        return joined
    kept = {column.symbol for column in (*left.schema, *right.schema)}
    fields = tuple(column for column in joined.schema if column.symbol in kept)
    return Project(joined, fields, tuple(column.ref for column in fields))


def _computed(context: Context, side: Plan, exprs: Sequence[Expr]) -> tuple[Plan, list[Expr]]:
    """A side with a column for each of the expressions that have a subquery, and all of them over it."""
    columns = {expr: context.field("compared", expr.dtype) for expr in exprs if any(True for _ in subplans(expr))}
    if not columns:
        return side, list(exprs)
    fields = (*side.schema, *columns.values())
    plan = Project(side, fields, (*(column.ref for column in side.schema), *columns))
    return plan, [columns[expr].ref if expr in columns else expr for expr in exprs]


def _parts(parts: Sequence[Expr], left: Plan, right: Plan) -> _Condition:
    sides = tuple(frozenset(column.symbol for column in side.schema) for side in (left, right))
    found = _Condition()
    for part in parts:
        read = symbols(part)
        if not read & sides[1]:
            found.of_left.append(part)
        elif not read & sides[0]:
            found.of_right.append(part)
        elif isinstance(part, Call) and part.function in (words.EQ, *_MIRRORED) and _apart(part, sides):
            a, b = part.args
            function = part.function
            if symbols(a) & sides[1]:
                a, b, function = b, a, _MIRRORED.get(function, function)
            if function == words.EQ:
                found.keys.append((a, b))
            else:
                found.orders.append((a, b, function))
        else:
            found.others.append(part)
    return found


def _apart(part: Call, sides: tuple[frozenset[str], ...]) -> bool:
    """Whether each argument reads one of the sides alone, and not the same."""
    reads = [tuple(bool(symbols(arg) & side) for side in sides) for arg in part.args]
    return sorted(reads) == [(False, True), (True, False)]


def _by_rows(
    context: Context,
    node: exp.Join,
    kind: AsofKind,
    left: Plan,
    right: Plan,
    on: Expr,
    order: tuple[Expr, str],
) -> Plan:
    """Where more is said of pairs of rows: for each left row the first of all that match, in order."""
    if kind not in ("inner", "left"):
        context.gap(
            node,
            f"ASOF {kind.upper()} JOIN with a condition on both sides beside equalities and a comparison is not supported",
            hint=_HINT,
        )
        return Join("inner", left, right)
    value, comparison = order
    first = SortKey(value, descending=comparison in (words.GT, words.GTE))
    best = Limit(Sort(Filter(right, on), (first,)), 1)
    return DependentJoin("inner" if kind == "inner" else "left", left, best)
