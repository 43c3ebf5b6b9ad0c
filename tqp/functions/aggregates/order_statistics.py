"""Values at places of a group's order, and between two of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import Encoding
from tqp.functions.aggregates.fractions import as_double
from tqp.functions.aggregates.grouped import Grouped
from tqp.functions.casts.cast import cast
from tqp.functions.offset_times import in_utc, of_utc
from tqp.kernels import wide
from tqp.kernels.calendar import DAY
from tqp.types import DOUBLE, INTERVAL, TIMESTAMP, TIMETZ, DType, Kind

__all__ = ["between", "between_type", "half", "interval", "middle", "place_at", "places_between", "wide_between"]


_BELOW_64_BITS: Final = math.nextafter(2.0**63, 0.0)


def between_type(dtype: DType) -> DType | None:
    """The type of what lies between two values; None where nothing does."""
    if dtype.is_integer or dtype.kind is Kind.NULL:
        return DOUBLE
    if dtype.kind is Kind.DATE:
        return TIMESTAMP
    is_between = dtype.is_numeric or dtype.is_temporal or dtype == TIMETZ
    return dtype if is_between and dtype.kind is not Kind.TIME_NS else None


def places_between(counts: Tensor, fraction: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The places (groups,) below and above a fraction (1,) float64 of `counts` values, and how far it is from one to the other."""
    last = (counts - 1).clamp(min=0)
    place = last.double() * fraction.abs()
    low, high = place.floor().long(), place.ceil().long()
    share = place - low
    from_above = fraction.signbit()
    return torch.where(from_above, last - low, low), torch.where(from_above, last - high, high), share


def place_at(counts: Tensor, fraction: Column) -> Tensor:
    """The place (groups,) of the least value that a fraction of the others is not above."""
    if fraction.dtype.is_exact:
        unit = 10**fraction.dtype.scale
        share = fraction.data.long().abs()
        left = torch.div(counts * unit - counts * share, unit, rounding_mode="floor")
    else:
        share = fraction.data.abs()
        left = (counts.double() - counts.double() * share).floor().long()
    place = (counts - left).clamp(min=1) - 1
    return torch.where(fraction.data < 0, (counts - 1 - place).clamp(min=0), place)


def between(low: Column, high: Column, share: Tensor, dtype: DType) -> Column:
    """Values (groups,) of `dtype` that lie at a share (groups,) of the way between two, rounded as DuckDB does."""
    if dtype == DOUBLE:
        a, b = as_double(low), as_double(high)
        return Column(torch.where(share == 0, a, a * (1 - share) + b * share), dtype)
    if dtype.kind is Kind.FLOAT:
        apart = (high.data.double() - low.data.double()) * share
        return Column(torch.where(share == 0, low.data, (low.data.double() + apart).float()), dtype)
    if dtype.is_temporal:
        low, high = cast(low, dtype, False), cast(high, dtype, False)
        # An instant in nanoseconds has more digits than a float64.
        return Column(_along(low.data.long(), high.data.long(), share), dtype)
    if dtype == TIMETZ:
        # Of two equal ones it is that, else a time in UTC.
        start, stop = in_utc(low.data), in_utc(high.data)
        found = of_utc(start + _rounded((stop - start).double() * share))
        return Column(torch.where((share == 0) | (low.data == high.data), low.data.long(), found), dtype)
    if dtype == INTERVAL:
        between = interval(_rounded(_micros(low) * (1 - share) + _micros(high) * share))
        return Column(torch.where((share == 0).unsqueeze(-1), low.data, between), dtype)
    if low.is_wide:
        return wide_between(low, high, share, dtype, torch.trunc)
    start, stop = low.data.long(), high.data.long()
    found = (start.double() + (stop - start).double() * share).trunc().long()
    return Column(torch.where(share == 0, start, found), dtype, None, None, low.bounds)


def wide_between(low: Column, high: Column, share: Tensor, dtype: DType, whole: Callable[[Tensor], Tensor]) -> Column:
    """As `between`, of wide numbers; `whole` rounds float64.

    Two that are further apart than 128 bits count are weighed as float64; the last bit of that may be another than DuckDB's.
    """
    apart, too_far = wide.sub_checked(high.data, low.data)
    exact = wide.add(low.data, wide.from_float64(whole(wide.to_float64(apart) * share))[0])
    start, stop = wide.to_float64(low.data), wide.to_float64(high.data)
    rough, _ = wide.from_float64(whole(start + (stop - start) * share))
    return Column(torch.where(too_far.unsqueeze(-1), rough, exact), dtype, None, None, low.bounds, Encoding.WIDE)


def _along(start: Tensor, stop: Tensor, share: Tensor) -> Tensor:
    """What lies at a share (n,) float64 of the way between instants (n,) int64.

    As in DuckDB two that are further apart than 64 bits count are weighed as float64.
    """
    apart = stop - start
    is_beyond = ((stop ^ start) & (apart ^ stop)) < 0
    weighed = start.double() * (1 - share) + stop.double() * share
    found = torch.where(is_beyond, weighed.clamp(-_BELOW_64_BITS, _BELOW_64_BITS), apart.double() * share)
    return torch.where(share == 0, start, _rounded(found) + torch.where(is_beyond, 0, start))


def _micros(column: Column) -> Tensor:
    """The microseconds (n,) float64 of intervals, whose months have 30 days."""
    return ((column.data[:, 0] * 30 + column.data[:, 1]) * DAY + column.data[:, 2]).double()


def interval(micros: Tensor) -> Tensor:
    """Microseconds (n,) int64 as intervals (n, 3) of days and less."""
    days = torch.div(micros, DAY, rounding_mode="trunc")
    return torch.stack((torch.zeros_like(days), days, micros - days * DAY), -1)


def _rounded(values: Tensor) -> Tensor:
    """Float64 as int64, half away from zero."""
    return (values.abs() + 0.5).floor().copysign(values).long()


def middle(rows: Grouped, column: Column, fraction: Tensor, dtype: DType) -> Column:
    """What lies at a fraction of the values of a column: (groups,), of groups without rows anything."""
    *places, share = places_between(rows.counts, fraction)
    low, high = rows.nth(column, places)
    return between(low, high, share, dtype)


def half(rows: Grouped) -> Tensor:
    return torch.full((1,), 0.5, dtype=torch.float64, device=rows.device)
