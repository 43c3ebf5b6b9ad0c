"""Correlated conditions of a plan moved to its top, so that the plan below them is uncorrelated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from tqp.functions.registry import find
from tqp.ir import words
from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import Call, Cast, ColumnRef, Expr, Literal
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
from tqp.ir.visit import expressions, free_symbols, rename, rewrite, symbols
from tqp.optimizer.fresh import Symbols, pass_through
from tqp.optimizer.literals import on_nothing
from tqp.stack import deep
from tqp.types import BOOLEAN

__all__ = ["Pull", "Pulled"]


@dataclass(frozen=True, slots=True)
class Pulled:
    """An uncorrelated `plan`, and the `predicates` over it and the outer columns that were taken out of it.

    `empty`: what its columns are where no row is left, if it is an aggregate without GROUP BY, by symbol; then `key` is never
    NULL in a row for which the predicates hold.
    """

    plan: Plan
    predicates: tuple[Expr, ...]
    empty: dict[str, Expr] | None = None
    key: Expr | None = None


@dataclass(frozen=True, slots=True)
class Pull:
    """Moves the conditions that read columns of `outer` to the top of a plan."""

    outer: frozenset[str]
    names: Symbols

    @deep
    def pull(self, plan: Plan) -> Pulled | None:
        """The plan without its correlation; None where that is not in conditions alone, or one cannot move."""
        if not free_symbols(plan) & self.outer:
            return Pulled(plan, ())
        match plan:
            case Filter():
                below = self.pull(plan.input)
                if below is None or below.empty is not None:
                    return None
                kept, moved = self._split(plan.predicate)
                rest = Filter(below.plan, conjunction(kept)) if kept else below.plan
                return Pulled(rest, (*below.predicates, *moved))
            case Project():
                return self._project(plan)
            case Aggregate():
                return self._aggregate(plan)
            case Join():
                return self._join(plan)
            case Sort():
                return self.pull(plan.input)
            case Generate() if not any(symbols(arg) & self.outer for arg in plan.args):
                below = self.pull(plan.input)
                if below is None or below.empty is not None:
                    return None
                return Pulled(plan.with_children((below.plan,)), below.predicates)
            case (
                Scan() | Values() | Shared() | GroupingSets() | Window() | Limit() | TopN() | SetOp()
                | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
            ):  # fmt: skip
                return None
            case _:
                assert_never(plan)

    def _split(self, predicate: Expr | None) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
        parts = () if predicate is None else conjuncts(predicate)
        moved = tuple(part for part in parts if symbols(part) & self.outer)
        return tuple(part for part in parts if part not in moved), moved

    def _project(self, plan: Project) -> Pulled | None:
        below = self.pull(plan.input)
        if below is None or any(symbols(expr) & self.outer for expr in plan.exprs):
            return None
        have = {field.symbol for field in plan.fields}
        needed = frozenset[str]().union(*map(symbols, below.predicates))
        if below.key is not None:
            needed |= symbols(below.key)
        extra = tuple(f for f in below.plan.schema if f.symbol in needed and f.symbol not in have)
        exprs = (*plan.exprs, *(field.ref for field in extra))
        made = Project(below.plan, (*plan.fields, *extra), exprs)
        empty = below.empty
        if empty is not None:
            values = (rewrite(rename(expr, empty), _fold_nulls) for expr in plan.exprs)
            empty = {field.symbol: value for field, value in zip(plan.fields, values, strict=True)}
        return Pulled(made, below.predicates, empty, below.key)

    def _aggregate(self, plan: Aggregate) -> Pulled | None:
        own = {s for expr in expressions(plan) for s in symbols(expr)}
        below = self.pull(plan.input)
        if below is None or below.empty is not None or own & self.outer:
            return None
        inner = {field.symbol for field in below.plan.schema}
        computed: list[tuple[Field, Expr]] = []
        keys = list(plan.keys)
        predicates: list[Expr] = []
        key: Expr | None = None
        for part in below.predicates:
            pair = _equality(part, inner)
            if pair is None:
                return None
            outside, inside = pair
            if not isinstance(inside, ColumnRef):
                field = Field(self.names.fresh("key"), "key", inside.dtype)
                computed.append((field, inside))
                inside = field.ref
            if inside.symbol not in keys:
                keys.append(inside.symbol)
            predicates.append(Call(words.EQ, (outside, inside), BOOLEAN))
            key = inside
        grouped = Aggregate(pass_through(below.plan, tuple(computed)), tuple(keys), plan.fields, plan.aggregates)
        if plan.keys:
            return Pulled(grouped, tuple(predicates))
        empty: dict[str, Expr] = {f.symbol: on_nothing(c) for f, c in zip(plan.fields, plan.aggregates, strict=True)}
        return Pulled(grouped, tuple(predicates), empty, key)

    def _join(self, plan: Join) -> Pulled | None:
        if any(symbols(side) & self.outer for pair in plan.keys for side in pair):
            return None
        kept, moved = self._split(plan.residual)
        if plan.kind != "inner" and (moved or free_symbols(plan.right) & self.outer or plan.kind == "full"):
            # Only a condition over what the join keeps may move above it; semi joins keep no right columns.
            return None
        left, right = self.pull(plan.left), self.pull(plan.right)
        if left is None or right is None or left.empty is not None or right.empty is not None:
            return None
        residual = conjunction(kept) if kept else None
        joined = Join(plan.kind, left.plan, right.plan, plan.keys, residual, plan.mark, plan.null_aware)
        return Pulled(joined, (*left.predicates, *right.predicates, *moved))


def _equality(part: Expr, inner: set[str]) -> tuple[Expr, Expr] | None:
    """(outer side, inner side) of an equality whose sides do not mix."""
    if not (isinstance(part, Call) and part.function == words.EQ):
        return None
    for outside, inside in (part.args, part.args[::-1]):
        if symbols(inside) <= inner and symbols(inside) and not symbols(outside) & inner:
            return outside, inside
    return None


def _fold_nulls(expr: Expr) -> Expr | None:
    """What is NULL, or a constant, as its arguments are: enough to see what an expression over an empty aggregate becomes."""
    nulls = [isinstance(child, Literal) and child.is_null for child in expr.children]
    if isinstance(expr, Cast) and nulls[0]:
        return Literal(None, expr.dtype)
    if not isinstance(expr, Call):
        return None
    function = find(expr.function)
    if function.is_null(nulls):
        return Literal(None, expr.dtype)
    if function.first_value:
        first = expr.args[nulls.index(False)]
        return first if isinstance(first, Literal) else None
    return None
