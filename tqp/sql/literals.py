"""Constants: from their spelling or a Python value to a typed `Literal`."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from tqp.errors import BindError
from tqp.functions.promotion import MAX_PRECISION
from tqp.ir.expr import Literal
from tqp.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    HUGEINT,
    INTEGER,
    INTERVAL,
    NULL,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    VARCHAR,
    decimal,
    integer_range,
)  # fmt: skip

__all__ = ["number", "python_value"]

_EPOCH = datetime(1970, 1, 1)


def number(text: str, negative: bool = False) -> Literal:
    """A number as written: the smallest of INTEGER, BIGINT, HUGEINT, a DECIMAL of just its digits, or DOUBLE."""
    sign = -1 if negative else 1
    if "e" in text.lower():
        return Literal(sign * float(text), DOUBLE)
    whole, point, fraction = text.partition(".")
    if not point:
        return _integer(sign * int(whole))
    digits = len(whole) + len(fraction)
    if digits > MAX_PRECISION:
        return Literal(sign * float(text), DOUBLE)
    return Literal(sign * int(whole + fraction), decimal(max(1, digits), len(fraction)))


def python_value(value: Any) -> Literal:
    """The literal of a Python value given as a parameter; BindError for a type SQL has no value of."""
    match value:
        case None:
            return Literal(None, NULL)
        case bool():
            return Literal(value, BOOLEAN)
        case int():
            return _integer(value)
        case float():
            return Literal(value, DOUBLE)
        case str():
            return Literal(value, VARCHAR)
        case Decimal():
            return _python_decimal(value)
        case datetime():
            if value.tzinfo is not None:
                moved = value.astimezone(UTC).replace(tzinfo=None)
                return Literal(_micros(moved - _EPOCH), TIMESTAMPTZ)
            return Literal(_micros(value - _EPOCH), TIMESTAMP)
        case date():
            return Literal(value.toordinal() - _EPOCH.toordinal(), DATE)
        case time():
            return Literal(_micros(datetime.combine(_EPOCH, value) - _EPOCH), TIME)
        case timedelta():
            return Literal((0, value.days, value.seconds * 1_000_000 + value.microseconds), INTERVAL)
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return python_value(value.item())
    raise BindError(
        f"a parameter of type {type(value).__name__} is no SQL value",
        hint="None, bool, int, float, str, Decimal, date, datetime, time and timedelta are",
    )


def _integer(value: int) -> Literal:
    for dtype in (INTEGER, BIGINT, HUGEINT):
        low, high = integer_range(dtype)
        if low <= value <= high:
            return Literal(value, dtype)
    return Literal(float(value), DOUBLE)


def _python_decimal(value: Decimal) -> Literal:
    if not value.is_finite():
        return Literal(float(value), DOUBLE)
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    scale = max(0, -exponent)
    # Not `scaleb`: it rounds to the context's 28 digits.
    sign, digits, _ = value.as_tuple()
    scaled = int("".join(map(str, digits)) or "0") * 10 ** max(0, exponent)
    precision = max(len(str(scaled)), scale, 1)
    if precision > MAX_PRECISION:
        raise BindError(f"a Decimal parameter has {precision} digits; {MAX_PRECISION} are the most")
    return Literal(-scaled if sign else scaled, decimal(precision, scale))


def _micros(delta: timedelta) -> int:
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds
