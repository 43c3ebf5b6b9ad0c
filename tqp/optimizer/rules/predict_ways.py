"""How predictions are computed: rules that change what a model is given, never what it answers.

`predict_inputs` leaves out arguments that cannot change the answer, and with them columns that nothing else reads.
`predict_distinct` lets a model run once for each combination of arguments, where a batch has few.
`fold_encoders` hands values that a column repeats on as codes into a table: encoders then run on the table (the
dictionary of a text column), linear models gather a weight by code, and trees compare the table's entries, not the rows'.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tqp.ir.expr import Expr, Predict
from tqp.ir.plan import Plan
from tqp.ir.visit import expressions, rewrite, rewrite_plan, walk, with_expressions
from tqp.models.model import Model

__all__ = [
    "fold_encoders",
    "has_predictions",
    "is_of_each_row",
    "may_fail",
    "narrowed",
    "predict_distinct",
    "predict_inputs",
    "with_predictions",
]


def has_predictions(expr: Expr) -> bool:
    """Whether a model is called in the expression."""
    return bool(expr.children or isinstance(expr, Predict)) and any(isinstance(part, Predict) for part in walk(expr))


def may_fail(expr: Expr) -> bool:
    """Whether some part is a prediction that can be an error for a row."""
    return any(
        isinstance(part, Predict) and not (isinstance(part.model, Model) and not part.model.can_fail)
        for part in walk(expr)
    )


def with_predictions(plan: Plan, change: Callable[[Predict, Plan], Expr]) -> Plan:
    """The plan with `change(prediction, the node that holds it)` for each prediction, inner ones first."""

    def rule(node: Plan) -> Plan | None:
        exprs = expressions(node)
        if not any(map(has_predictions, exprs)):
            return None
        changed = (
            rewrite(expr, lambda part: change(part, node) if isinstance(part, Predict) else None) for expr in exprs
        )
        return with_expressions(node, tuple(changed))

    return rewrite_plan(plan, rule)


def is_of_each_row(call: Predict) -> bool:
    """Whether the model may answer equal rows differently."""
    return isinstance(call.model, Model) and call.model.each_row


def predict_inputs(plan: Plan) -> Plan:
    """The plan with predictions of the arguments alone that can change them."""
    return with_predictions(plan, narrowed)


def narrowed(call: Predict, node: Plan) -> Predict:
    """The prediction of the arguments alone that can change it; an array of several inputs stays whole."""
    assert isinstance(call.model, Model)
    if len(call.args) != len(call.places):
        return call
    used = call.model.used_inputs()
    kept = [(arg, place) for arg, place in zip(call.args, call.places, strict=True) if place in used]
    return replace(call, args=tuple(arg for arg, _ in kept), places=tuple(place for _, place in kept))


def predict_distinct(plan: Plan) -> Plan:
    """The plan with predictions that may run once for each combination of their arguments."""
    return with_predictions(plan, lambda call, node: replace(call, distinct=not is_of_each_row(call)))


def fold_encoders(plan: Plan) -> Plan:
    """The plan with predictions over tables of values where columns repeat them."""
    return with_predictions(plan, lambda call, node: replace(call, folded=True))
