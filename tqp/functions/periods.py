"""Functions that move, make and name dates, times and intervals."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Final

import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions.entries import number, string
from tqp.functions.instants import as_null, at_time, days_and_time, finite, floored, infinite, micros_of
from tqp.functions.offset_times import clock
from tqp.functions.promotion import common_type
from tqp.functions.registry import Args, Signature, TypeRule, expect, scalar
from tqp.functions.rounding import half_away
from tqp.functions.temporal import instant_type
from tqp.functions.time_zones import zone_named
from tqp.functions.unify import is_text_literal, untyped
from tqp.functions.units import MICROS_OF, MONTHS_OF
from tqp.ir.expr import Expr, Literal
from tqp.kernels import calendar, offsets, waits
from tqp.kernels.calendar import DAY, FIRST_INSTANT, HOUR, INFINITE_DAY, INFINITE_INSTANT, MINUTE, SECOND
from tqp.types import (
    BIGINT,
    DATE,
    DOUBLE,
    HUGEINT,
    INTEGER,
    INTERVAL,
    NULL,
    TIME,
    TIME_NS,
    TIMESTAMP,
    TIMESTAMP_NS,
    TIMESTAMPTZ,
    TIMETZ,
    UBIGINT,
    UHUGEINT,
    VARCHAR,
    DType,
    Kind,
    integer_range,
)

__all__ = ["DAY_NAMES", "MONTH_NAMES"]

DAY_NAMES: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
MONTH_NAMES: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


# Names and ends -----------------------------------------------------------------------------------------------------


def _known(result: Column, instants: Args) -> Column:
    """The result, NULL where one of the instants is infinite."""
    return as_null(result, *map(infinite, instants))


def _one_instant(out: DType) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) != 1:
            raise BindError(f"one date or timestamp is needed, not {len(args)} arguments")
        return (instant_type(args[0], "this function"),), out

    return types


def _named(codes: Tensor, names: tuple[str, ...]) -> Column:
    """Text of a fixed set of names; `codes` count from 0."""
    dictionary = Dictionary(pa.array(names, pa.large_string()), is_sorted=False)
    return Column(codes.to(torch.int32), VARCHAR, None, dictionary, (0, len(names) - 1)).ranked()


@scalar("dayname", types=_one_instant(VARCHAR), by_clock=True)
def _day_name(args: Args, out: DType) -> Column:
    return _known(_named(calendar.field("dow", _days_of(args[0])), DAY_NAMES), args)


@scalar("monthname", types=_one_instant(VARCHAR), by_clock=True)
def _month_name(args: Args, out: DType) -> Column:
    return _known(_named(calendar.field("month", _days_of(args[0])) - 1, MONTH_NAMES), args)


def _days_of(column: Column) -> Tensor:
    """The days of the instants, 0 for infinite ones."""
    return days_and_time(finite(column, infinite(column)))[0]


@scalar("lastday", types=_one_instant(DATE), by_clock=True)
def _last_day(args: Args, out: DType) -> Column:
    year, month, _ = calendar.civil_from_days(_days_of(args[0]))
    last = calendar.days_from_civil(year, month, calendar.days_in_month(year, month))
    return _known(Column(last.to(torch.int32), out), args)


@scalar("days_in_month", types=_one_instant(BIGINT), by_clock=True)
def _days_in_month(args: Args, out: DType) -> Column:
    year, month, _ = calendar.civil_from_days(_days_of(args[0]))
    return _known(Column(calendar.days_in_month(year, month).to(torch.int8), out, None, None, (28, 31)), args)


# Makers -------------------------------------------------------------------------------------------------------------


def _of(out: DType, *wanted: DType, reads_text: bool = True) -> TypeRule:
    """The signature of a maker; `reads_text`: a text literal may stand for a number."""

    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) != len(wanted):
            raise BindError(f"{len(wanted)} arguments are needed to make a {out}, not {len(args)}")
        for arg, dtype in zip(untyped(args) if reads_text else args, wanted, strict=True):
            known = arg.dtype.is_numeric if dtype == DOUBLE else arg.dtype.is_integer
            wide = dtype == BIGINT and arg.dtype in (HUGEINT, UBIGINT, UHUGEINT)
            if arg.dtype.kind is not Kind.NULL and (wide or not known):
                raise BindError(f"{arg.dtype} is no part of {out}", hint=f"write CAST(... AS {dtype})")
        return wanted, out

    return types


def _refuse(bad: Tensor, args: Args, message: str) -> None:
    for arg in args:
        bad = bad if arg.valid is None else bad & arg.valid
    if waits.truth(bad.any(), "a value out of range is an error"):
        raise ExecutionError(message)


def _days(args: Args) -> Tensor:
    year, month, day = (arg.data.to(torch.int64) for arg in args[:3])
    known = (month >= 1) & (month <= 12) & (year > -6_000_000) & (year < 6_000_000)
    month = torch.where(known, month, 1)
    bad = ~known | (day < 1) | (day > calendar.days_in_month(year, month))
    days = calendar.days_from_civil(year, month, torch.where(bad, 1, day))
    _refuse(bad | (days.abs() >= INFINITE_DAY), args, "date out of range: there is no such year, month and day")
    return days


def _clock(args: Args) -> Tensor:
    """Microseconds of the day. Seconds are those nearest and a rest in whole microseconds; what is 60 carries into the minute."""
    hour, minute = (arg.data.to(torch.int64) for arg in args[:2])
    second = args[2].data
    near = torch.round(second)
    micros = near * SECOND + half_away((second - near) * SECOND)
    good = (minute >= 0) & (minute <= 59) & (second >= 0) & (second < 61)
    micros = torch.where(good, micros, 0.0).to(torch.int64)
    time = torch.where((hour >= 0) & (hour <= 24), hour, 25) * HOUR + minute * MINUTE + micros
    good = good & ((hour < 24) | ((minute == 0) & (micros == 0))) & (time >= 0) & (time <= DAY)
    _refuse(~good, args, "time out of range: there is no such hour, minute and second")
    return time


def _date_types(args: tuple[Expr, ...]) -> Signature:
    """Of a year, a month and a day, or of days since 1970."""
    if len(args) != 1:
        return _of(DATE, BIGINT, BIGINT, BIGINT)(args)
    if common_type(args[0].dtype, INTEGER) != INTEGER:
        raise BindError(f"make_date takes an INTEGER of days since 1970, not {args[0].dtype}")
    return (INTEGER,), DATE


@scalar("datefromparts", types=_date_types)
def _make_date(args: Args, out: DType) -> Column:
    return Column((args[0].data if len(args) == 1 else _days(args)).to(torch.int32), out)


@scalar("timefromparts", types=_of(TIME, BIGINT, BIGINT, DOUBLE))
def _make_time(args: Args, out: DType) -> Column:
    return Column(_clock(args), out)


_PARTS: Final = (BIGINT, BIGINT, BIGINT, BIGINT, BIGINT, DOUBLE)


def _timestamptz_types(args: tuple[Expr, ...]) -> Signature:
    """Of the parts, perhaps with a time zone, or of microseconds since 1970."""
    if len(args) == 1:
        return _of(TIMESTAMPTZ, BIGINT)(args)
    if len(args) == 7 and (args[6].dtype.is_text or args[6].dtype == NULL):
        return (*_of(TIMESTAMPTZ, *_PARTS)(args[:6])[0], VARCHAR), TIMESTAMPTZ
    return _of(TIMESTAMPTZ, *_PARTS)(args)


@scalar("make_timestamptz", types=_timestamptz_types)
def _make_timestamptz(args: Args, out: DType) -> Column:
    """As clocks show them; what is beyond its range counts on, as in 13 months."""
    if len(args) == 1:
        return _counted(args[0], 1, out)
    if len(args) == 7 and not args[6].is_constant:
        raise UnsupportedError("make_timestamptz with a column of time zones", hint="give the zone as a literal")
    year, month, day, hour, minute = (arg.data.to(torch.int64) for arg in args[:5])
    second = args[5].data
    low, high = integer_range(INTEGER)
    parts = (year, month, day, hour, minute, torch.round(second))
    beyond = _any((part < low) | (part > high) for part in parts) | (year.abs() > 300_000) | ~torch.isfinite(second)
    _refuse(beyond, args, f"no {out} has such parts")
    # The year before 1 is 0 and -1, as in DuckDB, whose make_timestamp knows no such twin.
    year = year + (year < 0).to(torch.int64)
    months = year.clamp(-300_000, 300_000) * 12 + month.clamp(low, high) - 1
    years = calendar.floor_div(months, 12)
    first = calendar.days_from_civil(years, months - years * 12 + 1, torch.ones_like(years))
    whole = torch.trunc(torch.where(torch.isfinite(second), second, 0.0))
    micros = whole.to(torch.int64) * SECOND + torch.round((second.nan_to_num() - whole) * SECOND).to(torch.int64)
    shown = (first + day - 1) * DAY + hour * HOUR + minute * MINUTE + micros
    near = (first + day - 1).double() * DAY + hour.double() * HOUR + minute.double() * MINUTE + micros.double()
    _refuse(near.abs() > 2.0**63 - 2 * DAY, args, f"no {out} has such parts")
    if len(args) == 7:
        shown = offsets.instants(shown, *zone_named(string(args[6])).on(shown.device))
    return Column(shown, out)


def _any(flags: Iterable[Tensor]) -> Tensor:
    return reduce(torch.logical_or, flags)


@scalar("timestampfromparts", types=_of(TIMESTAMP, *_PARTS))
def _make_timestamp(args: Args, out: DType) -> Column:
    time = _clock(args[3:])
    return at_time(Column(_days(args[:3]), DATE, args[0].valid), Column(time, TIME))


@scalar("make_timestamp_ns", types=_of(TIMESTAMP_NS, BIGINT))
def _make_timestamp_ns(args: Args, out: DType) -> Column:
    data = args[0].data.to(torch.int64)
    _refuse((data == INFINITE_INSTANT) | (data == -INFINITE_INSTANT), args, f"this count is no {out}")
    return Column(data, out)


@scalar("make_timestamp_ms", types=_of(TIMESTAMP, BIGINT))
def _make_timestamp_ms(args: Args, out: DType) -> Column:
    return _counted(args[0], 1000, out)


def _counted(count: Column, unit: int, out: DType) -> Column:
    """So many units of microseconds since 1970; ExecutionError where that is no timestamp."""
    data = count.data.to(torch.int64)
    bad = (data < -(-FIRST_INSTANT // unit)) | (data > (INFINITE_INSTANT - 1) // unit)
    _refuse(bad, (count,), f"this count is no {out}")
    return Column(data * unit, out)


def _epoch_types(args: tuple[Expr, ...]) -> Signature:
    """Seconds (no scale), milliseconds (3) or microseconds (6) to a timestamp; an instant or INTERVAL to milliseconds."""
    # The parser gives a scale to those that it knows; to_timestamp itself has none.
    if not args or len(args) > 2 or any(not isinstance(arg, Literal) for arg in args[1:]):
        raise BindError(f"a timestamp is made of 1 argument, not {len(args)}")
    if args[0].dtype.is_other_unit:
        return (args[0].dtype.in_microseconds, *(arg.dtype for arg in args[1:])), BIGINT
    if args[0].dtype.is_temporal or args[0].dtype in (INTERVAL, TIMETZ):
        return (args[0].dtype, *(arg.dtype for arg in args[1:])), BIGINT
    if len(args) == 1:
        return (DOUBLE,), TIMESTAMPTZ
    return (BIGINT, INTEGER, *(arg.dtype for arg in args[2:])), TIMESTAMP


@scalar("unixtotime", types=_epoch_types)
def _unix_to_time(args: Args, out: DType) -> Column:
    if args[0].dtype in (INTERVAL, TIME, TIMETZ):
        return Column(calendar.trunc_div(_epoch(args[0]), 1000), out)
    if args[0].dtype.kind is Kind.DATE:
        return _known(Column(args[0].data.to(torch.int64) * (DAY // 1000), out), args[:1])
    if args[0].dtype.is_temporal:
        micros = micros_of(finite(args[0], infinite(args[0])))
        _refuse(micros > INFINITE_INSTANT - 500, args[:1], "the timestamp is too late to be rounded to milliseconds")
        return _known(Column(calendar.floor_div(micros + 500, 1000), out), args[:1])
    if len(args) == 1:
        micros = torch.round(args[0].data * SECOND)
        _refuse(~((micros >= FIRST_INSTANT) & (micros < 2.0**63)), args, f"these seconds are no {out}")
        return Column(torch.where(micros.abs() < 2.0**63, micros, 0.0).to(torch.int64), out)
    return _counted(args[0], 10 ** (6 - number(args[1])), out)


def _length(interval: Column) -> Tensor:
    """The microseconds of an interval, months being 30 days; ExecutionError where they leave 64 bits."""
    months, days, micros = interval.data.unbind(-1)
    days = months * 30 + days
    total = days * DAY + micros
    near = days.to(torch.float64) * DAY + micros.to(torch.float64)
    _refuse(near.abs() >= 2.0**63, (interval,), "the interval is beyond 64 bits of microseconds")
    return total


def _epoch_of(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 1:
        raise BindError(f"epoch takes 1 argument, not {len(args)}")
    kinds = (Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.INTERVAL)
    dtype = args[0].dtype
    return (
        dtype if dtype.counts_nanoseconds or dtype in (TIME_NS, TIMETZ) else instant_type(args[0], "epoch", *kinds),
    ), BIGINT


def _epoch(column: Column) -> Tensor:
    """Microseconds, rounded down, 0 for infinite instants."""
    column = clock(column) if column.dtype == TIMETZ else floored(column)
    return _length(column) if column.dtype == INTERVAL else micros_of(finite(column, infinite(column)))


@scalar("epoch_us", types=_epoch_of)
def _epoch_us(args: Args, out: DType) -> Column:
    return _known(Column(_epoch(args[0]), out), args)


@scalar("epoch_ns", types=_epoch_of)
def _epoch_ns(args: Args, out: DType) -> Column:
    if args[0].dtype.counts_nanoseconds or args[0].dtype == TIME_NS:
        return _known(Column(args[0].data.to(torch.int64), out), args)
    micros = _epoch(args[0])
    _refuse(micros.abs() > (2**63 - 1) // 1000, args, "the timestamp is beyond what nanoseconds in 64 bits hold")
    return _known(Column(micros * 1000, out), args)


# Intervals ----------------------------------------------------------------------------------------------------------


def _interval(part: str, args: Args, amount: Tensor) -> Tensor:
    """So many parts as (..., 3) months, days and microseconds; ExecutionError where a field would overflow."""
    zero = torch.zeros_like(amount, dtype=torch.int64)
    if part in MICROS_OF:
        unit, limit = MICROS_OF[part], 2**63 - 1
    else:
        unit, limit = MONTHS_OF.get(part, 7 if part == "week" else 1), 2**31 - 1
    if amount.is_floating_point():
        scaled = torch.round(amount * unit)
        fits = scaled.abs() < 2.0**63
        value = torch.where(fits, scaled, 0.0).to(torch.int64)
    else:
        fits = (amount <= limit // unit) & (amount >= -((limit + 1) // unit))
        value = torch.where(fits, amount, 0) * unit
    _refuse(~fits, args, f"an interval of so many {part} units is out of range")
    places = (
        (zero, zero, value) if part in MICROS_OF else (value, zero, zero) if part in MONTHS_OF else (zero, value, zero)
    )
    return torch.stack(places, -1)


def _fractional(part: str) -> DType:
    return DOUBLE if part in ("second", "millisecond") else BIGINT


def _register_maker(part: str, *names: str) -> None:
    wanted = _fractional(part)
    width = torch.float64 if wanted == DOUBLE else torch.int64
    # DuckDB has several functions of days and months, of which none is the one for a text.
    scalar(*names, types=_of(INTERVAL, wanted, reads_text=part in MICROS_OF))(
        lambda args, out: Column(_interval(part, args, args[0].data.to(width)), out)
    )


for _part, _plural in (("century", "centuries"), ("millennium", "millennia")):
    _register_maker(_part, f"to_{_plural}")
for _part in ("year", "month", "quarter", "decade", "week", "hour", "minute", "second", "millisecond", "microsecond"):
    _register_maker(_part, f"to_{_part}s")
_register_maker("day", "todays", "to_days")


def _interval_types(args: tuple[Expr, ...]) -> Signature:
    expect(args, 1, "normalized_interval")
    if args[0].dtype not in (INTERVAL, NULL) and not is_text_literal(args[0]):
        raise BindError(f"normalized_interval takes an INTERVAL, not {args[0].dtype}")
    return (INTERVAL,), INTERVAL


@scalar("normalized_interval", types=_interval_types)
def _normalized(args: Args, out: DType) -> Column:
    """Days of up to 24 hours and months of 30 days, all of the months' sign except for the rests, which are not negative."""
    months, days, micros = args[0].data.unbind(-1)
    more, micros = calendar.split(micros)
    days = days + more
    carried = (months + calendar.floor_div(days, 30)).clamp(-(2**31), 2**31 - 1)
    return Column(torch.stack((carried, days - (carried - months) * 30, micros), -1), out)
