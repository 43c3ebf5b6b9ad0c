"""Compute each prediction once: PREDICT(m, x) in SELECT, WHERE and ORDER BY becomes one column of a Project below them.

f(P) over g(P) over R is f(p) over g(p) over Project(R, p := P). A column is reused above a join only where the join does
not pad its side with NULLs, and never above an aggregation or a set operation, whose rows are others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import assert_never

from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import ColumnRef, Expr, Predict
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
from tqp.ir.visit import expressions, rename, symbols, walk, walk_plan, with_expressions
from tqp.optimizer.fresh import Symbols, pass_through, select
from tqp.stack import deep

__all__ = ["predict_once"]

Known = dict[Expr, Field]
"""Predictions over the columns of a plan, and the field of the plan that holds each."""


def predict_once(plan: Plan) -> Plan:
    """The plan with every distinct prediction in a Project of its own below its first use."""
    if not any(_predictions(expr) for node in walk_plan(plan) for expr in expressions(node)):
        return plan
    done, _ = _Hoisting(Symbols(plan)).hoist(plan)
    return select(done, plan.schema)


def _predictions(expr: Expr) -> list[Predict]:
    """The predictions in an expression, inner ones first."""
    found = [node for node in walk(expr) if isinstance(node, Predict)]
    return list(dict.fromkeys(reversed(found)))


@dataclass
class _Hoisting:
    names: Symbols
    _done: dict[Plan, tuple[Plan, Known]] = field(default_factory=dict)

    @deep
    def hoist(self, plan: Plan) -> tuple[Plan, Known]:
        """The plan, perhaps with more columns, and the predictions that its rows have."""
        found = self._done.get(plan)
        if found is None:
            found = self._done[plan] = self._hoist(plan)
        return found

    def _hoist(self, plan: Plan) -> tuple[Plan, Known]:
        match plan:
            case Filter():
                return self._filter(plan)
            case Project():
                return self._project(plan)
            case Join():
                return self._join(plan)
            case Sort() | TopN() | Limit() | Window():
                below, known = self.hoist(plan.input)
                below, known = self._computed(below, known, expressions(plan))
                return _over(plan, (below,), known), known
            case Aggregate() | GroupingSets():
                below, known = self.hoist(plan.input)
                below, known = self._computed(below, known, expressions(plan))
                return _over(plan, (below,), known), {}
            case Generate() | AsofJoin() | NearestJoin() | Pivot():
                sides = tuple(self.hoist(side)[0] for side in plan.children)
                return plan.with_children(sides), {}
            case SetOp() | DependentJoin() | Recursion():
                sides = tuple(select(self.hoist(side)[0], side.schema) for side in plan.children)
                return plan.with_children(sides), {}
            case Scan() | Values() | Shared() | Working():
                return plan, {}
            case _:
                assert_never(plan)

    def _computed(self, plan: Plan, known: Known, exprs: Iterable[Expr]) -> tuple[Plan, Known]:
        """The plan with all predictions in `exprs` as columns."""
        wanted = dict.fromkeys(part for expr in exprs for part in _predictions(expr))
        known = dict(known)
        have = {column.symbol for column in plan.schema}
        for prediction in wanted:
            # An argument may be a prediction, which is a column by now.
            call = _replaced(prediction, {key: column for key, column in known.items() if key != prediction})
            # One without columns is a constant, which costs nothing where it stands.
            if prediction in known or not symbols(call) or not symbols(call) <= have:
                continue
            assert isinstance(call, Predict)
            name = re.sub(r"\W+", "_", call.model.name)
            made = Field(self.names.fresh(f"predict_{name}"), call.model.name, call.dtype)
            plan = pass_through(plan, ((made, call),))
            have.add(made.symbol)
            known[prediction] = made
        return plan, known

    def _filter(self, plan: Filter) -> tuple[Plan, Known]:
        below, known = self._computed(*self.hoist(plan.input), (plan.predicate,))
        return Filter(below, _replaced(plan.predicate, known)), known

    def _project(self, plan: Project) -> tuple[Plan, Known]:
        below, known = self.hoist(plan.input)
        below, known = self._computed(below, known, plan.exprs)
        exprs = tuple(_replaced(expr, known) for expr in plan.exprs)
        fields = plan.fields
        shown: dict[str, Field] = {}
        for column, expr in zip(fields, exprs, strict=True):
            if isinstance(expr, ColumnRef):
                shown.setdefault(expr.symbol, column)
        above: Known = {}
        renamed: dict[str, Expr] = {symbol: column.ref for symbol, column in shown.items()}
        for prediction, column in known.items():
            if not symbols(prediction) <= shown.keys():
                continue
            if column.symbol not in shown:
                fields, exprs = (*fields, column), (*exprs, column.ref)
                shown[column.symbol] = column
            above[rename(prediction, renamed)] = shown[column.symbol]
        return Project(below, fields, exprs), above

    def _join(self, plan: Join) -> tuple[Plan, Known]:
        (left, left_known), (right, right_known) = self.hoist(plan.left), self.hoist(plan.right)
        exprs = expressions(plan)
        # What reads one side alone is computed there; the rest of an inner join's condition moves above it.
        left, left_known = self._computed(left, left_known, exprs)
        right, right_known = self._computed(right, right_known, exprs)
        known = {**left_known, **right_known}
        joined = _over(plan, (left, right), known)
        assert isinstance(joined, Join)
        visible: Known = {}
        if plan.kind != "full":
            visible.update(left_known)
        if plan.kind == "inner":
            visible.update(right_known)
        if plan.kind != "inner" or joined.residual is None or not _predictions(joined.residual):
            return joined, visible
        parts = conjuncts(joined.residual)
        stay = tuple(part for part in parts if not _predictions(part))
        move = tuple(part for part in parts if part not in stay)
        residual = conjunction(stay) if stay else None
        inner = Join("inner", joined.left, joined.right, joined.keys, residual)
        above, visible = self._computed(inner, visible, move)
        return Filter(above, _replaced(conjunction(move), visible)), visible


def _over(plan: Plan, inputs: tuple[Plan, ...], known: Known) -> Plan:
    """The node over other inputs, with columns for its predictions."""
    moved = plan.with_children(inputs)
    exprs = expressions(moved)
    return with_expressions(moved, tuple(_replaced(expr, known) for expr in exprs)) if exprs else moved


def _replaced(expr: Expr, known: Known) -> Expr:
    """The expression with columns for the predictions that are known; outer ones win over those in their arguments."""
    if expr in known:
        return known[expr].ref
    if not expr.children or not _predictions(expr):
        return expr
    children = tuple(_replaced(child, known) for child in expr.children)
    return expr if children == expr.children else expr.with_children(children)
