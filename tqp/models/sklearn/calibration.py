"""Importers of scikit-learn's calibrated classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.combined import Function, combined, decision_of, mean_of, members_of, probability_of
from tqp.models.features import Feature
from tqp.models.known import labels_of, require
from tqp.models.registry import Imported, importer
from tqp.models.scores import normalized
from tqp.models.sklearn.distributions import interpolated
from tqp.models.steps import Change, Constant

__all__: list[str] = []


@importer("CalibratedClassifierCV")
def calibrated(estimator: Any, features: int) -> Imported:
    """The mean of models with probabilities made of their scores."""
    classes = labels_of(estimator)
    members, predictors, missing = members_of([fold.estimator for fold in estimator.calibrated_classifiers_], features)
    shares = [
        _calibrated(fold, member, classes)
        for fold, member in zip(estimator.calibrated_classifiers_, members, strict=True)
    ]
    what = f"{estimator.method} calibration of {len(members)} models"
    return Imported(combined(what, predictors, None, mean_of(shares)), classes, missing, kind="classifier")


def _calibrated(fold: Any, member: Imported, classes: tuple[object, ...]) -> Function:
    require(fold, "method", ("sigmoid", "isotonic", "temperature"))
    assert member.classes is not None
    decide = decision_of(fold.estimator, member)
    ask = decide or probability_of(member)
    count = len(classes)

    def scores(features: Sequence[Feature]) -> Tensor:
        found = ask(features)
        if found.ndim == 1:
            return found[:, None]
        return found[:, 1:] if decide is None and count == 2 else found

    if fold.method == "temperature":
        sharpness = float(fold.calibrators[0].beta_)

        def softened(features: Sequence[Feature]) -> Tensor:
            found = ask(features)
            if decide is None:
                # Of two classes the library asks for the second alone.
                one = found[:, 1]
                found = torch.log((torch.stack([1 - one, one], dim=1) if count == 2 else found) + 1e-12)
            elif found.ndim == 1:
                found = torch.stack([-found, found], dim=1)
            return torch.softmax(sharpness * found, dim=1)

        return softened
    places = [classes.index(label) for label in member.classes]
    curves = [_curve(calibrator) for calibrator in fold.calibrators]

    def probabilities(features: Sequence[Feature]) -> Tensor:
        found = scores(features)
        if count == 2:
            one = curves[0](found[:, 0])
            return torch.stack([1 - one, one], dim=1)
        each = torch.zeros((len(found), count), dtype=torch.float64, device=found.device)
        for place, curve, column in zip(places, curves, found.unbind(1), strict=True):
            each[:, place] = curve(column)
        return normalized(each)

    return probabilities


def _curve(calibrator: Any) -> Change:
    """From a score to a probability."""
    if type(calibrator).__name__ == "_SigmoidCalibration":
        slope, offset = float(calibrator.a_), float(calibrator.b_)
        return lambda x: torch.sigmoid(-(slope * x + offset))
    if type(calibrator).__name__ != "IsotonicRegression":
        raise ModelError(f"calibration by {type(calibrator).__name__} is not supported")
    require(calibrator, "out_of_bounds", ("clip",))
    known, values = Constant(calibrator.X_thresholds_), Constant(calibrator.y_thresholds_)
    low, high = float(calibrator.X_min_), float(calibrator.X_max_)
    return lambda x: interpolated(x.double().clamp(low, high), known.on(x.device), values.on(x.device))
