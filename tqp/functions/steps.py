"""Plus, minus, times and divided by where dates, times and intervals take part.

The type rules return None where no operand is of such a type, so that the operator means numbers.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import clipped
from tqp.errors import BindError, ExecutionError
from tqp.functions import exact
from tqp.functions.instants import add_interval, at_time, date_difference, infinite, restored
from tqp.functions.offset_times import in_utc
from tqp.functions.registry import Args, Signature
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Expr, Literal
from tqp.ir.inputs import decide
from tqp.kernels.calendar import DAY, SECOND
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
    TIMESTAMP_NS,
    TIMESTAMPTZ,
    TIMESTAMPTZ_NS,
    TIMETZ,
    UBIGINT,
    UHUGEINT,
    DType,
    integer_range,
)

__all__ = [
    "difference", "difference_types", "divided", "division_types", "has_no_months", "negated", "scaled", "scaling_types",
    "sum_types", "total",
]  # fmt: skip

_TIMES = (DATE, TIME, TIMESTAMP, TIMESTAMPTZ, TIMESTAMP_NS, TIMESTAMPTZ_NS, TIMETZ)
_DAYS_A_MONTH = 30
_SECONDS_A_DAY = DAY // SECOND
_MAX_DAY = 2**31 - 2


def _is_time(dtype: DType) -> bool:
    return dtype in _TIMES or dtype == INTERVAL


def _pair(args: tuple[Expr, ...]) -> tuple[DType, DType]:
    if len(args) != 2:
        raise BindError(f"an operator takes 2 operands, not {len(args)}")
    first, second = (arg.dtype if arg.dtype.counts_nanoseconds else arg.dtype.in_microseconds for arg in args)
    return first, second


def _is_day_count(dtype: DType) -> bool:
    return dtype.is_integer and integer_range(dtype)[1] <= 2**31 - 1


def sum_types(args: tuple[Expr, ...]) -> Signature | None:
    """Instant + INTERVAL, DATE + INTEGER, DATE + TIME, INTERVAL + INTERVAL, in either order."""
    a, b = _pair(args)
    if not (_is_time(a) or _is_time(b)):
        return None
    for x, y, swapped in ((a, b, False), (b, a, True)):
        found = _sum(x, y, args[0 if swapped else 1])
        if found is not None:
            _ask_for_months(args)
            (first, second), result = found
            return ((second, first) if swapped else (first, second)), result
    raise BindError(f"there is no {a} + {b}", hint="to move by a span of time, add an INTERVAL")


def _ask_for_months(args: tuple[Expr, ...]) -> None:
    """Let the plan build on whether a constant interval has months, by which a sum rises with its time or does not."""
    for arg in args:
        if isinstance(arg, Literal) and arg.dtype == INTERVAL:
            decide(has_no_months, arg)


def has_no_months(shift: Literal) -> bool:
    """Whether a constant interval is NULL, or of days and less."""
    return not (isinstance(shift.value, tuple) and shift.value[0])


def _sum(x: DType, y: DType, right: Expr) -> tuple[tuple[DType, DType], DType] | None:
    if x == INTERVAL and (y in (INTERVAL, NULL) or is_text_literal(right)):
        return (INTERVAL, INTERVAL), INTERVAL
    if x == DATE and y == NULL:
        return (DATE, INTEGER), DATE
    if x in _TIMES and y in (INTERVAL, NULL):
        return (x, INTERVAL), TIMESTAMP if x == DATE else x
    if x == DATE and y == TIME:
        return (DATE, TIME), TIMESTAMP
    if x == DATE and y == TIMETZ:
        return (DATE, TIMETZ), TIMESTAMPTZ
    if x == DATE and _is_day_count(y):
        return (DATE, y), DATE
    return None


def difference_types(args: tuple[Expr, ...]) -> Signature | None:
    """Instant - INTERVAL, DATE - INTEGER, DATE - DATE (days), instant - instant, INTERVAL - INTERVAL."""
    a, b = _pair(args)
    if not (_is_time(a) or _is_time(b)):
        return None
    if is_text_literal(args[0]):
        a = b
    elif is_text_literal(args[1]):
        b = a
    if a == INTERVAL and b in (INTERVAL, NULL):
        return (INTERVAL, INTERVAL), INTERVAL
    if a in _TIMES and b == INTERVAL:
        _ask_for_months(args)
        return (a, INTERVAL), TIMESTAMP if a == DATE else a
    if a == DATE and _is_day_count(b):
        return (DATE, b), DATE
    if b == NULL and a in _TIMES:
        return (a, INTEGER if a == DATE else INTERVAL), a
    if a == NULL:
        a = b
    if a == DATE and b == DATE:
        return (DATE, DATE), BIGINT
    if a in _TIMES and b in _TIMES and not {TIME, TIMETZ} & {a, b}:
        target = TIMESTAMPTZ if TIMESTAMPTZ in (a.in_microseconds, b.in_microseconds) else TIMESTAMP
        return (target, target), INTERVAL
    raise BindError(f"there is no {a} - {b}", hint="to move by a span of time, subtract an INTERVAL")


def scaling_types(args: tuple[Expr, ...]) -> Signature | None:
    """INTERVAL * number, in either order."""
    a, b = _pair(args)
    if INTERVAL not in (a, b):
        return None
    number = b if a == INTERVAL else a
    if not (number.is_numeric or number == NULL):
        raise BindError(f"there is no {a} * {b}", hint="an INTERVAL times a number is meant, perhaps")
    factor = BIGINT if number.is_integer and number not in (UBIGINT, HUGEINT, UHUGEINT) else DOUBLE
    return ((INTERVAL, factor) if a == INTERVAL else (factor, INTERVAL)), INTERVAL


def division_types(args: tuple[Expr, ...]) -> Signature | None:
    """INTERVAL / number."""
    a, b = _pair(args)
    if not (_is_time(a) or _is_time(b)):
        return None
    if a != INTERVAL or not (b.is_numeric or b == NULL or is_text_literal(args[1])):
        raise BindError(f"there is no {a} / {b}", hint="an INTERVAL divided by a number is meant, perhaps")
    return (INTERVAL, DOUBLE), INTERVAL


def total(args: Args, out: DType) -> Column:
    """The sum of operands typed by `sum_types`."""
    a, b = args
    if a.dtype == INTERVAL and b.dtype == INTERVAL:
        total = a.data + b.data
        return _span(total, _wrapped(a.data ^ total, b.data ^ total), args)
    if a.dtype == INTERVAL or (b.dtype == DATE and a.dtype != DATE):
        a, b = b, a
    if b.dtype == INTERVAL:
        return add_interval(a, b, 1)
    if b.dtype == TIMETZ:
        return replace(at_time(a, Column(in_utc(b.data), TIME, b.valid)), dtype=out)
    if b.dtype == TIME:
        return at_time(a, b)
    return _moved("add", args, out)


def _moved(operator: str, args: Args, out: DType) -> Column:
    """A date and a number of days, added or subtracted."""
    date = args[0] if args[0].dtype == DATE else args[1]
    where = infinite(date)
    a, b = args if where is None else (replace(arg, data=torch.where(where, 0, arg.data), bounds=None) for arg in args)
    return restored(_day(exact.combine(operator, a, b, out), args), date, where)


def _day(days: Column, args: Args) -> Column:
    """The column of days; ExecutionError where one is no DATE."""
    low, high = exact.limits(days)
    if low < -_MAX_DAY or high > _MAX_DAY:
        # Not `abs`, which in 32 bits leaves the least number negative.
        if exact.first_bad((days.data > _MAX_DAY) | (days.data < -_MAX_DAY), tuple(args)) is not None:
            raise ExecutionError("date out of range")
        days = replace(days, bounds=clipped((low, high), (-_MAX_DAY, _MAX_DAY)))
    return days


def difference(args: Args, out: DType) -> Column:
    """The difference of operands typed by `difference_types`."""
    a, b = args
    if a.dtype == INTERVAL:
        rest = a.data - b.data
        return _span(rest, _wrapped(a.data ^ b.data, a.data ^ rest), args)
    if b.dtype == INTERVAL:
        return add_interval(a, b, -1)
    if b.dtype.is_exact:
        return _moved("sub", args, out)
    return date_difference(a, b)


def scaled(args: Args, out: DType) -> Column:
    """INTERVAL times BIGINT, which must fit 32 bits as DuckDB's, or DOUBLE."""
    interval, factor = args if args[0].dtype == INTERVAL else (args[1], args[0])
    if factor.dtype.is_float:
        return _spread(interval.data.double() * factor.data.unsqueeze(-1), args)
    times = factor.data.long().unsqueeze(-1)
    product, estimate = interval.data * times, interval.data.double() * times.double()
    # What wrapped around gives another number when divided, unless it did so more than once.
    back = torch.div(product, torch.where(times == 0, 1, times), rounding_mode="trunc")
    wrapped = (estimate.abs() > 2.0**64) | ((times != 0) & (back != interval.data))
    wrapped |= (times > 2**31 - 1) | (times < -(2**31))
    return _span(product, wrapped.any(-1), args)


def divided(args: Args, out: DType) -> Column:
    """INTERVAL divided by DOUBLE; ExecutionError where that is zero."""
    interval, divisor = args
    zero = divisor.data == 0
    exact.refuse_zero(zero, interval, divisor)
    return _spread(interval.data.double() / torch.where(zero, 1.0, divisor.data).unsqueeze(-1), args)


def _spread(fields: Tensor, args: Args) -> Column:
    """The INTERVAL of months, days and microseconds as DOUBLE: a fraction of a month counts in days, one of a day in time.

    As in PostgreSQL what goes to the unit below is rounded to six digits first, and so are the seconds that come of days.
    """
    months, days, micros = fields.unbind(-1)
    more_days = _rounded((months - months.trunc()) * _DAYS_A_MONTH)
    seconds = _rounded((days - days.trunc() + more_days - more_days.trunc()) * _SECONDS_A_DAY)
    # Rounding, or both fractions together, may make up a day.
    carried = torch.where(seconds.abs() >= _SECONDS_A_DAY, (seconds / _SECONDS_A_DAY).trunc(), 0.0)
    micros = (micros + (seconds - carried * _SECONDS_A_DAY) * SECOND).round()
    found = torch.stack((months.trunc(), days.trunc() + more_days.trunc() + carried, micros), dim=-1)
    fits = (found >= -(2.0**63)) & (found < 2.0**63)
    return _span(torch.where(fits, found, 0.0).long(), ~fits.all(-1), args)


def _rounded(number: Tensor) -> Tensor:
    return (number * 1e6).round() / 1e6


def negated(interval: Column) -> Column:
    """Minus an INTERVAL."""
    return _span(-interval.data, (interval.data == -(2**63)).any(-1), (interval,))


def _wrapped(one: Tensor, other: Tensor) -> Tensor:
    """Where a sum of microseconds wrapped around: the signs of both differences are set."""
    return (one & other)[..., 2] < 0


def _span(fields: Tensor, wrapped: Tensor, args: Args) -> Column:
    """The INTERVAL of (..., 3) fields; ExecutionError where one wrapped, or is more than 32 bits of months or days."""
    wide = fields[..., :2]
    bad = wrapped | ((wide > 2**31 - 1) | (wide < -(2**31))).any(-1)
    if exact.first_bad(bad, tuple(args)) is not None:
        raise ExecutionError("overflow in arithmetic on INTERVAL")
    return Column(fields, INTERVAL)
