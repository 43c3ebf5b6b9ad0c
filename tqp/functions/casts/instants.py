"""Casts among dates, timestamps of all units and times."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions.casts.absent import no_cast
from tqp.functions.instants import (
    MAX_DAYS,
    OUT_OF_RANGE,
    as_null,
    check_days,
    finite,
    infinite,
    micros_of,
    of_day,
    restored,
)
from tqp.kernels import calendar, waits
from tqp.kernels.calendar import DAY, FIRST_INSTANT, INFINITE_INSTANT, SECOND
from tqp.kernels.division import floor_rest
from tqp.types import (
    TIME,
    TIME_NS,
    TIMESTAMP,
    TIMESTAMP_NS,
    TIMESTAMP_S,
    TIMESTAMPTZ,
    TIMESTAMPTZ_NS,
    UNITS_A_SECOND,
    DType,
    Kind,
)

__all__ = ["cast_temporal"]

_CASTS = {
    Kind.DATE: (Kind.TIMESTAMP, Kind.TIMESTAMPTZ),
    Kind.TIME: (),
    Kind.TIMESTAMP: (Kind.DATE, Kind.TIME, Kind.TIMESTAMPTZ),
    Kind.TIMESTAMPTZ: (Kind.DATE, Kind.TIMESTAMP),
}


def cast_temporal(column: Column, to: DType, safe: bool) -> Column:
    """DATE, timestamps of all units and TIMESTAMPTZ (in UTC) into one another, timestamps to TIME.

    A date beyond the range of timestamps raises ExecutionError, or becomes NULL if `safe`; so does any value of a pair
    of types that has no cast, as in DuckDB.
    """
    kind = column.dtype.kind
    if kind is to.kind:
        return column
    if TIME_NS in (column.dtype, to):
        return _cast_time(column, to, safe)
    if column.dtype.is_other_unit or to.is_other_unit:
        return _cast_units(column, to, safe)
    if to.kind not in _CASTS.get(kind, ()):
        return no_cast(column, to, safe)
    where = infinite(column)
    result = _cast(finite(column, where), to, safe)
    if to.kind is not Kind.TIME:
        return restored(result, column, where)
    used = where if where is None or column.valid is None else where & column.valid
    if used is not None and not safe and not waits.none(used, OUT_OF_RANGE):
        raise ExecutionError("an infinite timestamp has no TIME", hint="TRY_CAST gives NULL instead")
    return as_null(result, where)


def _cast_time(column: Column, to: DType, safe: bool) -> Column:
    """TIME_NS to and from TIME, and of a TIMESTAMP_NS."""
    data = column.data.to(torch.int64)
    if column.dtype == TIME:
        return replace(column, data=data * 1000, dtype=to, bounds=(0, DAY * 1000))
    if to == TIME and column.dtype == TIME_NS:
        return replace(column, data=calendar.floor_div(data + 500, 1000), dtype=to, bounds=(0, DAY))
    if column.dtype != TIMESTAMP_NS:
        return no_cast(column, to, safe)
    where = infinite(column)
    used = where if where is None or column.valid is None else where & column.valid
    if used is not None and not safe and not waits.none(used, OUT_OF_RANGE):
        raise ExecutionError("an infinite timestamp has no TIME_NS", hint="TRY_CAST gives NULL instead")
    time = floor_rest(finite(column, where).data.to(torch.int64), DAY * 1000)
    return as_null(Column(time, to, column.valid, None, (0, DAY * 1000)), where)


def _cast_units(column: Column, to: DType, safe: bool) -> Column:
    """By way of microseconds, where one of the two is no timestamp, or just one has a time zone."""
    have = column.dtype
    if have == TIMESTAMP_NS and to == TIMESTAMP_S:
        return no_cast(column, to, safe)
    if TIMESTAMPTZ_NS in (have, to) and have.counts_nanoseconds and to.counts_nanoseconds:
        return replace(column, dtype=to)
    if {have.in_microseconds, to.in_microseconds} not in ({TIMESTAMP}, {TIMESTAMPTZ}):
        middle = have.in_microseconds
        return cast_temporal(cast_temporal(cast_temporal(column, middle, safe), to.in_microseconds, safe), to, safe)
    where = infinite(column)
    plain = finite(column, where)
    units, want = UNITS_A_SECOND[column.dtype.kind], UNITS_A_SECOND[to.kind]
    data = plain.data.to(torch.int64)
    bounds = plain.bounds
    if want < units:
        unit = units // want
        whole = calendar.trunc_div(data, unit)
        rest = data - whole * unit
        rounded = whole + torch.where(rest.abs() * 2 >= unit, rest.sign(), 0)
        # As in DuckDB what is rounded up is an instant of microseconds as well.
        most = (INFINITE_INSTANT - 1) * want // SECOND
        valid = column.valid
        if bounds is None or bounds[1] // unit >= most:
            valid = _within(column, to, rounded > most, safe)
        bounds = None if bounds is None else (bounds[0] // unit - 1, bounds[1] // unit + 1)
        return restored(replace(plain, data=rounded, dtype=to, valid=valid, bounds=bounds), column, where)
    unit = want // units
    most = (INFINITE_INSTANT - 1) // unit
    bad = data.abs() > most if to.is_other_unit else (data > most) | (data < -(-FIRST_INSTANT // unit))
    valid = _within(column, to, bad, safe)
    known = bounds is not None and not safe and max(map(abs, bounds)) <= most
    bounds = (bounds[0] * unit, bounds[1] * unit) if known and bounds is not None else None
    return restored(Column(torch.where(bad, 0, data) * unit, to, valid, None, bounds), column, where)


def _within(column: Column, to: DType, beyond: Tensor, safe: bool) -> Tensor | None:
    """Which values are NULL, also those `beyond` the type where `safe`; else these are an ExecutionError."""
    if safe:
        return ~beyond if column.valid is None else column.valid & ~beyond
    if not waits.none(beyond if column.valid is None else beyond & column.valid, OUT_OF_RANGE):
        raise ExecutionError(f"a {column.dtype} is beyond what {to} holds", hint="TRY_CAST gives NULL instead")
    return column.valid


def _cast(column: Column, to: DType, safe: bool) -> Column:
    if column.dtype.kind is Kind.DATE:
        bounds = column.bounds
        proven = bounds is not None and -MAX_DAYS <= bounds[0] and bounds[1] <= MAX_DAYS
        if safe and not proven:
            fits = column.data.long().abs() <= MAX_DAYS
            column = replace(column, valid=fits if column.valid is None else column.valid & fits)
        check_days(column.data, column.valid, bounds)
        limits = (bounds[0] * DAY, bounds[1] * DAY) if proven and bounds is not None else None
        return replace(column, data=micros_of(column), dtype=to, bounds=limits)
    if to.kind is Kind.DATE:
        data, limits = of_day(column, lambda days: days)
        width = torch.int32 if data.dtype == torch.int64 else data.dtype
        return replace(column, data=data.to(width), dtype=to, bounds=limits)
    if to.kind is Kind.TIME:
        return replace(column, data=calendar.split(column.data.to(torch.int64))[1], dtype=to, bounds=(0, DAY - 1))
    return replace(column, dtype=to)
