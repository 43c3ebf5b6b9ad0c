"""The predictor of a tree ensemble: its kernel, and the link that makes values and probabilities of its scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from tqp.models.features import Coded, Feature, Text
from tqp.models.model import Predictor
from tqp.models.trees.ensemble import Ensemble, prune
from tqp.models.trees.kernels import Costs, Kernel, choose

__all__ = [
    "Link", "TreePredictor", "argmax_of", "identity", "logistic", "mapped", "softmax",
]  # fmt: skip

_LEAF = 8000.0
"""Nanoseconds that the tables of a kernel cost for each leaf."""

Scores = Callable[[Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class Link:
    """From scores (outputs, n) to `value` as Predictor.value and to `probabilities` (n, classes), None without them."""

    name: str
    value: Scores
    probabilities: Scores | None = None


class TreePredictor(Predictor):
    """A tree ensemble as `Predictor`. `categories` names the strings behind the codes 0, 1, … of text features."""

    can_fail = False

    def __init__(
        self, trees: Ensemble, link: Link, categories: Mapping[int, Sequence[str]] | None = None, note: str = ""
    ) -> None:
        self.trees = trees
        self.link = link
        self.categories = dict(categories or {})
        self._note = note
        self._kernel: Kernel | None = None

    @property
    def kernel(self) -> Kernel:
        """The kernel, made when it is first asked for."""
        if self._kernel is None:
            self._kernel = choose(self.trees)
        return self._kernel

    def scores(self, features: Sequence[Feature]) -> Tensor:
        """The raw scores (outputs, n)."""
        if self.categories:
            features = [self.coded(feature, place) for place, feature in enumerate(features)]
        return self.kernel.scores(features)

    def value(self, features: Sequence[Feature]) -> Tensor:
        return self.link.value(self.scores(features))

    def probabilities(self, features: Sequence[Feature]) -> Tensor | None:
        return None if self.link.probabilities is None else self.link.probabilities(self.scores(features))

    def both(self, features: Sequence[Feature]) -> tuple[Tensor, Tensor | None]:
        scores = self.scores(features)
        return self.link.value(scores), None if self.link.probabilities is None else self.link.probabilities(scores)

    def used(self) -> frozenset[int]:
        return self.trees.used()

    def prune(self, bounds: Mapping[int, tuple[float, float]], rows: float) -> TreePredictor:
        """The predictor for rows within inclusive bounds of features that are not missing.

        Itself where so many rows would save less than new tables cost.
        """
        shorter = prune(self.trees, bounds)
        if shorter is self.trees:
            return self
        leaves = int(shorter.leaves().sum())  # host: NumPy
        if (Costs.of(self.trees).least - Costs.of(shorter).least) * rows <= leaves * _LEAF:
            return self
        note = f"pruned from {int(self.trees.leaves().sum()):,} to {leaves:,} leaves by what the query knows"  # host: NumPy
        return TreePredictor(shorter, self.link, self.categories, note)

    def describe(self) -> str:
        parts = (f"{self.trees.trees} trees, {self.link.name}", self._note, self.kernel.why)
        return "; ".join(part for part in parts if part)

    def coded(self, feature: Feature, place: int) -> Feature:
        """A text feature as the codes of the model's categories; others unchanged."""
        if not isinstance(feature, Text) or place not in self.categories:
            return feature
        column = feature.column
        assert column.dictionary is not None
        code = {text: float(number) for number, text in enumerate(self.categories[place])}
        known = [code.get(text, torch.nan) for text in column.dictionary.values.to_pylist()]
        values = torch.tensor([*known, torch.nan], dtype=torch.float64, device=column.device)
        codes = column.data.to(torch.int32)
        return Coded(codes if column.valid is None else codes.masked_fill(~column.valid, len(known)), values)


def identity(name: str = "value") -> Link:
    """The score itself: (n,), or (n, outputs) for several."""
    return Link(name, rows)


def mapped(link: Link, name: str, change: Scores) -> Link:
    """`link` after `change` of the scores."""
    probabilities = link.probabilities
    return replace(
        link,
        name=name,
        value=lambda scores: link.value(change(scores)),
        probabilities=None if probabilities is None else lambda scores: probabilities(change(scores)),
    )


def rows(scores: Tensor) -> Tensor:
    """(outputs, n) as (n,) for one output and (n, outputs) for several."""
    return scores[0] if len(scores) == 1 else scores.t().contiguous()


def argmax_of(scores: Tensor) -> Tensor:
    """The place of the greatest score, the first among equals, (n,) int64."""
    best, place = scores[0], torch.zeros(scores.shape[1], dtype=torch.int64, device=scores.device)
    for index in range(1, len(scores)):
        place.masked_fill_(scores[index] > best, index)
        best = torch.maximum(best, scores[index])
    return place


def logistic(sharpness: float = 1.0, *, at_zero: int = 0) -> Link:
    """Two classes from one score by the logistic function of sharpness x score; `at_zero` is the class of a score of 0."""

    def value(scores: Tensor) -> Tensor:
        return (scores[0] >= 0 if at_zero else scores[0] > 0).long()

    def probabilities(scores: Tensor) -> Tensor:
        positive = torch.sigmoid(scores[0] * sharpness)
        return torch.stack([1 - positive, positive], dim=1)

    return Link("logistic", value, probabilities)


def softmax() -> Link:
    """Classes from a score each."""
    return Link("softmax", argmax_of, lambda scores: torch.softmax(scores.t(), dim=1))
