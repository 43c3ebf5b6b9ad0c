"""What DuckDB calls its types, each with all of its names."""

from __future__ import annotations

from typing import Final

from tqp import types
from tqp.types import DType

__all__ = ["PLAIN_TYPES", "TYPE_NAMES"]

_OF_TYPES: Final = {
    types.BOOLEAN: "boolean bool logical",
    types.TINYINT: "tinyint int1",
    types.SMALLINT: "smallint int16 int2 short",
    types.INTEGER: "integer int int32 int4 integral signed",
    types.BIGINT: "bigint int64 int8 long oid",
    types.HUGEINT: "hugeint int128",
    types.UTINYINT: "utinyint uint8",
    types.USMALLINT: "usmallint uint16",
    types.UINTEGER: "uinteger uint32",
    types.UBIGINT: "ubigint uint64",
    types.UHUGEINT: "uhugeint uint128",
    types.BIGNUM: "bignum varint",
    types.FLOAT: "float float4 real",
    types.DOUBLE: "double float8",
    types.DATE: "date",
    types.TIME: "time",
    types.TIME_NS: "time_ns",
    types.TIMETZ: "timetz",
    types.TIMESTAMP: "timestamp datetime timestamp_us",
    types.TIMESTAMP_S: "timestamp_s",
    types.TIMESTAMP_MS: "timestamp_ms",
    types.TIMESTAMP_NS: "timestamp_ns",
    types.TIMESTAMPTZ: "timestamptz",
    types.TIMESTAMPTZ_NS: "timestamptz_ns",
    types.INTERVAL: "interval",
    types.VARCHAR: "varchar bpchar char nvarchar string text",
    types.BLOB: "blob binary bytea varbinary",
    types.BIT: "bit bitstring",
    types.JSON: "json",
    types.UUID: "uuid guid",
    types.VARIANT: "variant",
}
_OTHERS: Final = "array character dec decimal enum geometry list map nchar null numeric row struct tuple type union"
"""Those that say more behind their names, or are words of the grammar, and those that tqp has not."""

PLAIN_TYPES: Final[dict[str, DType]] = {name: dtype for dtype, names in _OF_TYPES.items() for name in names.split()}
"""By its name, in lower case, each type that is whole without anything behind it."""
TYPE_NAMES: Final = frozenset({*PLAIN_TYPES, *_OTHERS.split()})
"""All of them, in lower case: no CREATE TYPE gives another type one of these."""
