"""Dates and timestamps as days and microseconds: infinity, moves by intervals and differences.

`infinity` and `-infinity` are numbers beyond all others. Moved and truncated they stay what they are; nothing else is known
of them, so a function of an infinite instant computes on 0 in its place and then restores it or gives NULL. Where bounds say
that no instant is infinite, none of this costs anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import Bounds, narrowest
from tqp.errors import ExecutionError
from tqp.functions.offset_times import clock, of_clock, offset_of
from tqp.kernels import calendar, waits
from tqp.kernels.calendar import DAY, INFINITE_DAY, INFINITE_INSTANT
from tqp.kernels.division import floor_rest, steps
from tqp.types import (
    BIGINT,
    INTERVAL,
    TIME,
    TIME_NS,
    TIMESTAMP,
    TIMESTAMP_NS,
    TIMESTAMPTZ_NS,
    TIMETZ,
    UNITS_A_SECOND,
    Kind,
)

__all__ = [
    "INFINITY", "MAX_DAYS", "OUT_OF_RANGE", "add_interval", "as_null", "at_time", "check_days", "date_difference", "days_and_time",
    "finite", "floored", "infinite", "micros_between", "micros_of", "of_day", "restored", "with_nanoseconds",
]  # fmt: skip

INFINITY: Final = {
    Kind.DATE: INFINITE_DAY,
    **dict.fromkeys(UNITS_A_SECOND, INFINITE_INSTANT),
}
"""What `infinity` is stored as; its negative is `-infinity`."""
OUT_OF_RANGE: Final = "an instant out of range is an error"
"""Why a host waits for the question whether there is one."""
MAX_DAYS: Final = 106_751_991
"""As many days before and after 1970 fit 64 bits as microseconds."""
_TABLE: Final = 1 << 17  # days in a lookup table: 350 years, within an L2 cache


# Infinity -----------------------------------------------------------------------------------------------------------


def infinite(column: Column) -> Tensor | None:
    """Where the instants are infinite; None where bounds, width or type say: nowhere."""
    limit = INFINITY.get(column.dtype.kind)
    if limit is None or column.data.dtype.itemsize < (4 if limit == INFINITE_DAY else 8):
        return None
    if column.bounds is not None and -limit < column.bounds[0] and column.bounds[1] < limit:
        return None
    return (column.data == limit) | (column.data == -limit)


def finite(column: Column, where: Tensor | None) -> Column:
    """The column with 0 in place of its infinite instants, which are at `where` (see `infinite`)."""
    if where is None:
        return column
    return replace(column, data=torch.where(where, 0, column.data), bounds=None)


def as_null(result: Column, *where: Tensor | None) -> Column:
    """The result, NULL wherever an instant is infinite."""
    for mask in where:
        if mask is not None:
            known = ~mask if result.valid is None else result.valid & ~mask
            if known.ndim and result.is_constant:
                result = result.expand(len(known))
            result = replace(result, valid=known)
    return result


def restored(result: Column, source: Column, where: Tensor | None) -> Column:
    """The result, a column of instants, with the infinities of the column that it was made of."""
    if where is None:
        return result
    limit = INFINITY[result.dtype.kind]
    width = torch.int32 if limit == INFINITE_DAY else torch.int64
    ends = torch.where(source.data > 0, torch.tensor(limit, dtype=width, device=source.device), -limit).to(width)
    bounds = None if result.bounds is None else (-limit, limit)
    return replace(result, data=torch.where(where, ends, result.data.to(width)), bounds=bounds)


# Days and microseconds ----------------------------------------------------------------------------------------------


def micros_of(column: Column) -> Tensor:
    """The instants in microseconds, infinite ones too; ExecutionError for a date that is no timestamp."""
    if column.dtype.kind is not Kind.DATE:
        return column.data.to(torch.int64)
    where = infinite(column)
    plain = finite(column, where)
    check_days(plain.data.to(torch.int64), plain.valid, plain.bounds)
    micros = Column(plain.data.to(torch.int64) * DAY, TIMESTAMP)
    return restored(micros, column, where).data


def days_and_time(column: Column) -> tuple[Tensor, Tensor]:
    """The days and the microseconds within the day, both int64, of DATE, TIME, TIMESTAMP or TIMESTAMPTZ."""
    micros = column.data.to(torch.int64)
    if column.dtype.kind is Kind.DATE:
        return micros, torch.zeros_like(micros)
    return (torch.zeros_like(micros), micros) if column.dtype.kind is Kind.TIME else calendar.split(micros)


def of_day(
    column: Column, compute: Callable[[Tensor], Tensor], limits: Bounds | None = None
) -> tuple[Tensor, Bounds | None]:
    """A function of the day, in the narrowest width, with its bounds.

    `compute` is monotone, or `limits` bound its results. With few days between the bounds it runs once per day.
    """
    data, ends = column.data, column.bounds
    unit = 1 if column.dtype.kind is Kind.DATE else DAY
    bounds = None if ends is None else (ends[0] // unit, ends[1] // unit)
    if limits is None and bounds is not None:
        low, high = compute(
            torch.tensor(bounds, dtype=torch.int64, device="cpu")
        ).tolist()  # host: constants on the CPU
        limits = (low, high)
    width = (narrowest(*limits) if limits else None) or torch.int64
    span = _TABLE if bounds is None else bounds[1] - bounds[0] + 1
    if ends is None or bounds is None or column.is_constant or span > min(_TABLE, data.numel()):
        days = data.to(torch.int64)
        return compute(days if unit == 1 else calendar.floor_div(days, unit)).to(width), limits
    table = compute(torch.arange(bounds[0], bounds[1] + 1, dtype=torch.int64, device=data.device)).to(width)
    if unit > 1:
        index = steps(data.to(torch.int64), unit, ends)
    else:
        index = (data - bounds[0] if data.dtype == torch.int64 else data.to(torch.int32) - bounds[0]).to(torch.int32)
    if column.valid is not None:
        index = index.clamp(0, span - 1)  # where NULL, the day may be anything
    return table.index_select(0, index), limits


# Arithmetic ---------------------------------------------------------------------------------------------------------


def check_days(days: Tensor, valid: Tensor | None, bounds: Bounds | None) -> None:
    """Raise ExecutionError where a day is no timestamp."""
    if bounds is not None and -MAX_DAYS <= bounds[0] and bounds[1] <= MAX_DAYS:
        return
    # A narrow tensor would wrap the limit that it is compared with.
    bad = days.long().abs() > MAX_DAYS
    if not waits.none(bad if valid is None else bad & valid, OUT_OF_RANGE):
        raise ExecutionError("date and time not in timestamp range")


def floored(column: Column) -> Column:
    """Instants and times of nanoseconds in microseconds, rounded down, where a cast rounds to the nearest; others unchanged."""
    if column.dtype == TIME_NS:
        time = calendar.floor_div(column.data.to(torch.int64), 1000)
        return replace(column, data=time, dtype=TIME, bounds=(0, DAY))
    if not column.dtype.counts_nanoseconds:
        return column
    where = infinite(column)
    plain = finite(column, where)
    bounds = None if plain.bounds is None else (plain.bounds[0] // 1000, plain.bounds[1] // 1000)
    data = calendar.floor_div(plain.data.to(torch.int64), 1000)
    return restored(replace(plain, data=data, dtype=column.dtype.in_microseconds, bounds=bounds), column, where)


def with_nanoseconds(micros: Column, source: Column) -> Column:
    """Instants of microseconds, made of the `floored` ones of `source`, with what that has behind these, and its infinities.

    ExecutionError where 64 bits do not hold the nanoseconds.
    """
    where = infinite(source)
    rest = floor_rest(finite(source, where).data.to(torch.int64), 1000)
    bounds = micros.bounds
    most = INFINITE_INSTANT // 1000 - 1
    data = micros.data.to(torch.int64)
    if bounds is None or not -most <= bounds[0] <= bounds[1] <= most:
        far = data.abs() > most
        far = far if where is None else far & ~where
        if not waits.none(far if micros.valid is None else far & micros.valid, OUT_OF_RANGE):
            raise ExecutionError("date and time not in the range of timestamps of nanoseconds")
        bounds = (-most, most)
        data = torch.where(far, 0, data)
    dtype = TIMESTAMPTZ_NS if micros.dtype.kind is Kind.TIMESTAMPTZ else TIMESTAMP_NS
    limits = (bounds[0] * 1000, bounds[1] * 1000 + 999)
    return restored(Column(data * 1000 + rest, dtype, micros.valid, None, limits), source, where)


def add_interval(column: Column, interval: Column, sign: int) -> Column:
    """DATE, TIMESTAMP or TIMESTAMPTZ plus (`sign` 1) or minus (-1) an INTERVAL: TIMESTAMP(TZ); TIME and nanoseconds stay.

    Months first, to the last day of a shorter month; then days; then microseconds. NULL where one is NULL.
    """
    if column.dtype == TIMETZ:
        return of_clock(add_interval(clock(column), interval, sign), offset_of(column.data))
    if column.dtype.counts_nanoseconds:
        return with_nanoseconds(add_interval(floored(column), interval, sign), column)
    where = infinite(column)
    return restored(_moved(finite(column, where), interval, sign), column, where)


def _moved(column: Column, interval: Column, sign: int) -> Column:
    valid = column.valid if interval.valid is None else interval.valid
    if column.valid is not None and interval.valid is not None:
        valid = column.valid & interval.valid
    months, days, micros = (sign * unit for unit in interval.data.unbind(-1))
    if column.dtype.kind is Kind.TIME:
        time = torch.remainder(column.data.to(torch.int64) + micros, DAY)
        return Column(time, TIME, valid, None, (0, DAY - 1))
    out = TIMESTAMP if column.dtype.kind is Kind.DATE else column.dtype
    if interval.is_constant and interval.valid is None:
        # Read also where that is a wait: what is known of the result, and so its width, is the same on every device.
        parts = interval.data
        known = parts.tolist() if parts.is_cpu else waits.numbers(parts, "an interval for all rows")  # host: constants
        shift = [sign * unit for unit in known]
        return replace(_add_constant(column, shift, valid), dtype=out)
    day, time = days_and_time(column)
    more, rest = calendar.split(micros)
    day = calendar.add_months(day, months) + days + more
    return Column(_micros(day, time + rest, valid), out, valid)


def _add_constant(column: Column, shift: Sequence[int], valid: Tensor | None) -> Column:
    """`add_interval` of known months, days and microseconds. It is monotone in days, so that bounds carry over.

    Not in times of day: a month before March 29th 12:00 is after a month before March 31st 10:00.
    """
    months, days, micros = shift
    date = column.dtype.kind is Kind.DATE

    def add(values: Tensor) -> Tensor:
        if not months:
            return values * (DAY if date else 1) + (days * DAY + micros)
        day, time = (values, 0) if date else calendar.split(values)
        return (calendar.add_months(day, months) + days) * DAY + time + micros

    bounds = column.bounds
    # A margin keeps the sum of the parts within 64 bits.
    unit = 1 if date else DAY
    safe = bounds is not None and abs(months) < 10**6 and abs(days) < 10**7 and abs(micros) < 10**7 * DAY
    if safe and bounds is not None and max(map(abs, bounds)) // unit < 5 * 10**7:
        low, high = bounds
        if months and not date:
            low, high = low // DAY * DAY, high // DAY * DAY + DAY - 1
        low, high = add(
            torch.tensor((low, high), dtype=torch.int64, device="cpu")
        ).tolist()  # host: constants on the CPU
        if date and not column.is_constant:
            data, limits = of_day(column, add)
            return Column(data, TIMESTAMP, valid, None, limits)
        return Column(add(column.data.to(torch.int64)), TIMESTAMP, valid, None, (low, high))
    day, time = days_and_time(column)
    more, rest = divmod(micros, DAY)
    day = calendar.add_months(day, months) + (days + more)
    return Column(_micros(day, time + rest, valid), TIMESTAMP, valid)


def at_time(date: Column, time: Column) -> Column:
    """DATE + TIME as a TIMESTAMP; ExecutionError where that is none."""
    where = infinite(date)
    plain = finite(date, where)
    valids = [column.valid for column in (date, time) if column.valid is not None]
    valid = valids[0] & valids[-1] if valids else None
    micros = _micros(plain.data.to(torch.int64), time.data.to(torch.int64), valid)
    return restored(Column(micros, TIMESTAMP), date, where)


def _micros(days: Tensor, time: Tensor, valid: Tensor | None) -> Tensor:
    """Days and microseconds, of up to some days, as one number; ExecutionError where that is no timestamp."""
    more, rest = calendar.split(time)
    days = days + more
    bad = (days.abs() > MAX_DAYS) | ((days == MAX_DAYS) & (rest >= INFINITE_INSTANT - MAX_DAYS * DAY))
    if not waits.none(bad if valid is None else bad & valid, OUT_OF_RANGE):
        raise ExecutionError("date and time not in timestamp range")
    return days * DAY + rest


def date_difference(a: Column, b: Column) -> Column:
    """DATE - DATE: days as BIGINT; of timestamps (or mixed): INTERVAL of days and microseconds. NULL if one is.

    ExecutionError for timestamps whose difference leaves 64 bits of microseconds.
    """
    valid = a.valid if b.valid is None else b.valid if a.valid is None else a.valid & b.valid
    if a.dtype.kind is Kind.DATE and b.dtype.kind is Kind.DATE:
        bounds = None
        if a.bounds is not None and b.bounds is not None:
            bounds = (a.bounds[0] - b.bounds[1], a.bounds[1] - b.bounds[0])
        data = a.data.to(torch.int64) - b.data.to(torch.int64)
        width = narrowest(*bounds) if bounds is not None else None
        return Column(data if width is None or valid is not None else data.to(width), BIGINT, valid, None, bounds)
    for where in (infinite(a), infinite(b)):
        if where is not None and not waits.none(where if valid is None else where & valid, OUT_OF_RANGE):
            raise ExecutionError("cannot subtract infinite timestamps")
    micros = micros_between(a, b)
    days = calendar.trunc_div(micros, DAY)
    return Column(torch.stack((torch.zeros_like(days), days, micros - days * DAY), -1), INTERVAL, valid)


def micros_between(end: Column, start: Column) -> Tensor:
    """The microseconds from one instant to the other, int64.

    ExecutionError where they leave 64 bits, or where a date is no timestamp, in a row in which neither is NULL.
    """
    left, right = micros_of(end), micros_of(start)
    micros = left - right
    if not _may_wrap(end, start):
        return micros
    # It wrapped where the operands have different signs and the result has not the first one's.
    wrapped = ((left ^ right) & (left ^ micros)) < 0
    for valid in (end.valid, start.valid):
        wrapped = wrapped if valid is None else wrapped & valid
    if not waits.none(wrapped, OUT_OF_RANGE):
        raise ExecutionError("the difference of two timestamps is beyond 64 bits of microseconds")
    return micros


def _may_wrap(end: Column, start: Column) -> bool:
    if end.bounds is None or start.bounds is None:
        return True
    (low, high), (least, most) = (
        tuple(bound * (DAY if column.dtype.kind is Kind.DATE else 1) for bound in column.bounds or ())
        for column in (end, start)
    )
    return narrowest(low - most, high - least) is None
