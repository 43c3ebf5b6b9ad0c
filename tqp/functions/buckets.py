"""time_bucket: the start of the period, one of equal periods on end, in which an instant lies."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError
from tqp.functions.casts.instants import cast_temporal
from tqp.functions.instants import add_interval, as_null, finite, infinite, micros_of, restored
from tqp.functions.registry import Args, Signature, scalar
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Expr
from tqp.kernels import calendar, waits
from tqp.kernels.calendar import DAY, FIRST_INSTANT, INFINITE_DAY
from tqp.kernels.division import floor_rest
from tqp.types import DATE, INTERVAL, TIME, TIMESTAMP, TIMESTAMPTZ, DType, Kind

__all__ = ["MONDAY"]

MONDAY: Final = 946_857_600_000_000
"""2000-01-03, where one of the periods of days and less begins."""
_NEW_YEAR: Final = 360
"""2000-01 in months since 1970, where one of the periods of months begins."""
_ORDER: Final = (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)
_WHY: Final = "a period that is none is an error"


def _types(args: tuple[Expr, ...]) -> Signature:
    if len(args) not in (2, 3):
        raise BindError(f"time_bucket takes 2 or 3 arguments, not {len(args)}")
    width, value, *rest = args
    kinds = [arg.dtype.in_microseconds for arg in (value, *rest)]
    if width.dtype.kind not in (Kind.INTERVAL, Kind.NULL) and not is_text_literal(width):
        raise BindError(f"time_bucket takes an INTERVAL first, not {width.dtype}")
    for arg in (value, *rest):
        if not arg.dtype.is_temporal and not (arg is not value and arg.dtype == INTERVAL):
            raise BindError(f"time_bucket does not take {arg.dtype}", hint="write DATE or TIMESTAMP before it")
    if kinds[-1] == INTERVAL or len(kinds) == 1:
        return (INTERVAL, *kinds), kinds[0]
    if kinds[0] != kinds[1] and TIME in kinds:
        raise BindError(f"time_bucket of {kinds[0]} does not begin at a {kinds[1]}")
    both = max(kinds, key=lambda dtype: _ORDER.index(dtype.kind) if dtype.kind in _ORDER else 0)
    return (INTERVAL, both, both), both


@scalar("time_bucket", types=_types)
def _time_bucket(args: Args, out: DType) -> Column:
    """Of the periods one begins at `origin` if that is the third argument, and an INTERVAL moves all of them."""
    width, value = args[:2]
    months = _months(width, args)
    where = infinite(value)
    instants = finite(value, where)
    if len(args) == 3 and args[2].dtype.kind is not Kind.INTERVAL:
        unending = infinite(args[2])
        found = _begun(months, width, instants, finite(args[2], unending), args)
        return as_null(restored(_as(found, out), value, where), unending)
    if len(args) == 2:
        return restored(_as(_begun(months, width, instants, None, args), out), value, where)
    moved = add_interval(_as_timestamp(instants), args[2], -1)
    found = add_interval(_begun(months, width, moved, None, args), args[2], 1)
    return restored(_as(found, out), value, where)


def _months(width: Column, args: Args) -> Tensor | bool:
    """Where a period is of months, or whether all are; ExecutionError for what is no period."""
    months, days, micros = width.data.unbind(-1)
    bad = torch.where(months != 0, (months < 0) | (days != 0) | (micros != 0), _length(width) <= 0)
    bad = bad | (days.abs() > 10**8)
    if args[1].dtype == TIMESTAMPTZ:
        bad = bad | (days != 0) & (micros != 0)
    for arg in args:
        bad = bad if arg.valid is None else bad & arg.valid
    if waits.truth(bad.any(), _WHY):
        hint = "write so many months, or so many days and less"
        raise ExecutionError("time_bucket takes a period above 0, either of months or of days and less", hint=hint)
    if width.is_constant:
        return waits.truth(months != 0, _WHY)
    return months != 0


def _length(width: Column) -> Tensor:
    _, days, micros = width.data.unbind(-1)
    return days * DAY + micros


def _begun(months: Tensor | bool, width: Column, value: Column, origin: Column | None, args: Args) -> Column:
    """The start of the period, a TIMESTAMP, or a DATE where all periods are months."""
    if months is True:
        days = _month(width, value, origin)
        _refuse(days.abs() >= INFINITE_DAY, args)
        return Column(days, DATE)
    micros = _micro(width, value, origin, args)
    if months is False:
        return Column(micros, TIMESTAMP)
    return Column(torch.where(months, _month(width, value, origin) * DAY, micros), TIMESTAMP)


def _month(width: Column, value: Column, origin: Column | None) -> Tensor:
    """The first day of the period of months, int64."""
    step = width.data[..., 0].clamp(min=1)
    first = _NEW_YEAR if origin is None else _month_number(origin)
    number = _month_number(value) - first
    number = calendar.floor_div(number, step) * step + first
    year = calendar.floor_div(number, 12)
    month = number - year * 12 + 1
    return calendar.days_from_civil(year + 1970, month, torch.ones_like(month))


def _month_number(column: Column) -> Tensor:
    days = column.data.to(torch.int64) if column.dtype.kind is Kind.DATE else calendar.split(_micros(column))[0]
    year, month, _ = calendar.civil_from_days(days)
    return (year - 1970) * 12 + month - 1


def _micro(width: Column, value: Column, origin: Column | None, args: Args) -> Tensor:
    """The first microsecond of the period of days and less; ExecutionError where that is before all timestamps."""
    step = _length(width).clamp(min=1)
    first = floor_rest(_micros(origin), step) if origin is not None else MONDAY - MONDAY // step * step
    micros = _micros(value)
    # The distance from the origin may leave 64 bits at their ends, the rest of its division does not.
    rest = floor_rest(floor_rest(micros, step) - first, step)
    found = micros - rest
    _refuse((found > micros) | (found < FIRST_INSTANT), args)
    return found


def _refuse(bad: Tensor, args: Args) -> None:
    for arg in args:
        bad = bad if arg.valid is None else bad & arg.valid
    if waits.truth(bad.any(), _WHY):
        raise ExecutionError("the start of this period of time_bucket is out of range")


def _micros(column: Column) -> Tensor:
    return column.data.to(torch.int64) if column.dtype.kind is Kind.TIME else micros_of(column)


def _as_timestamp(column: Column) -> Column:
    """A TIME as one of 1970-01-01, a DATE as it is."""
    return replace(column, dtype=TIMESTAMP) if column.dtype.kind is Kind.TIME else column


def _as(found: Column, out: DType) -> Column:
    """The start of a period, a DATE or TIMESTAMP, as the type of the result."""
    if out == TIMESTAMPTZ and found.dtype == DATE:
        found = cast_temporal(found, TIMESTAMP, False)
    if out == TIME and found.dtype == DATE:
        return Column(torch.zeros_like(found.data), TIME)
    if out == DATE and found.dtype == DATE:
        return replace(found, data=found.data.to(torch.int32))
    return cast_temporal(found, out, False)
