"""From columns to Arrow arrays, of the types that DuckDB exports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tqp.data.column import Column
from tqp.data.table import Table
from tqp.data.to_arrow import integers
from tqp.data.transfer import on_host
from tqp.errors import ExecutionError
from tqp.functions.casts import uuids
from tqp.functions.casts.text import cast_text
from tqp.functions.variant_documents import parsed
from tqp.io.arrow_nested import nested_to_arrow
from tqp.io.variant_bytes import NULL_VALUE, encoded
from tqp.types import VARCHAR, DType, Kind

__all__ = ["arrow_type", "column_to_arrow", "table_to_arrow"]

_ARROW: Final[dict[Kind, pa.DataType]] = {
    Kind.NULL: pa.null(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.TINYINT: pa.int8(),
    Kind.SMALLINT: pa.int16(),
    Kind.INTEGER: pa.int32(),
    Kind.BIGINT: pa.int64(),
    Kind.HUGEINT: pa.decimal128(38, 0),
    Kind.UTINYINT: pa.uint8(),
    Kind.USMALLINT: pa.uint16(),
    Kind.UINTEGER: pa.uint32(),
    Kind.UBIGINT: pa.uint64(),
    Kind.UHUGEINT: pa.decimal128(38, 0),
    Kind.FLOAT: pa.float32(),
    Kind.DOUBLE: pa.float64(),
    Kind.DATE: pa.date32(),
    Kind.TIME: pa.time64("us"),
    Kind.TIME_NS: pa.time64("ns"),
    Kind.TIMESTAMP: pa.timestamp("us"),
    Kind.TIMESTAMP_S: pa.timestamp("s"),
    Kind.TIMESTAMP_MS: pa.timestamp("ms"),
    Kind.TIMESTAMP_NS: pa.timestamp("ns"),
    Kind.TIMESTAMPTZ: pa.timestamp("us", "UTC"),
    Kind.TIMESTAMPTZ_NS: pa.timestamp("ns", "UTC"),
    Kind.INTERVAL: pa.month_day_nano_interval(),
    Kind.VARCHAR: pa.string(),
    Kind.JSON: pa.string(),
    Kind.BLOB: pa.binary(),
    Kind.BIT: pa.string(),
    Kind.BIGNUM: pa.opaque(pa.binary(), "bignum", "DuckDB"),
    Kind.TIMETZ: pa.string(),
    Kind.UUID: pa.string(),
    Kind.VARIANT: pa.struct([pa.field("metadata", pa.binary(), False), pa.field("value", pa.binary())]),
}

_EXTENSIONS: Final = {
    Kind.VARIANT: {b"ARROW:extension:name": b"arrow.parquet.variant", b"ARROW:extension:metadata": b""},
}
"""What fields of a type say of it besides its Arrow type, which is that of its storage."""

_INTERVAL_LAYOUT: Final = np.dtype([("months", "<i4"), ("days", "<i4"), ("nanoseconds", "<i8")])
_NO_NAMES: Final = b"\1\0\0"
"""The metadata of a variant without names."""
_STRING_BYTES: Final = 2**31 - 1
"""Arrow's `string` and `binary` have 32-bit offsets."""


def _field(name: str, dtype: DType) -> pa.Field:
    return pa.field(name, arrow_type(dtype), metadata=_EXTENSIONS.get(dtype.kind))


def arrow_type(dtype: DType) -> pa.DataType:
    """The Arrow type of a SQL type."""
    if dtype.size:
        assert dtype.element is not None
        return pa.list_(_field("", dtype.element), dtype.size)
    if dtype.kind is Kind.MAP:
        assert dtype.element is not None
        key, value = dtype.element.children
        # Arrow's keys cannot be NULL.
        return pa.map_(pa.int32() if key.kind is Kind.NULL else arrow_type(key), _field("value", value))
    if dtype.is_struct:
        names = [one.name or f"element{place}" for place, one in enumerate(dtype.fields, 1)]
        return pa.struct([_field(name, one.type) for name, one in zip(names, dtype.fields, strict=True)])
    if dtype.is_union:
        return pa.sparse_union([_field(one.name, one.type) for one in dtype.fields])
    if dtype.element is not None:
        return pa.list_(_field("l", dtype.element))
    if dtype.kind is Kind.ENUM:
        size = len(dtype.labels)
        return pa.dictionary(
            pa.uint8() if size <= 2**8 - 1 else pa.uint16() if size <= 2**16 - 1 else pa.uint32(), pa.string()
        )
    return pa.decimal128(dtype.precision, dtype.scale) if dtype.is_decimal else _ARROW[dtype.kind]


def table_to_arrow(table: Table, dtypes: Sequence[DType] | None = None) -> pa.Table:
    """The table with the Arrow types of `dtypes` (those of its columns if None); names may repeat."""
    kinds = [column.dtype for column in table.columns] if dtypes is None else list(dtypes)
    pairs = zip(table.columns, kinds, strict=True)
    arrays = [_exported(column, table.rows, dtype) for column, dtype in pairs]
    schema = pa.schema([_field(name, dtype) for name, dtype in zip(table.names, kinds, strict=True)])
    return pa.Table.from_arrays(arrays, schema=schema)


def column_to_arrow(column: Column, rows: int) -> pa.Array | pa.ChunkedArray:
    """The column (a constant repeated) as an Arrow array of `rows` values; floats without a copy.

    Text of more than 2 GiB comes in several chunks. Raises ExecutionError for a HUGEINT of more than 38 digits and for
    an interval beyond what nanoseconds hold, neither of which Arrow can represent.
    """
    return _exported(column, rows, column.dtype)


def _exported(column: Column, rows: int, dtype: DType) -> pa.Array | pa.ChunkedArray:
    (host,) = on_host([column.expand(rows)])
    kind = arrow_type(dtype)
    if dtype.kind is Kind.NULL:
        return pa.nulls(rows)
    valid = None if host.valid is None or bool(host.valid.all()) else host.valid.numpy()  # host: the result has left
    if dtype.kind is Kind.ENUM:
        codes = pa.array(host.data.contiguous().numpy(), kind.index_type, mask=None if valid is None else ~valid)
        return pa.DictionaryArray.from_arrays(codes, pa.array(dtype.labels, kind.value_type))
    if dtype.kind is Kind.TIMETZ:
        return _exported(cast_text(host, VARCHAR, False), rows, VARCHAR)
    if dtype.kind is Kind.UUID:
        return uuids.spelled(host).cast(kind) if rows else pa.array([], kind)
    if dtype.kind is Kind.VARIANT:
        return _variants(host, valid, kind)
    if dtype.kind is Kind.BIGNUM:
        return _strings(host, valid, kind.storage_type).cast(kind)
    if dtype.is_coded:
        return _strings(host, valid, kind)
    if dtype.has_children:
        return nested_to_arrow(host, valid, kind, _exported)
    data = host.data.detach().contiguous().numpy()
    nulls = 0 if valid is None else rows - int(np.count_nonzero(valid))  # host: the result has left
    if dtype.is_array:
        storage = kind.value_type.to_pandas_dtype()
        elements = pa.array(data.reshape(-1).astype(storage, copy=False))
        return pa.Array.from_buffers(kind, rows, [None if valid is None else _bitmap(valid)], nulls, 0, [elements])
    if host.is_wide and dtype.kind is Kind.UBIGINT:
        # Values that fit 64 bits without a sign are their low limbs.
        data = np.ascontiguousarray(data[:, 1])
    buffers = [None if valid is None else _bitmap(valid), _values(data, valid, dtype, kind)]
    return pa.Array.from_buffers(kind, rows, buffers, nulls)


def _bitmap(bits: npt.NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(bits, bitorder="little"))


def _values(data: npt.NDArray[Any], valid: npt.NDArray[np.bool_] | None, dtype: DType, kind: pa.DataType) -> pa.Buffer:
    match dtype.kind:
        case Kind.BOOLEAN:
            return _bitmap(data)
        case Kind.DECIMAL | Kind.HUGEINT | Kind.UHUGEINT:
            return pa.py_buffer(_limbs(data, valid, dtype))
        case Kind.INTERVAL:
            return pa.py_buffer(_intervals(data, valid))
        case _:
            width = f"int{kind.bit_width}" if dtype.is_temporal else kind.to_pandas_dtype()
            return pa.py_buffer(np.ascontiguousarray(data).astype(width, copy=False))


def _limbs(data: npt.NDArray[Any], valid: npt.NDArray[np.bool_] | None, dtype: DType) -> npt.NDArray[np.int64]:
    """(n, 2) int64, low limb first."""
    limbs = np.empty((len(data), 2), np.int64)
    if data.ndim == 1:
        limbs[:, 0] = data
        limbs[:, 1] = limbs[:, 0] >> 63
        return limbs
    limbs[:, 0] = data[:, 1]
    limbs[:, 1] = data[:, 0]
    if dtype.kind in (Kind.HUGEINT, Kind.UHUGEINT):
        known = data if valid is None else data[valid]
        limit = 10**38
        # By high limbs alone first: only those at the limit need exact numbers.
        close = known[(known[:, 0] >= limit >> 64) | (known[:, 0] <= -limit >> 64)]
        for high, low in close.tolist():  # host: the result has left
            number = (high << 64) + (low % 2**64)
            if abs(number) >= limit:
                raise ExecutionError(
                    f"the {dtype} {number} has more than the 38 digits that Arrow's decimal128 holds",
                    hint="use fetchall(), or cast it to DOUBLE or VARCHAR",
                )
    return limbs


def _intervals(data: npt.NDArray[Any], valid: npt.NDArray[np.bool_] | None) -> npt.NDArray[Any]:
    microseconds = data[:, 2] if valid is None else np.where(valid, data[:, 2], 0)
    limit = (2**63 - 1) // 1000
    if len(microseconds) and (microseconds.max() > limit or microseconds.min() < -limit):
        raise ExecutionError("an INTERVAL is beyond what Arrow's nanoseconds hold (292 years of hours)")
    cells = np.empty(len(data), _INTERVAL_LAYOUT)
    cells["months"] = data[:, 0]
    cells["days"] = data[:, 1]
    cells["nanoseconds"] = microseconds * 1000
    return cells


def _variants(column: Column, valid: npt.NDArray[np.bool_] | None, kind: pa.DataType) -> pa.Array:
    """The structs (n,) that are variants in Arrow."""
    assert column.dictionary is not None
    rows = column.dictionary.values.take(integers(column.data.contiguous().numpy(), valid)).dictionary_encode()
    # What stands for NULL in a dictionary is no document, and a NULL has the first one's names.
    found = [document for document in map(parsed, rows.dictionary.to_pylist()) if document is not None]
    pairs = encoded(found) or [(_NO_NAMES, NULL_VALUE)]
    places = rows.indices.fill_null(0)
    metadata, values = (pa.array(one, pa.binary()).take(places) for one in zip(*pairs, strict=True))
    return pa.StructArray.from_arrays([metadata, values], fields=list(kind), mask=rows.is_null())


def _strings(column: Column, valid: npt.NDArray[np.bool_] | None, kind: pa.DataType) -> pa.Array | pa.ChunkedArray:
    assert column.dictionary is not None
    stored = column.data.contiguous().numpy()
    codes = integers(stored, valid)
    strings = column.dictionary.values.take(codes)
    if strings.nbytes <= _STRING_BYTES:
        return strings.cast(kind)
    pieces = strings.nbytes // _STRING_BYTES + 1
    return pa.chunked_array(_halved(strings, max(1, len(strings) // pieces), kind), kind)


def _halved(strings: pa.Array, rows: int, kind: pa.DataType) -> list[pa.Array]:
    """Pieces of at most `rows` strings, halved until each fits 32-bit offsets."""
    if rows > 1 and any(strings.slice(start, rows).nbytes > _STRING_BYTES for start in range(0, len(strings), rows)):
        return _halved(strings, rows // 2, kind)
    return [strings.slice(start, rows).cast(kind) for start in range(0, len(strings), rows)]
