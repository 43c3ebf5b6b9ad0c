"""Types of tqp as types of Ibis, and names of types as tqp reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import ibis.expr.datatypes as dt
import ibis.expr.schema as sch
from ibis.backends.sql.datatypes import DuckDBType

from tqp.types import DType, Kind

__all__ = ["ibis_schema", "ibis_type", "type_name"]

_PLAIN: Final[Mapping[Kind, dt.DataType]] = {
    Kind.NULL: dt.null,
    Kind.BOOLEAN: dt.boolean,
    Kind.TINYINT: dt.int8,
    Kind.SMALLINT: dt.int16,
    Kind.INTEGER: dt.int32,
    Kind.BIGINT: dt.int64,
    Kind.UTINYINT: dt.uint8,
    Kind.USMALLINT: dt.uint16,
    Kind.UINTEGER: dt.uint32,
    Kind.UBIGINT: dt.uint64,
    # Ibis has no integers of 128 bits; a decimal holds all that have 38 digits, as in its DuckDB backend.
    Kind.HUGEINT: dt.Decimal(38, 0),
    Kind.UHUGEINT: dt.Decimal(38, 0),
    Kind.FLOAT: dt.float32,
    Kind.DOUBLE: dt.float64,
    Kind.DATE: dt.date,
    Kind.TIME: dt.time,
    Kind.TIME_NS: dt.time,
    Kind.TIMETZ: dt.string,
    Kind.TIMESTAMP: dt.Timestamp(scale=6),
    Kind.TIMESTAMP_S: dt.Timestamp(scale=0),
    Kind.TIMESTAMP_MS: dt.Timestamp(scale=3),
    Kind.TIMESTAMP_NS: dt.Timestamp(scale=9),
    Kind.TIMESTAMPTZ: dt.Timestamp(timezone="UTC", scale=6),
    Kind.TIMESTAMPTZ_NS: dt.Timestamp(timezone="UTC", scale=9),
    Kind.INTERVAL: dt.Interval("us"),
    Kind.VARCHAR: dt.string,
    Kind.JSON: dt.json,
    Kind.BLOB: dt.binary,
    Kind.BIT: dt.string,
    Kind.BIGNUM: dt.unknown,
    Kind.VARIANT: dt.unknown,
    Kind.UUID: dt.uuid,
    Kind.ENUM: dt.string,
}


def ibis_type(dtype: DType, nullable: bool = True) -> dt.DataType:
    """The type of Ibis whose values are those of `dtype`: ENUM is a string, HUGEINT a decimal of 38 digits."""
    plain = _PLAIN.get(dtype.kind)
    if plain is not None:
        return plain if nullable else plain.copy(nullable=False)
    if dtype.kind is Kind.DECIMAL:
        return dt.Decimal(dtype.precision, dtype.scale, nullable=nullable)
    if dtype.is_struct:
        # Fields of a row have no names; those that Ibis gives them say their places.
        fields = {field.name or f"f{place}": ibis_type(field.type) for place, field in enumerate(dtype.fields)}
        return dt.Struct(fields, nullable=nullable)
    if dtype.is_union:
        return dt.Unknown(str(dtype), nullable=nullable)
    assert dtype.element is not None
    if dtype.kind is Kind.MAP:
        key, value = dtype.element.children
        return dt.Map(ibis_type(key), ibis_type(value), nullable=nullable)
    return dt.Array(ibis_type(dtype.element), length=dtype.size or None, nullable=nullable)


def ibis_schema(names: list[str], types: list[DType], required: frozenset[str] = frozenset()) -> sch.Schema:
    """The schema of these columns; those in `required` are NOT NULL."""
    pairs = zip(names, types, strict=True)
    return sch.Schema.from_tuples([(name, ibis_type(dtype, name not in required)) for name, dtype in pairs])


def type_name(given: Any) -> str:
    """A type as SQL writes it, given as that or as one of Ibis."""
    name: str = DuckDBType.to_string(given) if isinstance(given, dt.DataType) else str(given)
    return name
