"""Constants: from their spelling or a Python value to a typed `Literal`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from tqp.errors import BindError
from tqp.functions.promotion import MAX_PRECISION
from tqp.ir.expr import Elements, Literal
from tqp.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    HUGEINT,
    INTEGER,
    INTERVAL,
    NULL,
    SMALLINT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    TINYINT,
    UTINYINT,
    VARCHAR,
    DType,
    Kind,
    array,
    decimal,
    integer_range,
)  # fmt: skip

__all__ = ["Vector", "number", "python_value", "vectors_fixed"]

_EPOCH = datetime(1970, 1, 1)
_VECTORS = {
    "float16": FLOAT, "bfloat16": FLOAT, "float32": FLOAT, "float64": DOUBLE, "int8": TINYINT, "int16": SMALLINT,
    "int32": INTEGER, "int64": BIGINT, "uint8": UTINYINT,
}  # fmt: skip


@dataclass(frozen=True)
class Vector:
    """A parameter that is a vector: immutable, and told apart by its repr."""

    dtype: DType
    numbers: tuple[float, ...]


def vectors_fixed(params: Any) -> Any:
    """The parameters with every list, tuple, 1-D array or tensor of numbers as a `Vector`; BindError where it is none.

    A float32 or float64 array or tensor is a FLOAT[n] or DOUBLE[n], an integer one an array of its width. A list is as
    one that is written: it takes the type of the array that it meets.
    """
    if isinstance(params, Mapping):
        return {name: _vector_fixed(value) for name, value in params.items()}
    if params is None:
        return None
    return [_vector_fixed(value) for value in params]


def _vector_fixed(value: Any) -> Any:
    if isinstance(value, list | tuple):
        if not value or not all(isinstance(item, int | float) and not isinstance(item, bool) for item in value):
            raise BindError("a list that is a parameter holds numbers, at least one")
        element = BIGINT if all(isinstance(item, int) for item in value) else FLOAT
        if element == BIGINT and not all(-(2**63) <= item < 2**63 for item in value):
            raise BindError("a number in a list that is a parameter is beyond 64 bits")
        return Vector(DType(Kind.LIST, element=element, size=len(value)), tuple(value))
    if getattr(value, "ndim", 0) == 0 or not hasattr(value, "tolist") or not hasattr(value, "dtype"):
        return value
    name = str(value.dtype).removeprefix("torch.")
    if value.ndim != 1 or name not in _VECTORS or value.shape[0] == 0:
        raise BindError(
            f"a parameter of shape {tuple(value.shape)} and dtype {name} is no vector",
            hint="pass a 1-D array or tensor of numbers",
        )
    plain = value.detach() if hasattr(value, "detach") else value
    return Vector(array(_VECTORS[name], value.shape[0]), tuple(plain.tolist()))  # sync: constants live on the host


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
    if isinstance(value, Vector):
        return Literal(Elements(value.numbers), value.dtype)
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return python_value(value.item())
    raise BindError(
        f"a parameter of type {type(value).__name__} is no SQL value",
        hint="None, bool, int, float, str, Decimal, date, datetime, time, timedelta, and vectors of numbers are",
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
