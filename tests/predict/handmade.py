"""A model written by hand, so that what is around models can be tested without a library."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from tqp.models.features import Feature, dense
from tqp.models.model import Input, Model

__all__ = ["Shift", "handmade"]


class Shift:
    """Two classes by the sign of a - c - shift; b cannot change the answer."""

    can_fail = False

    def __init__(self, shift: float = 0.1) -> None:
        self._shift = shift

    def value(self, features: Sequence[Feature]) -> Tensor:
        return (dense(features[0]) - dense(features[2]) > self._shift).to(torch.int64)

    def probabilities(self, features: Sequence[Feature]) -> Tensor | None:
        one = torch.sigmoid(dense(features[0]) - dense(features[2]) - self._shift)
        return torch.stack([1 - one, one], dim=1)

    def both(self, features: Sequence[Feature]) -> tuple[Tensor, Tensor | None]:
        return self.value(features), self.probabilities(features)

    def used(self) -> frozenset[int]:
        return frozenset({0, 2})

    def describe(self) -> str:
        return "difference"


def handmade(predictor: Shift | None = None) -> Model:
    """A classifier of a, b and c with the labels no and yes."""
    inputs = tuple(map(Input, ("a", "b", "c")))
    return Model("handmade", inputs, (), predictor or Shift(), ("no", "yes"), kind="classifier")
