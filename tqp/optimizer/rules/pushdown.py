"""Move predicates down to where they read, make equalities join keys, and outer joins inner where they act so.

A predicate sinks through Project (substituted), Sort, set operations, the keys of an Aggregate, what a Window partitions by,
and the preserved side of a join. Above a Limit, and on the padded side of an outer join, it stays; what it implies of the columns
that it could sink by sinks alone. A predicate that rejects the padding NULLs makes an outer join an inner one. Conditions over
one column also hold for columns equal to it. What can be true for no row leaves a relation without rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from operator import is_not
from typing import Final, assert_never

from tqp.functions.registry import find
from tqp.ir import words
from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import Call, ColumnRef, Expr, Literal, Predict
from tqp.ir.plan import (
    Aggregate,
    AsofJoin,
    DependentJoin,
    Filter,
    Generate,
    GroupingSets,
    Join,
    JoinKind,
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
from tqp.ir.visit import depth, rename, rename_together, symbols, walk
from tqp.optimizer.facts import covers, unique_keys
from tqp.optimizer.grouping_sets import asked, plain
from tqp.optimizer.literals import boolean
from tqp.optimizer.predicates import filtered, implied, rejects_nulls, split_keys, transferred
from tqp.optimizer.rules.normalize import flipped
from tqp.optimizer.rules.predict_ways import is_of_each_row, may_fail
from tqp.optimizer.rules.simplify import simplify_expr
from tqp.stack import deep
from tqp.types import BOOLEAN

__all__ = ["push_down"]

Parts = Iterable[Expr]

_TRUE: Final = boolean(True)
_DEEP: Final = 3
"""Levels of a condition from which it takes in no more computed columns: what it took in is computed for it, and again for the
columns that stay above it."""


def push_down(plan: Plan) -> Plan:
    """The plan with every predicate as low as it may go."""
    return _push(plan, ())


@deep
def _push(plan: Plan, parts: Parts) -> Plan:
    made = _pushed(plan, tuple(parts))
    # What stays as it is stays the same node, of which much is known already.
    return plan if made == plan else made


def _pushed(plan: Plan, parts: tuple[Expr, ...]) -> Plan:
    if any(isinstance(part, Literal) and part.value is not True for part in parts):
        return Values(plan.schema, ())
    match plan:
        case Filter():
            return _push(plan.input, (*conjuncts(plan.predicate), *parts))
        case Project():
            exprs = {field.symbol: expr for field, expr in zip(plan.fields, plan.exprs, strict=True)}
            random = {symbol for symbol, expr in exprs.items() if parts and _is_of_each_row(expr)}
            held = [part for part in parts if not random.isdisjoint(symbols(part))] if random else []
            held += _grown([part for part in parts if part not in held], exprs)
            sunk = [part for part in parts if part not in held]
            below = _push(plan.input, _substituted(sunk, exprs) if sunk else ())
            if _has_no_rows(below):
                return Values(plan.fields, ())
            return filtered(plan if below is plan.input else Project(below, plan.fields, plan.exprs), held)
        case Sort():
            return Sort(_push(plan.input, parts), plan.keys)
        case Aggregate():
            sunk = [part for part in parts if plan.keys and symbols(part) <= set(plan.keys)]
            hints = _implied(parts, sunk, frozenset(plan.keys))
            below = _push(plan.input, (*sunk, *hints))
            grouped = plan if below is plan.input else plan.with_children((below,))
            return filtered(grouped, (part for part in parts if part not in sunk))
        case Pivot():
            sunk = [part for part in parts if plan.keys and symbols(part) <= set(plan.keys)]
            pivoted = plan.with_children((_push(plan.input, sunk),))
            return filtered(pivoted, (part for part in parts if part not in sunk))
        case GroupingSets():
            plan, parts = asked(plan, parts)
            if len(plan.sets) < 2:
                return _push(plain(plan), parts) if plan.sets else Values(plan.schema, ())
            # What reads only keys that every set groups by holds for all rows of a group or for none.
            common = set(range(len(plan.keys))).intersection(*plan.sets)
            keys: dict[str, Expr] = {
                f.symbol: ColumnRef(k, f.dtype) for f, k in zip(plan.key_fields, plan.keys, strict=True)
            }
            shown = {plan.key_fields[place].symbol for place in common}
            sunk = [part for part in parts if symbols(part) and symbols(part) <= shown]
            hints = _implied(parts, sunk, frozenset(shown))
            grouped_sets = plan.with_children((_push(plan.input, (rename(part, keys) for part in (*sunk, *hints))),))
            return filtered(grouped_sets, (part for part in parts if part not in sunk))
        case Window():
            # What holds for all rows of a partition or for none.
            partition = {expr.symbol for expr in plan.partition_by if isinstance(expr, ColumnRef)}
            sunk = [part for part in parts if symbols(part) <= partition]
            hints = _implied(parts, sunk, frozenset(partition))
            windowed = plan.with_children((_push(plan.input, (*sunk, *hints)),))
            return filtered(windowed, (part for part in parts if part not in sunk))
        case SetOp():
            sides = []
            for side in plan.children:
                refs: dict[str, Expr] = {f.symbol: s.ref for f, s in zip(plan.fields, side.schema, strict=True)}
                sides.append(_push(side, _substituted(parts, refs) if parts else ()))
            return _united(plan.with_children(tuple(sides)) if any(map(is_not, sides, plan.children)) else plan)
        case Join():
            # What fails for a row is not asked for the rows that the join drops.
            held = [part for part in parts if may_fail(part)]
            return filtered(_join(plan, tuple(part for part in parts if part not in held) if held else parts), held)
        case Generate():
            # What reads columns of the input alone holds for all of its rows or for none.
            own = frozenset(field.symbol for field in plan.input.schema)
            sunk = [part for part in parts if symbols(part) <= own]
            generated = plan.with_children((_push(plan.input, sunk),))
            return filtered(generated, (part for part in parts if part not in sunk))
        case AsofJoin():
            sunk = []
            if plan.kind not in ("right", "full"):
                own = frozenset(field.symbol for field in plan.left.schema)
                sunk = [part for part in parts if symbols(part) <= own]
            joined = plan.with_children((_push(plan.left, sunk), _push(plan.right, ())))
            return filtered(joined, (part for part in parts if part not in sunk))
        case NearestJoin():
            return _nearest(plan, parts)
        case Scan() | Values() | Shared() | Limit() | TopN() | DependentJoin() | Recursion() | Working():
            inputs = tuple(_push(child, ()) for child in plan.children)
            return filtered(plan.with_children(inputs) if inputs else plan, parts)
        case _:
            assert_never(plan)


def _nearest(plan: NearestJoin, parts: tuple[Expr, ...]) -> Plan:
    """What reads the left side alone goes there, and the condition of right rows alone to the right."""
    left, right = (frozenset(field.symbol for field in side.schema) for side in plan.children)
    kind = plan.kind
    if kind == "left" and any(rejects_nulls(part, right) for part in parts):
        kind = "inner"
    to_left = [part for part in parts if symbols(part) <= left]
    above = [part for part in parts if part not in to_left]
    to_right: list[Expr] = []
    on: list[Expr] = []
    for part in () if plan.condition is None else conjuncts(plan.condition):
        if symbols(part) and symbols(part) <= right:
            to_right.append(part)
        elif kind == "inner" and symbols(part) <= left:
            to_left.append(part)
        else:
            on.append(part)
            hint = implied(part, right)
            if hint is not None:
                to_right.append(hint)
    sides = _push(plan.left, to_left), _push(plan.right, to_right)
    if any(map(_has_no_rows, sides if kind == "inner" else sides[:1])):
        return Values(plan.schema, ())
    joined = replace(plan, kind=kind, left=sides[0], right=sides[1], condition=_residual(on))
    return filtered(joined, above)


def _has_no_rows(plan: Plan) -> bool:
    return isinstance(plan, Values) and not plan.rows


def _united(plan: SetOp) -> Plan:
    """What is left of UNION ALL without the sides that have no rows."""
    if plan.kind != "union" or not plan.all:
        return plan
    match tuple([side for side in plan.inputs if not _has_no_rows(side)]):
        case ():
            return Values(plan.fields, ())
        case (side,):
            return Project(side, plan.fields, tuple(field.ref for field in side.schema))
        case sides:
            return plan if len(sides) == len(plan.inputs) else plan.with_children(sides)


def _is_of_each_row(expr: Expr) -> bool:
    """Whether another computation of it may give another value."""
    return any(
        isinstance(part, Call) and find(part.function).each_row or isinstance(part, Predict) and is_of_each_row(part)
        for part in walk(expr)
    )


def _substituted(parts: Parts, exprs: Mapping[str, Expr]) -> Iterator[Expr]:
    """The conditions on what the symbols stand for, folded where that is a constant."""
    parts = tuple(parts)
    # Through many projections they come to read the same, deeper in each: that is written once for all of them.
    for part, there in zip(parts, rename_together(parts, exprs), strict=True):
        if any(isinstance(exprs.get(symbol), Literal) for symbol in symbols(part)):
            there = simplify_expr(there)
        if there != _TRUE:
            yield from conjuncts(there)


def _grown(parts: Parts, exprs: Mapping[str, Expr]) -> list[Expr]:
    """The conditions that have become deep, and would be deeper below.

    Through each of many projections a condition takes their expressions in, and what is done about it once, is done for each.
    """
    grows = {symbol for symbol, expr in exprs.items() if expr.children}
    return [part for part in parts if not grows.isdisjoint(symbols(part)) and depth(part) >= _DEEP] if grows else []


def _implied(parts: Parts, but: Collection[Expr], known: frozenset[str]) -> list[Expr]:
    """What the parts, but some of them, say of the columns `known` alone."""
    hints = [implied(part, known) for part in parts if part not in but]
    return [part for hint in hints if hint is not None for part in conjuncts(hint)]


def _join(plan: Join, parts: tuple[Expr, ...]) -> Plan:
    kind = _strengthened(plan, parts)
    if kind != plan.kind:
        plan = Join(kind, plan.left, plan.right, plan.keys, plan.residual, plan.mark, plan.null_aware)
    match kind:
        case "inner":
            return _inner(plan, parts)
        case "right":
            return _push(flipped(plan), parts)
        case "full":
            left, right = _push(plan.left, ()), _push(plan.right, ())
            keys, rest = split_keys(_on(plan), left, right)
            return filtered(Join(kind, left, right, keys, _residual(rest)), parts)
        case "left" | "semi" | "anti" | "mark" | "single":
            return _preserving(plan, parts)
        case _:
            assert_never(kind)


def _strengthened(plan: Join, parts: Parts) -> JoinKind:
    """The kind of join that is enough under these predicates."""
    if plan.kind not in ("left", "full"):
        return plan.kind
    left = frozenset(field.symbol for field in plan.left.schema)
    right = frozenset(field.symbol for field in plan.right.schema)
    keeps_left = not any(rejects_nulls(part, right) for part in parts)
    keeps_right = plan.kind == "full" and not any(rejects_nulls(part, left) for part in parts)
    if keeps_left:
        return "full" if keeps_right else "left"
    return "right" if keeps_right else "inner"


def _on(plan: Join) -> list[Expr]:
    """The join's condition as conjuncts."""
    equal: list[Expr] = [Call(words.EQ, pair, BOOLEAN) for pair in plan.keys]
    return equal if plan.residual is None else [*equal, *conjuncts(plan.residual)]


def _residual(parts: list[Expr]) -> Expr | None:
    return conjunction(tuple(parts)) if parts else None


def _preserving(plan: Join, parts: tuple[Expr, ...]) -> Plan:
    """left, semi, anti, mark and single: what reads the left side alone moves there."""
    left_symbols = frozenset(field.symbol for field in plan.left.schema)
    right_symbols = frozenset(field.symbol for field in plan.right.schema)
    to_left = [part for part in parts if symbols(part) <= left_symbols]
    above = [part for part in parts if part not in to_left]
    to_left += _implied(above, (), left_symbols)
    to_right: list[Expr] = []
    if plan.null_aware or plan.kind == "mark":
        # Here a NULL key and a condition that is NULL differ, so that keys and residual stay apart.
        parts = () if plan.residual is None else conjuncts(plan.residual)
        to_right = [part for part in parts if symbols(part) and symbols(part) <= right_symbols]
        rest = [part for part in parts if part not in to_right]
        sides_pushed = _push(plan.left, to_left), _push(plan.right, to_right)
        joined = Join(plan.kind, *sides_pushed, plan.keys, _residual(rest), plan.mark, plan.null_aware)
        return filtered(joined, above)
    on: list[Expr] = []
    for part in _on(plan):
        read = symbols(part)
        if read and read <= right_symbols:
            to_right.append(part)
        elif plan.kind == "semi" and read <= left_symbols:
            to_left.append(part)
        else:
            on.append(part)
            hint = implied(part, right_symbols)
            if hint is not None:
                to_right.append(hint)
    sides = left_symbols, right_symbols
    keys, rest = split_keys(on, plan.left, plan.right, sides)
    same: dict[str, list[ColumnRef]] = {}
    for a, b in keys:
        if isinstance(a, ColumnRef) and isinstance(b, ColumnRef):
            same.setdefault(a.symbol, []).append(b)
    to_right.extend(transferred(to_left, same))
    right = _push(plan.right, to_right)
    kind: JoinKind = plan.kind
    if kind == "single" and keys and covers(unique_keys(right), (key for _, key in keys)):
        kind = "left"
        if any(rejects_nulls(part, right_symbols) for part in above):
            return _inner(Join("inner", plan.left, right, keys, _residual(rest)), parts)
    return filtered(Join(kind, _push(plan.left, to_left), right, keys, _residual(rest), plan.mark), above)


def _inner(plan: Join, parts: tuple[Expr, ...]) -> Plan:
    """A tree of inner joins: its predicates go to the leaves or to the first join that has all they read."""
    pending = list(parts)
    leaves = _flatten(plan, pending)
    owners = {field.symbol: number for number, leaf in enumerate(leaves) for field in leaf.schema}
    pending.extend(transferred(pending, _equal_columns(pending)))
    own: list[list[Expr]] = [[] for _ in leaves]
    shared: list[tuple[int, Expr]] = []
    for part in dict.fromkeys(pending):
        read = {owners[symbol] for symbol in symbols(part) if symbol in owners}
        if len(read) <= 1:
            own[max(read, default=0)].append(part)
            continue
        shared.append((max(read), part))
        for number in read:
            hint = implied(part, frozenset(field.symbol for field in leaves[number].schema))
            if hint is not None:
                own[number].extend(conjuncts(hint))
    pushed = [_push(leaf, tests) for leaf, tests in zip(leaves, own, strict=True)]
    if any(map(_has_no_rows, pushed)):
        return Values(tuple(field for leaf in pushed for field in leaf.schema), ())
    joined = pushed[0]
    for number, right in enumerate(pushed[1:], 1):
        keys, rest = split_keys((part for last, part in shared if last == number), joined, right)
        joined = Join("inner", joined, right, keys, _residual(rest))
    return joined


def _flatten(plan: Plan, pending: list[Expr]) -> list[Plan]:
    """The inputs of a tree of inner joins in order; its conditions are added to `pending`."""
    leaves: list[Plan] = [plan]
    number = 0
    while number < len(leaves):
        leaf = leaves[number]
        if isinstance(leaf, Filter) and isinstance(leaf.input, Filter | Join):
            pending.extend(conjuncts(leaf.predicate))
            leaves[number] = leaf.input
        elif isinstance(leaf, Join) and _strengthened(leaf, pending) == "inner":
            pending.extend(_on(leaf))
            leaves[number : number + 1] = leaf.children
            # A condition found here may turn an outer join among the earlier leaves into an inner one.
            number = 0
        else:
            if isinstance(leaf, Filter):
                pending.extend(conjuncts(leaf.predicate))
                leaves[number] = leaf.input
            number += 1
    return leaves


def _equal_columns(parts: Parts) -> dict[str, list[ColumnRef]]:
    """For each column that an equality names: all columns equal to it."""
    groups: dict[str, list[ColumnRef]] = {}
    for part in parts:
        match part:
            case Call(function=words.EQ, args=(ColumnRef() as a, ColumnRef() as b)) if a.type == b.type:
                one = groups.setdefault(a.symbol, [a])
                two = groups.setdefault(b.symbol, [b])
                if one is not two:
                    one.extend(two)
                    for ref in two:
                        groups[ref.symbol] = one
            case _:
                pass
    return groups
