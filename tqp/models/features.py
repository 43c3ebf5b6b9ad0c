"""What flows into a model: one feature a column, never a matrix unless a model needs one.

A *coded* feature takes few values: it is a table of values and a code a row. Encoders and scalers then work on the table,
linear models gather a weight by code, and trees compare the table's entries instead of the rows'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import torch
from torch import Tensor

from tqp.data.column import Column

__all__ = ["Coded", "Element", "Elements", "Feature", "Numeric", "Text", "dense", "matrix", "side_by_side"]


@dataclass(frozen=True, slots=True, eq=False)
class Numeric:
    """A number a row: values (n,), float32 or float64, NaN where missing; int64 where an input takes whole numbers.

    Of an input that is declared to be an array: values (n, d) of the dtype of its elements.
    """

    values: Tensor


class Element(Numeric):
    """The numbers in a column of a matrix (n, d) of floats, beside others of the same matrix (the same object)."""

    __slots__ = ("matrix", "place")

    matrix: Tensor
    place: int

    def __init__(self, matrix: Tensor, place: int) -> None:
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "place", place)

    @property
    def values(self) -> Tensor:
        return self.matrix[:, self.place]


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """The number `values[codes[i]]` in row i: codes (n,) int32 in 0..k-1, values (k,) float, NaN where missing.

    Features made of one column share the `codes` tensor (the same object).
    """

    codes: Tensor
    values: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A text column as it is stored, for an encoder: `column.data` (n,) codes, `column.dictionary`, `column.valid`."""

    column: Column


Feature = Numeric | Coded | Text


class Elements(Sequence[Feature]):
    """The columns of a matrix (n, d) as features, each made when it is asked for: those who take the matrix need none."""

    __slots__ = ("matrix",)

    def __init__(self, matrix: Tensor) -> None:
        self.matrix = matrix

    def __len__(self) -> int:
        return self.matrix.shape[1]

    @overload
    def __getitem__(self, place: int) -> Element: ...
    @overload
    def __getitem__(self, place: slice) -> Elements: ...
    def __getitem__(self, place: int | slice) -> Element | Elements:
        if isinstance(place, slice):
            return Elements(self.matrix[:, place])
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return Element(self.matrix, place % len(self))


def dense(feature: Feature, dtype: torch.dtype = torch.float64) -> Tensor:
    """The values (n,) of a numeric or coded feature; TypeError for text, which only encoders read."""
    match feature:
        case Numeric():
            return feature.values.to(dtype)
        case Coded():
            return feature.values.to(dtype).index_select(0, feature.codes)
        case _:
            raise TypeError("a text feature has no number")


def side_by_side(features: Sequence[Feature]) -> Tensor | None:
    """The matrix (n, f) whose columns the features are, in their order, not to be written to; None where they are of several."""
    if isinstance(features, Elements):
        return features.matrix
    first = features[0]
    if not isinstance(first, Element):
        return None
    whole, start = first.matrix, first.place
    for number, feature in enumerate(features):
        if not isinstance(feature, Element) or feature.matrix is not whole or feature.place != start + number:
            return None
    return whole[:, start : start + len(features)]


def matrix(features: Sequence[Feature], dtype: torch.dtype = torch.float64) -> Tensor:
    """The features side by side, (n, f); an array takes as many columns as it has elements."""
    whole = side_by_side(features)
    if whole is not None:
        return whole.to(dtype, copy=True)
    parts = [dense(feature, dtype) for feature in features]
    if all(part.ndim == 1 for part in parts):
        return torch.stack(parts, dim=1)
    return parts[0] if len(parts) == 1 else torch.cat([part.reshape(part.shape[0], -1) for part in parts], dim=1)
