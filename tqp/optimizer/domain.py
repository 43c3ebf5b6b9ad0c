"""A correlated plan computed for all bindings of the outer columns at once.

It is joined with the domain, the distinct values of the outer columns it reads, at the leaves, and carries those columns up.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, replace
from typing import Final, assert_never

from tqp.errors import UnsupportedError
from tqp.ir import words
from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import AggregateCall, Call, ColumnRef, Expr, Literal, SortKey
from tqp.ir.plan import (
    Aggregate,
    AsofJoin,
    DependentJoin,
    Field,
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
from tqp.ir.visit import definitions, expressions, free_symbols, rename, walk_plan, with_expressions
from tqp.ir.window import WindowCall
from tqp.optimizer.fresh import Symbols, copy_plan, select
from tqp.optimizer.literals import boolean, on_nothing
from tqp.optimizer.sorted_input import without_sort
from tqp.stack import deep
from tqp.types import BIGINT, BOOLEAN

__all__ = ["Bound", "Push", "same_binding"]

_MOST_SETS: Final = 64

Bound = dict[str, Expr]
"""What each outer symbol is called in a plan that carries the bindings."""


def same_binding(keys: tuple[Field, ...], left: Bound, right: Bound) -> tuple[Expr, ...]:
    """The conditions under which the columns `keys` are the same under both names."""
    return tuple(Call(words.NULL_SAFE_EQ, (left[key.symbol], right[key.symbol]), BOOLEAN) for key in keys)


@dataclass(frozen=True, slots=True)
class Push:
    """Computes a plan for every binding in the domain of `outer`, the columns of `source` that it reads.

    `number` is the one of `outer` that has another value in each row of `source`, if there is one: it tells bindings apart, and
    what else is carried of a binding is the same in all of its rows.

    `carried`: the recursions whose working tables carry the binding, by name, and the places of its columns there. In a step
    these are those around it, and the domain is what the last of them has rows for: a binding takes part as long as it has some.
    """

    source: Plan
    outer: tuple[Field, ...]
    names: Symbols
    number: Field | None = None
    carried: dict[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)

    def _domain(self) -> tuple[Plan, Bound]:
        """The distinct bindings, and by which symbols they go in this copy."""
        copy, moved = copy_plan(self.source, self.names)
        fields = tuple(moved[field.symbol] for field in self.outer)
        distinct = select(copy, fields)
        if self.number is None:
            distinct = Aggregate(distinct, tuple(field.symbol for field in fields), (), ())
        return distinct, {old.symbol: new.ref for old, new in zip(self.outer, fields, strict=True)}

    def _depends(self, plan: Plan) -> bool:
        if not free_symbols(plan).isdisjoint(one.symbol for one in self.outer):
            return True
        trees = (*definitions(plan), plan) if self.carried else ()
        return any(isinstance(one, Working) and one.name in self.carried for tree in trees for one in walk_plan(tree))

    @deep
    def push(self, plan: Plan) -> tuple[Plan, Bound]:
        """The plan's rows for every binding, with the binding's columns, and the names of these.

        Raises UnsupportedError for an ASOF JOIN that depends on the binding.
        """
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
            case Generate():
                below, bound = self.push(plan.input)
                args = tuple(rename(arg, bound) for arg in plan.args)
                return replace(plan, input=below, args=args), bound
            case AsofJoin() if not self._depends(plan.right) and plan.kind not in ("right", "full"):
                below, bound = self.push(plan.left)
                moved = with_expressions(
                    plan.with_children((below, plan.right)), tuple(rename(e, bound) for e in expressions(plan))
                )
                return moved, bound
            case NearestJoin():
                return self._nearest(plan)
            case AsofJoin():
                raise UnsupportedError(
                    "an ASOF JOIN whose right side reads columns of a query around it is not supported"
                )
            case Recursion():
                return self._recursion(plan)
            case Working():
                return self._working(plan)
            case Shared():
                definition, columns = copy_plan(plan.definition, self.names)
                return self.push(Project(definition, plan.fields, tuple(columns[one].ref for one in plan.columns)))
            case Scan() | DependentJoin() | Pivot():
                raise UnsupportedError(f"a correlated {type(plan).__name__} is not supported")
            case _:
                assert_never(plan)

    def _fields(self, bound: Bound) -> tuple[Field, ...]:
        refs = (bound[field.symbol] for field in self.outer)
        return tuple(
            Field(ref.symbol, old.name, old.dtype)
            for ref, old in zip(refs, self.outer, strict=True)
            if isinstance(ref, ColumnRef)
        )

    def _same_binding(self, left: Bound, right: Bound) -> tuple[Expr, ...]:
        return same_binding(self._keys, left, right)

    @property
    def _keys(self) -> tuple[Field, ...]:
        """What tells bindings apart."""
        return self.outer if self.number is None else (self.number,)

    def _grouped(
        self,
        below: Plan,
        bound: Bound,
        keys: tuple[str, ...],
        fields: tuple[Field, ...],
        calls: tuple[AggregateCall, ...],
    ) -> tuple[Plan, Bound]:
        """The aggregates of each binding, and within it of the values of `keys`, with the binding."""
        told = {field.symbol for field in self._keys}
        rest = tuple(field for field in self.outer if field.symbol not in told)
        kept = tuple(Field(self.names.fresh(field.symbol), field.name, field.dtype) for field in rest)
        firsts = tuple(AggregateCall(words.FIRST, (bound[field.symbol],), field.dtype) for field in rest)
        told_by = tuple(
            ref.symbol for ref in (bound[field.symbol] for field in self._keys) if isinstance(ref, ColumnRef)
        )
        grouped = Aggregate(below, (*keys, *told_by), (*fields, *kept), (*calls, *firsts))
        return grouped, {**bound, **{old.symbol: new.ref for old, new in zip(rest, kept, strict=True)}}

    def _aggregate(self, plan: Aggregate) -> tuple[Plan, Bound]:
        below, bound = self.push(plan.input)
        moved = with_expressions(plan, tuple(rename(e, bound) for e in expressions(plan)))
        assert isinstance(moved, Aggregate)
        if plan.keys:
            return self._grouped(below, bound, plan.keys, plan.fields, moved.aggregates)
        # Without GROUP BY a binding without rows has its row too: the domain, left join the groups.
        inner = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in plan.fields)
        domain, outer_bound = self._domain()
        groups, bound = self._grouped(below, bound, (), inner, moved.aggregates)
        joined = Join("left", domain, groups, residual=conjunction(self._same_binding(outer_bound, bound)))
        exprs = []
        for field, call in zip(inner, plan.aggregates, strict=True):
            default = on_nothing(call)
            ref = field.ref
            exprs.append(ref if default.is_null else Call(words.COALESCE, (ref, default), field.dtype))
        fields = (*plan.fields, *self._fields(outer_bound))
        return Project(joined, fields, (*exprs, *outer_bound.values())), outer_bound

    def _window(self, plan: Window) -> tuple[Plan, Bound]:
        """A window sees the rows of its own binding alone."""
        below, bound = self.push(plan.input)
        moved = with_expressions(plan, tuple(rename(e, bound) for e in expressions(plan)))
        assert isinstance(moved, Window)
        partition = (*moved.partition_by, *(bound[field.symbol] for field in self._keys))
        windowed = Window(below, partition, moved.order_by, plan.fields, moved.calls)
        return select(windowed, (*plan.schema, *self._fields(bound))), bound

    def _join(self, plan: Join) -> tuple[Plan, Bound]:
        left_only = not self._depends(plan.right)
        same: tuple[Expr, ...] = ()
        other: Bound = {}
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
        keys = tuple((rename(a, bound), rename(b, bound)) for a, b in plan.keys)
        residual = () if plan.residual is None else conjuncts(rename(plan.residual, bound))
        if plan.null_aware and same:
            # NOT IN counts only NULLs of its own binding, so they are spelt out.
            unknown = conjunction(tuple(Call(words.EQ, pair, BOOLEAN) for pair in keys))
            residual = (*residual, Call(words.COALESCE, (unknown, boolean(True)), BOOLEAN))
            keys = ()
        parts = (*same, *residual)
        joined = Join(
            kind, left, right, keys, conjunction(parts) if parts else None, plan.mark, plan.null_aware and not same
        )
        if kind == "full":
            # A row of one side alone has its binding on that side.
            either = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in self.outer)
            exprs = tuple(Call(words.COALESCE, (bound[f.symbol], other[f.symbol]), f.dtype) for f in self.outer)
            fields = (*plan.schema, *either)
            project = Project(joined, fields, (*(f.ref for f in plan.schema), *exprs))
            return project, {old.symbol: new.ref for old, new in zip(self.outer, either, strict=True)}
        return select(joined, (*plan.schema, *self._fields(bound))), bound

    def _nearest(self, plan: NearestJoin) -> tuple[Plan, Bound]:
        left, bound = self.push(plan.left)
        right = plan.right
        same: tuple[Expr, ...] = ()
        if self._depends(right):
            right, other = self.push(right)
            same = self._same_binding(bound, other)
        moved = with_expressions(plan.with_children((left, right)), tuple(rename(e, bound) for e in expressions(plan)))
        assert isinstance(moved, NearestJoin)
        parts = (*same, *(() if moved.condition is None else conjuncts(moved.condition)))
        joined = replace(moved, condition=conjunction(parts) if parts else None)
        return select(joined, (*plan.schema, *self._fields(bound))), bound

    def _limit(self, plan: Limit | TopN) -> tuple[Plan, Bound]:
        if plan.limit == 0:
            below, bound = self.push(plan.input)
            return Filter(below, boolean(False)), bound
        source, order = (plan.input, plan.keys) if isinstance(plan, TopN) else without_sort(plan.input, self.names)
        below, bound = self.push(source)
        order = tuple(SortKey(rename(key.expr, bound), key.descending, key.nulls_first) for key in order)
        if plan.limit != 1 or plan.offset:
            return self._numbered(plan, below, order, bound)
        fields = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in plan.schema)
        firsts = tuple(AggregateCall(words.FIRST, (f.ref,), f.dtype, order=order) for f in plan.schema)
        grouped, bound = self._grouped(below, bound, (), fields, firsts)
        exprs = (*(field.ref for field in fields), *bound.values())
        return Project(grouped, (*plan.schema, *self._fields(bound)), exprs), bound

    def _numbered(
        self, plan: Limit | TopN, below: Plan, order: tuple[SortKey, ...], bound: Bound
    ) -> tuple[Plan, Bound]:
        """The rows that the limit leaves of each binding, by their number in it."""
        number = Field(self.names.fresh("number"), "number", BIGINT)
        call = WindowCall(AggregateCall(words.ROW_NUMBER, (), BIGINT))
        numbered = Window(below, tuple(bound[field.symbol] for field in self._keys), order, (number,), (call,))
        limits: list[Expr] = (
            [Call(words.GT, (number.ref, Literal(plan.offset, BIGINT)), BOOLEAN)] if plan.offset else []
        )
        if plan.limit is not None:
            limits.append(Call(words.LTE, (number.ref, Literal(plan.offset + plan.limit, BIGINT)), BOOLEAN))
        kept = Filter(numbered, conjunction(tuple(limits)))
        return select(kept, (*plan.schema, *self._fields(bound))), bound

    def _apart(self, plan: GroupingSets) -> Plan:
        """Each grouping over a copy of the input, one below the other: an empty set has its row for every binding."""
        if len(plan.sets) > _MOST_SETS:
            raise UnsupportedError(f"{len(plan.sets)} grouping sets in a correlated subquery are not supported")
        sides: list[Plan] = []
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
            sides.append(Project(grouped, shown, tuple(exprs)))
        return SetOp("union", True, tuple(sides), plan.fields)

    def _set_operation(self, plan: SetOp) -> tuple[Plan, Bound]:
        sides = []
        for side in plan.inputs:
            below, bound = self.push(side)
            sides.append(select(below, (*side.schema, *self._fields(bound))))
        extra = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in self.outer)
        together = SetOp(plan.kind, plan.all, tuple(sides), (*plan.fields, *extra))
        return together, {old.symbol: new.ref for old, new in zip(self.outer, extra, strict=True)}

    def _recursion(self, plan: Recursion) -> tuple[Plan, Bound]:
        """The recursion of all bindings at once: each row carries its own, and meets those of the same alone."""
        seed, bound = self.push(plan.seed)
        places = tuple(range(len(plan.fields), len(plan.fields) + len(self.outer)))
        working = Working(plan.name, places, self.outer)
        carried = {**self.carried, plan.name: places}
        step, step_bound = Push(working, self.outer, self.names, carried=carried).push(plan.step)
        extra = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in self.outer)
        moved = replace(
            plan,
            seed=select(seed, (*plan.seed.schema, *self._fields(bound))),
            step=select(step, (*plan.step.schema, *self._fields(step_bound))),
            fields=(*plan.fields, *extra),
            key=None if plan.key is None else (*plan.key, *places),
            most=None,
        )
        return moved, {old.symbol: new.ref for old, new in zip(self.outer, extra, strict=True)}

    def _working(self, plan: Working) -> tuple[Plan, Bound]:
        places = self.carried[plan.name]
        extra = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in self.outer)
        read = replace(plan, columns=(*plan.columns, *places), fields=(*plan.fields, *extra))
        bound: Bound = {old.symbol: new.ref for old, new in zip(self.outer, extra, strict=True)}
        if not plan.whole and plan.name == next(reversed(self.carried)):
            return read, bound
        # Rows of bindings that have come to their end are there, too.
        domain, alive = self._domain()
        return Join("semi", read, domain, residual=conjunction(self._same_binding(bound, alive))), bound

    def _values(self, plan: Values) -> tuple[Plan, Bound]:
        rows: list[Plan] = []
        for row in plan.rows:
            fields = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in plan.fields)
            rows.append(Project(Values((), ((),)), fields, row))
        return self.push(SetOp("union", True, tuple(rows), plan.fields))
