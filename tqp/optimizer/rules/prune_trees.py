"""Cut trees to the rows that they will see: WHERE plan = 'free' AND age < 30 leaves branches that no row can take.

What filters below a prediction and the stored columns prove of its arguments is carried to the model's features; a smaller
model answers the same. It is used where it saves more than its tables cost, by estimate.
"""

from __future__ import annotations

from dataclasses import replace

from tqp.ir.expr import Expr, Predict
from tqp.ir.plan import Aggregate, Filter, Plan, Project, Sort, TopN
from tqp.models.model import Model
from tqp.models.pruning import Known, pruned
from tqp.optimizer.cardinality import Estimator
from tqp.optimizer.ranges import range_of
from tqp.optimizer.rules.predict_ways import narrowed, with_predictions

__all__ = ["prune_trees"]


def prune_trees(plan: Plan) -> Plan:
    """The plan with models that fit the rows."""
    estimator = Estimator()
    done: dict[tuple[object, ...], Model] = {}

    def cut(call: Predict, node: Plan) -> Expr:
        assert isinstance(call.model, Model)
        if not isinstance(node, Project | Filter | Aggregate | Sort | TopN) or len(call.args) != len(call.places):
            return call
        # One model for the label and the probabilities of the same rows.
        key = id(call.model), call.args, call.places, id(node)
        model = done.get(key)
        if model is None:
            known = {
                place: fact
                for arg, place in zip(call.args, call.places, strict=True)
                if (fact := _known(node.input, arg, call.model, place)) is not None
            }
            model = done[key] = pruned(call.model, known, estimator.rows(node.input))
        return call if model is call.model else narrowed(replace(call, model=model), node)

    return with_predictions(plan, cut)


def _known(plan: Plan, arg: Expr, model: Model, place: int) -> Known | None:
    """What is proven of an input whose missing values, if there are any, make the prediction NULL anyway."""
    found = range_of(plan, arg)
    if model.takes_missing and model.inputs[place].takes_missing and not (found.never_null and found.never_nan):
        return None
    if model.inputs[place].is_text:
        return found.texts or None
    return None if (found.low, found.high) == (-float("inf"), float("inf")) else (found.low, found.high)
