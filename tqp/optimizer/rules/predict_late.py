"""Predict after cheap filters: the conditions without predictions go below the ones with them.

Filter(R, a AND b(PREDICT(m, x))) is Filter(Filter(R, a), b(PREDICT(m, x))): the model sees the rows that pass a.
"""

from __future__ import annotations

from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.plan import Filter, Plan
from tqp.ir.visit import rewrite_plan
from tqp.optimizer.rules.predict_ways import has_predictions

__all__ = ["predict_late"]


def predict_late(plan: Plan) -> Plan:
    """The plan with each filter that predicts split in two."""
    return rewrite_plan(plan, _split)


def _split(node: Plan) -> Plan | None:
    if not isinstance(node, Filter):
        return None
    parts = conjuncts(node.predicate)
    cheap = tuple(part for part in parts if not has_predictions(part))
    if not cheap or len(cheap) == len(parts):
        return None
    predicting = tuple(part for part in parts if has_predictions(part))
    return Filter(Filter(node.input, conjunction(cheap)), conjunction(predicting))
