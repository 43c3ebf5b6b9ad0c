"""What is known of a stored column. Facts are proven, not sampled, unless their name says estimate."""

from __future__ import annotations

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
_SAMPLE_ROWS: Final = 2**16
_SAMPLES: Final = 2**12, _SAMPLE_ROWS, 2**18
"""First rows among which some value is looked for twice: few are sorted in no time, and mostly enough. More are for values
spread over a range like hashes, which repeat by chance."""
_STRETCHES: Final = 16
_HEAD: Final = 16
"""Among so many times as many rows as a range has values all of these occur, where they occur about equally often."""


class ColumnStatistics:
    """Facts about one stored column, NULLs aside.

    `minimum` and `maximum` are stored integers (codes for text), None where not integer-like or no row is valid.
    `distinct` is an estimate. `is_sorted`: ascending and no NULL. `is_unique`: no value twice and no NULL.
    False may also mean that proving it would have cost too much.

    Those of a column (`compute`) find out the last three when somebody first asks, each for itself. Equal by all facts.
    """

    __slots__ = ("_distinct", "_rest", "_sorted", "_unique", "maximum", "minimum", "nulls", "rows")

    def __init__(
        self,
        rows: int,
        nulls: int,
        minimum: int | None,
        maximum: int | None,
        distinct: int | None = None,
        is_sorted: bool | None = None,
        is_unique: bool | None = None,
        rest: _Rest | None = None,
    ) -> None:
        """`rest` finds out what is None of the last three facts."""
        self.rows = rows
        self.nulls = nulls
        self.minimum = minimum
        self.maximum = maximum
        self._distinct = distinct
        self._sorted = is_sorted
        self._unique = is_unique
        self._rest = rest

    @property
    def distinct(self) -> int:
        if self._distinct is None:
            self._distinct = self._open().distinct()
        return self._distinct

    @property
    def is_sorted(self) -> bool:
        if self._sorted is None:
            self._sorted = self._open().order()[0]
        return self._sorted

    @property
    def is_unique(self) -> bool:
        if self._unique is None:
            self._unique = self._open().is_unique()
        return self._unique

    @property
    def is_dense(self) -> bool:
        """Sorted and unique without gaps: the row of a key is key - minimum."""
        if self.minimum is None or self.maximum is None or self.maximum - self.minimum + 1 != self.rows:
            return False
        return self.is_sorted and self.is_unique

    def _open(self) -> _Rest:
        assert self._rest is not None
        return self._rest

    def _facts(self) -> tuple[int, int, int | None, int | None, int, bool, bool]:
        cheap = (self.rows, self.nulls, self.minimum, self.maximum)
        return (*cheap, self.distinct, self.is_sorted, self.is_unique)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ColumnStatistics) and (self is other or self._facts() == other._facts())

    def __hash__(self) -> int:
        return hash((self.rows, self.nulls, self.minimum, self.maximum))

    def __reduce__(self) -> tuple[type[ColumnStatistics], tuple[object, ...]]:
        return ColumnStatistics, self._facts()

    def __repr__(self) -> str:
        return f"ColumnStatistics{self._facts()}"


def compute(column: Column) -> ColumnStatistics:
    """The statistics of a stored (not constant) column, which they hold on to.

    Cost: a pass over its rows for limits, one for NULLs; for the facts that are asked for later a few more, once each. On a
    GPU a sync each.
    """
    rows = len(column)
    nulls = 0 if column.valid is None else rows - waits.number(column.valid.sum(), _FACT)
    if rows == nulls:
        return ColumnStatistics(rows, nulls, None, None, 0, rows == 0, rows == 0)
    if column.dtype.is_nested:
        # Where a value points says nothing of it.
        return ColumnStatistics(rows, nulls, None, None, rows - nulls, False, False)
    if column.has_elements:
        low, high = (None, None) if column.bounds is None else column.bounds
        return ColumnStatistics(rows, nulls, low, high, _sampled_rows(column, rows - nulls), False, False)
    rest = _Rest(column, nulls)
    if column.dictionary is not None and not column.dictionary.is_sorted:
        # The codes of an unsorted dictionary say nothing of the order or equality of its strings.
        low, high = _limits(rest.values())
        return ColumnStatistics(rows, nulls, low, high, rows - nulls, False, False)
    if column.data.dtype.is_floating_point or column.data.dtype is torch.bool:
        return ColumnStatistics(rows, nulls, None, None, rest=rest)
    low, high = _limits(rest.values())
    rest.limits = low, high
    return ColumnStatistics(rows, nulls, low, high, rest=rest)


class _Rest:
    """What takes more than a pass over a flat column with a valid row: found out when it is asked for, and remembered."""

    def __init__(self, column: Column, nulls: int) -> None:
        self._column = column
        self._nulls = nulls
        self.limits: tuple[int, int] | None = None
        """Of the stored integers; None for numbers with a fraction and booleans."""
        self._order: tuple[bool, bool] | None = None
        self._count: tuple[int, bool] | None = None

    def values(self) -> Tensor:
        """(known rows,): without NULLs, booleans as integers."""
        column = self._column
        known = column.data
        if column.valid is not None and self._nulls:
            known = waits.masked(known, column.valid, _FACT)
        return known.to(torch.uint8) if known.dtype is torch.bool else known

    def order(self) -> tuple[bool, bool]:
        """Whether ascending, and whether strictly; a NULL has no place in an order.

        A NaN compares with nothing, so a column of several rows that has one is neither proven sorted nor unique.
        """
        if self._order is None:
            self._order = (False, False) if self._nulls else _order(self.values())
        return self._order

    def is_unique(self) -> bool:
        """Proven by order or a count; most columns are refuted before either."""
        if self._nulls or self._has_too_few():
            return False
        ascending, strict = self.order()
        if ascending or self._column.data.dtype.is_floating_point:
            return strict
        values = self.values()
        samples = (values[:rows] for rows in _SAMPLES if rows < values.shape[0])
        return not any(map(_repeats, samples)) and self._counted(values)[1]

    def _has_too_few(self) -> bool:
        """Whether there are fewer integers between the limits than rows."""
        return self.limits is not None and self.limits[1] - self.limits[0] + 1 < len(self._column)

    def distinct(self) -> int:
        """By what stretches of the rows say, as far as they can: an order that only seems to be there is one to estimate with."""
        values = self.values()
        if self._order is not None and self._order[1]:
            return values.shape[0]
        if self._column.data.dtype.is_floating_point:
            return _estimate(values)
        if not self._nulls and (_seems_ascending(values) if self._order is None else self._order[0]):
            return _runs(values)
        return self._counted(values)[0]

    def _counted(self, values: Tensor) -> tuple[int, bool]:
        if self._count is None:
            self._count = _count(values, *(self.limits or (0, 1)))
        return self._count


def _limits(values: Tensor) -> tuple[int, int]:
    return waits.limits(values, _FACT)


def _order(values: Tensor) -> tuple[bool, bool]:
    """Whether ascending, and whether strictly."""
    found = _order_of(values[:_SAMPLE_ROWS])
    if not found[0] or values.shape[0] <= _SAMPLE_ROWS:
        return found
    before, after = values[:-1], values[1:]
    if found[1] and waits.truth((before < after).all(), _FACT):
        return True, True
    return waits.truth((before <= after).all(), _FACT), False


def _order_of(values: Tensor) -> tuple[bool, bool]:
    before, after = values[:-1], values[1:]
    tests = torch.stack([(before <= after).all(), (before < after).all()])
    ascending, strict = waits.numbers(tests, _FACT)
    return bool(ascending), bool(strict)


def _repeats(values: Tensor) -> bool:
    ordered = values.sort().values
    return waits.truth((ordered[1:] == ordered[:-1]).any(), _FACT)


def _count(values: Tensor, low: int, high: int) -> tuple[int, bool]:
    """Distinct values (an estimate where the range is large) and whether they are proven unique."""
    count = values.shape[0]
    span = high - low + 1
    if span <= _COUNTED_RANGE * count:
        head = _HEAD * span
        if head < count // 2 and distinct_within(values[:head], low, span) == span:
            return span, False
        if head < _SAMPLE_ROWS < count // 2 and distinct_within(_sample(values), low, span) == span:
            return span, False
        distinct = distinct_within(values, low, span)
        return distinct, distinct == count
    if count <= _SORTED_ROWS:
        ordered = values.sort().values
        distinct = 1 + waits.number((ordered[1:] != ordered[:-1]).sum(), _FACT)
        return distinct, distinct == count
    return _estimate(values), False


def _runs(values: Tensor) -> int:
    """Runs of equal values; of many rows by how many begin within some stretches of them."""
    starts, size = _stretches(values.shape[0])
    begin = [(values[start + 1 : start + size] != values[start : start + size - 1]).sum() for start in starts]
    steps = len(starts) * (size - 1)
    return 1 + waits.number(torch.stack(begin).sum(), _FACT) * (values.shape[0] - 1) // max(steps, 1)


def _seems_ascending(values: Tensor) -> bool:
    """Whether some stretches of rows ascend, each and one after the other; of few rows all are one."""
    starts, size = _stretches(values.shape[0])
    rows = [values[start : start + size] for start in starts]
    firsts = torch.stack([part[0] for part in rows])
    tests = [(part[:-1] <= part[1:]).all() for part in (*rows, firsts)]
    return waits.truth(torch.stack(tests).all(), _FACT)


def _sample(values: Tensor) -> Tensor:
    """Some stretches of rows, one after the other; of few rows all."""
    starts, size = _stretches(values.shape[0])
    return values if len(starts) == 1 else torch.cat([values[start : start + size] for start in starts])


def _stretches(count: int) -> tuple[list[int], int]:
    """The first rows of the stretches of a sample, and the rows of each; of few rows all are one."""
    if count <= _SAMPLE_ROWS:
        return [0], count
    size = _SAMPLE_ROWS // _STRETCHES
    return [place * (count - size) // (_STRETCHES - 1) for place in range(_STRETCHES)], size


def _estimate(values: Tensor) -> int:
    """Distinct values, by some stretches of rows spread evenly (Chao's estimator).

    What repeats within a stretch counts once, for one row of as many as repeat there: equal values often lie side by side, and
    rows picked one by one would hardly meet two of them.
    """
    count = values.shape[0]
    starts, size = _stretches(count)
    if len(starts) == 1:
        sample, clusters = values, count
    else:
        sample = torch.cat([waits.unique(values[start : start + size], _FACT) for start in starts])
        clusters = count * sample.shape[0] // (len(starts) * size)
    frequencies = waits.unique(sample, _FACT, return_counts=True)[1]
    seen = frequencies.shape[0]
    once, twice = waits.numbers(torch.stack([(frequencies == times).sum() for times in (1, 2)]), _FACT)
    if once == sample.shape[0]:
        return clusters
    unseen = once * once / (2 * twice) if twice else once * (once - 1) / 2
    return min(clusters, int(seen + unseen))


def _sampled_rows(column: Column, known: int) -> int:
    step = max(1, len(column) // _SAMPLE_ROWS)
    sample = column.data[::step]
    low = sample.min(dim=0).values
    spread = (sample - low) * torch.tensor([1_000_003**place for place in range(sample.shape[1])], device=column.device)
    distinct = _estimate(spread.sum(dim=1))
    return known if distinct * 2 > sample.shape[0] else min(known, distinct)
