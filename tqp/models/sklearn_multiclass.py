"""Importers of scikit-learn's classifiers made of binary ones or of scores: calibration, one against rest or one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.combined import (
    Function,
    classifier,
    decision_of,
    imported_members,
    label_numbers,
    mean_of,
    probabilities_of,
    second_score,
)  # fmt: skip
from tqp.models.features import Feature
from tqp.models.known import labels_of, require
from tqp.models.registry import Imported, importer
from tqp.models.scores import normalized
from tqp.models.sklearn_kernels import pairs_decision
from tqp.models.sklearn_preprocess import interpolated
from tqp.models.steps import Change, Constant

__all__: list[str] = []


@importer("CalibratedClassifierCV")
def calibrated(estimator: Any, features: int) -> Imported:
    """The mean of models with probabilities made of their scores."""
    classes = labels_of(estimator)
    members, predictors, missing = imported_members(
        [fold.estimator for fold in estimator.calibrated_classifiers_], features
    )
    shares = [
        _calibrated(fold, member, classes)
        for fold, member in zip(estimator.calibrated_classifiers_, members, strict=True)
    ]
    what = f"{estimator.method} calibration of {len(members)} models"
    return Imported(classifier(what, predictors, None, mean_of(shares)), classes, missing, kind="classifier")


def _calibrated(fold: Any, member: Imported, classes: tuple[object, ...]) -> Function:
    require(fold, "method", ("sigmoid", "isotonic", "temperature"))
    assert member.classes is not None
    decide = decision_of(fold.estimator, member)
    ask = decide or probabilities_of(member)
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
                # As the library, which asks for the second class of two alone: small probabilities are rounded.
                found = torch.stack([1 - found[:, 1], found[:, 1]], dim=1) if count == 2 else found
                found = torch.log(found + 1e-12)
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


@importer("OneVsRestClassifier")
def one_vs_rest(estimator: Any, features: int) -> Imported:
    """One model for each class."""
    classes = labels_of(estimator)
    members, predictors, missing = imported_members(estimator.estimators_, features)
    asked = [second_score(original, member) for original, member in zip(estimator.estimators_, members, strict=True)]
    proba: Function | None = None
    if hasattr(estimator.estimators_[0], "predict_proba"):
        shares = [probabilities_of(member) for member in members]

        def proba(inputs: Sequence[Feature]) -> Tensor:
            each = torch.stack([share(inputs)[:, 1] for share in shares], dim=1)
            return torch.cat([1 - each, each], dim=1) if len(shares) == 1 else normalized(each)

    def value(inputs: Sequence[Feature]) -> Tensor:
        if len(asked) == 1:
            ask, least = asked[0]
            return (ask(inputs) > least).long()
        return torch.stack([ask(inputs) for ask, _ in asked]).argmax(dim=0)

    made = classifier(f"{len(members)} models, one a class", predictors, value, proba)
    return Imported(made, classes, missing, kind="classifier")


@importer("OneVsOneClassifier")
def one_vs_one(estimator: Any, features: int) -> Imported:
    """One model for each pair of classes."""
    classes = labels_of(estimator)
    members, predictors, missing = imported_members(estimator.estimators_, features)
    asked = [second_score(original, member)[0] for original, member in zip(estimator.estimators_, members, strict=True)]
    least = second_score(estimator.estimators_[0], members[0])[1]
    labels = [label_numbers(estimator, member) for member in members]

    def value(inputs: Sequence[Feature]) -> Tensor:
        wins = torch.stack([label(inputs) == 1 for label in labels])
        scores = pairs_decision(wins, torch.stack([ask(inputs) for ask in asked]), len(classes))
        return (scores[1] > least).long() if len(classes) == 2 else scores.argmax(dim=0)

    made = classifier(f"{len(members)} models, one a pair of classes", predictors, value, None)
    return Imported(made, classes, missing, kind="classifier")
