"""What is known of a stored column. Facts are proven, not sampled, unless their name says estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.kernels import waits
from tqp.kernels.group import distinct_within

__all__ = ["ColumnStatistics", "compute"]

_FACT: Final = "a fact of a stored column"
_COUNTED_RANGE: Final = 8
"""Ranges of at most so many times the rows are counted exactly, one byte a value."""
_SORTED_ROWS: Final = 2_000_000
"""Up to so many rows a sort decides whether values of a large range are unique."""
_SAMPLE_ROWS: Final = 50_000


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """Facts about one stored column, NULLs aside.

    `minimum` and `maximum` are stored integers (codes for text), None where not integer-like or no row is valid.
    `distinct` is an estimate. `is_sorted`: ascending and no NULL. `is_unique`: no value twice and no NULL.
    False may also mean that proving it would have cost too much.
    """

    rows: int
    nulls: int
    minimum: int | None
    maximum: int | None
    distinct: int
    is_sorted: bool
    is_unique: bool

    @property
    def is_dense(self) -> bool:
        """Sorted and unique without gaps: the row of a key is key - minimum."""
        if self.minimum is None or self.maximum is None:
            return False
        return self.is_sorted and self.is_unique and self.maximum - self.minimum + 1 == self.rows


def compute(column: Column) -> ColumnStatistics:
    """The statistics of a stored (not constant) column.

    Cost: a few passes over its rows and, on a GPU, a few syncs; once per column.
    """
    rows = len(column)
    nulls = 0 if column.valid is None else rows - waits.number(column.valid.sum(), _FACT)
    if rows == nulls:
        return ColumnStatistics(rows, nulls, None, None, 0, rows == 0, rows == 0)
    if column.dtype.is_array:
        return ColumnStatistics(rows, nulls, None, None, rows - nulls, False, False)
    if column.has_elements:
        low, high = (None, None) if column.bounds is None else column.bounds
        return ColumnStatistics(rows, nulls, low, high, _sampled_rows(column, rows - nulls), False, False)
    values = column.data if column.valid is None or nulls == 0 else waits.masked(column.data, column.valid, _FACT)
    if column.dictionary is not None and not column.dictionary.is_sorted:
        return _of_row_order(column, values, rows, nulls)
    if values.dtype.is_floating_point:
        return _of_floats(values, rows, nulls)
    integers = values.to(torch.uint8) if values.dtype is torch.bool else values
    low, high = _limits(integers)
    ascending, strict = _order(integers) if nulls == 0 else (False, False)
    distinct, unique = _count(integers, low, high, strict)
    if values.dtype is torch.bool:
        return ColumnStatistics(rows, nulls, None, None, distinct, ascending, unique and nulls == 0)
    return ColumnStatistics(rows, nulls, low, high, distinct, ascending, unique and nulls == 0)


def _limits(values: Tensor) -> tuple[int, int]:
    return waits.limits(values, _FACT)


def _order(values: Tensor) -> tuple[bool, bool]:
    """Whether ascending, and whether strictly."""
    start = values[:_SAMPLE_ROWS]
    if not waits.truth((start[:-1] <= start[1:]).all(), _FACT):
        return False, False
    before, after = values[:-1], values[1:]
    if not waits.truth((before <= after).all(), _FACT):
        return False, False
    return True, waits.truth((before < after).all(), _FACT)


def _count(values: Tensor, low: int, high: int, strict: bool) -> tuple[int, bool]:
    """Distinct values (an estimate where the range is large) and whether they are proven unique."""
    count = values.shape[0]
    if strict:
        return count, True
    span = high - low + 1
    if span <= _COUNTED_RANGE * count:
        distinct = distinct_within(values, low, span)
        return distinct, distinct == count
    if count <= _SORTED_ROWS:
        ordered = values.sort().values
        distinct = 1 + waits.number((ordered[1:] != ordered[:-1]).sum(), _FACT)
        return distinct, distinct == count
    return _estimate(values), False


def _estimate(values: Tensor) -> int:
    """Distinct values, by a sample of rows spread evenly (Chao's estimator)."""
    count = values.shape[0]
    step = max(1, count // _SAMPLE_ROWS)
    sample = values[::step]
    frequencies = waits.unique(sample, _FACT, return_counts=True)[1]
    seen = frequencies.shape[0]
    once, twice = waits.numbers(torch.stack([(frequencies == times).sum() for times in (1, 2)]), _FACT)
    if once == sample.shape[0]:
        return count
    unseen = once * once / (2 * twice) if twice else once * (once - 1) / 2
    return min(count, int(seen + unseen))


def _of_floats(values: Tensor, rows: int, nulls: int) -> ColumnStatistics:
    # A NaN compares with nothing, so a column of several rows that has one is neither proven sorted nor unique.
    ascending, strict = _order(values) if nulls == 0 else (False, False)
    return ColumnStatistics(rows, nulls, None, None, rows if strict else _estimate(values), ascending, strict)


def _of_row_order(column: Column, codes: Tensor, rows: int, nulls: int) -> ColumnStatistics:
    # The codes of an unsorted dictionary say nothing of the order or equality of its strings.
    low, high = _limits(codes)
    return ColumnStatistics(rows, nulls, low, high, codes.shape[0], False, False)


def _sampled_rows(column: Column, known: int) -> int:
    step = max(1, len(column) // _SAMPLE_ROWS)
    sample = column.data[::step]
    low = sample.min(dim=0).values
    spread = (sample - low) * torch.tensor([1_000_003**place for place in range(sample.shape[1])], device=column.device)
    distinct = _estimate(spread.sum(dim=1))
    return known if distinct * 2 > sample.shape[0] else min(known, distinct)
