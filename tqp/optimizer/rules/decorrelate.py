"""Turn subquery expressions into joins (Neumann and Kemper, "Unnesting Arbitrary Queries", simplified).

A conjunct EXISTS or IN becomes a semi join, its negation an anti join; elsewhere it is a mark join. A scalar
subquery becomes a single join, or a left join where it has one row per key by construction. Subqueries are
handled innermost first, so that the plan of each is free of them. Where one in the ON of a join that is not inner
reads both sides, the right side is taken as correlated: the partners of a left row are what ON leaves of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, assert_never

from tqp.errors import InternalError, UnsupportedError
from tqp.ir import words
from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import Call, Case, Cast, ColumnRef, Exists, Expr, InSubquery, Literal, Predict, ScalarSubquery
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
from tqp.ir.visit import (
    expressions,
    rewrite,
    rewrite_plan,
    subplans,
    symbols,
    walk,
    with_expressions,
)  # fmt: skip
from tqp.optimizer.correlation import Unnested, unnest
from tqp.optimizer.facts import never_null
from tqp.optimizer.fresh import Symbols, copy_plan, select
from tqp.optimizer.grafted import grafted
from tqp.optimizer.literals import boolean
from tqp.optimizer.nearest import first_rows, nearest_rows
from tqp.optimizer.predicates import split_keys
from tqp.stack import deep
from tqp.types import BOOLEAN

__all__ = ["decorrelate"]

_SUBQUERIES: Final = (ScalarSubquery, Exists, InSubquery)


def decorrelate(plan: Plan) -> Plan:
    """The plan without subquery expressions and correlated references."""
    return _Decorrelation(Symbols(plan)).plan(plan)


_Results = dict[Expr, Expr]
"""Subqueries joined to a plan already, and what reads their results there."""


@dataclass(frozen=True)
class _Decorrelation:
    names: Symbols
    placed: set[Plan] = field(default_factory=set)
    """Plans of subqueries that are in the result."""

    @deep
    def plan(self, plan: Plan) -> Plan:
        return rewrite_plan(plan, self._node)

    def _node(self, node: Plan) -> Plan | None:
        if isinstance(node, DependentJoin):
            return self._dependent(node)
        if not any(True for expr in expressions(node) for _ in subplans(expr)):
            return None
        match node:
            case Filter():
                return self._filter(node)
            case Join():
                return self._join(node)
            case Values():
                return self._values(node)
            case NearestJoin():
                return self._nearest(node)
            case AsofJoin():
                raise UnsupportedError("a subquery in the condition of an ASOF JOIN is not supported")
            case (
                Scan() | Shared() | Project() | Aggregate() | GroupingSets() | Window() | Sort() | Limit()
                | TopN() | SetOp()
                | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
            ):  # fmt: skip
                (source,) = node.children
                exprs = []
                done: _Results = {}
                for expr in expressions(node):
                    source, expr = self._replace(source, expr, done)
                    exprs.append(expr)
                return select(with_expressions(node.with_children((source,)), tuple(exprs)), node.schema)
            case _:
                assert_never(node)

    def _dependent(self, node: DependentJoin) -> Plan:
        """The join without columns of its left side in its right one."""
        source, condition = node.left, node.condition
        made_beside = grafted(node)
        if made_beside is not None:
            return (
                select(made_beside, node.schema) if condition is None else self._filter(Filter(made_beside, condition))
            )
        if condition is not None and _nests((condition,)):
            if node.kind != "inner":
                return self._dependent(DependentJoin("left", source, self._filter(Filter(node.right, condition))))
            joined = self._dependent(DependentJoin("inner", source, node.right))
            return self._filter(Filter(joined, condition))
        nearest = None if condition is not None and node.kind == "left" else self._first(source, node)
        if nearest is not None:
            return nearest if condition is None else select(Filter(nearest, condition), node.schema)
        found = self._rows(source, node.right)
        on = () if condition is None else conjuncts(condition)
        joined = Join(node.kind, found.source, found.plan, residual=_residual((*found.predicates, *on)))
        return select(joined, node.schema)

    def _inner(self, plan: Plan) -> Plan:
        """The plan of a subquery without subqueries; under other symbols where it is there already.

        Conditions that were one expression may share a subquery.
        """
        if plan in self.placed:
            plan, _ = copy_plan(plan, self.names)
        else:
            self.placed.add(plan)
        return self.plan(plan)

    def _first(self, source: Plan, node: DependentJoin) -> Plan | None:
        """The join where its right side is the first rows by an order that reads the left one."""
        found = nearest_rows(source, node.right, self.names, node.kind)
        if found is None:
            return None
        exprs = (*(field.ref for field in node.left.schema), *found.outputs)
        return Project(found.plan, node.schema, exprs)

    def _nearest(self, node: NearestJoin) -> Plan:
        """The join with each subquery computed on the side that it reads; where one reads both, for each row of the left one."""
        sides = [node.left, node.right]
        own = [{field.symbol for field in side.schema} for side in sides]
        parts = [part for expr in expressions(node) for part in walk(expr) if _nests((part,))]
        if any(isinstance(part, _SUBQUERIES) and all(symbols(part) & one for one in own) for part in parts):
            return self._dependent(DependentJoin(node.kind, node.left, self.plan(first_rows(node, self.names))))
        done: _Results = {}

        def rule(part: Expr) -> Expr | None:
            if not isinstance(part, _SUBQUERIES):
                return None
            place = 0 if symbols(part) & own[0] else 1
            sides[place], made = self._replace(sides[place], part, done)
            return made

        exprs = tuple(rewrite(expr, rule) for expr in expressions(node))
        return select(with_expressions(node.with_children((sides[0], sides[1])), exprs), node.schema)

    def _filter(self, node: Filter) -> Plan:
        source = node.input
        kept: list[Expr] = []
        done: _Results = {}
        for part in conjuncts(node.predicate):
            joined = self._condition(source, part)
            if joined is not None:
                source = joined
            else:
                source, part = self._replace(source, part, done)
                kept.append(part)
        if kept:
            source = Filter(source, conjunction(tuple(kept)))
        return select(source, node.schema)

    def _condition(self, source: Plan, part: Expr) -> Plan | None:
        """`source` with only the rows for which an EXISTS or IN, or its negation, is true."""
        match part:
            case Exists():
                return self._exists(source, self._inner(part.plan), "semi")
            case InSubquery() if not _nests(part.operands):
                return self._in_semi(source, part.operands, self._inner(part.plan))
            case Call(function=words.NOT, args=(Exists() as inner,)):
                return self._exists(source, self._inner(inner.plan), "anti")
            case Call(function=words.NOT, args=(InSubquery() as inner,)) if not _nests(inner.operands):
                return self._in_anti(source, inner.operands, self._inner(inner.plan))
            case (
                ColumnRef() | Literal() | Call() | Cast() | Case() | Predict() | ScalarSubquery() | InSubquery()
            ):  # fmt: skip
                return None
            case _:
                assert_never(part)

    def _exists(self, source: Plan, inner: Plan, kind: JoinKind) -> Plan:
        found = unnest(source, _existence(inner), self.names)
        if found.empty is not None:
            # An aggregate without GROUP BY always has its row.
            return source if kind == "semi" else Filter(source, boolean(False))
        return Join(kind, found.source, found.plan, residual=_residual(found.predicates))

    def _in_semi(self, source: Plan, operands: tuple[Expr, ...], inner: Plan) -> Plan:
        found = self._rows(source, inner)
        equal = _equalities(operands, found.outputs)
        return Join("semi", found.source, found.plan, residual=_residual((*found.predicates, *equal)))

    def _in_anti(self, source: Plan, operands: tuple[Expr, ...], inner: Plan) -> Plan:
        found = self._rows(source, inner)
        keys = tuple(zip(operands, found.outputs, strict=True))
        if _certain(source, operands, found):
            residual = _residual((*found.predicates, *_equalities(operands, found.outputs)))
            return Join("anti", found.source, found.plan, residual=residual)
        if len(keys) == 1 and not found.predicates:
            return Join("anti", found.source, found.plan, keys, null_aware=True)
        # Correlated: only NULLs among the rows that the correlation selects count, so they are spelt out.
        match_ = conjunction(_equalities(operands, found.outputs))
        unknown = Call(words.COALESCE, (match_, boolean(True)), BOOLEAN)
        return Join("anti", found.source, found.plan, residual=_residual((*found.predicates, unknown)))

    def _rows(self, source: Plan, inner: Plan) -> Unnested:
        found = unnest(source, inner, self.names)
        return found if found.empty is None else unnest(source, inner, self.names, domain=True)

    def _replace(self, source: Plan, expr: Expr, done: _Results) -> tuple[Plan, Expr]:
        """Join the subqueries of `expr` that are not `done` to `source`; `expr` then reads their results from there."""
        current = source

        def rule(node: Expr) -> Expr | None:
            nonlocal current
            if node in done:
                return done[node]
            match node:
                case ScalarSubquery():
                    current, result = self._scalar(current, self._inner(node.plan))
                case Exists():
                    current, result = self._exists_mark(current, self._inner(node.plan))
                case InSubquery():
                    current, result = self._in_mark(current, node.operands, self._inner(node.plan))
                case ColumnRef() | Literal() | Call() | Cast() | Case() | Predict():
                    return None
                case _:
                    assert_never(node)
            done[node] = result
            return result

        result = rewrite(expr, rule)
        return current, result

    def _scalar(self, source: Plan, inner: Plan) -> tuple[Plan, Expr]:
        nearest = nearest_rows(source, inner, self.names, "left")
        if nearest is not None and nearest.plan.limit == 1:
            return nearest.plan, nearest.outputs[0]
        found = unnest(source, inner, self.names)
        (output,) = found.outputs
        if not found.predicates or (found.empty is None and not found.single_row):
            return Join("single", found.source, found.plan, residual=_residual(found.predicates)), output
        joined = Join("left", found.source, found.plan, residual=_residual(found.predicates))
        return joined, found.value_or_empty(0)

    def _exists_mark(self, source: Plan, inner: Plan) -> tuple[Plan, Expr]:
        found = unnest(source, _existence(inner), self.names)
        if found.empty is not None:
            return source, boolean(True)
        return self._mark(found.source, found.plan, found.predicates)

    def _mark(self, source: Plan, build: Plan, predicates: tuple[Expr, ...]) -> tuple[Plan, Expr]:
        """TRUE or FALSE: whether a row of `build` makes the predicates true."""
        mark = Field(self.names.fresh("mark"), "mark", BOOLEAN)
        keys, rest = split_keys(predicates, source, build)
        joined = Join("mark", source, build, keys, _residual(tuple(rest)), mark.symbol)
        return joined, Call(words.COALESCE, (mark.ref, boolean(False)), BOOLEAN)

    def _in_mark(self, source: Plan, operands: tuple[Expr, ...], inner: Plan) -> tuple[Plan, Expr]:
        found = self._rows(source, inner)
        equal = _equalities(operands, found.outputs)
        if _certain(source, operands, found):
            return self._mark(found.source, found.plan, (*found.predicates, *equal))
        if len(operands) == 1 and not found.predicates:
            mark = Field(self.names.fresh("mark"), "mark", BOOLEAN)
            keys = tuple(zip(operands, found.outputs, strict=True))
            return Join("mark", found.source, found.plan, keys, mark=mark.symbol), mark.ref
        # Correlated or by several columns: whether a row matches, and whether one leaves it open, are two questions.
        source, matches = self._mark(found.source, found.plan, (*found.predicates, *equal))
        again, moved = copy_plan(found.plan, self.names)
        refs: dict[Expr, Expr] = {ColumnRef(old, f.dtype): f.ref for old, f in moved.items()}
        unknown = Call(words.IS_NULL, (conjunction(equal),), BOOLEAN)
        predicates = tuple(rewrite(part, refs.get) for part in (*found.predicates, unknown))
        source, open_ = self._mark(source, again, predicates)
        return source, Case((matches, open_), (boolean(True), boolean(None)), boolean(False))

    def _join(self, node: Join) -> Plan:
        if node.residual is None or node.keys:
            raise UnsupportedError("a subquery in a join key is not supported", hint="move it into WHERE")
        if node.kind == "inner":
            joined = Join("inner", node.left, node.right)
            return self._filter(Filter(joined, node.residual))
        left, right = node.left, node.right
        sides = tuple({field.symbol for field in side.schema} for side in (left, right))
        left_done: _Results = {}
        right_done: _Results = {}
        kept = []
        for part in conjuncts(node.residual):
            read = symbols(part)
            if _nests((part,)) and not read & sides[1]:
                left, part = self._replace(left, part, left_done)
            elif _nests((part,)) and not read & sides[0]:
                right, part = self._replace(right, part, right_done)
            kept.append(part)
        joined = Join(node.kind, left, right, (), conjunction(tuple(kept)), node.mark, node.null_aware)
        if _nests(tuple(kept)):
            return select(self._paired(joined), node.schema)
        return select(joined, node.schema)

    def _paired(self, node: Join) -> Plan:
        """The join where subqueries of its condition read both sides."""
        assert node.residual is not None
        left, partners = node.left, Filter(node.right, node.residual)
        match node.kind:
            case "semi" | "anti":
                return self._exists(left, self._filter(partners), node.kind)
            case "left":
                return self._dependent(DependentJoin("left", left, self._filter(partners)))
            case "full":
                return self._full(node)
            case "inner" | "right" | "mark" | "single":
                raise InternalError(f"a {node.kind} join whose condition has subqueries over both sides")
            case _:
                assert_never(node.kind)

    def _full(self, node: Join) -> Plan:
        """The left join, and below it the rows of the right side that have no partner."""
        copy, _ = copy_plan(node, self.names)
        assert copy.residual is not None
        padded = self._paired(replace(node, kind="left"))
        alone = self._exists(copy.right, self._filter(Filter(copy.left, copy.residual)), "anti")
        nulls = tuple(Literal(None, field.dtype) for field in copy.left.schema)
        fields = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in node.schema)
        lower = Project(alone, fields, (*nulls, *(field.ref for field in copy.right.schema)))
        both = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in node.schema)
        union = SetOp("union", True, (padded, lower), both)
        return Project(union, node.schema, tuple(field.ref for field in both))

    def _values(self, node: Values) -> Plan:
        rows: list[Plan] = []
        for row in node.rows:
            fields = tuple(Field(self.names.fresh(f.symbol), f.name, f.dtype) for f in node.fields)
            one = Project(Values((), ((),)), fields, row)
            rows.append(self._node(one) or one)
        return SetOp("union", True, tuple(rows), node.fields)


def _nests(exprs: tuple[Expr, ...]) -> bool:
    return any(True for expr in exprs for _ in subplans(expr))


def _existence(plan: Plan) -> Plan:
    """A smaller plan that has a row whenever `plan` has one, for each binding of its free symbols."""
    while True:
        match plan:
            case Project() | Sort():
                plan = plan.input
            case Limit() if plan.offset == 0 and plan.limit != 0:
                plan = plan.input
            case Aggregate() if plan.keys:
                plan = plan.input
            case (
                Scan() | Values() | Shared() | Filter() | Join() | Aggregate() | GroupingSets() | Window()
                | Limit() | TopN() | SetOp()
                | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
            ):  # fmt: skip
                return plan
            case _:
                assert_never(plan)


def _residual(parts: tuple[Expr, ...]) -> Expr | None:
    return conjunction(parts) if parts else None


def _equalities(operands: tuple[Expr, ...], outputs: tuple[Expr, ...]) -> tuple[Expr, ...]:
    return tuple(Call(words.EQ, pair, BOOLEAN) for pair in zip(operands, outputs, strict=True))


def _certain(source: Plan, operands: tuple[Expr, ...], found: Unnested) -> bool:
    """Whether no comparison of operands with outputs can be NULL."""
    return all(never_null(source, e) for e in operands) and all(never_null(found.plan, e) for e in found.outputs)
