"""What vectorizers make of one text, as numbers that are found on the host, once for each distinct string."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import torch

from tqp.errors import ModelError
from tqp.models.features import Elements, Feature, Text
from tqp.models.steps import Step
from tqp.models.text import PerString

__all__ = ["PerText", "words_of"]

_MOST: Final = 128
"""Numbers a text; they are kept for every distinct string, most of them 0 where they stand for words."""


class PerText(Step):
    """`width` numbers of one text, which `call` makes of a list of strings: an array or sparse matrix (strings, width)."""

    can_fail = True

    def __init__(self, what: str, width: int, call: Callable[[list[str]], Any]) -> None:
        self._what = what
        self.width = width
        self._numbers = PerString(call)

    def __call__(self, features: Sequence[Feature]) -> Sequence[Feature]:
        (feature,) = features
        if not isinstance(feature, Text):
            raise TypeError("words are made of text")
        return Elements(self._numbers.rows(feature.column).to(torch.float64))

    def text(self, wanted: frozenset[int]) -> frozenset[int]:
        return frozenset((0,))

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        return frozenset((0,)) if used else frozenset()

    def absorbs(self, tolerant: frozenset[int]) -> frozenset[int]:
        return frozenset()

    def describe(self) -> str:
        return f"{self._what} on the host, once per distinct value"


def words_of(step: Any) -> PerText:
    """A fitted vectorizer, or a pipeline that begins with one, as a step. ModelError where it makes too many numbers."""
    kind = type(step.steps[0][1] if hasattr(step, "steps") else step).__name__
    width = int(step.transform([""]).shape[1])
    if width > _MOST:
        raise ModelError(
            f"{kind} makes {width} numbers of a text, more than {_MOST}",
            hint='fewer words, or a TruncatedSVD behind them in the same Pipeline; or backend="host"',
        )
    return PerText(f"{width} numbers of {kind}'s words", width, step.transform)
