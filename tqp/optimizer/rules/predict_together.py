"""Label and probabilities of the same rows are computed together: a model's scores, from which both follow, are computed once.

Project(q := PREDICT_PROBA(m, x)) over Filter(f(p)) over Project(p := PREDICT(m, x)) is Project(q) over Filter(f(p)) over
Project(p := PREDICT(m, x), q := PREDICT_PROBA(m, x)): the model runs once a row, not again for those that pass, and the
columns x need not pass the filter. So it is for a label above a filter by probability, and where there is no filter between.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
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
)  # fmt: skip
from tqp.ir.visit import rewrite, rewrite_plan
from tqp.models.model import Model

__all__ = ["predict_together"]

_CLASSES = 8
"""Probabilities of more classes are not computed for rows that a filter drops: they may take more memory than the arguments."""


def predict_together(plan: Plan) -> Plan:
    """The plan with label and probabilities in one Project where they are of the same rows, and known to be."""
    return rewrite_plan(plan, _together)


def _together(node: Plan) -> Plan | None:
    if not isinstance(node, Project):
        return None
    marked = _marked(node)
    for column, call in zip(node.fields, node.exprs, strict=True):
        if _shares(call) and isinstance(call, Predict) and call.label is None:
            source = _with(marked.input, column, call)
            if source is not None:
                exprs = tuple(
                    column.ref if field is column else expr
                    for field, expr in zip(marked.fields, marked.exprs, strict=True)
                )
                marked = Project(source, marked.fields, exprs)
    return None if marked is node else marked


def _key(call: Predict) -> tuple[object, ...]:
    return id(call.model), call.args, call.places


def _shares(call: Expr) -> bool:
    """Whether the call's label and probabilities follow from the same scores."""
    if not isinstance(call, Predict):
        return False
    model = call.model
    assert isinstance(model, Model)
    return model.shares_scores and model.classes is not None


def _with(plan: Plan, column: Field, call: Predict) -> Plan | None:
    """The plan with the prediction as a column of the Project that asks the same model the same, filters and Projects down."""
    match plan:
        case Filter():
            source = _with(plan.input, column, call) if _is_small(call) else None
            return None if source is None else Filter(source, plan.predicate)
        case Project():
            given = {field.symbol: expr for field, expr in zip(plan.fields, plan.exprs, strict=True)}
            inner = rewrite(call, lambda part: given.get(part.symbol) if isinstance(part, ColumnRef) else None)
            assert isinstance(inner, Predict)
            if any(isinstance(other, Predict) and _key(other) == _key(inner) for other in plan.exprs):
                return _marked(Project(plan.input, (*plan.fields, column), (*plan.exprs, inner)))
            source = _with(plan.input, column, inner)
            return None if source is None else Project(source, (*plan.fields, column), (*plan.exprs, column.ref))
        case (
            Scan() | Values() | Shared() | Join() | Aggregate() | GroupingSets() | Window() | Sort() | Limit() | TopN() | SetOp()
            | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
        ):  # fmt: skip
            return None
        case _:
            assert_never(plan)


def _is_small(call: Predict) -> bool:
    assert isinstance(call.model, Model)
    return len(call.model.classes or ()) <= _CLASSES


def _marked(plan: Project) -> Project:
    """The Project whose predictions know of each other."""
    groups: dict[tuple[object, ...], list[Predict]] = defaultdict(list)
    for call in plan.exprs:
        if isinstance(call, Predict) and _shares(call):
            groups[_key(call)].append(call)
    labels: dict[tuple[object, ...], Predict] = {}
    for key, calls in groups.items():
        label = [call for call in calls if call.output == "value"]
        if label and len(label) < len(calls):
            labels[key] = label[0]
    if not labels:
        return plan
    exprs = tuple(
        replace(call, label=labels[_key(call)].type)
        if isinstance(call, Predict) and _shares(call) and _key(call) in labels
        else call
        for call in plan.exprs
    )
    return Project(plan.input, plan.fields, exprs)
