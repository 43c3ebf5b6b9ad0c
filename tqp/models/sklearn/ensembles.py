"""Importers of scikit-learn's votes, bags and stacks of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.models.combined import (
    Combined,
    Function,
    combined,
    decision_of,
    mean_of,
    members_of,
    numbers_of,
    piped,
    probability_of,
)
from tqp.models.features import Feature, Numeric
from tqp.models.known import import_trusted, labels_of, require
from tqp.models.model import Predictor, can_fail
from tqp.models.registry import Imported, importer
from tqp.models.steps import Constant, Pick, Step, texts_of

__all__: list[str] = []


@importer("VotingClassifier")
def voting_classifier(estimator: Any, features: int) -> Imported:
    """The mean of probabilities, or the label with most votes."""
    require(estimator, "voting", ("soft", "hard"))
    classes = labels_of(estimator)
    members, predictors, missing = members_of(estimator.estimators_, features)
    weights = estimator._weights_not_none
    what = f"{estimator.voting} vote of {len(members)} models"
    if estimator.voting == "soft":
        made = combined(what, predictors, None, mean_of([probability_of(member) for member in members], weights))
        return Imported(made, classes, missing, kind="classifier")
    ballots = [_ballot(estimator, member, len(classes)) for member in members]
    count = mean_of(ballots, weights)
    made = combined(what, predictors, lambda inputs: count(inputs).argmax(dim=1), None)
    return Imported(made, classes, missing, kind="classifier")


def _ballot(estimator: Any, member: Imported, count: int) -> Function:
    """A vote (n, count) for the member's label, which is a place among the ensemble's labels."""
    labels = numbers_of(estimator, member)
    return lambda features: torch.nn.functional.one_hot(labels(features).long(), count).double()


@importer("VotingRegressor")
def voting_regressor(estimator: Any, features: int) -> Imported:
    """The mean of values."""
    members, predictors, missing = members_of(estimator.estimators_, features)
    mean = mean_of([member.predictor.value for member in members], estimator._weights_not_none)
    return Imported(Combined(f"mean of {len(members)} models", predictors, mean), None, missing)


@importer("BaggingClassifier", "BaggingRegressor")
def bagging(estimator: Any, features: int) -> Imported:
    """The mean of models of some features each."""
    members = [
        piped([Pick("some", places)], features, member, import_trusted(member, len(places)))
        for member, places in zip(estimator.estimators_, estimator.estimators_features_, strict=True)
    ]
    predictors = [member.predictor for member in members]
    missing = all(member.takes_missing for member in members)
    what = f"mean of {len(members)} models"
    if not hasattr(estimator, "classes_"):
        mean = mean_of([member.predictor.value for member in members])
        return Imported(Combined(what, predictors, mean), None, missing, members[0].outputs)
    classes = labels_of(estimator)
    shares = [
        _spread(member, len(classes))
        if hasattr(original, "predict_proba")
        else _ballot(estimator, member, len(classes))
        for member, original in zip(members, estimator.estimators_, strict=True)
    ]
    decision: Function | None = None
    if hasattr(estimator, "decision_function"):
        asked = [decision_of(original, member) for original, member in zip(estimator.estimators_, members, strict=True)]
        decision = mean_of([ask for ask in asked if ask is not None])
    return Imported(combined(what, predictors, None, mean_of(shares), decision), classes, missing, kind="classifier")


def _spread(member: Imported, count: int) -> Function:
    """The member's probabilities at the places of its labels, (n, count)."""
    ask = probability_of(member)
    assert member.classes is not None
    if len(member.classes) == count:
        return ask
    places = Constant(np.asarray(member.classes), torch.int64)

    def spread(features: Sequence[Feature]) -> Tensor:
        found = ask(features)
        wide = torch.zeros((len(found), count), dtype=torch.float64, device=found.device)
        return wide.index_copy_(1, places.on(found.device), found)

    return spread


class _Stacked(Step):
    """The answers of models as features, then, where they are passed on, the inputs."""

    def __init__(
        self, asked: Sequence[tuple[Function, int]], predictors: Sequence[Predictor], missing: bool, inputs: int,
        passed: bool,
    ) -> None:  # fmt: skip
        self._asked = list(asked)
        self._predictors = list(predictors)
        self.can_fail = any(map(can_fail, self._predictors))
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
    members, predictors, missing = members_of(estimator.estimators_, features)
    classes = labels_of(estimator) if hasattr(estimator, "classes_") else None
    asked: list[tuple[Function, int]] = []
    for original, member, method in zip(estimator.estimators_, members, estimator.stack_method_, strict=True):
        if method == "predict":
            asked.append((numbers_of(estimator, member), member.outputs))
            continue
        assert member.classes is not None
        count = len(member.classes)
        if method == "predict_proba":
            ask = probability_of(member)
            both = lambda inputs, ask=ask: ask(inputs)[:, 1:]  # noqa: E731
            asked.append((both, 1) if classes is not None and len(classes) == 2 else (ask, count))
            continue
        decide = decision_of(original, member)
        assert decide is not None
        asked.append((decide, 1 if count == 2 else count))
    stacked = _Stacked(asked, predictors, missing, features, estimator.passthrough)
    final = estimator.final_estimator_
    made = piped([stacked], features, final, import_trusted(final, stacked.width))
    if classes is None or made.classes is None:
        return made
    # The last model was fitted to the places of the labels.
    known = tuple(classes[int(str(place))] for place in made.classes)
    return Imported(made.predictor, known, made.takes_missing, kind="classifier")
