"""Date and time functions, on tensors. A time zone other than UTC is not known here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from tqp.column import Bounds, Column, constant, narrowest
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions.entries import string
from tqp.functions.registry import Args, Signature, TypeRule, scalar
from tqp.functions.units import MICROS_OF, MONTHS_OF, part_name
from tqp.ir.expr import Expr, Literal
from tqp.kernels import calendar
from tqp.kernels.calendar import DAY, HOUR, MINUTE, SECOND
from tqp.types import BIGINT, DOUBLE, INTERVAL, TIME, TIMESTAMP, VARCHAR, DType, Kind

__all__ = [
    "add_interval", "cast_temporal", "date_difference", "days_and_time", "instant_type", "literal_part", "micros_of",
]  # fmt: skip

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
_MAX_DAYS = 106_751_991  # days whose microseconds fit 64 bits
_TABLE = 1 << 17  # days in a lookup table: 350 years, within an L2 cache


def literal_part(expr: Expr) -> str:
    if not isinstance(expr, Literal) or not isinstance(expr.value, str):
        raise UnsupportedError("the date part is not a literal", hint="write it as 'month', say")
    return part_name(expr.value)


def instant_type(expr: Expr, what: str, *kinds: Kind) -> DType:
    """The type of a date or time argument; a NULL counts as a TIMESTAMP."""
    if expr.dtype.kind is Kind.NULL:
        return TIMESTAMP
    if expr.dtype.kind not in (kinds or (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)):
        raise BindError(f"{what} does not take {expr.dtype}", hint="write CAST(... AS DATE) or CAST(... AS TIMESTAMP)")
    return expr.dtype


# Days and microseconds ----------------------------------------------------------------------------------------------


def micros_of(column: Column) -> Tensor:
    """The instants in microseconds; ExecutionError for a date that is no timestamp."""
    if column.dtype.kind is Kind.DATE:
        _check_days(column.data.to(torch.int64), column.valid, column.bounds)
        return column.data.to(torch.int64) * DAY
    return column.data.to(torch.int64)


def days_and_time(column: Column) -> tuple[Tensor, Tensor]:
    """The days and the microseconds within the day, both int64, of DATE, TIME, TIMESTAMP or TIMESTAMPTZ."""
    micros = column.data.to(torch.int64)
    if column.dtype.kind is Kind.DATE:
        return micros, torch.zeros_like(micros)
    return (torch.zeros_like(micros), micros) if column.dtype.kind is Kind.TIME else calendar.split(micros)


def _of_day(
    column: Column, compute: Callable[[Tensor], Tensor], limits: Bounds | None = None
) -> tuple[Tensor, Bounds | None]:
    """A function of the day, in the narrowest width, with its bounds.

    `compute` is monotone, or `limits` bound its results. With few days between the bounds it runs once per day.
    """
    bounds = column.bounds
    days = column.data
    if column.dtype.kind is not Kind.DATE:
        days = calendar.floor_div(days.to(torch.int64), DAY)
        bounds = None if bounds is None else (bounds[0] // DAY, bounds[1] // DAY)
    if limits is None and bounds is not None:
        low, high = compute(torch.tensor(bounds, dtype=torch.int64, device="cpu")).tolist()  # sync: none, on the CPU
        limits = (low, high)
    width = (narrowest(*limits) if limits else None) or torch.int64
    span = _TABLE if bounds is None else bounds[1] - bounds[0] + 1
    if bounds is None or days.ndim == 0 or span > min(_TABLE, days.numel()):
        return compute(days.to(torch.int64)).to(width), limits
    table = compute(torch.arange(bounds[0], bounds[1] + 1, dtype=torch.int64, device=days.device)).to(width)
    index = (days - bounds[0] if days.dtype == torch.int64 else days.to(torch.int32) - bounds[0]).to(torch.int32)
    if column.valid is not None:
        index = index.clamp(0, span - 1)  # where NULL, the day may be anything
    return table.index_select(0, index), limits


# EXTRACT ------------------------------------------------------------------------------------------------------------


def _extract_type(part: str, expr: Expr) -> Signature:
    dtype = instant_type(expr, part, Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.INTERVAL)
    on_interval = dtype.kind is Kind.INTERVAL and part not in (*MONTHS_OF, *MICROS_OF, "day", "epoch")
    on_time = dtype.kind is Kind.TIME and part not in (*MICROS_OF, "epoch") and not part.startswith("timezone")
    if on_interval or on_time or (dtype.kind is Kind.DATE and part.startswith("timezone")):
        raise BindError(f"a value of type {dtype} has no {part}")
    return (dtype,), DOUBLE if part in ("epoch", "julian") else BIGINT


def _extract(part: str, column: Column, out: DType) -> Column:
    if column.dtype.kind is Kind.INTERVAL:
        return Column(_of_interval(part, column.data), out)
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
        limits = (0, modulus // divisor - 1)
        data = calendar.floor_div(torch.remainder(micros_of(column), modulus), divisor)
        return Column(data.to(narrowest(*limits)), out, None, None, limits)
    data, bounds = _of_day(column, lambda days: calendar.field(part, days), _LIMITS.get(part))
    return Column(data, out, None, None, bounds)


def _of_interval(part: str, interval: Tensor) -> Tensor:
    months, days, micros = interval.unbind(-1)
    match part:
        case "month":
            return torch.fmod(months, 12)
        case "quarter":
            return calendar.trunc_div(torch.fmod(months, 12), 3) + 1
        case "day":
            return days
        case "epoch":
            years, rest = calendar.trunc_div(months, 12), torch.fmod(months, 12)
            whole = years * 31_557_600 + (rest * 30 + days) * 86400  # a year has 365.25 days here, a month 30
            return whole.to(torch.float64) + micros.to(torch.float64) / SECOND
        case "hour":
            return calendar.trunc_div(micros, HOUR)
    if part in MONTHS_OF:
        return calendar.trunc_div(months, MONTHS_OF[part])
    divisor, modulus = _TIME_OF_DAY[part]
    return calendar.trunc_div(torch.fmod(micros, modulus), divisor)


def _named_part_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 2:
        raise BindError(f"extract takes a part and a value, not {len(args)} arguments")
    wanted, out = _extract_type(literal_part(args[0]), args[1])
    return (VARCHAR, *wanted), out


@scalar("extract", "date_part", "datepart", types=_named_part_types)
def _extract_kernel(args: Args, out: DType) -> Column:
    return _extract(part_name(string(args[0])), args[1], out)


def _register_part(part: str, *names: str) -> None:
    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) != 1:
            raise BindError(f"{names[0]} takes 1 argument, not {len(args)}")
        return _extract_type(part, args[0])

    scalar(*names, types=types)(lambda args, out: _extract(part, args[0], out))


for _part in ("year", "month", "hour", "minute", "second", "millisecond", "microsecond", "quarter", "decade",
              "century", "millennium", "era", "yearweek", "isoyear", "julian"):  # fmt: skip
    _register_part(_part, _part)
_register_part("day", "day", "dayofmonth")
_register_part("week", "week", "weekofyear")
_register_part("dow", "dayofweek", "weekday")
_register_part("isodow", "dayofweekiso")
_register_part("doy", "dayofyear")
_register_part("epoch", "timetounix", "epoch")


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
    if part in MICROS_OF and column.dtype.kind is not Kind.DATE:
        unit = MICROS_OF[part]
        bounds = None if column.bounds is None else (column.bounds[0] // unit * unit, column.bounds[1] // unit * unit)
        return Column(calendar.floor_div(micros_of(column), unit) * unit, out, None, None, bounds)
    if column.dtype.kind is Kind.DATE:
        _check_days(column.data.to(torch.int64), column.valid, column.bounds)
    if part in MICROS_OF or part == "day":
        data, bounds = _of_day(column, lambda days: days * DAY)
    else:
        data, bounds = _of_day(column, lambda days: calendar.truncate(part, days) * DAY)
    return Column(data, out, None, None, bounds)


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


@scalar("timestamptrunc", types=_truncation_types(1))
def _timestamp_trunc(args: Args, out: DType) -> Column:
    return _truncate(part_name(string(args[1])), args[0], out)


@scalar("datetrunc", "date_trunc", types=_truncation_types(0))
def _date_trunc(args: Args, out: DType) -> Column:
    return _truncate(part_name(string(args[0])), args[1], out)


# Arithmetic ---------------------------------------------------------------------------------------------------------


def _check_days(days: Tensor, valid: Tensor | None, bounds: Bounds | None) -> None:
    """Raise ExecutionError where a day is no timestamp."""
    if bounds is not None and -_MAX_DAYS <= bounds[0] and bounds[1] <= _MAX_DAYS:
        return
    bad = days.abs() > _MAX_DAYS
    if bool((bad if valid is None else bad & valid).any()):  # sync: an error must be raised by the host
        raise ExecutionError("date and time not in timestamp range")


def add_interval(column: Column, interval: Column, sign: int) -> Column:
    """DATE, TIMESTAMP or TIMESTAMPTZ plus (`sign` 1) or minus (-1) an INTERVAL: TIMESTAMP(TZ); TIME stays TIME.

    Months first, to the last day of a shorter month; then days; then microseconds. NULL where one is NULL.
    """
    valid = column.valid if interval.valid is None else interval.valid
    if column.valid is not None and interval.valid is not None:
        valid = column.valid & interval.valid
    months, days, micros = (sign * unit for unit in interval.data.unbind(-1))
    if column.dtype.kind is Kind.TIME:
        time = torch.remainder(column.data.to(torch.int64) + micros, DAY)
        return Column(time, TIME, valid, None, (0, DAY - 1))
    out = TIMESTAMP if column.dtype.kind is Kind.DATE else column.dtype
    if interval.is_constant and interval.device.type == "cpu" and interval.valid is None:
        shift = [sign * unit for unit in interval.data.tolist()]  # sync: none, on the CPU
        return replace(_add_constant(column, shift, valid), dtype=out)
    day, time = days_and_time(column)
    more, rest = calendar.split(micros)
    day = calendar.add_months(day, months) + days + more
    _check_days(day, valid, None)
    return Column(day * DAY + time + rest, out, valid)


def _add_constant(column: Column, shift: Sequence[int], valid: Tensor | None) -> Column:
    """`add_interval` of known months, days and microseconds; monotone, so that bounds carry over."""
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
        low, high = add(torch.tensor(bounds, dtype=torch.int64, device="cpu")).tolist()  # sync: none, on the CPU
        if date and column.data.ndim:
            data, limits = _of_day(column, add)
            return Column(data, TIMESTAMP, valid, None, limits)
        return Column(add(column.data.to(torch.int64)), TIMESTAMP, valid, None, (low, high))
    day, time = days_and_time(column)
    more, rest = divmod(micros, DAY)
    day = calendar.add_months(day, months) + (days + more)
    _check_days(day, valid, None)
    return Column(day * DAY + time + rest, TIMESTAMP, valid)


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
    left, right = micros_of(a), micros_of(b)
    micros = left - right
    # It wrapped where the operands have different signs and the result has not the first one's.
    wrapped = ((left ^ right) & (left ^ micros)) < 0
    if bool((wrapped if valid is None else wrapped & valid).any()):  # sync: an error must be raised by the host
        raise ExecutionError("the difference of two timestamps is beyond 64 bits of microseconds")
    days = calendar.trunc_div(micros, DAY)
    return Column(torch.stack((torch.zeros_like(days), days, micros - days * DAY), -1), INTERVAL, valid)


_CASTS = {
    Kind.DATE: (Kind.TIMESTAMP, Kind.TIMESTAMPTZ),
    Kind.TIME: (),
    Kind.TIMESTAMP: (Kind.DATE, Kind.TIME, Kind.TIMESTAMPTZ),
    Kind.TIMESTAMPTZ: (Kind.DATE, Kind.TIMESTAMP),
}


def cast_temporal(column: Column, to: DType, safe: bool) -> Column:
    """DATE, TIMESTAMP, TIMESTAMPTZ (in UTC) into one another, TIMESTAMP to TIME.

    A date beyond the range of timestamps raises ExecutionError, or becomes NULL if `safe`; so does any value of a pair
    of types that has no cast, as in DuckDB.
    """
    kind = column.dtype.kind
    if kind is to.kind:
        return column
    if to.kind not in _CASTS.get(kind, ()):
        return _no_cast(column, to, safe)
    if kind is Kind.DATE:
        bounds = column.bounds
        proven = bounds is not None and -_MAX_DAYS <= bounds[0] and bounds[1] <= _MAX_DAYS
        if safe and not proven:
            fits = column.data.abs() <= _MAX_DAYS
            column = replace(column, valid=fits if column.valid is None else column.valid & fits)
        _check_days(column.data, column.valid, bounds)
        limits = (bounds[0] * DAY, bounds[1] * DAY) if proven and bounds is not None else None
        return replace(column, data=micros_of(column), dtype=to, bounds=limits)
    if to.kind is Kind.DATE:
        data, limits = _of_day(column, lambda days: days)
        width = torch.int32 if data.dtype == torch.int64 else data.dtype
        return replace(column, data=data.to(width), dtype=to, bounds=limits)
    if to.kind is Kind.TIME:
        return replace(column, data=calendar.split(column.data.to(torch.int64))[1], dtype=to, bounds=(0, DAY - 1))
    return replace(column, dtype=to)


def _no_cast(column: Column, to: DType, safe: bool) -> Column:
    """NULLs: no value of this type is one of `to`."""
    some = column.is_constant or len(column) > 0
    if column.valid is not None:
        some = bool(column.valid.any())  # sync: an error must be raised by the host
    if some and not safe:
        raise ExecutionError(f"there is no cast from {column.dtype} to {to}", hint="TRY_CAST gives NULL instead")
    null = constant(None, to, column.device)
    return null if column.is_constant else null.expand(len(column))
