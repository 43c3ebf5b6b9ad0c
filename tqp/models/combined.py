"""Models made of models: what a member answers as a function of the features, and predictors of such functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.features import Feature
from tqp.models.known import import_trusted
from tqp.models.model import Predictor, can_fail
from tqp.models.registry import Imported
from tqp.models.scores import identity
from tqp.models.steps import Chain, Constant, Step, texts_of, where_used
from tqp.models.trees.predictor import TreePredictor

__all__ = [
    "Combined", "Function", "binary_of", "combined", "decision_of", "mean_of", "members_of", "numbers_of", "piped",
    "probability_of",
]  # fmt: skip

Function = Callable[[Sequence[Feature]], Tensor]


class Combined(Predictor):
    """A function of the features that asks other predictors."""

    def __init__(
        self, what: str, members: Sequence[Predictor], value: Function, decision: Function | None = None
    ) -> None:
        self._what = what
        self._used = frozenset().union(*(member.used() for member in members))
        self._value = value
        self.decision = decision
        self.texts: frozenset[int] = frozenset().union(*map(texts_of, members))
        self.can_fail = any(map(can_fail, members))

    def value(self, features: Sequence[Feature]) -> Tensor:
        return self._value(features)

    def used(self) -> frozenset[int]:
        return self._used

    def describe(self) -> str:
        return self._what


class _CombinedProbabilities(Combined):
    def __init__(
        self, what: str, members: Sequence[Predictor], value: Function, probabilities: Function,
        decision: Function | None = None,
    ) -> None:  # fmt: skip
        super().__init__(what, members, value, decision)
        self._probabilities = probabilities

    def probabilities(self, features: Sequence[Feature]) -> Tensor:
        return self._probabilities(features)


def combined(
    what: str, members: Sequence[Predictor], value: Function | None, probabilities: Function | None,
    decision: Function | None = None,
) -> Predictor:  # fmt: skip
    """A classifier; without `value` the class of the greatest probability."""
    if probabilities is None:
        assert value is not None
        return Combined(what, members, value, decision)
    ask = probabilities
    return _CombinedProbabilities(what, members, value or (lambda features: ask(features).argmax(dim=1)), ask, decision)


def probability_of(member: Imported) -> Function:
    """The member's probabilities, which it must have."""

    def ask(features: Sequence[Feature]) -> Tensor:
        found = member.predictor.probabilities(features)
        assert found is not None
        return found.double()

    return ask


def numbers_of(estimator: Any, member: Imported) -> Function:
    """The member's labels as numbers (n,), or the value of a regressor."""
    if member.classes is None and member.labels is None:
        return lambda features: member.predictor.value(features).double()
    if member.classes is None or any(isinstance(label, str) for label in member.classes):
        hint = "labels that are numbers, or one model for each output"
        raise ModelError(f"{type(estimator).__name__} of labels that are text is not supported", hint=hint)
    table = Constant(np.asarray(member.classes, dtype=np.float64))

    def ask(features: Sequence[Feature]) -> Tensor:
        index = member.predictor.value(features)
        return table.on(index.device).index_select(0, index)

    return ask


def decision_of(estimator: Any, member: Imported) -> Function | None:
    """The member's `decision_function`: (n,) for two classes, else (n, classes); None where it has none."""
    if not hasattr(estimator, "decision_function"):
        return None
    found: Function | None = getattr(member.predictor, "decision", None)
    if found is not None:
        return found
    trees, kind = member.predictor, type(estimator).__name__
    if isinstance(trees, TreePredictor) and "GradientBoosting" in kind:
        return lambda features: identity(trees.scores(features))
    if isinstance(trees, TreePredictor) and kind == "AdaBoostClassifier":
        total = float(estimator.estimator_weights_.sum())  # host: NumPy

        def votes(features: Sequence[Feature]) -> Tensor:
            each = trees.scores(features) / total
            return each[1] - each[0] if len(each) == 2 else each.t().contiguous()

        return votes
    raise ModelError(f"decision_function of {kind} is not supported", hint="choose another method")


def binary_of(estimator: Any, member: Imported) -> tuple[Function, float]:
    """The score (n,) of the second of two classes, and above which it wins."""
    if member.classes is None:
        return lambda features: member.predictor.value(features), 0.5
    found = decision_of(estimator, member)
    if found is not None:
        return found, 0.0
    ask = probability_of(member)
    return lambda features: ask(features)[:, 1], 0.5


def piped(steps: Sequence[Step], inputs: int, estimator: Any, last: Imported) -> Imported:
    """A predictor behind steps of `inputs` features."""
    chain = Chain(steps, inputs)
    predictor = last.predictor
    tolerant = chain.absorbs(where_used(predictor, last.takes_missing, chain.width))
    decide = decision_of(estimator, last) if last.classes is not None else None
    probabilities = None
    if last.shares or last.classes is not None and type(predictor).probabilities is not Predictor.probabilities:
        ask = probability_of(last)

        def probabilities(features: Sequence[Feature]) -> Tensor:
            return ask(chain(features))

    def value(features: Sequence[Feature]) -> Tensor:
        return predictor.value(chain(features))

    def decision(features: Sequence[Feature]) -> Tensor:
        assert decide is not None
        return decide(chain(features))

    what = f"{chain.describe()} > {predictor.describe()}"
    made = combined(what, [], value, probabilities, None if decide is None else decision)
    assert isinstance(made, Combined)
    made._used = chain.reads(predictor.used())
    made.texts = chain.text(texts_of(predictor))
    made.can_fail = chain.can_fail or can_fail(predictor)
    return Imported(made, last.classes, made._used <= tolerant, last.outputs, last.kind, last.labels, last.shares)


def mean_of(asked: Sequence[Function], weights: Any = None) -> Function:
    """The weighted mean."""
    shares = np.ones(len(asked)) if weights is None else np.asarray(weights, dtype=np.float64)
    total = float(shares.sum())  # host: NumPy

    def ask(features: Sequence[Feature]) -> Tensor:
        result = asked[0](features) * float(shares[0])
        for function, share in zip(asked[1:], shares[1:], strict=True):
            result = result + function(features) * float(share)
        return result / total

    return ask


def members_of(estimators: Sequence[Any], features: int) -> tuple[list[Imported], list[Predictor], bool]:
    members = [import_trusted(member, features) for member in estimators]
    return members, [member.predictor for member in members], all(member.takes_missing for member in members)
