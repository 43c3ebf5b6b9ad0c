"""equi_width_bins: the upper limits of bins of one width between two values, on request at numbers that are easy to read."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError
from tqp.functions.by_value import computed, entries_of
from tqp.functions.registry import Args, Signature, expect, scalar
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Expr
from tqp.kernels.calendar import DAY, INFINITE_INSTANT
from tqp.types import BIGINT, BOOLEAN, DOUBLE, NULL, TIMESTAMP, DType, Kind, integer_range, list_of

__all__: list[str] = []

_NAME: Final = "equi_width_bins"
_MOST_BINS: Final = 1_000_000
_LEAST, _GREATEST = integer_range(BIGINT)
_FACTOR: Final = 1000
"""Limits of integers are found in thousandths, as steps may be broken numbers."""
_SECOND: Final = 1_000_000
_MINUTE: Final = 60 * _SECOND
_HOUR: Final = 60 * _MINUTE
_INSTANTS: Final = (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMP_S, Kind.TIMESTAMP_MS, Kind.TIMESTAMP_NS)


def _common(least: Expr, greatest: Expr) -> DType:
    """The type in which bins between two values are found. BindError where there is none."""
    dtypes = [arg.dtype for arg in (least, greatest) if arg.dtype != NULL and not is_text_literal(arg)]
    for dtype in (BIGINT, DOUBLE, TIMESTAMP):
        if dtypes and all(_fits(given, dtype) for given in dtypes):
            return dtype
    if not dtypes and NULL in (least.dtype, greatest.dtype):
        return NULL
    raise BindError(f"{_NAME} takes numbers, dates or timestamps, not {least.dtype} and {greatest.dtype}")


def _fits(given: DType, dtype: DType) -> bool:
    if dtype == BIGINT:
        return given.is_integer and _LEAST <= integer_range(given)[0] and integer_range(given)[1] <= _GREATEST
    return given.is_numeric if dtype == DOUBLE else given.kind in _INSTANTS


def _types(args: tuple[Expr, ...]) -> Signature:
    expect(args, 4, _NAME)
    dtype = _common(args[0], args[1])
    for arg, wanted in zip(args[2:], (BIGINT, BOOLEAN), strict=True):
        is_wanted = arg.dtype.is_integer if wanted == BIGINT else arg.dtype == BOOLEAN
        if not (is_wanted or arg.dtype == NULL or is_text_literal(arg)):
            raise BindError(f"{_NAME} takes a number of bins and whether they are nice, not {arg.dtype}")
    if NULL in [arg.dtype for arg in args]:
        return tuple(arg.dtype for arg in args), NULL
    return (dtype, dtype, BIGINT, BOOLEAN), list_of(dtype)


@scalar(_NAME, types=_types, on_distinct=True, on_host=True)
def _equi_width_bins(args: Args, out: DType) -> Column:
    """The limits, ascending; nice ones are up to twice as many round numbers, the last of which may be beyond the greatest value.

    ExecutionError for no bins or too many, a greatest value below the least, and values that are not finite.
    """
    limits = _LIMITS[args[0].dtype]

    def found(least: float, greatest: float, count: int, nice: bool) -> list[float]:
        # As in C++ nothing is less than NaN.
        if greatest < least:
            raise ExecutionError(f"{_NAME}: the greatest value, {greatest}, is below the least, {least}")
        if not 0 < count <= _MOST_BINS:
            raise ExecutionError(f"{_NAME} makes 1 to {_MOST_BINS} bins, not {count}")
        if least == greatest:
            return [greatest]
        last, *others = limits(least, greatest, count, nice)
        return [*reversed(others), max(last, greatest)]

    return computed(found, args, out, entries_of(args))


# Each from the last limit on, of a least and a greatest value that differ ------------------------------------------------


def _of_integers(least: int, greatest: int, count: int, nice: bool) -> list[int]:
    low, high = least * _FACTOR, greatest * _FACTOR
    step = max((high - low) // count, 1)
    if nice:
        unit = _nearest(step, *_divisors(_power_of_ten(step), step))
        last = _quotient(high + unit - 1, unit) * unit if unit else low
        if last != low:
            high, step = last, unit
        count *= 2
    found: list[int] = []
    while high > low:
        limit = min(_quotient(high, _FACTOR), _GREATEST)
        if found and (limit < least or len(found) >= count):
            break
        if not found or limit != found[-1]:
            found.append(limit)
        high -= step
    return found


def _power_of_ten(step: int) -> int:
    """That below the step."""
    power = 1
    while power < step:
        power *= 10
    return power // 10


def _divisors(power: float, step: float) -> tuple[float, float]:
    """Numbers are nice where one of these divides them: 2 or 5 times a power of ten."""
    return power * (10 if power * 3 <= step else 2), power * (5 if power * 2 <= step else 1)


def _nearest(step: int, two: float, five: float) -> int:
    if not five:
        return 0
    rounded = [_quotient(step + int(unit) // 2, int(unit)) * int(unit) for unit in (two, five)]
    return rounded[0] if abs(step - rounded[0]) < abs(step - rounded[1]) else rounded[1]


def _quotient(number: int, divisor: int) -> int:
    """Towards zero."""
    return number // divisor if number >= 0 else -(-number // divisor)


def _of_floats(least: float, greatest: float, count: int, nice: bool) -> list[float]:
    if not (math.isfinite(least) and math.isfinite(greatest)):
        raise ExecutionError(f"{_NAME} takes finite values")
    high, span = greatest, greatest - least
    step = span / count if math.isfinite(span) else greatest / count - least / count
    power = _float_power(step)
    if nice:
        units = _divisors(power, step)
        rounded = [_multiple(step, unit, _half_up) for unit in units]
        step = rounded[0] if abs(step - rounded[0]) < abs(step - rounded[1]) else rounded[1]
        high = _multiple(greatest, step, math.ceil)
        count *= 2
    if not step:
        return [greatest]
    scale = 10 / power if power else math.inf
    found: list[float] = []
    while high > least:
        limit = _half_up(high * scale) / scale if nice else high
        if not found or limit != found[-1]:
            if limit <= least or len(found) >= count:
                break
            found.append(limit)
        high -= step
    return found


def _float_power(step: float) -> float:
    power = 1.0
    if step < 1:
        while power > step:
            power /= 10
        return power
    while power < step:
        power *= 10
    return power / 10


def _half_up(number: float) -> float:
    """Rounded, halves away from zero."""
    return math.copysign(math.floor(abs(number) + 0.5), number) if math.isfinite(number) else number


def _multiple(number: float, unit: float, rounded: Callable[[float], float]) -> float:
    quotient = number / unit if unit else math.inf
    found = rounded(quotient) * unit if math.isfinite(quotient) else math.inf
    return found if math.isfinite(found) else number


def _of_instants(least: int, greatest: int, count: int, nice: bool) -> list[int]:
    if INFINITE_INSTANT in (-least, greatest):
        raise ExecutionError(f"{_NAME} takes finite values")
    if not nice:
        return _of_integers(least, greatest, count, nice=False)
    (first_month, first_day, first_time), (last_month, last_day, last_time) = _parts(least), _parts(greatest)
    # What is left of a unit goes to the one below.
    months = (last_month - first_month) / count
    days = (last_day - first_day) / count + (months % 1 * 30 if months > 0 else 0)
    micros = (last_time - first_time) / count + (days % 1 * DAY if days > 0 else 0)
    step = _nice_interval(int(months), int(days), int(micros))
    high = _nice_instant(last_month, last_day, last_time, step)
    if max(step) <= 0:
        step = (0, 0, 1)
    found: list[int] = []
    while high >= least and len(found) < count:
        found.append(high)
        month, day, time = _parts(high)
        high = _instant(month - step[0], day, time, clamped=True) - step[1] * DAY - step[2]
    return found


def _nice_interval(months: int, days: int, micros: int) -> tuple[int, int, int]:
    if months >= 6:
        return months, 0, 0
    if months > 0 or days >= 5:
        return months, days, 0
    for least, unit in _UNITS:
        if days > 0 or micros >= least:
            return months, days, _quotient(micros + unit // 2, unit) * unit
    return months, days, micros


_UNITS: Final = (
    (6 * _HOUR, _HOUR), (_HOUR, 15 * _MINUTE), (10 * _MINUTE, _MINUTE), (_MINUTE, 15 * _SECOND), (10 * _SECOND, _SECOND),
)  # fmt: skip
"""From so many microseconds on, a step is of these units."""


def _nice_instant(month: int, day: int, time: int, step: tuple[int, int, int]) -> int:
    """The next beginning of a month, day, hour, minute or second, as long a one as the step allows."""
    months, days, micros = step
    if months >= 12:
        return _instant(month + (day > 1 or time > 0), 1, 0)
    unit = DAY if months > 0 or days >= 1 else next((unit for unit in (_HOUR, _MINUTE, _SECOND) if micros >= unit), 1)
    return _instant(month, day, -(-time // unit) * unit)


def _parts(micros: int) -> tuple[int, int, int]:
    """Months since 1970, the day of the month from 1, and microseconds of the day."""
    day = np.datetime64(micros // DAY, "D")
    month = day.astype("datetime64[M]")
    return int(month.astype(np.int64)), int((day - month.astype("datetime64[D]")).astype(np.int64)) + 1, micros % DAY


def _instant(month: int, day: int, time: int, *, clamped: bool = False) -> int:
    """The inverse of `_parts`; `clamped`: a day that the month has not is its last one."""
    first, following = (
        int(np.datetime64(one, "M").astype("datetime64[D]").astype(np.int64)) for one in (month, month + 1)
    )
    return (first + (min(day, following - first) if clamped else day) - 1) * DAY + time


_LIMITS: Final[dict[DType, Callable[..., list[int] | list[float]]]] = {
    BIGINT: _of_integers, DOUBLE: _of_floats, TIMESTAMP: _of_instants,
}  # fmt: skip
