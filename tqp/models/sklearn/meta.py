"""Importers of scikit-learn's models of a model: pipelines, searches, one model a class or output, transformed targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.combined import (
    Combined,
    Function,
    binary_of,
    combined,
    decision_of,
    members_of,
    numbers_of,
    piped,
    probability_of,
)
from tqp.models.features import Feature
from tqp.models.known import import_trusted, labels_of, require
from tqp.models.registry import Imported, importer
from tqp.models.scores import normalized
from tqp.models.several import chosen, texts_of_labels
from tqp.models.sklearn.kernels import pairs_decision
from tqp.models.sklearn.preprocess import known_function
from tqp.models.sklearn.words import summed_words
from tqp.models.steps import Change, Constant

__all__ = ["unwrapped"]

_SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")


def unwrapped(estimator: Any) -> Any:
    """The model that a search chose, or that is frozen, in place of the search."""
    while type(estimator).__module__.startswith("sklearn."):
        kind = type(estimator).__name__
        if kind in _SEARCHES and hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif kind == "FrozenEstimator":
            estimator = estimator.estimator
        else:
            return estimator
    return estimator


@importer("Pipeline")
def pipeline(estimator: Any, features: int) -> Imported:
    """Steps and a model, as a member of another model."""
    *first, last = [step for _, step in estimator.steps]
    steps, width, last = summed_words(first, features, last)
    return piped(steps, features, last, import_trusted(last, width))


@importer(*_SEARCHES, "FrozenEstimator")
def search(estimator: Any, features: int) -> Imported:
    """The model that was found."""
    return import_trusted(unwrapped(estimator), features)


@importer("OneVsRestClassifier")
def one_vs_rest(estimator: Any, features: int) -> Imported:
    """One model for each class."""
    classes = labels_of(estimator)
    members, predictors, missing = members_of(estimator.estimators_, features)
    asked = [binary_of(original, member) for original, member in zip(estimator.estimators_, members, strict=True)]
    proba: Function | None = None
    if hasattr(estimator.estimators_[0], "predict_proba"):
        shares = [probability_of(member) for member in members]

        def proba(inputs: Sequence[Feature]) -> Tensor:
            each = torch.stack([share(inputs)[:, 1] for share in shares], dim=1)
            return torch.cat([1 - each, each], dim=1) if len(shares) == 1 else normalized(each)

    def value(inputs: Sequence[Feature]) -> Tensor:
        if len(asked) == 1:
            ask, least = asked[0]
            return (ask(inputs) > least).long()
        return torch.stack([ask(inputs) for ask, _ in asked]).argmax(dim=0)

    def decision(inputs: Sequence[Feature]) -> Tensor:
        found = torch.stack([ask(inputs) for ask, _ in asked], dim=1)
        return found[:, 0] if len(asked) == 1 else found

    decides = decision if hasattr(estimator, "decision_function") else None
    made = combined(f"{len(members)} models, one a class", predictors, value, proba, decides)
    return Imported(made, classes, missing, kind="classifier")


@importer("OneVsOneClassifier")
def one_vs_one(estimator: Any, features: int) -> Imported:
    """One model for each pair of classes."""
    classes = labels_of(estimator)
    members, predictors, missing = members_of(estimator.estimators_, features)
    asked = [binary_of(original, member)[0] for original, member in zip(estimator.estimators_, members, strict=True)]
    least = binary_of(estimator.estimators_[0], members[0])[1]
    labels = [numbers_of(estimator, member) for member in members]

    def scores(inputs: Sequence[Feature]) -> Tensor:
        wins = torch.stack([label(inputs) == 1 for label in labels])
        return pairs_decision(wins, torch.stack([ask(inputs) for ask in asked]), len(classes))

    def value(inputs: Sequence[Feature]) -> Tensor:
        found = scores(inputs)
        return (found[1] > least).long() if len(classes) == 2 else found.argmax(dim=0)

    def decision(inputs: Sequence[Feature]) -> Tensor:
        found = scores(inputs)
        return found[1] if len(classes) == 2 else found.t().contiguous()

    made = combined(f"{len(members)} models, one a pair of classes", predictors, value, None, decision)
    return Imported(made, classes, missing, kind="classifier")


@importer("FixedThresholdClassifier", "TunedThresholdClassifierCV")
def threshold(estimator: Any, features: int) -> Imported:
    """A classifier of two classes with another threshold."""
    classes = labels_of(estimator)
    inner = getattr(estimator, "estimator_", estimator.estimator)
    member = import_trusted(inner, features)
    assert member.classes is not None
    tuned = hasattr(estimator, "best_threshold_")
    label = estimator._curve_scorer._get_pos_label() if tuned else estimator.pos_label
    wanted = member.classes[-1] if label is None else label
    response = estimator.response_method
    decides = hasattr(inner, "decision_function") if response == "auto" else response == "decision_function"
    if response == "auto" and hasattr(inner, "predict_proba"):
        decides = False
    first = wanted == member.classes[0]
    decide = decision_of(inner, member)
    shares = None if not hasattr(inner, "predict_proba") else probability_of(member)
    least = estimator.best_threshold_ if tuned else estimator.threshold
    least = (0.0 if decides else 0.5) if least == "auto" else float(least)
    # Without a label the second class is where the score is.
    place = 1 if label is None else classes.index(label)

    def value(inputs: Sequence[Feature]) -> Tensor:
        if decides:
            assert decide is not None
            score = -decide(inputs) if first else decide(inputs)
        else:
            assert shares is not None
            score = shares(inputs)[:, 0 if first else 1]
        return torch.where(score >= least, place, 1 - place)

    what = f"threshold {least} for {member.predictor.describe()}"
    return Imported(
        combined(what, [member.predictor], value, shares, decide), classes, member.takes_missing, kind="classifier"
    )


@importer("MultiOutputRegressor", "MultiOutputClassifier")
def several_outputs(estimator: Any, features: int) -> Imported:
    """One model for each output, of numbers or of labels."""
    members, predictors, missing = members_of(estimator.estimators_, features)
    what = f"{len(members)} models, one an output"
    classes = [member.classes for member in members if member.classes is not None]
    if len(classes) < len(members):
        asked = [numbers_of(estimator, member) for member in members]

        def numbers(inputs: Sequence[Feature]) -> Tensor:
            return torch.stack([ask(inputs) for ask in asked], dim=1)

        return Imported(Combined(what, predictors, numbers), None, missing, len(members))
    labels = texts_of_labels(classes)
    if labels is not None and len(labels) == 1:
        return Imported(predictors[0], labels[0], missing, kind="classifier")
    answer = chosen(classes)

    def value(inputs: Sequence[Feature]) -> Tensor:
        return answer([predictor.value(inputs) for predictor in predictors])

    if not hasattr(estimator, "predict_proba"):
        return Imported(Combined(what, predictors, value), None, missing, len(members), labels=labels)
    shares = [probability_of(member) for member in members]

    def side_by_side(inputs: Sequence[Feature]) -> Tensor:
        return torch.cat([ask(inputs) for ask in shares], dim=1)

    made = combined(what, predictors, value, side_by_side)
    return Imported(made, None, missing, len(members), labels=labels, shares=sum(map(len, classes)))


@importer("TransformedTargetRegressor")
def transformed_target(estimator: Any, features: int) -> Imported:
    """A function of a regressor's value."""
    member = import_trusted(estimator.regressor_, features)
    back = _inverse(estimator.transformer_)
    what = f"{type(estimator.transformer_).__name__} back from {member.predictor.describe()}"

    def value(inputs: Sequence[Feature]) -> Tensor:
        return back(member.predictor.value(inputs))

    return Imported(Combined(what, [member.predictor], value), None, member.takes_missing, member.outputs)


def _inverse(step: Any) -> Change:
    """What undoes a transform of the target."""
    kind = type(step).__name__
    if kind == "FunctionTransformer":
        if step.inverse_func is None:
            return lambda x: x
        if step.inv_kw_args:
            raise ModelError(f"FunctionTransformer with inv_kw_args={step.inv_kw_args!r} is not supported")
        return known_function(step, "inverse_func")
    if kind == "StandardScaler":
        scale, shift = (
            Constant(x) if on else None for x, on in ((step.scale_, step.with_std), (step.mean_, step.with_mean))
        )
    elif kind == "MinMaxScaler":
        require(step, "clip", (False,))
        scale, shift = Constant(1 / step.scale_), Constant(-step.min_ / step.scale_)
    else:
        raise ModelError(f"TransformedTargetRegressor with a {kind} is not supported")

    def back(x: Tensor) -> Tensor:
        x = x if scale is None else x * scale.on(x.device)
        return x if shift is None else x + shift.on(x.device)

    return back
