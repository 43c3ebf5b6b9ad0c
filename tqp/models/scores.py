"""Predictors that compute scores (outputs, n) of their features, and what the scores mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from tqp.device import limits_on
from tqp.models.features import Coded, Feature, Numeric, dense, side_by_side
from tqp.models.model import Predictor
from tqp.models.registry import Imported
from tqp.models.steps import rows_of

__all__ = [
    "Link", "Score", "Scored", "ScoredProbabilities", "additive", "blocks", "difference", "from_logarithms", "greatest",
    "identity", "normalized", "one_against_rest", "positive", "scored", "sigmoid", "softmax",
]  # fmt: skip

Link = Callable[[Tensor], Tensor]
Score = Callable[[Sequence[Feature]], Tensor]


class Scored(Predictor):
    """`value` of the scores (outputs, n) of the features."""

    def __init__(
        self, what: str, used: Iterable[int], scores: Score, value: Link, decision: Link | None = None,
        can_fail: bool = False,
    ) -> None:  # fmt: skip
        self._what = what
        self._used = frozenset(used)
        self._scores = scores
        self._value = value
        self._decision = decision or identity
        self.can_fail = can_fail

    def value(self, features: Sequence[Feature]) -> Tensor:
        return self._value(self._scores(features))

    def decision(self, features: Sequence[Feature]) -> Tensor:
        """`decision_function` of a classifier: (n,) for two classes, else (n, classes)."""
        return self._decision(self._scores(features))

    def used(self) -> frozenset[int]:
        return self._used

    def describe(self) -> str:
        return self._what


class ScoredProbabilities(Scored):
    """With `probability` (n, classes) of the scores."""

    def __init__(
        self,
        what: str,
        used: Iterable[int],
        scores: Score,
        value: Link,
        probability: Link,
        decision: Link | None = None,
        can_fail: bool = False,
    ) -> None:
        super().__init__(what, used, scores, value, decision, can_fail)
        self._probability = probability

    def probabilities(self, features: Sequence[Feature]) -> Tensor:
        return self._probability(self._scores(features))

    def both(self, features: Sequence[Feature]) -> tuple[Tensor, Tensor | None]:
        scores = self._scores(features)
        return self._value(scores), self._probability(scores)


def scored(
    what: str, used: Iterable[int], scores: Score, classes: tuple[object, ...], value: Link, probability: Link | None,
    decision: Link | None = None, can_fail: bool = False,
) -> Imported:  # fmt: skip
    """A classifier of the scores; `can_fail`: some rows are an error to them."""
    predictor = (
        Scored(what, used, scores, value, decision, can_fail)
        if probability is None
        else ScoredProbabilities(what, used, scores, value, probability, decision, can_fail)
    )
    return Imported(predictor, classes, kind="classifier")


def identity(scores: Tensor) -> Tensor:
    """(n,) for one output, (n, outputs) for several."""
    return scores[0] if len(scores) == 1 else scores.t().contiguous()


def positive(scores: Tensor) -> Tensor:
    """Class 1 where the only score is above 0."""
    return (scores[0] > 0).long()


def greatest(scores: Tensor) -> Tensor:
    """The class of the greatest score, the first among equals."""
    return scores.argmax(dim=0)


def difference(scores: Tensor) -> Tensor:
    """`decision_function` from a score a class."""
    return scores[1] - scores[0] if len(scores) == 2 else scores.t().contiguous()


def sigmoid(scores: Tensor) -> Tensor:
    """Two classes from one score."""
    one = torch.sigmoid(scores[0])
    return torch.stack([1 - one, one], dim=1)


def softmax(scores: Tensor) -> Tensor:
    """A class for each score."""
    return torch.softmax(scores.t(), dim=1)


def from_logarithms(scores: Tensor) -> Tensor:
    """Classes from joint logarithms of their probabilities; rounded as `exp(score - logsumexp(scores))` is."""
    return torch.exp(scores - torch.logsumexp(scores, dim=0)).t()


def normalized(each: Tensor) -> Tensor:
    """Rows of (n, classes) divided by their sums; equal shares where the sum is 0."""
    total = each.sum(dim=1, keepdim=True)
    return torch.where(total == 0, 1 / each.shape[1], each / total)


def one_against_rest(scores: Tensor) -> Tensor:
    """A logistic function for each class, normalized."""
    return normalized(torch.sigmoid(scores.t()))


def additive(features: Sequence[Feature], outputs: int, term: Callable[[int, Tensor], Tensor]) -> Tensor:
    """The sum over the features of `term(place, values)` (outputs, k), (outputs, n); of coded features by their tables."""
    rows, device = rows_of(features)
    total = torch.zeros((outputs, rows), dtype=torch.float64, device=device)
    for place, feature in enumerate(features):
        match feature:
            case Numeric(values):
                total += term(place, values.double())
            case Coded(codes, values):
                for row, table in zip(total, term(place, values.double()), strict=True):
                    row.add_(table.index_select(0, codes))
            case _:
                raise TypeError("a text feature has no number; encode it first")
    return total


def blocks(
    features: Sequence[Feature], width: int, compute: Callable[[Tensor], Tensor], is_single: bool = False
) -> Tensor:
    """`compute` (b, f) float64 → (outputs, b) on blocks of the rows that need some `width` numbers each; (outputs, n).

    `is_single`: blocks of a float32 matrix are handed over as they are, not to be written to.
    """
    rows, device = rows_of(features)
    step = max(1, limits_on(device).model_numbers // max(width, 1))
    whole = side_by_side(features)
    if whole is not None:
        starts = range(0, rows, step)
        if is_single and whole.dtype == torch.float32:
            return torch.cat([compute(whole[at : at + step]) for at in starts], dim=1)
        return torch.cat([compute(whole[at : at + step].to(torch.float64, copy=True)) for at in starts], dim=1)
    columns = [dense(feature) for feature in features]
    if rows <= step:
        return compute(torch.stack(columns, dim=1))
    parts = [
        compute(torch.stack([column[start : start + step] for column in columns], dim=1))
        for start in range(0, rows, step)
    ]
    return torch.cat(parts, dim=1)
