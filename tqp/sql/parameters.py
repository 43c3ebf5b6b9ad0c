"""Parameters: from Python values to typed `Literal`s."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from struct import pack
from typing import Any, Final, TypeGuard, TypeVar

import numpy as np
from torch import Tensor

from tqp.errors import BindError, with_article
from tqp.expressions.constants import constant
from tqp.functions.offset_times import stored_time
from tqp.functions.promotion import MAX_PRECISION
from tqp.io.tensor_column import without_values
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
    SMALLINT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    TIMETZ,
    TINYINT,
    UBIGINT,
    UINTEGER,
    USMALLINT,
    UTINYINT,
    UUID,
    VARCHAR,
    DType,
    array,
    decimal,
    integer_range,
    list_of,
)  # fmt: skip

__all__ = ["Given", "Vector", "Written", "fixed", "given", "given_key", "inputs_of", "python_value", "with_inputs"]


@dataclass(frozen=True, slots=True)
class Written:
    """A parameter that is a list or struct of whatever: bound as the text of SQL that makes it."""

    text: str
    value: object = field(compare=False, repr=False)


Given = tuple[Literal | Written, ...] | Mapping[str, Literal | Written] | None
"""The values of `?` and `$1`, or those of `$name`."""

_EPOCH: Final = datetime(1970, 1, 1)
_VECTORS: Final = {
    "float16": FLOAT, "bfloat16": FLOAT, "float32": FLOAT, "float64": DOUBLE, "int8": TINYINT, "int16": SMALLINT,
    "int32": INTEGER, "int64": BIGINT, "uint8": UTINYINT, "uint16": USMALLINT, "uint32": UINTEGER,
}  # fmt: skip
_SUPPORTED: Final = (
    "None, bool, int, float, str, Decimal, dates and times, those of NumPy, lists, dicts and tensors are"
)

T = TypeVar("T")
_NUMBERS: Final = (int, float, np.integer, np.floating)

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


def fixed(params: Any) -> Any:
    """The parameters as they are now, whatever their owner changes later; BindError for what holds no values.

    Every list, tuple, 1-D array or tensor of numbers is a `Vector`. A float32 or float64 array or tensor is a FLOAT[n] or
    DOUBLE[n], an integer one an array of its width. A list is one of DOUBLE, INTEGER or BIGINT, and takes the type of an array that
    it meets in a distance. Other lists, arrays and dicts are `Written`.
    """
    if params is None:
        return None
    if isinstance(params, str | bytes) or not isinstance(params, Sequence | Mapping):
        raise BindError(
            f"params is {with_article(type(params).__name__)}, neither a sequence nor a mapping",
            hint="write [value] for ? and $1, {'name': value} for $name",
        )
    if not isinstance(params, Mapping):
        return [_of(place, _value_fixed, value) for place, value in enumerate(params, 1)]
    for name in params:
        if not isinstance(name, str):
            raise BindError(f"{name!r} is not the name of a parameter", hint="{'name': value} is for $name")
    return {name: _of(name, _value_fixed, value) for name, value in params.items()}


def given(params: Any) -> Given:
    """The literals of parameters that are `fixed`; BindError, which says the parameter, for a value that SQL does not have."""
    if params is None:
        return None
    if isinstance(params, Mapping):
        return {name: _given(name, value) for name, value in params.items()}
    return tuple(_given(place, value) for place, value in enumerate(params, 1))


def _given(name: object, value: Any) -> Literal | Written:
    return value if isinstance(value, Written) else _of(name, python_value, value)


def _of(name: object, make: Callable[[Any], T], value: Any) -> T:
    """What is made of the value of a parameter; BindError, which says the parameter."""
    try:
        return make(value)
    except BindError as error:
        raise BindError(f"parameter ${name}: {error.message}", hint=error.hint) from error


def given_key(values: Given) -> Hashable:
    """What tells parameters apart: their types, and every bit of their values."""
    if isinstance(values, Mapping):
        return tuple(sorted((name, _bits(value)) for name, value in values.items()))
    return None if values is None else tuple(map(_bits, values))


def inputs_of(values: Given) -> tuple[Hashable, list[Literal]]:
    """The parameters' types, with the values of those on which a plan depends anyway, and the literals of all others."""
    kinds: list[Hashable] = []
    inputs: list[Literal] = []
    for name, literal in _named(values):
        if _is_input(literal):
            inputs.append(literal)
            kinds.append((name, literal.dtype))
        else:
            kinds.append((name, _bits(literal)))
    return (isinstance(values, Mapping), *kinds), inputs


def with_inputs(values: Given, inputs: Sequence[Literal]) -> Given:
    """The parameters with these in the places of the literals that `inputs_of` gave."""
    if values is None:
        return None
    rest = iter(inputs)
    found = {name: next(rest) if _is_input(literal) else literal for name, literal in _named(values)}
    return {name: found[name] for name in values} if isinstance(values, Mapping) else tuple(found.values())


def _named(values: Given) -> list[tuple[object, Literal | Written]]:
    if values is None:
        return []
    return sorted(values.items()) if isinstance(values, Mapping) else list(enumerate(values))


def _is_input(value: Literal | Written) -> TypeGuard[Literal]:
    return isinstance(value, Literal) and not value.is_null and value.dtype != BOOLEAN


def _bits(literal: Literal | Written) -> tuple[str, str]:
    if isinstance(literal, Written):
        return "", literal.text
    value = literal.value
    if isinstance(value, float):
        # 0.0 and -0.0 are equal, NaN is not equal to itself, and both NaNs read the same.
        return str(literal.dtype), pack("<d", value).hex()
    if isinstance(value, Elements):
        return str(literal.dtype), " ".join(
            pack("<d", x).hex() if isinstance(x, float) else str(x) for x in value.numbers
        )
    return str(literal.dtype), repr(value)


def _value_fixed(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return _list_fixed(value)
    if isinstance(value, dict):
        return _written(value)
    if value is np.ma.masked:
        return None
    if type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "dtype"):
        value = value.to_numpy()
    if not isinstance(value, np.ndarray | Tensor):
        return value
    if isinstance(value, Tensor) and (reason := without_values(value)) is not None:
        raise BindError(f"a parameter is a tensor without plain values: {reason}", hint="pass a dense tensor")
    if value.ndim == 0:
        # As a scalar of NumPy it keeps its unit; `item` would give the nanoseconds of a time as an integer.
        return value[()] if isinstance(value, np.ndarray) else value.item()
    name = str(value.dtype).removeprefix("torch.")
    if isinstance(value, Tensor) and value.ndim == 2 and value.shape[0] == 1 and value.is_floating_point():
        # An encoder gives a matrix for its one text. What is of NumPy has the type that DuckDB reads: a list of lists.
        value = value[0]
    if value.ndim != 1 or name not in _VECTORS or value.shape[0] == 0:
        if name.startswith(("datetime64", "timedelta64", "complex", "void")):
            raise BindError(
                f"a parameter of shape {tuple(value.shape)} and dtype {name} is no list",
                hint="pass .tolist(), or a table",
            )
        return _written(value.tolist())  # host: constants live there
    if np.ma.is_masked(value):
        raise BindError("a vector that is a parameter has masked elements", hint="fill them: elements are not NULL")
    plain = value.detach() if isinstance(value, Tensor) else value
    return Vector(array(_VECTORS[name], value.shape[0]), tuple(plain.tolist()))  # host: constants live there


def _written(value: Any, cast: str = "") -> Written:
    return Written(constant(value) + cast, deepcopy(value))


def _list_fixed(value: list[Any] | tuple[Any, ...]) -> Vector | Written:
    if not value or not all(
        isinstance(item, _NUMBERS) and not isinstance(item, bool | np.timedelta64) for item in value
    ):
        return _written(value)
    numbers = tuple(int(item) if isinstance(item, int | np.integer) else float(item) for item in value)
    element = DOUBLE
    if all(isinstance(item, int) for item in numbers):
        element = INTEGER if all(-(2**31) <= item < 2**31 for item in numbers) else BIGINT
    if not all(-(2**63) <= item < 2**63 for item in numbers if isinstance(item, int)):
        return _written(
            value, "" if all(2**63 <= item < 2**64 for item in numbers) or element == DOUBLE else "::HUGEINT[]"
        )
    return Vector(list_of(element), numbers)


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
