"""Values of Python as literals of SQL."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final

import numpy as np

from tqp.errors import BindError
from tqp.functions.offset_times import stored_time
from tqp.functions.promotion import MAX_PRECISION
from tqp.ir.expr import Elements, Literal
from tqp.types import (
    BIGINT,
    BLOB,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    HUGEINT,
    INTEGER,
    INTERVAL,
    NULL,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    TIMETZ,
    UBIGINT,
    UUID,
    VARCHAR,
    DType,
    decimal,
    integer_range,
)  # fmt: skip

__all__ = ["Vector", "python_value"]

_EPOCH: Final = datetime(1970, 1, 1)
_SUPPORTED: Final = (
    "None, bool, int, float, str, Decimal, dates and times, those of NumPy, lists, dicts and tensors are"
)
_MONTHS: Final = {"Y": 12, "M": 1}
_DAYS: Final = {"W": 7, "D": 1}
_MICROSECONDS: Final = {"h": 3_600_000_000, "m": 60_000_000, "s": 1_000_000, "ms": 1000, "us": 1}
_PER_MICROSECOND: Final = {"ns": 10**3, "ps": 10**6, "fs": 10**9, "as": 10**12}
_LAST_DAY: Final = 2**31 - 2
_FIRST_INSTANT: Final = -9_223_372_022_400_000_000
_LAST_INSTANT: Final = 2**63 - 2
"""The days and microseconds that DATE and TIMESTAMP hold (290309-12-22 BC to 294247-01-10)."""


@dataclass(frozen=True)
class Vector:
    """A parameter that is a vector: immutable, and told apart by its repr."""

    dtype: DType
    numbers: tuple[float, ...]


def python_value(value: Any) -> Literal:
    """The literal of a Python value given as a parameter; BindError for a type SQL has no value of.

    None, `pandas.NA` and every NaT are NULL, NaN is a DOUBLE. An int is the first of INTEGER, BIGINT, UBIGINT and HUGEINT
    that holds it; a Decimal has just its own digits. A datetime with a time zone is a TIMESTAMPTZ. What would lose digits
    (nanoseconds, a Decimal of more than 38) is an error, as is text that is not Unicode.
    """
    if isinstance(value, Literal):
        return value
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return Literal(None, NULL)
    if isinstance(value, datetime | timedelta) and hasattr(value, "asm8"):
        # pandas' times are datetimes and timedeltas, but with nanoseconds, and beyond the years of Python.
        return _pandas_time(value)
    match value:
        case bool():
            return Literal(value, BOOLEAN)
        case int():
            return _integer(int.__int__(value))
        case float():
            return Literal(float.__float__(value), DOUBLE)
        case str():
            # Of a class of its own, such as an enumeration, too: what the text is, not how it shows itself.
            return _text(str.__str__(value))
        case uuid.UUID():
            return Literal(value.int - 2**127, UUID)
        case bytes() | bytearray() | memoryview():
            return Literal(bytes(value), BLOB)
        case Decimal():
            return _decimal(value)
        case datetime():
            return _datetime(value)
        case date():
            return Literal(value.toordinal() - _EPOCH.toordinal(), DATE)
        case time():
            micros = _micros(datetime.combine(_EPOCH, value.replace(tzinfo=None)) - _EPOCH)
            if value.tzinfo is None:
                return Literal(micros, TIME)
            ahead = value.utcoffset()
            if ahead is None:
                raise BindError(
                    "a time of day in a zone has no offset", hint="leave the zone out, or take timezone(timedelta(…))"
                )
            return Literal(stored_time(micros, _micros(ahead) // 1_000_000), TIMETZ)
        case timedelta():
            return Literal((0, value.days, value.seconds * 1_000_000 + value.microseconds), INTERVAL)
        case np.datetime64():
            return _numpy_instant(value)
        case np.timedelta64():
            return _numpy_length(value)
        case np.bool_():
            return Literal(bool(value), BOOLEAN)
        case np.integer():
            return _integer(int(value))
        case np.floating():
            if not np.isnan(value) and np.longdouble(float(value)) != value:
                raise BindError(f"the {type(value).__name__} {value} has digits that a DOUBLE cannot hold")
            return Literal(float(value), DOUBLE)
        case Vector():
            return Literal(Elements(value.numbers), value.dtype)
    raise BindError(f"a parameter of type {type(value).__name__} is no SQL value", hint=_SUPPORTED)


def _integer(value: int) -> Literal:
    for dtype in (INTEGER, BIGINT, UBIGINT, HUGEINT):
        low, high = integer_range(dtype)
        if low <= value <= high:
            return Literal(value, dtype)
    raise BindError("an integer that is a parameter is beyond the 128 bits of HUGEINT", hint="pass it as a float")


def _text(value: str) -> Literal:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise BindError(f"text that is a parameter is not Unicode: half a character at {error.start}") from None
    return Literal(value, VARCHAR)


def _decimal(value: Decimal) -> Literal:
    if value.is_snan():
        raise BindError("a signaling NaN is no SQL value", hint="pass float('nan')")
    if not value.is_finite():
        return Literal(float(value), FLOAT)
    # Not `scaleb`: it rounds to the context's 28 digits.
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    scale = max(0, -exponent)
    # The digits are counted before they are written out, as there may be billions of zeros. As in DuckDB there is a digit
    # before the point where one follows it that is not written: 0.05 is a DECIMAL(3,2).
    precision = max(len(digits) + max(0, exponent), scale + 1 if scale > len(digits) else scale)
    if not any(digits) or scale == MAX_PRECISION:
        precision = min(precision, MAX_PRECISION)
    if precision > MAX_PRECISION:
        raise BindError(
            f"a Decimal that is a parameter needs {precision} digits; {MAX_PRECISION} are the most",
            hint="round it, or pass it as a float",
        )
    scaled = int("".join(map(str, digits))) * 10 ** max(0, exponent) if any(digits) else 0
    scale = min(scale, MAX_PRECISION)
    return Literal(-scaled if sign else scaled, decimal(precision, scale))


def _datetime(value: datetime) -> Literal:
    offset = value.utcoffset()
    micros = _micros(value.replace(tzinfo=None) - _EPOCH)
    if offset is None:
        return Literal(micros, TIMESTAMP)
    # Not `astimezone`, whose result may be beyond the years of Python.
    return Literal(micros - _micros(offset), TIMESTAMPTZ)


def _pandas_time(value: Any) -> Literal:
    found = python_value(value.asm8)
    if isinstance(value, timedelta):
        assert isinstance(found.value, tuple)
        return Literal((0, *divmod(found.value[2], 86_400_000_000)), INTERVAL)
    return found if value.tzinfo is None else Literal(found.value, TIMESTAMPTZ)


def _micros(delta: timedelta) -> int:
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def _numpy_instant(value: np.datetime64) -> Literal:
    """DATE of days and longer units, TIMESTAMP of shorter ones."""
    if np.isnat(value):
        return Literal(None, NULL)
    unit, step = np.datetime_data(value.dtype)
    count = int(value.astype(np.int64)) * step
    if unit in _MONTHS and abs(count * _MONTHS[unit]) < 12 * 6_000_000:
        unit, count = "D", int(value.astype("datetime64[D]").astype(np.int64))
    if unit in _DAYS and abs(count * _DAYS[unit]) <= _LAST_DAY:
        return Literal(count * _DAYS[unit], DATE)
    if unit not in _MONTHS and unit not in _DAYS:
        micros = _whole_micros(count, unit)
        if _FIRST_INSTANT <= micros <= _LAST_INSTANT:
            return Literal(micros, TIMESTAMP)
    raise BindError(f"a datetime64[{unit}] that is a parameter is beyond the years of DATE and TIMESTAMP")


def _numpy_length(value: np.timedelta64) -> Literal:
    if np.isnat(value):
        return Literal(None, NULL)
    unit, step = np.datetime_data(value.dtype)
    count = int(value.astype(np.int64)) * step
    months, days = count * _MONTHS.get(unit, 0), count * _DAYS.get(unit, 0)
    micros = 0 if months or days or not count else _whole_micros(count, unit)
    if abs(months) >= 2**31 or abs(days) >= 2**31 or abs(micros) >= 2**63:
        raise BindError(f"a timedelta64[{unit}] that is a parameter is longer than an INTERVAL can be")
    return Literal((months, days, micros), INTERVAL)


def _whole_micros(count: int, unit: str) -> int:
    """So many of a unit of NumPy in microseconds; BindError where that is no whole number."""
    if unit in _MICROSECONDS:
        return count * _MICROSECONDS[unit]
    if unit not in _PER_MICROSECOND:
        raise BindError("a timedelta64 without a unit is no SQL value", hint="give it one: np.timedelta64(5, 's')")
    micros, rest = divmod(count, _PER_MICROSECOND[unit])
    if rest:
        raise BindError(
            f"a time that is a parameter has {unit} that microseconds cannot hold",
            hint="round it to microseconds: .astype('datetime64[us]') or .round('us')",
        )
    return micros
