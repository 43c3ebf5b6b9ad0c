"""Weighted sums of features by columns: no feature matrix is made.

A sum is the offset, plus weight times column for every number, plus one gather for every set of features coded by the
same column (its one-hot features, say), whose tables are summed with their weights beforehand. Zero weights cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.device import limits_on
from tqp.models.features import Coded, Element, Feature, Numeric, side_by_side
from tqp.models.steps import Constant, Kept, rows_of

__all__ = ["Weights"]

_REMEMBERED = 2**13
"""Summed tables that took more entries than this are remembered."""
_TOGETHER = 2**20
"""Entries of a summed table: more do not stay in cache on any processor."""
_OUTPUTS = 4
"""Sums of more outputs are a product of matrices."""


class Weights:
    """`weights` (outputs, f) and `offsets` (outputs,), float64."""

    def __init__(self, weights: Any, offsets: Any) -> None:
        weights = weights.toarray() if hasattr(weights, "toarray") else weights
        # Of single precision the library computes with single precision where the rows have it, too.
        is_single = np.asarray(weights).dtype == np.float32
        self._weights = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        self.outputs, self.features = self._weights.shape
        self._offsets = np.broadcast_to(np.asarray(offsets, dtype=np.float64), (self.outputs,)).tolist()  # host: NumPy
        self._used = np.flatnonzero(self._weights.any(axis=0)).tolist()  # host: NumPy
        self._columns = [self._weights[:, place].tolist() for place in range(self.features)]  # host: NumPy
        self._placed = Constant(self._weights)
        self._single = Constant(self._weights, torch.float32) if is_single else None
        self._tables = Kept()

    def used(self, outputs: frozenset[int] | None = None) -> frozenset[int]:
        """The features with a weight (in any of the given outputs)."""
        if outputs is None:
            return frozenset(self._used)
        return frozenset(np.flatnonzero(self._weights[sorted(outputs)].any(axis=0)).tolist())  # host: NumPy

    def scores(self, features: Sequence[Feature]) -> Tensor:
        """The sums (outputs, n) float64."""
        rows, device = rows_of(features)
        result = torch.empty((self.outputs, rows), dtype=torch.float64, device=device)
        for output, offset in enumerate(self._offsets):
            result[output] = offset
        whole = side_by_side(features)
        if whole is not None:
            self._add_array(result, whole, [(place, place) for place in self._used])
            return result
        coded: dict[int, list[int]] = {}
        numbers: list[tuple[int, Tensor]] = []
        arrays: dict[int, list[tuple[int, Element]]] = {}
        for place in self._used:
            match features[place]:
                case Element() as element:
                    arrays.setdefault(id(element.matrix), []).append((place, element))
                case Coded(codes, _):
                    coded.setdefault(id(codes), []).append(place)
                case Numeric(values):
                    numbers.append((place, values.double()))
                case _:
                    raise TypeError("a text feature has no number; encode it first")
        for elements in arrays.values():
            inside = [(place, element.place) for place, element in elements]
            self._add_array(result, elements[0][1].matrix, inside)
        if self.outputs > _OUTPUTS and len(numbers) > _OUTPUTS:
            self._add_product(result, numbers)
        else:
            for place, column in numbers:
                for row, weight in zip(result, self._columns[place], strict=True):
                    if weight != 0:
                        row.add_(column, alpha=weight)
        for places in coded.values():
            chosen = [feature for place in places if isinstance(feature := features[place], Coded)]
            codes = chosen[0].codes
            for row, table in zip(result, self._table(places, [feature.values for feature in chosen]), strict=True):
                row.add_(table.index_select(0, codes))
        return result

    def _add_product(self, result: Tensor, numbers: list[tuple[int, Tensor]]) -> None:
        """Add a matrix product: for many outputs a block of the columns is read once, not once for each."""
        chosen = torch.tensor([place for place, _ in numbers], dtype=torch.int64, device=result.device)
        weights = self._placed.on(result.device).index_select(1, chosen)
        step = limits_on(result.device).layer_rows or max(result.shape[1], 1)
        for start in range(0, result.shape[1], step):
            part = result[:, start : start + step]
            part.addmm_(weights, torch.stack([column[start : start + step] for _, column in numbers]))

    def _add_array(self, result: Tensor, whole: Tensor, places: Sequence[tuple[int, int]]) -> None:
        """Add what columns of a matrix (n, d) weigh, by blocks of rows; `places` among the features and in the matrix."""
        device = result.device
        single = self._single if whole.dtype == torch.float32 else None
        weights = (single or self._placed).on(device)
        if len(places) < self.features:
            chosen = torch.tensor([place for place, _ in places], dtype=torch.int64, device=device)
            weights = weights.index_select(1, chosen)
        inside = [place for _, place in places]
        columns = None
        if inside != list(range(whole.shape[1])):
            columns = torch.tensor(inside, dtype=torch.int64, device=device)
        numbers = limits_on(device).array_numbers
        step = max(1, whole.shape[0] if numbers is None else numbers // whole.shape[1])
        # The memory of a block is taken once: to ask for it anew costs more than the product.
        wide = None
        if single is None and whole.dtype != torch.float64:
            wide = torch.empty((min(step, whole.shape[0]), len(places)), dtype=torch.float64, device=device)
        for start in range(0, whole.shape[0], step):
            block = whole[start : start + step]
            block = block if columns is None else block.index_select(1, columns)
            if wide is not None:
                block = wide[: block.shape[0]].copy_(block)
            part = result[:, start : start + step]
            if single is not None:
                part += weights @ block.t()
            else:
                part.addmm_(weights, block.t())

    def _table(self, places: list[int], values: list[Tensor]) -> Tensor:
        """The weighted sum of tables (k,), (outputs, k)."""
        device = values[0].device
        if len(values) * len(values[0]) <= _REMEMBERED:
            return self._summed(places, values)
        found: Tensor = self._tables.get(tuple(values), device, lambda: self._summed(places, values))
        return found

    def _summed(self, places: list[int], values: list[Tensor]) -> Tensor:
        weights = self._placed.on(values[0].device)
        entries = len(values[0])
        total = torch.zeros((self.outputs, entries), dtype=torch.float64, device=weights.device)
        step = max(1, _TOGETHER // entries)
        for start in range(0, len(places), step):
            stop = start + step
            chosen = torch.tensor(places[start:stop], dtype=torch.int64, device=weights.device)
            total += weights.index_select(1, chosen) @ torch.stack([table.double() for table in values[start:stop]])
        return total
