"""Importers of scikit-learn's models of models: pipelines, searches, votes, stacks, bags, one model an output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.combined import (
    Function,
    among,
    behind,
    classifier,
    decision_of,
    imported_members,
    label_numbers,
    mean_of,
    probabilities_of,
    regressor,
)  # fmt: skip
from tqp.models.features import Feature, Numeric
from tqp.models.known import import_trusted, labels_of, require
from tqp.models.model import Predictor
from tqp.models.registry import Imported, importer
from tqp.models.sklearn_preprocess import chain_of, known_function
from tqp.models.steps import Change, Constant, Pick, Step, texts_of

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
    steps, width = chain_of(first, features)
    return behind(steps, features, last, import_trusted(last, width))


@importer(*_SEARCHES, "FrozenEstimator")
def search(estimator: Any, features: int) -> Imported:
    """The model that was found."""
    return import_trusted(unwrapped(estimator), features)


@importer("VotingClassifier")
def voting_classifier(estimator: Any, features: int) -> Imported:
    """The mean of probabilities, or the label with most votes."""
    require(estimator, "voting", ("soft", "hard"))
    classes = labels_of(estimator)
    members, predictors, missing = imported_members(estimator.estimators_, features)
    weights = estimator._weights_not_none
    what = f"{estimator.voting} vote of {len(members)} models"
    if estimator.voting == "soft":
        made = classifier(what, predictors, None, mean_of([probabilities_of(member) for member in members], weights))
        return Imported(made, classes, missing, kind="classifier")
    ballots = [_ballot(estimator, member, len(classes)) for member in members]
    count = mean_of(ballots, weights)
    made = classifier(what, predictors, lambda inputs: count(inputs).argmax(dim=1), None)
    return Imported(made, classes, missing, kind="classifier")


def _ballot(estimator: Any, member: Imported, count: int) -> Function:
    """A vote (n, count) for the member's label, which is a place among the ensemble's labels."""
    labels = label_numbers(estimator, member)
    return lambda features: torch.nn.functional.one_hot(labels(features).long(), count).double()


@importer("VotingRegressor")
def voting_regressor(estimator: Any, features: int) -> Imported:
    """The mean of values."""
    members, predictors, missing = imported_members(estimator.estimators_, features)
    mean = mean_of([member.predictor.value for member in members], estimator._weights_not_none)
    return Imported(regressor(f"mean of {len(members)} models", predictors, mean), None, missing)


@importer("BaggingClassifier", "BaggingRegressor")
def bagging(estimator: Any, features: int) -> Imported:
    """The mean of models of some features each."""
    members = [
        behind([Pick("some", places)], features, member, import_trusted(member, len(places)))
        for member, places in zip(estimator.estimators_, estimator.estimators_features_, strict=True)
    ]
    predictors = [member.predictor for member in members]
    missing = all(member.takes_missing for member in members)
    what = f"mean of {len(members)} models"
    if not hasattr(estimator, "classes_"):
        mean = mean_of([member.predictor.value for member in members])
        return Imported(regressor(what, predictors, mean), None, missing, members[0].outputs)
    classes = labels_of(estimator)
    shares = [
        among(member, len(classes)) if hasattr(original, "predict_proba") else _ballot(estimator, member, len(classes))
        for member, original in zip(members, estimator.estimators_, strict=True)
    ]
    return Imported(classifier(what, predictors, None, mean_of(shares)), classes, missing, kind="classifier")


class _Stacked(Step):
    """The answers of models as features, then, where they are passed on, the inputs."""

    def __init__(
        self,
        asked: Sequence[tuple[Function, int]],
        predictors: Sequence[Predictor],
        missing: bool,
        inputs: int,
        passed: bool,
    ) -> None:
        self._asked = list(asked)
        self._predictors = list(predictors)
        self._missing = missing
        self._inputs = inputs
        self._answers = sum(width for _, width in self._asked)
        self.width = self._answers + (inputs if passed else 0)

    def __call__(self, features: Sequence[Feature]) -> list[Feature]:
        made: list[Feature] = []
        for ask, _ in self._asked:
            found = ask(features)
            made += [Numeric(column) for column in ([found] if found.ndim == 1 else found.unbind(1))]
        return made + list(features) if self.width > self._answers else made

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        passed = frozenset(place - self._answers for place in used if place >= self._answers)
        if all(place >= self._answers for place in used):
            return passed
        return passed.union(*(predictor.used() for predictor in self._predictors))

    def text(self, wanted: frozenset[int]) -> frozenset[int]:
        return frozenset().union(*map(texts_of, self._predictors))

    def absorbs(self, tolerant: frozenset[int]) -> frozenset[int]:
        if not self._missing:
            return frozenset()
        every = frozenset(range(self._inputs))
        return (
            frozenset(p - self._answers for p in tolerant if p >= self._answers)
            if self.width > self._answers
            else every
        )

    def describe(self) -> str:
        return f"answers of {len(self._asked)} models"


@importer("StackingClassifier", "StackingRegressor")
def stacking(estimator: Any, features: int) -> Imported:
    """A model of the answers of models."""
    members, predictors, missing = imported_members(estimator.estimators_, features)
    classes = labels_of(estimator) if hasattr(estimator, "classes_") else None
    asked: list[tuple[Function, int]] = []
    for original, member, method in zip(estimator.estimators_, members, estimator.stack_method_, strict=True):
        if method == "predict":
            asked.append((label_numbers(estimator, member), member.outputs))
            continue
        assert member.classes is not None
        count = len(member.classes)
        if method == "predict_proba":
            ask = probabilities_of(member)
            both = lambda inputs, ask=ask: ask(inputs)[:, 1:]  # noqa: E731
            asked.append((both, 1) if classes is not None and len(classes) == 2 else (ask, count))
            continue
        decide = decision_of(original, member)
        assert decide is not None
        asked.append((decide, 1 if count == 2 else count))
    stacked = _Stacked(asked, predictors, missing, features, estimator.passthrough)
    final = estimator.final_estimator_
    made = behind([stacked], features, final, import_trusted(final, stacked.width))
    if classes is None or made.classes is None:
        return made
    # The last model was fitted to the places of the labels.
    known = tuple(classes[int(str(place))] for place in made.classes)
    return Imported(made.predictor, known, made.takes_missing, kind="classifier")


@importer("MultiOutputRegressor", "MultiOutputClassifier")
def several_outputs(estimator: Any, features: int) -> Imported:
    """One model for each output; labels, which must be numbers, are values."""
    members, predictors, missing = imported_members(estimator.estimators_, features)
    asked = [label_numbers(estimator, member) for member in members]

    def value(inputs: Sequence[Feature]) -> Tensor:
        return torch.stack([ask(inputs) for ask in asked], dim=1)

    made = regressor(f"{len(members)} models, one an output", predictors, value)
    return Imported(made, None, missing, len(members))


@importer("TransformedTargetRegressor")
def transformed_target(estimator: Any, features: int) -> Imported:
    """A function of a regressor's value."""
    member = import_trusted(estimator.regressor_, features)
    back = _inverse(estimator.transformer_)
    what = f"{type(estimator.transformer_).__name__} back from {member.predictor.describe()}"

    def value(inputs: Sequence[Feature]) -> Tensor:
        return back(member.predictor.value(inputs))

    return Imported(regressor(what, [member.predictor], value), None, member.takes_missing, member.outputs)


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
