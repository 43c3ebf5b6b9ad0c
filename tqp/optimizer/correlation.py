"""From a correlated plan to an uncorrelated one and the predicates that join it to the plan around it.

Where the correlation is in conditions that can move to the top (through a grouping: equalities only), they move there.
Else the plan is computed for all bindings at once: it is joined with the domain, the distinct values of the
outer columns it reads, at the leaves, and carries those columns up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tqp.errors import UnsupportedError
from tqp.ir.expr import AggregateCall, Call, Case, Cast, ColumnRef, Expr, Literal, SortKey
from tqp.ir.plan import (
    Aggregate,
    Field,
    Filter,
    GroupingSets,
    Join,
    JoinKind,
    Limit,
    Plan,
    Project,
    SetOp,
    Sort,
    TopN,
    Values,
    Window,
)  # fmt: skip
from tqp.ir.visit import conjunction, conjuncts, expressions, free_symbols, rename, rewrite, symbols, with_expressions
from tqp.ir.window import WindowCall
from tqp.optimizer.fresh import Symbols, copy_plan, pass_through, select
from tqp.optimizer.literals import boolean
from tqp.stack import deep
from tqp.types import BIGINT, BOOLEAN

__all__ = ["Unnested", "unnest"]

# NULL if an argument is NULL; enough to see what an expression over an empty aggregate becomes.
_STRICT: Final = frozenset({"add", "sub", "mul", "div", "intdiv", "mod", "neg", "abs", "round"})
_MOST_SETS: Final = 64


@dataclass(frozen=True, slots=True)
class Unnested:
    """An uncorrelated `plan` whose rows belong to the outer rows for which all `predicates` hold.

    `outputs` are the original columns. `empty`: their values for an outer row without any, where the original is an
    aggregate without GROUP BY; then `key` is never NULL in a row that belongs to an outer one.
    `single_row`: at most one row belongs to an outer row.
    """

    plan: Plan
    predicates: tuple[Expr, ...]
    outputs: tuple[Expr, ...]
    empty: tuple[Expr, ...] | None
    key: Expr | None
    single_row: bool

    def value_or_empty(self, index: int) -> Expr:
        """The output after a left join, with the value for no row in place of the NULLs."""
        output = self.outputs[index]
        if self.empty is None or self.key is None:
            return output
        default = self.empty[index]
        if isinstance(default, Literal) and default.value is None:
            return output
        missing = Call("is_null", (self.key,), BOOLEAN)
        return Case((missing,), (default,), output)


def unnest(source: Plan, inner: Plan, names: Symbols, *, domain: bool = False) -> Unnested:
    """`inner` without references to the columns of `source`; `domain` forces the general way.

    Neither plan holds subquery expressions. Raises UnsupportedError for a correlated FULL JOIN.
    """
    outer = free_symbols(inner) & {field.symbol for field in source.schema}
    outputs = tuple(field.ref for field in inner.schema)
    if not outer:
        return Unnested(inner, (), outputs, None, None, _one_row(inner))
    pulled = None if domain else _Pull(frozenset(outer), names).pull(inner)
    if pulled is not None:
        empty = None if pulled.empty is None else tuple(pulled.empty[f.symbol] for f in inner.schema)
        return Unnested(pulled.plan, pulled.predicates, outputs, empty, pulled.key, empty is not None)
    fields = tuple(field for field in source.schema if field.symbol in outer)
    plan, bound = _Push(source, fields, names).push(inner)
    predicates = tuple(Call("nullsafeeq", (field.ref, bound[field.symbol]), BOOLEAN) for field in fields)
    return Unnested(plan, predicates, outputs, None, None, _one_row(inner))


def _one_row(plan: Plan) -> bool:
    """Whether the plan has at most one row for each binding of its free symbols."""
    while isinstance(plan, Project | Filter | Sort | Window):
        plan = plan.input
    match plan:
        case Aggregate():
            return not plan.keys
        case Limit() | TopN():
            return plan.limit is not None and plan.limit <= 1
        case Values():
            return len(plan.rows) <= 1
        case _:
            return False


def _on_nothing(call: AggregateCall) -> Literal:
    """The aggregate's value for no rows."""
    return Literal(0 if call.function.startswith("count") else None, call.type)


def _fold_nulls(expr: Expr) -> Expr | None:
    strict = isinstance(expr, Cast) or (isinstance(expr, Call) and expr.function in _STRICT)
    if strict and any(isinstance(child, Literal) and child.value is None for child in expr.children):
        return Literal(None, expr.dtype)
    if isinstance(expr, Call) and expr.function == "coalesce":
        rest = tuple(arg for arg in expr.args if not (isinstance(arg, Literal) and arg.value is None))
        if rest and isinstance(rest[0], Literal):
            return rest[0]
    return None


@dataclass(frozen=True, slots=True)
class _Pulled:
    plan: Plan
    predicates: tuple[Expr, ...]
    empty: dict[str, Expr] | None = None
    key: Expr | None = None


@dataclass(frozen=True, slots=True)
class _Pull:
    """Moves correlated conditions to the top; None where one cannot move."""

    outer: frozenset[str]
    names: Symbols

    @deep
    def pull(self, plan: Plan) -> _Pulled | None:
        if not free_symbols(plan) & self.outer:
            return _Pulled(plan, ())
        match plan:
            case Filter():
                below = self.pull(plan.input)
                if below is None or below.empty is not None:
                    return None
                kept, moved = self._split(plan.predicate)
                rest = Filter(below.plan, conjunction(kept)) if kept else below.plan
                return _Pulled(rest, (*below.predicates, *moved))
            case Project():
                return self._project(plan)
            case Aggregate():
                return self._aggregate(plan)
            case Join():
                return self._join(plan)
            case Sort():
                return self.pull(plan.input)
            case _:
                return None

    def _split(self, predicate: Expr | None) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
        parts = () if predicate is None else conjuncts(predicate)
        moved = tuple(part for part in parts if symbols(part) & self.outer)
        return tuple(part for part in parts if part not in moved), moved

    def _project(self, plan: Project) -> _Pulled | None:
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
        return _Pulled(made, below.predicates, empty, below.key)

    def _aggregate(self, plan: Aggregate) -> _Pulled | None:
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
            predicates.append(Call("eq", (outside, inside), BOOLEAN))
            key = inside
        grouped = Aggregate(pass_through(below.plan, tuple(computed)), tuple(keys), plan.fields, plan.aggregates)
        if plan.keys:
            return _Pulled(grouped, tuple(predicates))
        empty: dict[str, Expr] = {f.symbol: _on_nothing(c) for f, c in zip(plan.fields, plan.aggregates, strict=True)}
        return _Pulled(grouped, tuple(predicates), empty, key)

    def _join(self, plan: Join) -> _Pulled | None:
        if any(symbols(side) & self.outer for pair in plan.keys for side in pair):
            return None
        kept, moved = self._split(plan.residual)
        if plan.kind != "inner" and (moved or free_symbols(plan.right) & self.outer or plan.kind in ("right", "full")):
            # Only a condition over what the join keeps may move above it; semi joins keep no right columns.
            return None
        left, right = self.pull(plan.left), self.pull(plan.right)
        if left is None or right is None or left.empty is not None or right.empty is not None:
            return None
        residual = conjunction(kept) if kept else None
        joined = Join(plan.kind, left.plan, right.plan, plan.keys, residual, plan.mark, plan.null_aware)
        return _Pulled(joined, (*left.predicates, *right.predicates, *moved))


def _equality(part: Expr, inner: set[str]) -> tuple[Expr, Expr] | None:
    """(outer side, inner side) of an equality whose sides do not mix."""
    if not (isinstance(part, Call) and part.function == "eq"):
        return None
    for outside, inside in (part.args, part.args[::-1]):
        if symbols(inside) <= inner and symbols(inside) and not symbols(outside) & inner:
            return outside, inside
    return None


_Bound = dict[str, Expr]


@dataclass(frozen=True, slots=True)
class _Push:
    """Computes a plan for every binding in the domain of `outer`, the columns of `source` that it reads."""

    source: Plan
    outer: tuple[Field, ...]
    names: Symbols

    def _domain(self) -> tuple[Plan, _Bound]:
        """The distinct bindings, and by which symbols they go in this copy."""
        copy, moved = copy_plan(self.source, self.names)
        fields = tuple(moved[field.symbol] for field in self.outer)
        distinct = Aggregate(select(copy, fields), tuple(field.symbol for field in fields), (), ())
        return distinct, {old.symbol: new.ref for old, new in zip(self.outer, fields, strict=True)}

    def _depends(self, plan: Plan) -> bool:
        return not free_symbols(plan).isdisjoint(field.symbol for field in self.outer)

    @deep
    def push(self, plan: Plan) -> tuple[Plan, _Bound]:
        """The plan's rows for every binding, with the binding's columns, and the names of these."""
        if not self._depends(plan):
            domain, bound = self._domain()
            return Join("inner", plan, domain), bound
        match plan:
            case Filter():
                below, bound = self.push(plan.input)
                return Filter(below, rename(plan.predicate, bound)), bound
            case Project():
                below, bound = self.push(plan.input)
                exprs = (*(rename(expr, bound) for expr in plan.exprs), *bound.values())
                return Project(below, (*plan.fields, *self._fields(bound)), exprs), bound
            case Aggregate():
                return self._aggregate(plan)
            case Join():
                return self._join(plan)
            case Sort():
                return self.push(plan.input)
            case Window():
                return self._window(plan)
            case Limit() | TopN():
                return self._limit(plan)
            case GroupingSets():
                return self.push(self._apart(plan))
            case SetOp():
                return self._set_operation(plan)
            case Values():
                return self._values(plan)
            case _:
                raise UnsupportedError(f"a correlated {type(plan).__name__} is not supported")

    def _fields(self, bound: _Bound) -> tuple[Field, ...]:
        refs = (bound[field.symbol] for field in self.outer)
        return tuple(
            Field(ref.symbol, old.name, old.dtype)
            for ref, old in zip(refs, self.outer, strict=True)
            if isinstance(ref, ColumnRef)
        )

    def _same_binding(self, left: _Bound, right: _Bound) -> tuple[Expr, ...]:
        return tuple(Call("nullsafeeq", (left[f.symbol], right[f.symbol]), BOOLEAN) for f in self.outer)

    def _aggregate(self, plan: Aggregate) -> tuple[Plan, _Bound]:
        below, bound = self.push(plan.input)
        moved = with_expressions(plan, tuple(rename(e, bound) for e in expressions(plan)))
        assert isinstance(moved, Aggregate)
        keys = (*plan.keys, *(field.symbol for field in self._fields(bound)))
        if plan.keys:
            return Aggregate(below, keys, plan.fields, moved.aggregates), bound
        # Without GROUP BY a binding without rows has its row too: the domain, left join the groups.
        inner = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in plan.fields)
        domain, outer_bound = self._domain()
        groups = Aggregate(below, keys, inner, moved.aggregates)
        joined = Join("left", domain, groups, residual=conjunction(self._same_binding(outer_bound, bound)))
        exprs = []
        for field, call in zip(inner, plan.aggregates, strict=True):
            default = _on_nothing(call)
            ref = field.ref
            exprs.append(ref if default.value is None else Call("coalesce", (ref, default), field.dtype))
        fields = (*plan.fields, *self._fields(outer_bound))
        return Project(joined, fields, (*exprs, *outer_bound.values())), outer_bound

    def _window(self, plan: Window) -> tuple[Plan, _Bound]:
        """A window sees the rows of its own binding alone."""
        below, bound = self.push(plan.input)
        moved = with_expressions(plan, tuple(rename(e, bound) for e in expressions(plan)))
        assert isinstance(moved, Window)
        partition = (*moved.partition_by, *bound.values())
        windowed = Window(below, partition, moved.order_by, plan.fields, moved.calls)
        return select(windowed, (*plan.schema, *self._fields(bound))), bound

    def _join(self, plan: Join) -> tuple[Plan, _Bound]:
        if plan.kind == "right":
            flipped = Join("left", plan.right, plan.left, tuple((b, a) for a, b in plan.keys), plan.residual)
            below, bound = self.push(flipped)
            return select(below, (*plan.schema, *self._fields(bound))), bound
        left_only = not self._depends(plan.right)
        same: tuple[Expr, ...] = ()
        if plan.kind == "inner" and not self._depends(plan.left) and not left_only:
            left = plan.left
            right, bound = self.push(plan.right)
        elif left_only and plan.kind != "full":
            left, bound = self.push(plan.left)
            right = plan.right
        else:
            left, bound = self.push(plan.left)
            right, other = self.push(plan.right)
            same = self._same_binding(bound, other)
        kind: JoinKind = plan.kind
        if kind == "full":
            raise UnsupportedError("a FULL JOIN inside a correlated subquery is not supported")
        keys = tuple((rename(a, bound), rename(b, bound)) for a, b in plan.keys)
        residual = () if plan.residual is None else conjuncts(rename(plan.residual, bound))
        if plan.null_aware and same:
            # NOT IN counts only NULLs of its own binding, so they are spelt out.
            unknown = conjunction(tuple(Call("eq", pair, BOOLEAN) for pair in keys))
            residual = (*residual, Call("coalesce", (unknown, boolean(True)), BOOLEAN))
            keys = ()
        parts = (*same, *residual)
        joined = Join(
            kind, left, right, keys, conjunction(parts) if parts else None, plan.mark, plan.null_aware and not same
        )
        return select(joined, (*plan.schema, *self._fields(bound))), bound

    def _limit(self, plan: Limit | TopN) -> tuple[Plan, _Bound]:
        if plan.limit == 0:
            below, bound = self.push(plan.input)
            return Filter(below, boolean(False)), bound
        source, order = (plan.input, plan.keys) if isinstance(plan, TopN) else self._ordered(plan.input)
        below, bound = self.push(source)
        order = tuple(SortKey(rename(key.expr, bound), key.descending, key.nulls_first) for key in order)
        if plan.limit != 1 or plan.offset:
            return self._numbered(plan, below, order, bound)
        fields = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in plan.schema)
        firsts = tuple(AggregateCall("first", (f.ref,), f.dtype, order=order) for f in plan.schema)
        keys = self._fields(bound)
        grouped = Aggregate(below, tuple(field.symbol for field in keys), fields, firsts)
        exprs = (*(field.ref for field in fields), *bound.values())
        return Project(grouped, (*plan.schema, *keys), exprs), bound

    def _numbered(
        self, plan: Limit | TopN, below: Plan, order: tuple[SortKey, ...], bound: _Bound
    ) -> tuple[Plan, _Bound]:
        """The rows that the limit leaves of each binding, by their number in it."""
        number = Field(self.names.fresh("number"), "number", BIGINT)
        call = WindowCall(AggregateCall("row_number", (), BIGINT))
        numbered = Window(below, tuple(bound.values()), order, (number,), (call,))
        limits: list[Expr] = [Call("gt", (number.ref, Literal(plan.offset, BIGINT)), BOOLEAN)] if plan.offset else []
        if plan.limit is not None:
            limits.append(Call("lte", (number.ref, Literal(plan.offset + plan.limit, BIGINT)), BOOLEAN))
        kept = Filter(numbered, conjunction(tuple(limits)))
        return select(kept, (*plan.schema, *self._fields(bound))), bound

    @deep
    def _ordered(self, plan: Plan) -> tuple[Plan, tuple[SortKey, ...]]:
        """The plan without its top Sort, and the keys of that in terms of the plan's columns."""
        match plan:
            case Sort():
                return plan.input, plan.keys
            case Project():
                below, keys = self._ordered(plan.input)
                extra = tuple((Field(self.names.fresh("key"), "key", k.expr.dtype), k.expr) for k in keys)
                fields = (*plan.fields, *(field for field, _ in extra))
                exprs = (*plan.exprs, *(expr for _, expr in extra))
                moved = (
                    SortKey(field.ref, key.descending, key.nulls_first)
                    for (field, _), key in zip(extra, keys, strict=True)
                )
                return Project(below, fields, exprs), tuple(moved)
            case _:
                return plan, ()

    def _apart(self, plan: GroupingSets) -> Plan:
        """Each grouping over a copy of the input, one below the other: an empty set has its row for every binding."""
        if len(plan.sets) > _MOST_SETS:
            raise UnsupportedError(f"{len(plan.sets)} grouping sets in a correlated subquery are not supported")
        union: Plan | None = None
        for chosen in plan.sets:
            copy, moved = copy_plan(plan.input, self.names)
            refs: dict[str, Expr] = {old: new.ref for old, new in moved.items()}
            calls = with_expressions(plan, tuple(rename(expr, refs) for expr in expressions(plan)))
            assert isinstance(calls, GroupingSets)
            fields = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in plan.aggregate_fields)
            keys = dict.fromkeys(moved[plan.keys[place]].symbol for place in chosen)
            grouped = Aggregate(copy, tuple(keys), fields, calls.aggregates)
            exprs: list[Expr] = []
            for place, (key, field) in enumerate(zip(plan.keys, plan.key_fields, strict=True)):
                exprs.append(moved[key].ref if place in chosen else Literal(None, field.dtype))
            exprs += [Literal(plan.mark(chosen, places), BIGINT) for places in plan.marked]
            exprs += [field.ref for field in fields]
            shown = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in plan.fields)
            side = Project(grouped, shown, tuple(exprs))
            both = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in plan.fields)
            union = side if union is None else SetOp("union", True, union, side, both)
        assert union is not None
        return Project(union, plan.fields, tuple(field.ref for field in union.schema))

    def _set_operation(self, plan: SetOp) -> tuple[Plan, _Bound]:
        left, left_bound = self.push(plan.left)
        right, right_bound = self.push(plan.right)
        left = select(left, (*plan.left.schema, *self._fields(left_bound)))
        right = select(right, (*plan.right.schema, *self._fields(right_bound)))
        extra = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in self.outer)
        both = SetOp(plan.kind, plan.all, left, right, (*plan.fields, *extra))
        return both, {old.symbol: new.ref for old, new in zip(self.outer, extra, strict=True)}

    def _values(self, plan: Values) -> tuple[Plan, _Bound]:
        rows: Plan | None = None
        for row in plan.rows:
            fields = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in plan.fields)
            one: Plan = Project(Values((), ((),)), fields, row)
            both = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in plan.fields)
            rows = one if rows is None else SetOp("union", True, rows, one, both)
        assert rows is not None
        return self.push(Project(rows, plan.fields, tuple(field.ref for field in rows.schema)))
