"""Functions that move, make and name dates, times and intervals."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions.entries import number
from tqp.functions.instants import add_interval, as_null, at_time, days_and_time, finite, infinite, micros_of
from tqp.functions.registry import Args, Signature, TypeRule, scalar
from tqp.functions.rounding import half_away
from tqp.functions.temporal import instant_type
from tqp.functions.unify import is_text_literal, untyped
from tqp.functions.units import MICROS_OF, MONTHS_OF
from tqp.ir.expr import Expr, Literal
from tqp.kernels import calendar, waits
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
    TIMESTAMP,
    TIMESTAMPTZ,
    UBIGINT,
    VARCHAR,
    DType,
    Kind,
)

__all__ = ["DAY_NAMES", "MONTH_NAMES", "current"]

DAY_NAMES: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
MONTH_NAMES: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def current(name: str, micros: int) -> Literal:
    """The value of `currentdate`, `currenttimestamp`, `now`, … when a query starts at `micros` since 1970 (UTC)."""
    match name:
        case "currentdate" | "today":
            return Literal(micros // DAY, DATE)
        case "currenttime":
            return Literal(micros % DAY, TIME)
        case "localtimestamp" | "current_localtimestamp":
            return Literal(micros, TIMESTAMP)
        case "currenttimestamp" | "now" | "get_current_timestamp" | "transaction_timestamp":
            return Literal(micros, TIMESTAMPTZ)
    raise UnsupportedError(f"function {name} is not supported")


# Moves --------------------------------------------------------------------------------------------------------------


def _date_add_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) < 2:
        raise BindError("date_add takes an instant and an interval")
    if args[1].dtype not in (INTERVAL, NULL) and not is_text_literal(args[1]):
        raise UnsupportedError(f"date_add of {args[1].dtype} is not supported", hint="write + instead, or an INTERVAL")
    value = instant_type(args[0], "date_add", Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)
    return (value, INTERVAL, *(arg.dtype for arg in args[2:])), TIMESTAMP if value.kind is Kind.DATE else value


@scalar("dateadd", "date_add", types=_date_add_types)
def _date_add(args: Args, out: DType) -> Column:
    return add_interval(args[0], args[1], 1)


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


@scalar("dayname", types=_one_instant(VARCHAR))
def _day_name(args: Args, out: DType) -> Column:
    return _known(_named(calendar.field("dow", _days_of(args[0])), DAY_NAMES), args)


@scalar("monthname", types=_one_instant(VARCHAR))
def _month_name(args: Args, out: DType) -> Column:
    return _known(_named(calendar.field("month", _days_of(args[0])) - 1, MONTH_NAMES), args)


def _days_of(column: Column) -> Tensor:
    """The days of the instants, 0 for infinite ones."""
    return days_and_time(finite(column, infinite(column)))[0]


@scalar("lastday", types=_one_instant(DATE))
def _last_day(args: Args, out: DType) -> Column:
    year, month, _ = calendar.civil_from_days(_days_of(args[0]))
    last = calendar.days_from_civil(year, month, calendar.days_in_month(year, month))
    return _known(Column(last.to(torch.int32), out), args)


# Makers -------------------------------------------------------------------------------------------------------------


def _of(out: DType, *wanted: DType, reads_text: bool = True) -> TypeRule:
    """The signature of a maker; `reads_text`: a text literal may stand for a number."""

    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) != len(wanted):
            raise BindError(f"{len(wanted)} arguments are needed to make a {out}, not {len(args)}")
        for arg, dtype in zip(untyped(args) if reads_text else args, wanted, strict=True):
            known = arg.dtype.is_numeric if dtype == DOUBLE else arg.dtype.is_integer
            wide = dtype == BIGINT and arg.dtype in (HUGEINT, UBIGINT)
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
    """Microseconds of the day. Seconds are those nearest and a rest in whole microseconds; up to 60 carry into the minute."""
    hour, minute = (arg.data.to(torch.int64) for arg in args[:2])
    second = args[2].data
    near = torch.round(second)
    micros = near * SECOND + half_away((second - near) * SECOND)
    good = (minute >= 0) & (minute <= 59) & (micros >= 0) & (near <= 60)
    micros = torch.where(good, micros, 0.0).to(torch.int64)
    time = torch.where((hour >= 0) & (hour <= 24), hour, 25) * HOUR + minute * MINUTE + micros
    good &= ((hour < 24) | ((minute == 0) & (micros == 0))) & (time >= 0) & (time <= DAY)
    _refuse(~good, args, "time out of range: there is no such hour, minute and second")
    return time


@scalar("datefromparts", types=_of(DATE, BIGINT, BIGINT, BIGINT))
def _make_date(args: Args, out: DType) -> Column:
    return Column(_days(args).to(torch.int32), out)


@scalar("timefromparts", types=_of(TIME, BIGINT, BIGINT, DOUBLE))
def _make_time(args: Args, out: DType) -> Column:
    return Column(_clock(args), out)


@scalar("timestampfromparts", types=_of(TIMESTAMP, BIGINT, BIGINT, BIGINT, BIGINT, BIGINT, DOUBLE))
def _make_timestamp(args: Args, out: DType) -> Column:
    time = _clock(args[3:])
    return at_time(Column(_days(args[:3]), DATE, args[0].valid), Column(time, TIME))


def _epoch_types(args: tuple[Expr, ...]) -> Signature:
    """Seconds (no scale), milliseconds (3) or microseconds (6) to a timestamp; an instant to milliseconds."""
    if not args:
        raise BindError("a timestamp is made of 1 argument, not 0")
    if args[0].dtype == INTERVAL:
        raise UnsupportedError("epoch_ms of an INTERVAL is not supported", hint="write epoch(...) * 1000")
    if args[0].dtype.is_temporal:
        return (args[0].dtype, *(arg.dtype for arg in args[1:])), BIGINT
    if len(args) == 1:
        return (DOUBLE,), TIMESTAMPTZ
    return (BIGINT, INTEGER, *(arg.dtype for arg in args[2:])), TIMESTAMP


@scalar("unixtotime", types=_epoch_types)
def _unix_to_time(args: Args, out: DType) -> Column:
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
    unit = 10 ** (6 - number(args[1]))
    count = args[0].data.to(torch.int64)
    _refuse(
        (count < FIRST_INSTANT // unit) | (count > (INFINITE_INSTANT - 1) // unit), args[:1], f"this count is no {out}"
    )
    return Column(count * unit, out)


def _epoch_of(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 1:
        raise BindError(f"epoch takes 1 argument, not {len(args)}")
    kinds = (Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)
    return (instant_type(args[0], "epoch", *kinds),), BIGINT


@scalar("epoch_us", types=_epoch_of)
def _epoch_us(args: Args, out: DType) -> Column:
    return _known(Column(micros_of(args[0]), out), args)


@scalar("epoch_ns", types=_epoch_of)
def _epoch_ns(args: Args, out: DType) -> Column:
    micros = micros_of(finite(args[0], infinite(args[0])))
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
