"""Which SQL type an Arrow type is."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from tqp import types
from tqp.types import DType

__all__ = ["dtype_from_arrow", "unsupported_reason", "with_fixed_size"]

_PLAIN: Final[dict[pa.DataType, DType]] = {
    pa.bool_(): types.BOOLEAN,
    pa.int8(): types.TINYINT,
    pa.int16(): types.SMALLINT,
    pa.int32(): types.INTEGER,
    pa.int64(): types.BIGINT,
    pa.uint8(): types.UTINYINT,
    pa.uint16(): types.USMALLINT,
    pa.uint32(): types.UINTEGER,
    pa.uint64(): types.UBIGINT,
    pa.float16(): types.FLOAT,
    pa.float32(): types.FLOAT,
    pa.float64(): types.DOUBLE,
    pa.date32(): types.DATE,
    pa.date64(): types.DATE,
    pa.month_day_nano_interval(): types.INTERVAL,
    pa.string(): types.VARCHAR,
    pa.large_string(): types.VARCHAR,
    pa.string_view(): types.VARCHAR,
    pa.null(): types.NULL,
}


def dtype_from_arrow(kind: pa.DataType) -> DType | None:
    """The SQL type of an Arrow type; None where tqp has none."""
    plain = _PLAIN.get(kind)
    if plain is not None:
        return plain
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return dtype_from_arrow(kind.value_type)
    if pa.types.is_timestamp(kind):
        return types.TIMESTAMP if kind.tz is None else types.TIMESTAMPTZ
    if pa.types.is_time(kind):
        return types.TIME
    if pa.types.is_duration(kind):
        return types.INTERVAL
    if pa.types.is_fixed_size_list(kind) and kind.list_size:
        element = dtype_from_arrow(kind.value_type)
        return types.array(element, kind.list_size) if element in types.ARRAY_ELEMENTS else None
    if pa.types.is_decimal(kind) and kind.bit_width <= 128 and 0 <= kind.scale <= kind.precision:
        return types.decimal(kind.precision, kind.scale)
    return None


def unsupported_reason(kind: pa.DataType) -> str | None:
    """Why columns of an Arrow type cannot be read; None where they can."""
    if dtype_from_arrow(kind) is not None:
        return None
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return f"its Arrow type {kind} has no fixed length: cast it to pa.list_({kind.value_type}, n)"
    return f"its Arrow type {kind} has no tensor layout yet"


def with_fixed_size(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of lists that are all of one length as a column of arrays; any other column as it is."""
    kind = array.type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        return array
    limits = pc.min_max(pc.list_value_length(array)).as_py()
    fixed = pa.list_(kind.value_type, limits["max"] or 0)
    if limits["min"] != limits["max"] or dtype_from_arrow(fixed) is None:
        return array
    return array.cast(fixed)
