"""Predict where the fewest rows pass: below the join that multiplies them, above the filter that drops them.

Project(p := PREDICT(m, x)) over R is R with the Project anywhere below in it where x is there already and the rows are not
padded with NULLs. Of all these places the one with the fewest rows is taken, by estimate; the highest of equal ones.
A prediction that can fail for a row stays above what drops rows.
A filter on p below an inner join that drops most rows anyway moves above it, and the Project with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

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
from tqp.ir.visit import expressions, rewrite_plan, symbols, walk, walk_plan
from tqp.optimizer.cardinality import Estimator
from tqp.optimizer.fresh import pass_through, select
from tqp.optimizer.rules.predict_ways import is_of_each_row, may_fail
from tqp.stack import deep

__all__ = ["predict_low"]

_WORTH = 0.9
"""Estimates are rough: a place must have fewer rows by this factor."""
_SELECTIVE = 0.5
"""A join that keeps fewer of a side's rows than this goes before predictions on that side."""


def predict_low(plan: Plan) -> Plan:
    """The plan with each column of a prediction computed where it costs least."""
    if not any(
        isinstance(part, Predict) for node in walk_plan(plan) for expr in expressions(node) for part in walk(expr)
    ):
        return plan
    estimator = Estimator()

    def rule(node: Plan) -> Plan | None:
        match node:
            case Project():
                return _lowered(node, estimator)
            case Join(kind="inner"):
                return _lifted(node, estimator)
            case (
                Scan() | Values() | Shared() | Filter() | Join() | Aggregate() | GroupingSets() | Window()
                | Sort() | Limit() | TopN() | SetOp()
                | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
            ):  # fmt: skip
                return None
            case _:
                assert_never(node)

    return select(rewrite_plan(plan, rule), plan.schema)


@dataclass(frozen=True)
class _Place:
    """Inputs to go down through from a Project, by their place among the node's children; and the rows there."""

    steps: tuple[int, ...]
    rows: float


def _lowered(node: Project, estimator: Estimator) -> Plan | None:
    kept: list[tuple[Field, Expr]] = []
    below = node.input
    for field, expr in zip(node.fields, node.exprs, strict=True):
        moves = isinstance(expr, Predict) and not is_of_each_row(expr)
        steps = _best(below, expr, estimator) if moves else ()
        if steps:
            below = _inserted(below, steps, field, expr)
            kept.append((field, field.ref))
        else:
            kept.append((field, expr))
    if below is node.input:
        return None
    return Project(below, tuple(field for field, _ in kept), tuple(expr for _, expr in kept))


def _best(plan: Plan, expr: Expr, estimator: Estimator) -> tuple[int, ...]:
    """The way down to the place with the fewest rows; empty where that is on top of the plan."""
    read, fails = symbols(expr), may_fail(expr)
    best = _Place((), estimator.rows(plan))
    steps: tuple[int, ...] = ()
    while (number := _step(plan, read, fails)) is not None:
        plan = plan.children[number]
        steps = (*steps, number)
        rows = estimator.rows(plan)
        if rows < best.rows * _WORTH:
            best = _Place(steps, rows)
    return best.steps


def _step(plan: Plan, read: frozenset[str], fails: bool) -> int | None:
    """Which input of the plan has all the columns, its rows unpadded above; of what `fails`, one that keeps all its rows."""
    match plan:
        case Sort():
            return 0
        case Filter():
            return None if fails else 0
        case Project():
            return 0 if read <= {field.symbol for field in plan.input.schema} else None
        case Join() if fails and plan.kind not in ("left", "mark", "single"):
            return None
        case Join():
            if plan.kind != "full" and read <= {field.symbol for field in plan.left.schema}:
                return 0
            if plan.kind == "inner" and read <= {field.symbol for field in plan.right.schema}:
                return 1
            return None
        case (
            Scan() | Values() | Shared() | Aggregate() | GroupingSets() | Window() | Limit() | TopN() | SetOp()
            | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
        ):  # fmt: skip
            return None
        case _:
            assert_never(plan)


@deep
def _inserted(plan: Plan, steps: tuple[int, ...], field: Field, expr: Expr) -> Plan:
    """The plan with the column computed at the end of the way."""
    if not steps:
        return pass_through(plan, ((field, expr),))
    children = list(plan.children)
    children[steps[0]] = _inserted(children[steps[0]], steps[1:], field, expr)
    made = plan.with_children(tuple(children))
    if isinstance(made, Project):
        return Project(made.input, (*made.fields, field), (*made.exprs, field.ref))
    return made


@deep
def _lifted(join: Join, estimator: Estimator) -> Plan | None:
    """The inner join with filters on predictions moved above it from the sides of which it keeps few rows."""
    read = frozenset[str]().union(*map(symbols, expressions(join)))
    for number, side in enumerate(join.children):
        below = side
        while isinstance(below, Project) and all(
            _is_kept(*pair) for pair in zip(below.fields, below.exprs, strict=True)
        ):
            below = below.input
        if not isinstance(below, Filter) or not isinstance(below.input, Project):
            continue
        project = below.input
        pairs = list(zip(project.fields, project.exprs, strict=True))
        made = tuple((field, expr) for field, expr in pairs if isinstance(expr, Predict))
        if not made or not all(_is_kept(field, expr) or isinstance(expr, Predict) for field, expr in pairs):
            continue
        if read & {field.symbol for field, _ in made}:
            continue
        sides = list(join.children)
        sides[number] = project.input
        moved = join.with_children(tuple(sides))
        if estimator.rows(moved) >= estimator.rows(project.input) * _SELECTIVE:
            continue
        return select(Filter(pass_through(_lifted(moved, estimator) or moved, made), below.predicate), join.schema)
    return None


def _is_kept(field: Field, expr: Expr) -> bool:
    return isinstance(expr, ColumnRef) and expr.symbol == field.symbol
