"""Plus, minus, times and divided by where dates, times and intervals take part.

The type rules return None where no operand is of such a type, so that the operator means numbers.
"""

from __future__ import annotations

import torch

from tqp.column import Column
from tqp.errors import BindError
from tqp.functions import exact
from tqp.functions.registry import Args, Signature
from tqp.functions.temporal import add_interval, date_difference
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Expr
from tqp.kernels.calendar import DAY
from tqp.types import BIGINT, DATE, DOUBLE, INTERVAL, NULL, TIME, TIMESTAMP, TIMESTAMPTZ, DType, integer_range

__all__ = [
    "difference", "difference_types", "divided", "division_types", "scaled", "scaling_types", "sum_types", "total",
]  # fmt: skip

_TIMES = (DATE, TIME, TIMESTAMP, TIMESTAMPTZ)
_DAYS_A_MONTH = 30


def _is_time(dtype: DType) -> bool:
    return dtype in _TIMES or dtype == INTERVAL


def _pair(args: tuple[Expr, ...]) -> tuple[DType, DType]:
    if len(args) != 2:
        raise BindError(f"an operator takes 2 operands, not {len(args)}")
    return args[0].dtype, args[1].dtype


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
            (first, second), result = found
            return ((second, first) if swapped else (first, second)), result
    raise BindError(f"there is no {a} + {b}", hint="to move by a span of time, add an INTERVAL")


def _sum(x: DType, y: DType, right: Expr) -> tuple[tuple[DType, DType], DType] | None:
    if x == INTERVAL and (y in (INTERVAL, NULL) or is_text_literal(right)):
        return (INTERVAL, INTERVAL), INTERVAL
    if x in _TIMES and y in (INTERVAL, NULL):
        return (x, INTERVAL), TIMESTAMP if x == DATE else x
    if x == DATE and y == TIME:
        return (DATE, TIME), TIMESTAMP
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
        return (a, INTERVAL), TIMESTAMP if a == DATE else a
    if a == DATE and _is_day_count(b):
        return (DATE, b), DATE
    if NULL in (a, b):
        a = b = b if a == NULL else a
    if a == DATE and b == DATE:
        return (DATE, DATE), BIGINT
    if a in _TIMES and b in _TIMES and TIME not in (a, b):
        target = TIMESTAMPTZ if TIMESTAMPTZ in (a, b) else TIMESTAMP
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
    factor = BIGINT if number.is_integer else DOUBLE
    return ((INTERVAL, factor) if a == INTERVAL else (factor, INTERVAL)), INTERVAL


def division_types(args: tuple[Expr, ...]) -> Signature | None:
    """INTERVAL / number."""
    a, b = _pair(args)
    if not (_is_time(a) or _is_time(b)):
        return None
    if a != INTERVAL or not (b.is_numeric or b == NULL):
        raise BindError(f"there is no {a} / {b}", hint="an INTERVAL divided by a number is meant, perhaps")
    return (INTERVAL, DOUBLE), INTERVAL


def total(args: Args, out: DType) -> Column:
    """The sum of operands typed by `sum_types`."""
    a, b = args
    if a.dtype == INTERVAL and b.dtype == INTERVAL:
        return Column(a.data + b.data, out)
    if a.dtype == INTERVAL or (b.dtype == DATE and a.dtype != DATE):
        a, b = b, a
    if b.dtype == INTERVAL:
        return add_interval(a, b, 1)
    if b.dtype == TIME:
        return Column(a.data.long() * DAY + b.data, out)
    return exact.combine("add", a, b, out)


def difference(args: Args, out: DType) -> Column:
    """The difference of operands typed by `difference_types`."""
    a, b = args
    if a.dtype == INTERVAL:
        return Column(a.data - b.data, out)
    if b.dtype == INTERVAL:
        return add_interval(a, b, -1)
    if b.dtype.is_exact:
        return exact.combine("sub", a, b, out)
    return date_difference(a, b)


def scaled(args: Args, out: DType) -> Column:
    """INTERVAL times BIGINT or DOUBLE."""
    interval, factor = args if args[0].dtype == INTERVAL else (args[1], args[0])
    if factor.dtype.is_float:
        return Column(_spread(interval.data, factor.data), out)
    return Column(interval.data * factor.data.long().unsqueeze(-1), out)


def divided(args: Args, out: DType) -> Column:
    """INTERVAL divided by DOUBLE; NULL where that is zero."""
    interval, divisor = args
    zero = divisor.data == 0
    result = _spread(interval.data, 1.0 / torch.where(zero, 1.0, divisor.data))
    return Column(result, out, (~zero).expand(result.shape[:-1]))


def _spread(interval: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
    """Months, days and microseconds times a factor; a fraction of a month counts in days, one of a day in time."""
    months, days, micros = (interval.double() * factor.unsqueeze(-1)).unbind(-1)
    days = days + (months - months.trunc()) * _DAYS_A_MONTH
    # A sum such as 2.9999999999999996 days is 3 days; a microsecond is the unit that is told apart.
    micros = micros + ((days - days.trunc()) * DAY).round()
    return torch.stack((months.trunc(), days.trunc(), micros.round()), dim=-1).long()
