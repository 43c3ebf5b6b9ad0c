"""What the right side of a dependent join makes of one row, made beside the rows of the left side."""

from __future__ import annotations

from dataclasses import replace

from tqp.ir.expr import ColumnRef, Expr
from tqp.ir.plan import DependentJoin, Filter, Generate, Plan, Project, Values
from tqp.optimizer.fresh import pass_through

__all__ = ["grafted"]


def grafted(node: DependentJoin) -> Plan | None:
    """The left side with what the right side makes of one row made of each of its rows; None where it makes something else.

    Then no row need find its partners: they are made beside it.
    """
    steps: list[Project | Filter | Generate] = []
    below = node.right
    while isinstance(below, Project | Filter | Generate):
        steps.append(below)
        below = below.input
    if not isinstance(below, Values) or len(below.rows) != 1:
        return None
    if node.kind == "left" and not _stays_padded(steps, node.condition):
        return None
    made: Plan = pass_through(node.left, tuple(zip(below.fields, below.rows[0], strict=True)))
    kept = node.left.schema
    for step in reversed(steps):
        match step:
            case Project():
                exprs = (*(field.ref for field in kept), *step.exprs)
                made = Project(made, (*kept, *step.fields), exprs)
            case Generate():
                made = replace(step, input=made, padded=node.kind == "left")
            case Filter():
                made = step.with_children((made,))
    return made


def _stays_padded(steps: list[Project | Filter | Generate], condition: Expr | None) -> bool:
    """Whether the steps make NULLs of a row that is padded at the first of them that may give none, and no row goes after it."""
    makers = [place for place, step in enumerate(steps) if not isinstance(step, Project)]
    if not makers:
        return condition is None
    maker = steps[makers[0]]
    if len(makers) > 1 or condition is not None or not isinstance(maker, Generate):
        return False
    made = {field.symbol for field in maker.fields}
    exprs = [expr for step in steps[: makers[0]] if isinstance(step, Project) for expr in step.exprs]
    shown = made | {field.symbol for step in steps[: makers[0]] for field in step.schema}
    return all(isinstance(expr, ColumnRef) and expr.symbol in shown for expr in exprs)
