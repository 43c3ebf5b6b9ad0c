"""Kernels of TIMESTAMPTZ in a zone, whose name is their first argument: sums, differences, parts, texts; and AT TIME ZONE."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions.buckets import MONDAY
from tqp.functions.casts.hints import hint_for
from tqp.functions.casts.parsing import parse
from tqp.functions.casts.text import zoned_as_text
from tqp.functions.differences import count_by_clock
from tqp.functions.entries import spread, string
from tqp.functions.exact import first_bad
from tqp.functions.formats import formatted
from tqp.functions.instants import as_null, finite, floored, infinite, micros_of, restored, with_nanoseconds
from tqp.functions.offset_times import MOST_OFFSET, in_utc, of_clock, read_offset_time
from tqp.functions.registry import Args, Signature, scalar
from tqp.functions.temporal import part_of, part_signature
from tqp.functions.time_zones import TimeZone, zone_named
from tqp.functions.units import part_name
from tqp.ir.expr import Expr
from tqp.kernels import calendar, clocks, offsets, waits
from tqp.kernels.calendar import DAY, FIRST_INSTANT, INFINITE_INSTANT, SECOND
from tqp.kernels.division import floor_rest, trunc_div, trunc_rest
from tqp.types import (
    BIGINT,
    DATE,
    INTERVAL,
    TIME,
    TIMESTAMP,
    TIMESTAMP_MS,
    TIMESTAMP_NS,
    TIMESTAMP_S,
    TIMESTAMPTZ,
    TIMESTAMPTZ_NS,
    TIMETZ,
    VARCHAR,
    DType,
    Kind,
)

__all__ = ["text_in_zone"]


def _timezone_types(args: tuple[Expr, ...]) -> Signature:
    """Of one argument a part of it; of a zone's name and a timestamp the other kind of timestamp."""
    if len(args) == 1:
        return part_signature("timezone", args[0])
    if len(args) != 2:
        raise BindError(f"timezone takes a zone and a timestamp, not {len(args)} arguments")
    zone, value = args
    if zone.dtype == INTERVAL and value.dtype == TIMETZ:
        return (INTERVAL, TIMETZ), TIMETZ
    if not zone.dtype.is_text and zone.dtype.kind is not Kind.NULL:
        raise BindError(f"timezone takes the name of a zone first, not {zone.dtype}")
    dtype = _AT_ZONE.get(value.dtype)
    if dtype is None:
        raise BindError(f"AT TIME ZONE does not take {value.dtype}", hint="write TIMESTAMP or TIMESTAMPTZ before it")
    return (VARCHAR, dtype), _OTHER_SIDE[dtype]


_OTHER_SIDE: Final = {
    TIMESTAMP: TIMESTAMPTZ, TIMESTAMPTZ: TIMESTAMP, TIMESTAMP_NS: TIMESTAMPTZ_NS, TIMESTAMPTZ_NS: TIMESTAMP_NS,
}  # fmt: skip
_AT_ZONE: Final = {
    **{dtype: dtype for dtype in _OTHER_SIDE}, DATE: TIMESTAMP, TIMESTAMP_S: TIMESTAMP_NS, TIMESTAMP_MS: TIMESTAMP_NS,
}  # fmt: skip
"""What AT TIME ZONE takes values of a type as."""


@scalar("timezone", types=_timezone_types)
def _timezone(args: Args, out: DType) -> Column:
    if len(args) == 1:
        return part_of("timezone", args[0], out)
    if out == TIMETZ:
        return _at_offset(args)
    where = infinite(args[1])
    plain = finite(args[1], where)
    if args[0].is_constant:
        return restored(_changed(plain, zone_named(_word(args[0])), out, args), args[1], where)
    found = _by_zone(args[0], lambda zone: _changed(plain, zone, out, args).data)
    return restored(Column(found, out), args[1], where)


def _by_zone(names: Column, found: Callable[[TimeZone], Tensor]) -> Tensor:
    """What is `found` in the zone of each row, 0 where its name is NULL; ExecutionError for a name that is no zone's."""
    assert names.dictionary is not None
    chosen = torch.zeros(len(names), dtype=torch.int64, device=names.device)
    for code, name in enumerate(names.dictionary.values.to_pylist()):
        here = names.data == code
        if names.valid is not None:
            here &= names.valid
        if waits.truth(here.any(), "a name that is no zone's is an error"):
            chosen = torch.where(here, found(zone_named(name)), chosen)
    return chosen


def _at_offset(args: Args) -> Column:
    """Times of the day as clocks show them that are an interval ahead of UTC, whose months and days say nothing; ExecutionError for
    an offset that there is not."""
    interval, value = args
    ahead = torch.div(interval.data[..., 2], SECOND, rounding_mode="trunc")
    wrong = ahead.abs() > MOST_OFFSET
    if first_bad(wrong, tuple(args)) is not None:
        raise ExecutionError("the offset of a time zone is less than 16 hours")
    local = (in_utc(value.data) + interval.data[..., 2]).remainder(DAY)
    return of_clock(Column(local, TIME), ahead)


def _changed(column: Column, zone: TimeZone, out: DType, args: Args) -> Column:
    """What clocks show at instants, or the instants at which they show that; ExecutionError where it is no timestamp."""
    if out.counts_nanoseconds:
        return with_nanoseconds(_changed(floored(column), zone, out.in_microseconds, args), column)
    column = floored(column)
    micros = micros_of(column)
    table = zone.on(micros.device)
    if out == TIMESTAMP:
        found = micros + offsets.offsets_at(micros, *table)
    else:
        found = offsets.instants(micros, *table)
    bounds = column.bounds
    if bounds is not None and FIRST_INSTANT + 2 * DAY < bounds[0] and bounds[1] < INFINITE_INSTANT - 2 * DAY:
        return Column(found, out, None, None, (bounds[0] - 2 * DAY, bounds[1] + 2 * DAY))
    _require(found, micros, args)
    return Column(found, out)


def _require(found: Tensor, micros: Tensor, args: Sequence[Column]) -> None:
    """ExecutionError where a timestamp near another one is none, in a row without NULL."""
    far = (found < FIRST_INSTANT) | (found >= INFINITE_INSTANT) | ((found > 0) != (micros > 0)) & (micros.abs() > 2**62)
    for arg in args:
        far = far if arg.valid is None else far & arg.valid
    if waits.truth(far.any(), "an instant out of range is an error"):
        raise ExecutionError("date and time not in timestamp range")


def _word(column: Column) -> str:
    """The name of a zone or part, which a plan has as a constant."""
    if not column.is_constant:
        raise UnsupportedError(
            "a column of names of time zones is not supported here", hint="give the name as a literal"
        )
    return string(column)


def _zone_first(out: DType, *wanted: DType) -> Callable[[tuple[Expr, ...]], Signature]:
    return lambda args: ((VARCHAR, *wanted), out)


@scalar("offset_in_zone", types=_zone_first(BIGINT, VARCHAR, TIMESTAMPTZ))
def _offset(args: Args, out: DType) -> Column:
    where = infinite(args[2])
    micros = micros_of(floored(finite(args[2], where)))
    seconds = trunc_div(offsets.offsets_at(micros, *_table(args)), SECOND)
    match _word(args[1]):
        case "timezone_hour":
            seconds = trunc_div(seconds, 3600)
        case "timezone_minute":
            seconds = trunc_div(trunc_rest(seconds, 3600), 60)
    return as_null(Column(seconds, out), where)


def _table(args: Args) -> tuple[Tensor, Tensor]:
    return zone_named(_word(args[0])).on(args[1].device)


@scalar("add_in_zone", types=_zone_first(TIMESTAMPTZ, TIMESTAMPTZ, INTERVAL))
def _add(args: Args, out: DType) -> Column:
    if out.counts_nanoseconds:
        return with_nanoseconds(_add((args[0], floored(args[1]), args[2]), out.in_microseconds), args[1])
    where = infinite(args[1])
    micros = micros_of(finite(args[1], where))
    months, days, time = args[2].data.unbind(-1)
    near = micros.double() + (months.double() * 30.5 + days.double()) * DAY + time.double()
    far = (near.abs() > 2.0**63) | (months.abs() > 10**7) | (days.abs() > 2 * 10**8)
    for arg in args:
        far = far if arg.valid is None else far & arg.valid
    found = clocks.add(micros, months, days, time, _table(args))
    far = far | ((found < FIRST_INSTANT) | (found == INFINITE_INSTANT)) & _known(args)
    if waits.truth(far.any(), "an instant out of range is an error"):
        raise ExecutionError("date and time not in timestamp range")
    return restored(Column(found, out), args[1], where)


def _known(args: Args) -> Tensor:
    """The rows in which no argument is NULL."""
    known = torch.ones((), dtype=torch.bool, device=args[1].device)
    for arg in args:
        known = known if arg.valid is None else known & arg.valid
    return known


def _pair(args: Args) -> tuple[Tensor, Tensor]:
    """The last two arguments in microseconds, 0 where one of them is infinite or NULL."""
    micros = []
    known = _known(args)
    for column in args[-2:]:
        where = infinite(column)
        known = known if where is None else known & ~where
    for column in args[-2:]:
        micros.append(torch.where(known, column.data.to(torch.int64), 0))
    if waits.truth(((micros[0].double() - micros[1].double()).abs() > 2.0**63 - DAY).any(), "an overflow is an error"):
        raise ExecutionError("the difference of two timestamps is beyond 64 bits of microseconds")
    return micros[0], micros[1]


@scalar("sub_in_zone", types=_zone_first(INTERVAL, TIMESTAMPTZ, TIMESTAMPTZ))
def _sub(args: Args, out: DType) -> Column:
    for column in args[1:]:
        where = infinite(column)
        if where is not None and waits.truth((where & _known(args)).any(), "an infinite instant is an error"):
            raise ExecutionError("cannot subtract infinite timestamps")
    end, start = _pair(args)
    sign = torch.where(end < start, -1, 1)
    days, left = clocks.difference(torch.minimum(start, end), torch.maximum(start, end), _table(args))
    return Column(torch.stack((torch.zeros_like(days), sign * days, sign * left), -1), out)


@scalar("age_in_zone", types=_zone_first(INTERVAL, TIMESTAMPTZ, TIMESTAMPTZ))
def _age_kernel(args: Args, out: DType) -> Column:
    """By what clocks show, as `age` of TIMESTAMP."""
    end, start = (micros + offsets.offsets_at(micros, *_table(args)) for micros in _pair(args))
    return as_null(Column(torch.stack(calendar.age(end, start), -1), out), *map(infinite, args[1:]))


@scalar("time_bucket_in_zone", types=_zone_first(TIMESTAMPTZ, INTERVAL, TIMESTAMPTZ))
def _time_bucket(args: Args, out: DType) -> Column:
    """The start of a period of days, one of which begins where clocks show 2000-01-03: a day that clocks skip is none."""
    where = infinite(args[2])
    micros = torch.where(_known(args), micros_of(finite(args[2], where)), MONDAY)
    days = args[1].data[..., 1].clamp(min=1)
    if args[0].is_constant:
        found = _first_day(micros, days, zone_named(_word(args[0])))
    else:
        found = _by_zone(args[0], lambda zone: _first_day(micros, days, zone))
    _require(found, micros, args)
    return restored(Column(found, out), args[2], where)


def _first_day(micros: Tensor, days: Tensor, zone: TimeZone) -> Tensor:
    """The start of the period of so many days, by the clocks of the zone."""
    table = zone.on(micros.device)
    monday = offsets.instants(torch.full_like(micros, MONDAY), *table)
    found = clocks.add_days(monday, trunc_div(clocks.whole_days(monday, micros, table), days) * days, table)
    return torch.where(found > micros, clocks.add_days(found, -days, table), found)


@scalar("date_diff_in_zone", types=_zone_first(BIGINT, VARCHAR, TIMESTAMPTZ, TIMESTAMPTZ))
def _date_diff_kernel(args: Args, out: DType) -> Column:
    found = count_by_clock(part_name(_word(args[1])), *_pair(args), _table(args), whole=False)
    return as_null(Column(found, out), *map(infinite, args[2:]))


@scalar("date_sub_in_zone", types=_zone_first(BIGINT, VARCHAR, TIMESTAMPTZ, TIMESTAMPTZ))
def _date_sub_kernel(args: Args, out: DType) -> Column:
    found = count_by_clock(part_name(_word(args[1])), *_pair(args), _table(args), whole=True)
    return as_null(Column(found, out), *map(infinite, args[2:]))


@scalar("strftime_in_zone", types=_zone_first(VARCHAR, TIMESTAMPTZ, VARCHAR))
def _strftime_kernel(args: Args, out: DType) -> Column:
    return formatted(args[1], args[2], out, zone_named(_word(args[0])))


@scalar("instant_in_zone", types=_zone_first(TIMESTAMPTZ, VARCHAR))
def _instant(args: Args, out: DType) -> Column:
    entries = spread([args[1]])
    strings = entries.operands[0]
    values, good = parse(strings, out, zone_named(_word(args[0])))
    bad = pa.array(~good)
    entries.check(
        bad, [args[1]], lambda row: f"could not convert string '{strings[row].as_py()}' to {out}", hint_for(out)
    )
    return Column(entries.rows(torch.from_numpy(values)), out)


@scalar("try_instant_in_zone", types=_zone_first(TIMESTAMPTZ, VARCHAR))
def _try_instant(args: Args, out: DType) -> Column:
    entries = spread([args[1]])
    values, good = parse(entries.operands[0], out, zone_named(_word(args[0])))
    return Column(entries.rows(torch.from_numpy(values)), out, entries.rows(torch.from_numpy(good)))


@scalar("text_in_zone", types=_zone_first(VARCHAR, TIMESTAMPTZ), on_host=True)
def _text(args: Args, out: DType) -> Column:
    return text_in_zone(args[1], _word(args[0]))


def text_in_zone(column: Column, name: str) -> Column:
    """A TIMESTAMPTZ(_NS) as text, its NULLs aside."""
    entries = spread([column])
    values = torch.from_numpy(entries.operands[0].to_numpy(zero_copy_only=False, writable=True)).long()
    return entries.finish(zoned_as_text(values, zone_named(name), column.dtype), VARCHAR)


@scalar("time_in_zone", types=_zone_first(TIMETZ, TIMESTAMPTZ))
def _time_in_zone(args: Args, out: DType) -> Column:
    micros = args[1].data.to(torch.int64)
    ahead = offsets.offsets_at(micros, *_table(args))
    time = Column(floor_rest(micros + ahead, DAY), TIME, args[1].valid)
    return of_clock(time, trunc_div(ahead, SECOND))


def _with_offset(args: tuple[Expr, ...]) -> Signature:
    return (VARCHAR,), TIMETZ


@scalar("time_with_offset", types=_with_offset)
def _time_with_offset(args: Args, out: DType) -> Column:
    return _offset_times(args[0], safe=False)


@scalar("try_time_with_offset", types=_with_offset)
def _try_time_with_offset(args: Args, out: DType) -> Column:
    return _offset_times(args[0], safe=True)


def _offset_times(column: Column, *, safe: bool) -> Column:
    """Texts as TIMETZ, which say their offset: else it is that of the session's zone on the day of the query."""
    entries = spread([column])
    texts = entries.array(0).to_pylist()
    found = [read_offset_time(text, needs_offset=True) for text in texts]
    bare = [number is None and read_offset_time(text) is not None for number, text in zip(found, texts, strict=True)]
    failed = bare if safe else [number is None for number in found]
    entries.check(
        pa.array(failed, pa.bool_()), [column],
        lambda row: f"could not convert string '{texts[row]}' to {TIMETZ}{': it has no offset' if bare[row] else ''}",
        hint_for(TIMETZ),
    )  # fmt: skip
    known = entries.rows(torch.tensor([number is not None for number in found], dtype=torch.bool, device="cpu"))
    numbers = torch.tensor([number or 0 for number in found], dtype=torch.int64, device="cpu")
    valid = column.valid
    if safe:
        valid = known if valid is None else valid & known
    return Column(entries.rows(numbers), TIMETZ, valid)
