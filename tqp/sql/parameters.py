"""Parameters: from Python values to typed `Literal`s."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from struct import pack
from typing import Any, Final, TypeGuard, TypeVar

import numpy as np
from torch import Tensor

from tqp.errors import BindError, with_article
from tqp.expressions.constants import constant
from tqp.io.tensor_column import without_values
from tqp.ir.expr import Elements, Literal
from tqp.sql.python_values import Vector, python_value
from tqp.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INTEGER,
    SMALLINT,
    TINYINT,
    UINTEGER,
    USMALLINT,
    UTINYINT,
    array,
    list_of,
)  # fmt: skip

__all__ = ["Given", "Written", "fixed", "given", "given_key", "inputs_of", "with_inputs"]


@dataclass(frozen=True, slots=True)
class Written:
    """A parameter that is a list or struct of whatever: bound as the text of SQL that makes it."""

    text: str
    value: object = field(compare=False, repr=False)


Given = tuple[Literal | Written, ...] | Mapping[str, Literal | Written] | None
"""The values of `?` and `$1`, or those of `$name`."""

_VECTORS: Final = {
    "float16": FLOAT, "bfloat16": FLOAT, "float32": FLOAT, "float64": DOUBLE, "int8": TINYINT, "int16": SMALLINT,
    "int32": INTEGER, "int64": BIGINT, "uint8": UTINYINT, "uint16": USMALLINT, "uint32": UINTEGER,
}  # fmt: skip

T = TypeVar("T")
_NUMBERS: Final = (int, float, np.integer, np.floating)


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
