"""The elements of a Parquet file's schema as its footer has them: their types in SQL, and the texts of their values in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from typing import Final
from uuid import UUID

import numpy as np
import pyarrow as pa

from tqp import types
from tqp.functions.casts.cast import cast
from tqp.io.arrow import column_from_arrow
from tqp.io.python import column_to_python
from tqp.io.thrift import Fields
from tqp.types import DType, Kind

__all__ = ["CONVERTED", "NAME", "NUM_CHILDREN", "PHYSICAL", "REPETITIONS", "said", "shown_values", "types_of", "word"]

PHYSICAL: Final = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
REPETITIONS: Final = ("REQUIRED", "OPTIONAL", "REPEATED")
CONVERTED: Final = (
    "UTF8", "MAP", "MAP_KEY_VALUE", "LIST", "ENUM", "DECIMAL", "DATE", "TIME_MILLIS", "TIME_MICROS", "TIMESTAMP_MILLIS",
    "TIMESTAMP_MICROS", "UINT_8", "UINT_16", "UINT_32", "UINT_64", "INT_8", "INT_16", "INT_32", "INT_64", "JSON", "BSON",
    "INTERVAL",
)  # fmt: skip
TYPE, REPETITION, NAME, NUM_CHILDREN, CONVERTED_TYPE, SCALE, PRECISION, LOGICAL_TYPE = 1, 3, 4, 5, 6, 7, 8, 10
"""Numbers of the fields of an element."""

_PLAIN: Final = (
    types.BOOLEAN, types.INTEGER, types.BIGINT, types.TIMESTAMP, types.FLOAT, types.DOUBLE, types.BLOB, types.BLOB,
)  # fmt: skip
_BY_CONVERTED: Final = {
    "UTF8": types.VARCHAR, "ENUM": types.VARCHAR, "JSON": types.JSON, "DATE": types.DATE, "TIME_MILLIS": types.TIME,
    "TIME_MICROS": types.TIME, "TIMESTAMP_MILLIS": types.TIMESTAMP, "TIMESTAMP_MICROS": types.TIMESTAMP,
    "INTERVAL": types.INTERVAL, "INT_8": types.TINYINT, "INT_16": types.SMALLINT, "INT_32": types.INTEGER,
    "INT_64": types.BIGINT, "UINT_8": types.UTINYINT, "UINT_16": types.USMALLINT, "UINT_32": types.UINTEGER,
    "UINT_64": types.UBIGINT,
}  # fmt: skip
_BY_LOGICAL: Final = {
    1: types.VARCHAR,
    4: types.VARCHAR,
    6: types.DATE,
    12: types.JSON,
    14: types.UUID,
    15: types.FLOAT,
}
_DECIMAL, _TIME, _TIMESTAMP = 5, 7, 8
_HALF: Final = 15
_UNITS: Final = {1: "ms", 2: "us", 3: "ns"}
_FORMS: Final = {"BOOLEAN": "?", "INT32": "<i4", "INT64": "<i8", "FLOAT": "<f4", "DOUBLE": "<f8"}
_UNSIGNED: Final = (Kind.UTINYINT, Kind.USMALLINT, Kind.UINTEGER, Kind.UBIGINT)
_DIGITS: Final = Context(prec=60)


def word(words: Sequence[str | None], number: int | None) -> str | None:
    """The word for a number; None for none, or one that has no word."""
    return words[number] if number is not None and number < len(words) else None


def said(element: Fields) -> tuple[int, Fields]:
    """The newer way to say what values mean: the number of a kind, and what is said of it; (0, {}) where there is none."""
    return next(iter(element.get(LOGICAL_TYPE, {}).items()), (0, {}))


def types_of(schema: Sequence[Fields]) -> list[DType | None]:
    """The type of each element as a column; None of one that no type is like."""
    found: list[DType | None] = [None] * len(schema)
    _read_types(schema, iter(range(len(schema))), found, False)
    return found


def _read_types(schema: Sequence[Fields], places: Iterator[int], found: list[DType | None], of_map: bool) -> int:
    """Note the type of the next element and of all in it; gives its place."""
    place = next(places)
    element = schema[place]
    converted = word(CONVERTED, element.get(CONVERTED_TYPE))
    is_repeated = element.get(REPETITION) == REPETITIONS.index("REPEATED")
    if not element.get(NUM_CHILDREN):
        dtype = _leaf(element)
        found[place] = types.list_of(dtype) if is_repeated and dtype is not None else dtype
        return place
    inner = [_read_types(schema, places, found, converted == "MAP") for _ in range(element[NUM_CHILDREN])]
    kinds = [kind for one in inner if (kind := found[one]) is not None]
    if len(kinds) < len(inner):
        return place
    if (of_map or converted == "MAP_KEY_VALUE") and len(kinds) == 2:
        found[place] = types.map_of(*kinds)
        return place
    if len(kinds) > 1 or not (is_repeated or converted in ("LIST", "MAP")):
        names = [_name(schema[one]) for one in inner]
        whole = types.struct(zip(names, kinds, strict=True)) if _are_distinct(names) else None
    else:
        whole = kinds[0]
    found[place] = types.list_of(whole) if is_repeated and whole is not None else whole
    return place


def _are_distinct(names: Sequence[str]) -> bool:
    return all(names) and len(set(map(str.lower, names))) == len(names)


def _name(element: Fields) -> str:
    name: bytes = element.get(NAME, b"")
    return name.decode(errors="replace")


def _leaf(element: Fields) -> DType | None:
    kind, about = said(element)
    converted = word(CONVERTED, element.get(CONVERTED_TYPE))
    is_fine = _unit(element) == "ns"
    if kind in _BY_LOGICAL:
        return _BY_LOGICAL[kind]
    if kind == _TIMESTAMP and about.get(1):
        return types.TIMESTAMPTZ_NS if is_fine else types.TIMESTAMPTZ
    if kind == _TIMESTAMP:
        return types.TIMESTAMP_NS if is_fine else types.TIMESTAMP
    if kind == _TIME:
        return types.TIME_NS if is_fine else types.TIMETZ if about.get(1) else types.TIME
    if kind == _DECIMAL or converted == "DECIMAL":
        precision, scale = element.get(PRECISION) or about.get(2) or 0, element.get(SCALE) or about.get(1) or 0
        return types.decimal(precision, scale) if 0 < precision <= 38 and 0 <= scale <= precision else None
    if converted is not None:
        return _BY_CONVERTED.get(converted)
    return _PLAIN[element[TYPE]] if element.get(TYPE, len(_PLAIN)) < len(_PLAIN) else None


def _unit(element: Fields) -> str:
    """The unit of an element's times."""
    kind, about = said(element)
    if kind in (_TIME, _TIMESTAMP):
        return next((_UNITS.get(unit, "us") for unit in about.get(2, {})), "us")
    return "ms" if (word(CONVERTED, element.get(CONVERTED_TYPE)) or "").endswith("MILLIS") else "us"


def shown_values(values: Sequence[bytes | None], element: Fields, dtype: DType | None) -> list[str | None]:
    """Values of an element as the footer has them, as texts: how a cast to VARCHAR shows them. None for what is no such value."""
    held = [value for value in values if value is not None]
    arrow = None if dtype is None or not held else _array(held, element, dtype)
    if arrow is None or dtype is None:
        return [None] * len(values)
    column = cast(cast(column_from_arrow(pa.chunked_array([arrow])), dtype, True), types.VARCHAR, True)
    shown = iter(column_to_python(column, len(held)))
    return [None if value is None else next(shown) for value in values]


def _array(values: Sequence[bytes], element: Fields, dtype: DType) -> pa.Array | None:
    """The values in Arrow; None where they are not told apart by a text, or one is no such value."""
    physical = PHYSICAL[element[TYPE]]
    if dtype.is_coded:
        return pa.array(
            values, pa.large_string() if dtype.is_text and all(map(_is_text, values)) else pa.large_binary()
        )
    if dtype.is_decimal and physical not in ("INT32", "INT64"):
        return _decimals([int.from_bytes(value, "big", signed=True) for value in values], dtype)
    if dtype.kind is Kind.UUID:
        return pa.array([str(UUID(bytes=value)) for value in values]) if _have(values, 16) else None
    form = "<f2" if said(element)[0] == _HALF else _FORMS.get(physical)
    if form is None or dtype.kind not in (Kind.BOOLEAN, *_UNSIGNED) and not dtype.is_ordinal and not dtype.is_float:
        return None
    if not _have(values, np.dtype(form).itemsize):
        return None
    numbers = np.frombuffer(b"".join(values), form)
    if dtype.is_decimal:
        return _decimals(numbers.tolist(), dtype)  # host: NumPy
    if dtype.kind in _UNSIGNED:
        return pa.array(numbers.view(f"<u{numbers.itemsize}"))
    if dtype.is_temporal:
        return pa.array(numbers).cast(_temporal(_unit(element), dtype))
    # Of what is not finite DuckDB says nothing.
    return pa.array(numbers, mask=~np.isfinite(numbers)) if dtype.is_float else pa.array(numbers)


def _temporal(unit: str, dtype: DType) -> pa.DataType:
    if dtype.kind is Kind.DATE:
        return pa.date32()
    if dtype.kind in (Kind.TIME, Kind.TIME_NS):
        return pa.time32(unit) if unit == "ms" else pa.time64(unit)
    return pa.timestamp(unit, "UTC" if dtype.kind in (Kind.TIMESTAMPTZ, Kind.TIMESTAMPTZ_NS) else None)


def _decimals(units: Sequence[int], dtype: DType) -> pa.Array:
    return pa.array([Decimal(one).scaleb(-dtype.scale, _DIGITS) for one in units], pa.decimal128(38, dtype.scale))


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _have(values: Sequence[bytes], size: int) -> bool:
    return all(len(value) == size for value in values)
