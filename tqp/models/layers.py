"""The first layer of a network: weighted sums for many outputs, the sums of a row side by side.

Numbers are a product of matrices; of features that one column codes, their weighted sums are rows of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.kernels.tables import add_rows_
from tqp.models.features import Coded, Feature, Numeric, side_by_side
from tqp.models.steps import Constant, rows_of

__all__ = ["FirstLayer"]


class FirstLayer:
    """`weights` (f, outputs) and `offsets` (outputs,), float64."""

    def __init__(self, weights: Any, offsets: Any) -> None:
        self._is_single = getattr(weights, "dtype", None) == np.float32
        self._weights = Constant(weights)
        self._offsets = Constant(np.ravel(offsets))

    def over(self, features: Sequence[Feature]) -> Callable[[int, int], Tensor]:
        """The sums (stop - start, outputs) float64 of the rows start..stop-1; tables are made once for all rows."""
        _, device = rows_of(features)
        weights, offsets = self._weights.on(device), self._offsets.on(device)
        whole = side_by_side(features)
        if whole is not None and self._is_single and whole.dtype == torch.float32:
            # As the library, which computes with the precision that both have.
            single, few = weights.float(), offsets.float()
            return lambda start, stop: torch.addmm(few, whole[start:stop], single).double()
        if whole is not None:
            return lambda start, stop: torch.addmm(offsets, whole[start:stop].double(), weights)
        numbers: list[tuple[int, Tensor]] = []
        coded: dict[int, list[tuple[int, Coded]]] = {}
        for place, feature in enumerate(features):
            match feature:
                case Numeric(values):
                    numbers.append((place, values))
                case Coded(codes, _):
                    coded.setdefault(id(codes), []).append((place, feature))
                case _:
                    raise TypeError("a text feature has no number; encode it first")
        of_numbers = _rows(weights, [place for place, _ in numbers])
        tables = [_table(weights, group) for group in coded.values()]
        table = torch.cat(tables) if tables else weights[:0]
        starts = np.cumsum([0, *map(len, tables)])[:-1]
        first = torch.tensor(starts, dtype=torch.int32, device=device)[:, None]
        chosen = [group[0][1].codes for group in coded.values()]

        def sums(start: int, stop: int) -> Tensor:
            if numbers:
                columns = torch.stack([values[start:stop].double() for _, values in numbers])
                found = torch.addmm(offsets, columns.t(), of_numbers)
            else:
                found = offsets.repeat(stop - start, 1)
            return add_rows_(found, table, torch.stack([c[start:stop] for c in chosen]) + first) if chosen else found

        return sums


def _table(weights: Tensor, group: Sequence[tuple[int, Coded]]) -> Tensor:
    """The weighted sums (k, outputs) of features of one code."""
    entries = torch.stack([feature.values.double() for _, feature in group], dim=1)
    return entries @ _rows(weights, [place for place, _ in group])


def _rows(weights: Tensor, places: Sequence[int]) -> Tensor:
    return weights.index_select(0, torch.tensor(places, dtype=torch.int64, device=weights.device))
