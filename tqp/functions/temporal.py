"""Date and time functions, on tensors. A time zone other than UTC is not known here."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import clipped, narrowest
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions.by_value import by_value
from tqp.functions.entries import string
from tqp.functions.instants import (
    MAX_DAYS,
    as_null,
    check_days,
    days_and_time,
    finite,
    floored,
    infinite,
    micros_of,
    of_day,
    restored,
)  # fmt: skip
from tqp.functions.offset_times import clock, offset_of
from tqp.functions.registry import Args, Rises, Signature, TypeRule, expect, scalar
from tqp.functions.units import MICROS_OF, MONTHS_OF, part_name
from tqp.ir.expr import Expr, Literal
from tqp.kernels import calendar, waits
from tqp.kernels.calendar import DAY, HOUR, MINUTE, SECOND
from tqp.kernels.division import digit, floor_rest, trunc_rest
from tqp.types import BIGINT, DOUBLE, TIME, TIME_NS, TIMESTAMP, TIMETZ, VARCHAR, DType, Kind

__all__ = ["instant_type", "literal_part", "part_of", "part_signature"]

_TIME_OF_DAY = {
    # divisor, and modulus before the division
    "hour": (HOUR, DAY), "minute": (MINUTE, HOUR), "second": (SECOND, MINUTE), "millisecond": (1000, MINUTE),
    "microsecond": (1, MINUTE),
}  # fmt: skip
_LIMITS = {
    "month": (1, 12), "day": (1, 31), "dow": (0, 6), "isodow": (1, 7), "week": (1, 53), "doy": (1, 366),
    "quarter": (1, 4), "era": (0, 1),
}  # fmt: skip
_NO_DATE_PARTS = ("epoch", "julian", "timezone", "timezone_hour", "timezone_minute", *MICROS_OF)
_JULIAN_EPOCH = 2440588
_FIRST_WHOLE = -106_000_000  # from this day on the period of a day begins within the timestamps


def literal_part(expr: Expr) -> str:
    if not isinstance(expr, Literal) or not isinstance(expr.value, str):
        raise UnsupportedError("the date part is not a literal", hint="write it as 'month', say")
    return part_name(expr.value)


def instant_type(expr: Expr, what: str, *kinds: Kind) -> DType:
    """The type of a date or time argument; a NULL counts as a TIMESTAMP, a timestamp of another unit as one of microseconds."""
    if expr.dtype.kind is Kind.NULL:
        return TIMESTAMP
    if expr.dtype.is_other_unit:
        return expr.dtype.in_microseconds
    if expr.dtype.kind not in (kinds or (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)):
        raise BindError(f"{what} does not take {expr.dtype}", hint="write CAST(... AS DATE) or CAST(... AS TIMESTAMP)")
    return expr.dtype


def _part_name(name: str, known: str, kind: str) -> str:
    """The canonical name of a part, which is among those that are `known` of values of a type."""
    try:
        part = part_name(name)
    except BindError as error:
        raise ExecutionError(error.message, hint=error.hint) from None
    if part not in known.split():
        raise ExecutionError(f"a value of type {kind} has no {part}", hint=f"its parts are {known.replace(' ', ', ')}")
    return part


by_value("date_part_name", VARCHAR, VARCHAR, VARCHAR, VARCHAR)(_part_name)


# EXTRACT ------------------------------------------------------------------------------------------------------------


def part_signature(part: str, expr: Expr) -> Signature:
    """The types of a part of an instant or interval."""
    kinds = (Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.INTERVAL)
    dtype = (
        expr.dtype
        if expr.dtype.counts_nanoseconds or expr.dtype in (TIME_NS, TIMETZ)
        else instant_type(expr, part, *kinds)
    )
    on_interval = dtype.kind is Kind.INTERVAL and part not in (*MONTHS_OF, *MICROS_OF, "day", "epoch")
    on_time = dtype in (TIME, TIME_NS, TIMETZ) and part not in (*MICROS_OF, "epoch") and not part.startswith("timezone")
    if on_interval or on_time:
        raise BindError(f"a value of type {dtype} has no {part}")
    return (dtype,), DOUBLE if part in ("epoch", "julian") else BIGINT


def part_of(part: str, column: Column, out: DType) -> Column:
    """A part of instants or intervals, those of TIMESTAMPTZ in UTC; NULL of infinite ones, and nanoseconds rounded down."""
    if column.dtype == TIMETZ:
        if part.startswith("timezone"):
            return Column(_part_of_offset(part, offset_of(column.data)), out)
        column = clock(column)
    column = floored(column)
    if column.dtype.kind is Kind.INTERVAL:
        return Column(_of_interval(part, column.data), out)
    where = infinite(column)
    if column.dtype.kind is Kind.DATE and part.startswith("timezone"):
        asked = torch.ones_like(column.data, dtype=torch.bool) if where is None else ~where
        if waits.truth(
            (asked if column.valid is None else asked & column.valid).any(), "a part that a date lacks is an error"
        ):
            raise ExecutionError(f"a value of type {column.dtype} has no {part}")
    return as_null(_field(part, finite(column, where), out), where)


def _part_of_offset(part: str, seconds: Tensor) -> Tensor:
    match part:
        case "timezone_hour":
            return calendar.trunc_div(seconds, 3600)
        case "timezone_minute":
            return calendar.trunc_div(trunc_rest(seconds, 3600), 60)
    return seconds


def _field(part: str, column: Column, out: DType) -> Column:
    if part == "epoch" and column.dtype.kind is Kind.DATE:
        return Column(column.data.to(torch.float64) * (DAY // SECOND), out)
    if part == "epoch":
        return Column(micros_of(column).to(torch.float64) / SECOND, out)
    if part == "julian":
        days, time = days_and_time(column)
        return Column((days + _JULIAN_EPOCH).to(torch.float64) + time.to(torch.float64) / DAY, out)
    if part.startswith("timezone") or (part in MICROS_OF and column.dtype.kind is Kind.DATE):
        return Column(torch.zeros_like(column.data, dtype=torch.int8), out, None, None, (0, 0))
    if part in MICROS_OF:
        divisor, modulus = _TIME_OF_DAY[part]
        is_time = column.dtype.kind is Kind.TIME
        # The hour of 24:00:00 is 24.
        limits = (0, modulus // divisor - (not is_time or part != "hour"))
        width = narrowest(*limits) or torch.int64
        micros = micros_of(column)
        if is_time and part == "hour":
            data = calendar.floor_div(micros, divisor).to(width)
        else:
            data = digit(micros, divisor, modulus // divisor, column.bounds, width)
        return Column(data, out, None, None, limits)
    data, bounds = of_day(column, lambda days: calendar.field(part, days), _LIMITS.get(part))
    return Column(data, out, None, None, bounds)


_RISING = ("year", "decade", "century", "millennium", "isoyear")
"""Parts of dates that never fall from one day to the next."""


def _of_interval(part: str, interval: Tensor) -> Tensor:
    months, days, micros = interval.unbind(-1)
    match part:
        case "month":
            return trunc_rest(months, 12)
        case "quarter":
            return calendar.trunc_div(trunc_rest(months, 12), 3) + 1
        case "day":
            return days
        case "epoch":
            years, rest = calendar.trunc_div(months, 12), trunc_rest(months, 12)
            whole = years * 31_557_600 + (rest * 30 + days) * 86400  # a year has 365.25 days here, a month 30
            return whole.to(torch.float64) + micros.to(torch.float64) / SECOND
        case "hour":
            return calendar.trunc_div(micros, HOUR)
    if part in MONTHS_OF:
        return calendar.trunc_div(months, MONTHS_OF[part])
    divisor, modulus = _TIME_OF_DAY[part]
    return calendar.trunc_div(trunc_rest(micros, modulus), divisor)


def _named_part_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 2:
        raise BindError(f"extract takes a part and a value, not {len(args)} arguments")
    wanted, out = part_signature(literal_part(args[0]), args[1])
    return (VARCHAR, *wanted), out


def _rises(args: tuple[Expr, ...]) -> tuple[int, ...]:
    return (1,) if literal_part(args[0]) in _RISING else ()


@scalar("extract", "date_part", "datepart", types=_named_part_types, rises=_rises)
def _extract(args: Args, out: DType) -> Column:
    return part_of(part_name(string(args[0])), args[1], out)


def _register_part(part: str, *names: str) -> None:
    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) != 1:
            raise BindError(f"{names[0]} takes 1 argument, not {len(args)}")
        return part_signature(part, args[0])

    rises: Rises | None = (lambda args: (0,)) if part in _RISING else None
    by_clock = part != "epoch" and not part.startswith("timezone")
    scalar(*names, types=types, rises=rises, by_clock=by_clock)(lambda args, out: part_of(part, args[0], out))


for _part in ("year", "month", "hour", "minute", "second", "millisecond", "microsecond", "quarter", "decade",
              "century", "millennium", "era", "yearweek", "isoyear", "julian"):  # fmt: skip
    _register_part(_part, _part)
_register_part("timezone_hour", "timezone_hour")
_register_part("timezone_minute", "timezone_minute")
_register_part("day", "day", "dayofmonth")
_register_part("week", "week", "weekofyear")
_register_part("dow", "dayofweek", "weekday")
_register_part("isodow", "dayofweekiso")
_register_part("doy", "dayofyear")
_register_part("epoch", "timetounix", "epoch")


def _nanosecond_types(args: tuple[Expr, ...]) -> Signature:
    expect(args, 1, "nanosecond")
    if args[0].dtype.counts_nanoseconds or args[0].dtype == TIME_NS:
        return (args[0].dtype,), BIGINT
    return part_signature("microsecond", args[0])


@scalar("nanosecond", types=_nanosecond_types)
def _nanosecond(args: Args, out: DType) -> Column:
    """The seconds of the minute in nanoseconds. It is a function alone, no part of `extract`."""
    if args[0].dtype.counts_nanoseconds or args[0].dtype == TIME_NS:
        where = infinite(args[0])
        return as_null(Column(floor_rest(finite(args[0], where).data.to(torch.int64), 60 * 10**9), out), where)
    micros = part_of("microsecond", args[0], out)
    return Column(micros.data.to(torch.int64) * 1000, out, micros.valid)


# DATE_TRUNC ---------------------------------------------------------------------------------------------------------


def _truncation_types(part_at: int) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) != 2:
            raise BindError(f"date_trunc takes a part and a value, not {len(args)} arguments")
        part = literal_part(args[part_at])
        value = instant_type(
            args[1 - part_at], "date_trunc", Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.INTERVAL
        )
        if part == "era" or part.startswith("timezone"):
            raise BindError(f"date_trunc does not know the part {part}")
        out = TIMESTAMP if value.kind is Kind.DATE else value
        return ((VARCHAR, value) if part_at == 0 else (value, VARCHAR)), out

    return types


def _truncate(part: str, column: Column, out: DType) -> Column:
    part = {"dow": "day", "isodow": "day", "doy": "day", "julian": "day", "epoch": "second"}.get(part, part)
    if column.dtype.kind is Kind.INTERVAL:
        return Column(_truncate_interval(part, column.data), out)
    where = infinite(column)
    return restored(_truncate_instant(part, finite(column, where), out), column, where)


def _truncate_instant(part: str, column: Column, out: DType) -> Column:
    if part in MICROS_OF and column.dtype.kind is not Kind.DATE:
        unit = MICROS_OF[part]
        bounds = None if column.bounds is None else (column.bounds[0] // unit * unit, column.bounds[1] // unit * unit)
        return Column(calendar.floor_div(micros_of(column), unit) * unit, out, None, None, bounds)
    if column.dtype.kind is Kind.DATE:
        check_days(column.data.to(torch.int64), column.valid, column.bounds)
        if column.bounds is not None:
            # Beyond timestamps they would wrap as microseconds.
            column = replace(column, bounds=clipped(column.bounds, (-MAX_DAYS, MAX_DAYS)))
    if part in MICROS_OF or part == "day":
        data, bounds = of_day(column, lambda days: days * DAY)
    else:
        column = _begun(part, column)
        data, bounds = of_day(column, lambda days: calendar.truncate(part, days) * DAY)
    return Column(data, out, None, None, bounds)


def _begun(part: str, column: Column) -> Column:
    """The column, without bounds whose period has no start; ExecutionError where an instant's began before the first timestamp."""
    unit = 1 if column.dtype.kind is Kind.DATE else DAY
    if column.bounds is not None and column.bounds[0] // unit >= _FIRST_WHOLE:
        return column
    early = days_and_time(column)[0].clamp(max=_FIRST_WHOLE)
    check_days(calendar.truncate(part, early), column.valid, None)
    return replace(column, bounds=None)


def _truncate_interval(part: str, interval: Tensor) -> Tensor:
    months, days, micros = interval.unbind(-1)
    if part in MICROS_OF:
        unit = MICROS_OF[part]
        micros = calendar.trunc_div(micros, unit) * unit
        return torch.stack((months, days, micros), -1)
    micros = torch.zeros_like(micros)
    if part in ("day", "week", "yearweek"):
        days = days if part == "day" else calendar.trunc_div(days, 7) * 7
        return torch.stack((months, days, micros), -1)
    unit = MONTHS_OF.get(part, 12)
    return torch.stack((calendar.trunc_div(months, unit) * unit, micros, micros), -1)


@scalar("timestamptrunc", types=_truncation_types(1), rises=lambda args: (0,), by_clock=True)
def _timestamp_trunc(args: Args, out: DType) -> Column:
    return _truncate(part_name(string(args[1])), args[0], out)


@scalar("datetrunc", "date_trunc", types=_truncation_types(0), rises=lambda args: (1,), by_clock=True)
def _date_trunc(args: Args, out: DType) -> Column:
    return _truncate(part_name(string(args[0])), args[1], out)
