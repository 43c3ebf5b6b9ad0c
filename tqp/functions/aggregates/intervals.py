"""The average of intervals: months, days and microseconds are added up by themselves, and divided as DuckDB does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import Bounds
from tqp.errors import BindError, ExecutionError
from tqp.functions.aggregates.accumulator import present
from tqp.functions.aggregates.registry import aggregate
from tqp.functions.aggregates.signatures import Types
from tqp.functions.aggregates.sums import INTERVALS, Sum, total_over
from tqp.ir.expr import Expr
from tqp.kernels import waits, wide, window
from tqp.kernels.calendar import DAY
from tqp.types import BIGINT, HUGEINT, INTEGER, INTERVAL, DType, integer_range

__all__ = ["IntervalAverage"]

_MONTH = 30
_FIELDS = (INTEGER, INTEGER, BIGINT)
"""What months, days and microseconds fit in, their sums too."""


def _types(args: tuple[Expr, ...]) -> Types:
    if len(args) != 1 or args[0].dtype != INTERVAL:
        raise BindError("the average of intervals is that of one interval")
    return (INTERVAL,), INTERVAL


def _fields(column: Column) -> list[Column]:
    """Months, days and microseconds (n,) of intervals (n,)."""
    return [
        Column(part.contiguous(), dtype, column.valid, bounds=integer_range(dtype))
        for part, dtype in zip(column.data.unbind(-1), _FIELDS, strict=True)
    ]


def _divided(totals: Sequence[Column], count: Tensor) -> Column:
    """Sums (groups,) of months, days and microseconds by counts (groups,) int64.

    What is left of months counts in days, what is left of days in microseconds, each rounded toward zero. What is left of the
    microseconds is added as it is, as in DuckDB. ExecutionError where a sum leaves the range of its part.
    """
    some, by = count > 0, count.clamp(min=1)
    months, days, micros = (
        _within(total, integer_range(dtype), some) for total, dtype in zip(totals, _FIELDS, strict=True)
    )
    month, rest = _split(months, by)
    day, left = _split(days, by)
    of_rest, left_of_rest = _split(rest * _MONTH, by)
    micro, left_micros = _split(micros, by)
    of_days, _ = _split((left + left_of_rest) * DAY, by)
    own = micro + left_micros
    time = of_days + own
    _refuse(((time ^ own) & (time ^ of_days) < 0) & some)
    return Column(torch.stack((month, day + of_rest, time), -1), INTERVAL, some)


def _within(total: Column, limits: Bounds, some: Tensor) -> Tensor:
    """Sums (groups,) as int64; ExecutionError where one of `some` leaves the limits."""
    low, high = limits
    if not total.is_wide:
        _refuse(((total.data < low) | (total.data > high)) & some)
        return total.data
    least, greatest = (wide.scalar(limit, total.device) for limit in limits)
    _refuse((wide.lt(total.data, least) | wide.lt(greatest, total.data)) & some)
    return total.data[..., 1]


def _refuse(wrong: Tensor) -> None:
    if waits.truth(wrong.any(), "an overflow is an error"):
        raise ExecutionError("overflow in AVG: a sum of intervals leaves their range")


def _split(total: Tensor, by: Tensor) -> tuple[Tensor, Tensor]:
    """The quotient toward zero, and what is left."""
    whole = torch.div(total, by, rounding_mode="trunc")
    return whole, total - whole * by


def _over(args: tuple[Column, ...], dtype: DType, frame: window.Frame) -> Column:
    (column,) = args
    rows = present(column, frame)
    return _divided([total_over(part, HUGEINT, frame, rows) for part in _fields(column)], rows)


@aggregate(INTERVALS, types=_types, over_frames=_over)
class IntervalAverage:
    """Three exact sums, divided once."""

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.sums = [Sum(HUGEINT, groups, device) for _ in _FIELDS]

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        for total, part in zip(self.sums, _fields(args[0].expand(rows)), strict=True):
            total.update((part,), ids, rows, seen)

    def merge(self, other: IntervalAverage, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        for mine, theirs in zip(self.sums, other.sums, strict=True):
            mine.merge(theirs, ids, seen, other_seen)

    def pick(self, other: IntervalAverage, rows: Tensor) -> None:
        for mine, theirs in zip(self.sums, other.sums, strict=True):
            mine.pick(theirs, rows)

    def finish(self, seen: Tensor) -> Column:
        totals = [replace(total.finish(seen), valid=None) for total in self.sums]
        return _divided(totals, self.sums[0].nonnull.total(seen))
