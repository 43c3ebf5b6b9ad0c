"""The rows of `duckdb_types()`: the types that there are by their names, and those that CREATE TYPE named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pyarrow as pa

from tqp.catalog.named_types import Types
from tqp.sql.type_names import PLAIN_TYPES
from tqp.types import DType, Kind

__all__ = ["TYPE_COLUMNS", "rows_of_types"]

TYPE_COLUMNS: Final[Mapping[str, pa.DataType]] = {
    **dict.fromkeys(("database_name", "schema_name", "type_name"), pa.string()),
    "type_size": pa.int64(),
    **dict.fromkeys(("logical_type", "type_category", "comment"), pa.string()),
    "internal": pa.bool_(),
    "extension_name": pa.string(),
    "labels": pa.list_(pa.string()),
}

_OTHERS: Final = {
    "array": Kind.ARRAY, "list": Kind.LIST, "map": Kind.MAP, "struct": Kind.STRUCT, "row": Kind.STRUCT, "union": Kind.UNION,
    "enum": Kind.ENUM, "decimal": Kind.DECIMAL, "dec": Kind.DECIMAL, "numeric": Kind.DECIMAL,
}  # fmt: skip
"""The names that say more behind them, and what they are."""

_NUMBERS: Final = {
    Kind.TINYINT: 1, Kind.SMALLINT: 2, Kind.INTEGER: 4, Kind.BIGINT: 8, Kind.HUGEINT: 16, Kind.UTINYINT: 1, Kind.USMALLINT: 2,
    Kind.UINTEGER: 4, Kind.UBIGINT: 8, Kind.UHUGEINT: 16, Kind.FLOAT: 4, Kind.DOUBLE: 8,
}  # fmt: skip
_TIMES: Final = {
    Kind.DATE: 4, Kind.TIME: 8, Kind.TIME_NS: 8, Kind.TIMETZ: 8, Kind.TIMESTAMP: 8, Kind.TIMESTAMP_S: 8, Kind.TIMESTAMP_MS: 8,
    Kind.TIMESTAMP_NS: 8, Kind.TIMESTAMPTZ: 8, Kind.TIMESTAMPTZ_NS: 8, Kind.INTERVAL: 16,
}  # fmt: skip
_CATEGORIES: Final[tuple[tuple[str | None, Mapping[Kind, int]], ...]] = (
    ("NUMERIC", _NUMBERS),
    ("DATETIME", _TIMES),
    ("COMPOSITE", {Kind.ARRAY: 0, Kind.STRUCT: 0, Kind.UNION: 0, Kind.LIST: 16, Kind.MAP: 16}),
    ("STRING", {Kind.VARCHAR: 16, Kind.JSON: 16}),
    ("BOOLEAN", {Kind.BOOLEAN: 1}),
    ("VARIANT", {Kind.VARIANT: 0}),
    (None, {Kind.BLOB: 16, Kind.BIT: 16, Kind.BIGNUM: 16, Kind.UUID: 16, Kind.NULL: 4}),
)
"""What DuckDB calls groups of types, and how many bytes a value of each has there."""
_DIGITS: Final = ((2, 4), (4, 9), (8, 18), (16, 38))
"""The bytes of a DECIMAL, by the digits that it may have."""


def rows_of_types(types: Types) -> Iterator[Mapping[str, Any]]:
    """A row for each name, those that are there from the start first."""
    for name in sorted({*PLAIN_TYPES, *_OTHERS}):
        kind = PLAIN_TYPES[name].kind if name in PLAIN_TYPES else _OTHERS[name]
        yield {"database_name": "system", "schema_name": "main", "type_name": name, "internal": True, **_of(kind, None)}
    for (place, _), named in sorted(types.known.items()):
        dtype, (database, schema) = named.dtype, types.schemas.shown(place)
        yield {
            "database_name": database,
            "schema_name": schema,
            "type_name": named.name,
            "internal": False,
            "labels": list(dtype.labels) if dtype.kind is Kind.ENUM else None,
            **_of(Kind.ARRAY if dtype.size else dtype.kind, dtype),
        }


def _of(kind: Kind, dtype: DType | None) -> Mapping[str, Any]:
    """What is said of a kind of types, or of one type of it."""
    if kind is Kind.DECIMAL:
        size = None if dtype is None else next(size for size, most in _DIGITS if dtype.precision <= most)
        return {"type_size": size, "logical_type": "DECIMAL", "type_category": "NUMERIC"}
    if kind is Kind.ENUM:
        size = None if dtype is None else next(size for size in (1, 2, 4) if len(dtype.labels) < 2 ** (8 * size))
        return {"type_size": size, "logical_type": "ENUM"}
    category, sizes = next((category, sizes) for category, sizes in _CATEGORIES if kind in sizes)
    shown = Kind.VARCHAR if kind is Kind.JSON else kind
    return {"type_size": sizes[kind], "logical_type": shown.value, "type_category": category}
