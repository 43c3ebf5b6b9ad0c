"""Functions that count the time between two instants: date_diff, date_sub and age."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError
from tqp.functions.entries import string
from tqp.functions.instants import as_null, days_and_time, infinite, micros_between, micros_of
from tqp.functions.registry import Args, Signature, scalar
from tqp.functions.temporal import instant_type, literal_part
from tqp.functions.unify import is_text_literal, untyped
from tqp.functions.units import MICROS_OF, MONTHS_OF, part_name
from tqp.ir.expr import Expr
from tqp.kernels import calendar, clocks, offsets, waits
from tqp.kernels.calendar import DAY, SECOND
from tqp.kernels.division import floor_rest, trunc_rest
from tqp.types import BIGINT, INTERVAL, TIMESTAMP, TIMESTAMPTZ, VARCHAR, DType, Kind

__all__ = ["count_by_clock", "is_counted"]

_DAYS_OF = {"day": 1, "dow": 1, "isodow": 1, "doy": 1, "julian": 1, "week": 7, "yearweek": 7}
_OF_TIME = (*MICROS_OF, "epoch")
_OF_DATE = (*_OF_TIME, *_DAYS_OF, *MONTHS_OF, "isoyear")


def _pair(first: Expr, second: Expr, what: str) -> DType:
    """The one type in which two instants are compared."""
    if is_text_literal(first) and is_text_literal(second):
        raise BindError(f"{what} of two texts may mean dates or times", hint="write DATE or TIMESTAMP before them")
    first, second = untyped((first, second))
    kinds = (Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)
    one, other = instant_type(first, what, *kinds), instant_type(second, what, *kinds)
    if one == other or first.dtype.kind is Kind.NULL or second.dtype.kind is Kind.NULL:
        return other if first.dtype.kind is Kind.NULL else one
    if Kind.TIME in (one.kind, other.kind):
        raise BindError(f"{what} does not compare {one} and {other}")
    return TIMESTAMPTZ if Kind.TIMESTAMPTZ in (one.kind, other.kind) else TIMESTAMP


def _datediff_types(args: tuple[Expr, ...]) -> Signature:
    """Of sqlglot's node: end, start, unit and marks that do not matter here."""
    if len(args) < 2:
        raise BindError("date_diff takes a part and two instants")
    if len(args) > 2:
        literal_part(args[2])
    dtype = _pair(args[0], args[1], "date_diff")
    return (dtype, dtype, *(arg.dtype for arg in args[2:])), BIGINT


@scalar("datediff", types=_datediff_types)
def _datediff(args: Args, out: DType) -> Column:
    return _boundaries(part_name(string(args[2])) if len(args) > 2 else "day", args[1], args[0])


def _part_first_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 3:
        raise BindError(f"date_diff and date_sub take a part and two instants, not {len(args)} arguments")
    literal_part(args[0])
    dtype = _pair(args[1], args[2], "date_diff")
    return (VARCHAR, dtype, dtype), BIGINT


@scalar("date_diff", types=_part_first_types)
def _date_diff(args: Args, out: DType) -> Column:
    return _boundaries(part_name(string(args[0])), args[1], args[2])


def _boundaries(part: str, start: Column, end: Column) -> Column:
    """How many starts of the period lie between the instants; NULL where one is NULL or infinite."""
    return _counted(_count_boundaries, part, start, end)


def _counted(count: Callable[[str, Column, Column], Tensor], part: str, start: Column, end: Column) -> Column:
    """`count` of the instants that are known and finite; ExecutionError for a part in which their type is not counted."""
    if is_counted(part, start.dtype):
        return as_null(Column(count(part, *_needed(start, end)), BIGINT), infinite(start), infinite(end))
    zeros = (end.data.to(torch.int64) - start.data.to(torch.int64)) * 0
    asked = torch.ones_like(zeros, dtype=torch.bool)
    for valid in (start.valid, end.valid):
        asked = asked if valid is None else asked & valid
    if waits.truth(asked.any(), "a part that the type lacks is an error"):
        raise ExecutionError(
            f"the time between two values of type {start.dtype} has no {part}",
            hint=f"its parts are {', '.join(_parts_of(start.dtype))}",
        )
    return Column(zeros, BIGINT)


def is_counted(part: str, dtype: DType) -> bool:
    """Whether the time between two values of the type is counted in that part."""
    return part in _parts_of(dtype)


def _parts_of(dtype: DType) -> tuple[str, ...]:
    return _OF_TIME if dtype.kind is Kind.TIME else _OF_DATE


def _count_boundaries(part: str, start: Column, end: Column) -> Tensor:
    if part in _OF_TIME:
        unit = MICROS_OF.get(part, SECOND)
        if start.dtype.kind is Kind.DATE and unit >= SECOND:
            # Also of dates that are no timestamps.
            return (end.data.to(torch.int64) - start.data.to(torch.int64)) * (DAY // unit)
        if unit == 1:
            return micros_between(end, start)
        return calendar.floor_div(micros_of(end), unit) - calendar.floor_div(micros_of(start), unit)
    first, last = days_and_time(start)[0], days_and_time(end)[0]
    if part in _DAYS_OF:
        return calendar.trunc_div(last - first, _DAYS_OF[part])
    if part == "isoyear":
        return calendar.field("isoyear", last) - calendar.field("isoyear", first)
    return _period(part, last) - _period(part, first)


def _period(part: str, days: Tensor) -> Tensor:
    year, month, _ = calendar.civil_from_days(days)
    if part in ("month", "quarter"):
        return calendar.trunc_div(year * 12 + month - 1, MONTHS_OF[part])
    return calendar.trunc_div(year, MONTHS_OF[part] // 12)


@scalar("date_sub", "datesub", types=_part_first_types)
def _date_sub(args: Args, out: DType) -> Column:
    """How many whole periods lie between the instants."""
    return _counted(_count_whole, part_name(string(args[0])), args[1], args[2])


def _count_whole(part: str, start: Column, end: Column) -> Tensor:
    if part in MONTHS_OF or part == "isoyear":
        return calendar.trunc_div(_whole_months(micros_of(start), micros_of(end)), MONTHS_OF.get(part, 12))
    unit = _DAYS_OF[part] * DAY if part in _DAYS_OF else MICROS_OF.get(part, SECOND)
    return calendar.trunc_div(micros_between(end, start), unit)


def count_by_clock(part: str, start: Tensor, end: Tensor, zone: tuple[Tensor, Tensor], *, whole: bool) -> Tensor:
    """How many starts of a period, or `whole` periods, lie between instants by the clocks of a zone (`tqp.kernels.clocks`).

    What is shorter than a day passes as it does in UTC.
    """
    if part not in _OF_DATE:
        raise ExecutionError(
            f"the time between two timestamps has no {part}", hint=f"its parts are {', '.join(_OF_DATE)}"
        )
    if whole and (part not in _OF_TIME or part == "hour"):
        # As in ICU, whose times are milliseconds.
        start, end = start - floor_rest(start, 1000), end - trunc_rest(end, 1000)
    if part in _OF_TIME:
        unit = MICROS_OF.get(part, SECOND)
        if not whole and unit > 1:
            start, end = (_truncated(micros, unit, zone) for micros in (start, end))
        return calendar.trunc_div(end - start, unit)
    if not whole:
        # A day that clocks skip does not begin.
        start, end = (_begun(part, micros, zone) for micros in (start, end))
    if part in _DAYS_OF:
        return calendar.trunc_div(clocks.whole_days(start, end, zone), _DAYS_OF[part])
    if part == "isoyear":
        return _iso_years(*(micros + offsets.offsets_at(micros, *zone) for micros in (start, end)))
    return calendar.trunc_div(clocks.whole_months(start, end, zone), MONTHS_OF[part])


def _truncated(micros: Tensor, unit: int, zone: tuple[Tensor, Tensor]) -> Tensor:
    shown = micros + offsets.offsets_at(micros, *zone)
    return offsets.instants(calendar.floor_div(shown, unit) * unit, *zone)


def _begun(part: str, micros: Tensor, zone: tuple[Tensor, Tensor]) -> Tensor:
    """The instant at which the day began, or the period that is longer than a week."""
    days, _ = calendar.split(micros + offsets.offsets_at(micros, *zone))
    if part not in _DAYS_OF:
        days = calendar.truncate(part, days)
    return offsets.instants(days * DAY, *zone)


def _iso_years(start: Tensor, end: Tensor) -> Tensor:
    """Complete years of whole weeks: from a day of a week to the same one."""
    sign = torch.where(end < start, -1, 1)
    years, places = [], []
    for micros in (torch.minimum(start, end), torch.maximum(start, end)):
        days, time = calendar.split(micros)
        years.append(calendar.field("isoyear", days))
        places.append((calendar.field("week", days) * 7 + calendar.field("isodow", days)) * DAY + time)
    return sign * (years[1] - years[0] - (places[1] < places[0]).to(torch.int64))


def _whole_months(start: Tensor, end: Tensor) -> Tensor:
    """Complete months; the last day of a month completes one that began on a later day of the month."""
    sign = torch.where(end < start, -1, 1)
    low, high = torch.minimum(start, end), torch.maximum(start, end)
    low_day, low_time = calendar.split(low)
    high_day, high_time = calendar.split(high)
    low_year, low_month, low_mday = calendar.civil_from_days(low_day)
    high_year, high_month, high_mday = calendar.civil_from_days(high_day)
    length = calendar.days_in_month(high_year, high_month)
    at_end = high_mday == length
    low_mday = torch.where(at_end, torch.minimum(low_mday, length), low_mday)
    short = (high_mday < low_mday) | ((high_mday == low_mday) & (high_time < low_time))
    return sign * ((high_year - low_year) * 12 + high_month - low_month - short.to(torch.int64))


def _needed(start: Column, end: Column) -> tuple[Column, Column]:
    """The instants, 0 in rows where one is NULL or infinite, for what is not asked for cannot fail; valid in the others."""
    used: Tensor | None = None
    for column in (start, end):
        where = infinite(column)
        for mask in (column.valid, None if where is None else ~where):
            if mask is not None:
                used = mask if used is None else used & mask
    if used is None:
        return start, end
    return _zero_unless(used, start), _zero_unless(used, end)


def _zero_unless(used: Tensor, column: Column) -> Column:
    bounds = None if column.bounds is None else (min(column.bounds[0], 0), max(column.bounds[1], 0))
    return replace(column, data=torch.where(used, column.data, 0), valid=used, bounds=bounds)


def _age_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 2:
        raise BindError(f"age takes 2 arguments, not {len(args)}", hint="write age(CURRENT_TIMESTAMP, ...)")
    dtype = _pair(args[0], args[1], "age")
    if dtype.kind is Kind.DATE:
        dtype = TIMESTAMP
    return (dtype, dtype), INTERVAL


@scalar("age", types=_age_types)
def _age(args: Args, out: DType) -> Column:
    return as_null(
        Column(torch.stack(calendar.age(micros_of(args[0]), micros_of(args[1])), -1), out), *map(infinite, args)
    )
