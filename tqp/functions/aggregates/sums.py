"""Aggregates that add up: exact sums and averages, in 64 bits as long as they fit and then in 128."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import Encoding
from tqp.errors import BindError, ExecutionError
from tqp.functions import decimals, exact
from tqp.functions.aggregates.accumulator import NonNull, add_into, full_range, present, valid_or_zero
from tqp.functions.aggregates.bignums import SUM_OF_BIGNUMS
from tqp.functions.aggregates.registry import Totals, aggregate
from tqp.functions.aggregates.signatures import Types, number, truths
from tqp.functions.aggregates.vectors import AVERAGES, SUMS, is_vector
from tqp.functions.bignums import of_bignums
from tqp.ir.expr import Expr
from tqp.kernels import waits, wide, window
from tqp.kernels.reduce import add_at_, sum_wide
from tqp.types import DOUBLE, HUGEINT, INTERVAL, TIMESTAMP_NS, TIMETZ, DType, Kind, decimal, integer_range

__all__ = ["INTERVALS", "OFFSET_TIMES", "Average", "InstantAverage", "Sum", "divided", "total_over"]

_INT64_MAX = 2**63 - 1
_INT128_MAX = 2**127 - 1
INTERVALS: Final = "avg of intervals"
_INSTANTS: Final = "avg of instants"
OFFSET_TIMES: Final = "avg of times with offsets"


class _ExactSum:
    """Sums of integers, exact in 128 bits.

    They run in int64 while `limit`, a proven limit of every |state|, stays below 2**63; then the states are moved
    into two-limb totals and start anew. So the common case pays one scatter-add and no wide arithmetic. `most` is the same
    limit for these: only where it is beyond 128 bits do additions look for an overflow.
    """

    def __init__(self, groups: int, device: torch.device) -> None:
        self.low = torch.zeros(groups, dtype=torch.int64, device=device)
        self.limit = 0
        self.high: Tensor | None = None
        self.most = 0

    def update(self, column: Column, ids: Tensor | None, rows: int) -> None:
        column = column.expand(rows)
        values = column.data
        if column.valid is not None:
            zero = torch.zeros((), dtype=values.dtype, device=values.device)
            mask = column.valid.unsqueeze(-1) if column.is_wide else column.valid
            values = torch.where(mask, values, zero)
        low, high = column.bounds or ((-_INT128_MAX - 1, _INT128_MAX) if column.is_wide else full_range(values.dtype))
        growth = max(abs(low), abs(high)) * rows
        if column.is_wide or growth > _INT64_MAX:
            self._spill(self._sum_wide(values, ids), growth)
            return
        if self.limit + growth > _INT64_MAX:
            self._flush()
        self.limit += growth
        add_into(self.low, ids, values)

    def _sum_wide(self, values: Tensor, ids: Tensor | None) -> Tensor:
        if ids is None:
            ids = torch.zeros(values.shape[0], dtype=torch.int64, device=values.device)
        return sum_wide(values, ids, self.low.shape[0])

    def _flush(self) -> None:
        self._spill(wide.from_narrow(self.low), self.limit)
        self.low.zero_()
        self.limit = 0

    def _spill(self, part: Tensor, most: int) -> None:
        self.high = self._with(part, most)
        self.most += most

    def _with(self, part: Tensor, most: int) -> Tensor:
        """The totals with sums (groups, 2) of values of which |all together| <= most. ExecutionError beyond 128 bits."""
        if self.high is None:
            return part
        if self.most + most <= _INT128_MAX:
            return wide.add(self.high, part)
        total, overflow = wide.add_checked(self.high, part)
        _refuse(overflow)
        return total

    def merge(self, other: _ExactSum, ids: Tensor | None) -> None:
        # A limit holds for the sum of all values of all groups: also for groups that become one.
        if self.limit + other.limit > _INT64_MAX:
            self._flush()
        self.limit += other.limit
        if ids is None:
            self.low += other.low
        else:
            add_at_(self.low, ids, other.low)
        if other.high is not None:
            into = torch.arange(other.low.shape[0], device=self.low.device) if ids is None else ids
            self._spill(sum_wide(other.high, into, self.low.shape[0]), other.most)

    def pick(self, other: _ExactSum, rows: Tensor) -> None:
        self.low, self.limit = other.low.index_select(0, rows), other.limit
        self.high = None if other.high is None else other.high.index_select(0, rows)
        self.most = other.most

    def put(self, total: Tensor) -> None:
        """Start from totals (groups, 2)."""
        self.high, self.most = total, _INT128_MAX

    def finish(self, dtype: DType, valid: Tensor) -> Column:
        if self.high is None:
            return Column(self.low, dtype, valid, bounds=(-self.limit, self.limit))
        total = Column(self._with(wide.from_narrow(self.low), self.limit), dtype, valid, encoding=Encoding.WIDE)
        return _of_type(total)

    def to_float(self) -> Tensor:
        total = self.low.double()
        return total if self.high is None else total + wide.to_float64(self.high)


def _of_type(total: Column) -> Column:
    """Sums in 128 bits (n,). ExecutionError for a DECIMAL with too many digits."""
    if total.dtype.is_decimal:
        low, high = (wide.scalar(limit, total.device) for limit in integer_range(total.dtype))
        if exact.first_bad(wide.lt(total.data, low) | wide.lt(high, total.data), (total,)) is not None:
            raise ExecutionError(f"overflow in SUM: the result does not fit in {total.dtype}")
    return total


def _sum_types(args: tuple[Expr, ...]) -> Types:
    if len(args) == 1 and args[0].dtype.kind is Kind.BOOLEAN:
        return (DType(Kind.INTEGER),), HUGEINT
    if len(args) == 1 and args[0].dtype.kind is Kind.NULL:
        return (DType(Kind.BIGINT),), HUGEINT
    dtype = number(args, "sum")
    if dtype.is_float or dtype.kind is Kind.UHUGEINT:
        return (DOUBLE,), DOUBLE
    if dtype.is_decimal:
        return (dtype,), decimal(38, dtype.scale)
    return (dtype,), HUGEINT


def _average_types(args: tuple[Expr, ...]) -> Types:
    dtype = number(args, "avg")
    return (DOUBLE if dtype.is_float else dtype,), DOUBLE


def _sum_over(args: tuple[Column, ...], dtype: DType, frame: window.Frame) -> Column:
    (column,) = args
    rows = present(column, frame)
    total = total_over(column, dtype, frame, rows).with_valid(rows > 0)
    return _of_type(total) if total.is_wide else total


def total_over(column: Column, dtype: DType, frame: window.Frame, rows: Tensor) -> Column:
    """The sums of the `rows` (n,) values of each frame."""
    if dtype.is_float:
        return Column(window.frame_float_sum(valid_or_zero(column), frame), dtype)
    values = column.data
    if column.valid is not None:
        mask = column.valid.unsqueeze(-1) if column.is_wide else column.valid
        values = torch.where(mask, values, torch.zeros((), dtype=values.dtype, device=values.device))
    if not column.is_wide:
        low, high = column.bounds or full_range(values.dtype)
        limit = max(abs(low), abs(high)) * _longest(rows)
        if limit <= _INT64_MAX:
            return Column(window.frame_sum(values, frame), dtype, bounds=(-limit, limit))
    sums, overflow = window.frame_sum_wide(values, frame)
    if column.is_wide:
        _refuse(overflow)
    return Column(sums, dtype, encoding=Encoding.WIDE)


def _refuse(overflow: Tensor) -> None:
    """ExecutionError where a sum (n,) leaves 128 bits."""
    if waits.truth(overflow.any(), "an overflow is an error"):
        raise ExecutionError(
            "a sum leaves the range of 128-bit integers", hint="cast the argument to DOUBLE for an approximate sum"
        )


def _longest(rows: Tensor) -> int:
    return waits.number(rows.max(), "the longest frame decides the width of sums") if rows.shape[0] else 0


def _average_over(args: tuple[Column, ...], dtype: DType, frame: window.Frame) -> Column:
    """Exact sum, then one division in float64."""
    (column,) = args
    rows = present(column, frame)
    if column.dtype.is_float:
        total = window.frame_float_sum(valid_or_zero(column), frame)
    else:
        exact_sum = total_over(column, HUGEINT, frame, rows)
        total = wide.to_float64(exact_sum.data) if exact_sum.is_wide else exact_sum.data.double()
    return Column(total / (rows.clamp(min=1).double() * 10.0**column.dtype.scale), DOUBLE, rows > 0)


def _truths(args: tuple[Expr, ...]) -> Types:
    return truths(args, "count_if")[0], HUGEINT


_of_bignums: Final = of_bignums(SUM_OF_BIGNUMS)


def _of_others(args: tuple[Expr, ...]) -> str | None:
    return SUMS if is_vector(args) else _of_bignums(args)


# How many are true; as in DuckDB NULL, and not 0, where all are NULL.
@aggregate("count_if", "countif", types=_truths, over_frames=_sum_over)
@aggregate("sum", types=_sum_types, over_frames=_sum_over, totals=Totals.SUMS, of_parts="sum", instead=_of_others)
class Sum:
    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.dtype = dtype
        self.nonnull = NonNull()
        self.exact = None if dtype.is_float else _ExactSum(groups, device)
        self.total = torch.zeros(groups if dtype.is_float else 0, dtype=torch.float64, device=device)

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        (column,) = args
        self.nonnull.update(column.valid, ids, rows, seen)
        if self.exact is not None:
            self.exact.update(column, ids, rows)
        else:
            add_into(self.total, ids, valid_or_zero(column.expand(rows)))

    def merge(self, other: Sum, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        self.nonnull.merge(other.nonnull, ids, seen, other_seen)
        if self.exact is not None and other.exact is not None:
            self.exact.merge(other.exact, ids)
        elif ids is None:
            self.total += other.total
        else:
            add_at_(self.total, ids, other.total)

    def pick(self, other: Sum, rows: Tensor) -> None:
        self.nonnull.pick(other.nonnull, rows)
        if self.exact is not None and other.exact is not None:
            self.exact.pick(other.exact, rows)
        else:
            self.total = other.total.index_select(0, rows)

    def put(self, total: Tensor | None, count: Tensor | None, limit: int) -> None:
        """Start from sums (groups,) with |sum| <= limit, or wide ones (groups, 2), and counts as `Count.put`."""
        assert total is not None
        self.nonnull.count = count
        if self.exact is None:
            self.total = total
        elif total.ndim == 2:
            self.exact.put(total)
        else:
            self.exact.low, self.exact.limit = total, limit

    def finish(self, seen: Tensor) -> Column:
        valid = self.nonnull.valid(seen)
        if self.exact is not None:
            return self.exact.finish(self.dtype, valid)
        return Column(self.total, self.dtype, valid)


def _of_times(args: tuple[Expr, ...]) -> str | None:
    if len(args) != 1:
        return None
    dtype = args[0].dtype
    if is_vector(args):
        return AVERAGES
    if dtype == TIMETZ:
        return OFFSET_TIMES
    return _INSTANTS if dtype.is_temporal else INTERVALS if dtype == INTERVAL else None


@aggregate("avg", "mean", types=_average_types, over_frames=_average_over, totals=Totals.SUMS, instead=_of_times)
class Average:
    """Exact sum, then one division in float64."""

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.groups = groups
        self.sum: Sum | None = None
        self.scale = 0
        self.device = device

    def share(self, argument: DType, total: Sum) -> None:
        """Take the sum of the same argument that another aggregate keeps up to date."""
        self.scale = argument.scale
        self.sum = total

    def _state(self, argument: DType) -> Sum:
        if self.sum is None:
            self.scale = argument.scale
            self.sum = Sum(DOUBLE if argument.is_float else HUGEINT, self.groups, self.device)
        return self.sum

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        self._state(args[0].dtype).update(args, ids, rows, seen)

    def merge(self, other: Average, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        if other.sum is not None:
            self._like(other, other.sum).merge(other.sum, ids, seen, other_seen)

    def pick(self, other: Average, rows: Tensor) -> None:
        if other.sum is not None:
            self._like(other, other.sum).pick(other.sum, rows)

    def _like(self, other: Average, total: Sum) -> Sum:
        """The own sum, of the other's type."""
        return self._state(DType(Kind.DOUBLE) if total.exact is None else decimal(38, other.scale))

    def put(self, argument: DType, total: Tensor, count: Tensor | None, limit: int) -> None:
        """Start from sums of that type; see `Sum.put`."""
        self._state(argument).put(total, count, limit)

    def finish(self, seen: Tensor) -> Column:
        if self.sum is None:
            return Column(torch.zeros_like(seen, dtype=torch.float64), DOUBLE, torch.zeros_like(seen, dtype=torch.bool))
        total = self.sum.total if self.sum.exact is None else self.sum.exact.to_float()
        count = self.sum.nonnull.total(seen)
        return Column(total / (count.clamp(min=1).double() * 10.0**self.scale), DOUBLE, count > 0)


def _instant_types(args: tuple[Expr, ...]) -> Types:
    if len(args) != 1 or not args[0].dtype.is_temporal:
        raise BindError("the average of instants is that of one date or time")
    dtype = args[0].dtype
    if dtype.kind is Kind.DATE or dtype.is_other_unit and not dtype.counts_nanoseconds:
        dtype = TIMESTAMP_NS
    return (dtype,), dtype


def divided(total: Column, count: Tensor, dtype: DType) -> Column:
    """Sums (n,) by counts (n,) int64, rounded to the nearest, halves toward zero."""
    divisor = count.clamp(min=1)
    if total.is_wide:
        quotient, remainder, _ = wide.divmod_checked(total.data, wide.from_narrow(divisor))
        whole, rest = quotient[..., 1], remainder[..., 1]
    else:
        whole = torch.div(total.data, divisor, rounding_mode="trunc")
        rest = total.data - whole * divisor
    return Column(whole + rest.sign() * (2 * rest.abs() > divisor), dtype, count > 0)


def _instants_over(args: tuple[Column, ...], dtype: DType, frame: window.Frame) -> Column:
    (column,) = args
    rows = present(column, frame)
    return divided(total_over(column, HUGEINT, frame, rows), rows, dtype)


def _decimal_types(args: tuple[Expr, ...]) -> Types:
    if len(args) != 1 or not args[0].dtype.is_decimal:
        raise BindError("decimal_average takes one DECIMAL", hint="write CAST(... AS DECIMAL(18, 2))")
    return (args[0].dtype,), args[0].dtype


@aggregate(_INSTANTS, types=_instant_types, over_frames=_instants_over)
class InstantAverage:
    """The average of timestamps and times: their exact sum in units, divided once."""

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.dtype = dtype
        self.sum = Sum(HUGEINT, groups, device)

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        self.sum.update(args, ids, rows, seen)

    def merge(self, other: InstantAverage, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        self.sum.merge(other.sum, ids, seen, other_seen)

    def pick(self, other: InstantAverage, rows: Tensor) -> None:
        self.sum.pick(other.sum, rows)

    def finish(self, seen: Tensor) -> Column:
        return divided(self.sum.finish(seen), self.sum.nonnull.total(seen), self.dtype)


@aggregate("decimal_average", types=_decimal_types)
class DecimalAverage(InstantAverage):
    """The average of DECIMALs in their own type: their exact sum, divided once, halves to the even one."""

    def finish(self, seen: Tensor) -> Column:
        total, count = self.sum.finish(seen), self.sum.nonnull.total(seen)
        found = decimals.divided_to_even(exact.as_wide(total), wide.from_narrow(count.clamp(min=1)))
        return replace(exact.wide_column(found, self.dtype, integer_range(self.dtype)), valid=count > 0)
