"""Constants: from their spelling or a Python value to a typed `Literal`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from struct import pack
from typing import Any

import numpy as np

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

__all__ = ["Given", "Vector", "fixed", "given", "given_key", "number", "python_value"]

Given = tuple[Literal, ...] | Mapping[str, Literal] | None
"""The values of `?` and `$1`, or those of `$name`."""

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


def fixed(params: Any) -> Any:
    """The parameters as they are now, whatever their owner changes later; BindError for what holds no values.

    Every list, tuple, 1-D array or tensor of numbers is a `Vector`. A float32 or float64 array or tensor is a FLOAT[n] or
    DOUBLE[n], an integer one an array of its width. A list is as one that is written: it takes the type of the array that it
    meets.
    """
    if params is None:
        return None
    if isinstance(params, str | bytes) or not isinstance(params, Sequence | Mapping):
        raise BindError(
            f"params is a {type(params).__name__}, neither a sequence nor a mapping",
            hint="write [value] for ? and $1, {'name': value} for $name",
        )
    if not isinstance(params, Mapping):
        return [_vector_fixed(value) for value in params]
    for name in params:
        if not isinstance(name, str):
            raise BindError(f"{name!r} is not the name of a parameter", hint="{'name': value} is for $name")
    return {name: _vector_fixed(value) for name, value in params.items()}


def given(params: Any) -> Given:
    """The literals of parameters that are `fixed`; BindError, which says the parameter, for a value that SQL does not have."""
    if params is None:
        return None
    if isinstance(params, Mapping):
        return {name: _given(name, value) for name, value in params.items()}
    return tuple(_given(place, value) for place, value in enumerate(params, 1))


def _given(name: object, value: Any) -> Literal:
    try:
        return python_value(value)
    except BindError as error:
        raise BindError(f"parameter ${name}: {error.message}", hint=error.hint) from error


def given_key(values: Given) -> Hashable:
    """What tells parameters apart: their types, and every bit of their values."""
    if isinstance(values, Mapping):
        return tuple(sorted((name, _bits(value)) for name, value in values.items()))
    return None if values is None else tuple(map(_bits, values))


def _bits(literal: Literal) -> tuple[str, str]:
    value = literal.value
    if isinstance(value, float):
        # 0.0 and -0.0 are equal, NaN is not equal to itself, and both NaNs read the same.
        return str(literal.dtype), pack("<d", value).hex()
    if isinstance(value, Elements):
        return str(literal.dtype), " ".join(
            pack("<d", x).hex() if isinstance(x, float) else str(x) for x in value.numbers
        )
    return str(literal.dtype), repr(value)


def _vector_fixed(value: Any) -> Any:
    if isinstance(value, list | tuple):
        if not value or not all(isinstance(item, int | float) and not isinstance(item, bool) for item in value):
            raise BindError("a list that is a parameter holds numbers, at least one")
        element = BIGINT if all(isinstance(item, int) for item in value) else FLOAT
        if element == BIGINT and not all(-(2**63) <= item < 2**63 for item in value):
            raise BindError("a number in a list that is a parameter is beyond 64 bits")
        return Vector(DType(Kind.LIST, element=element, size=len(value)), tuple(value))
    if not hasattr(value, "tolist") or not hasattr(value, "dtype"):
        return value
    if getattr(value, "ndim", 0) == 0:
        return value if isinstance(value, np.generic) else _item(value)
    name = str(value.dtype).removeprefix("torch.")
    if value.ndim != 1 or name not in _VECTORS or value.shape[0] == 0:
        raise BindError(
            f"a parameter of shape {tuple(value.shape)} and dtype {name} is no vector",
            hint="pass a 1-D array or tensor of numbers",
        )
    plain = value.detach() if hasattr(value, "detach") else value
    return Vector(array(_VECTORS[name], value.shape[0]), tuple(plain.tolist()))  # sync: constants live on the host


def _item(value: Any) -> Any:
    """The one value of an array or tensor without dimensions."""
    try:
        return value.item()
    except Exception as error:
        raise BindError(f"a parameter of type {type(value).__name__} has no value: {error}") from error


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
    if isinstance(value, Literal):
        return value
    match value:
        case None:
            return Literal(None, NULL)
        case bool():
            return Literal(value, BOOLEAN)
        case int():
            return _integer(int.__int__(value))
        case float():
            return Literal(float.__float__(value), DOUBLE)
        case str():
            # Of a class of its own, such as an enumeration, too: what the text is, not how it shows itself.
            return Literal(str.__str__(value), VARCHAR)
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
