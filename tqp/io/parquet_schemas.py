"""What is Parquet's own in the schemas of its files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from tqp.io.arrow_types import dtype_from_arrow
from tqp.io.parquet_options import AskedColumn
from tqp.io.parts import LONGEST_DECIMAL
from tqp.io.united import UnitedColumn
from tqp.types import NULL

__all__ = [
    "INT96", "ROW_NUMBER", "as_text", "asked_columns", "counts_less", "in_microseconds", "with_short_decimals",
]  # fmt: skip

ROW_NUMBER: Final = "file_row_number"
"""What the column of the numbers of rows is called."""
INT96: Final = "us"
"""The unit of timestamps of 96 bits, as Spark and others have written them: they are TIMESTAMP, as in DuckDB."""


def with_short_decimals(metadata: pq.FileMetaData, schema: pa.Schema) -> pq.FileMetaData:
    """A footer by which Arrow decodes decimals that the file keeps as integers to 64 bits instead of 128.

    It is that of an empty file whose Arrow schema says so, with the file's row groups; the file's own where their schemas differ.
    """
    short = [field.with_type(_short(field.type)) for field in schema]
    if short == list(schema):
        return metadata
    try:
        sink = pa.BufferOutputStream()
        pq.ParquetWriter(sink, pa.schema(short), store_decimal_as_integer=True).close()
        made = pq.read_metadata(pa.BufferReader(sink.getvalue()))
        made.append_row_groups(metadata)
    except (pa.ArrowException, RuntimeError):
        return metadata
    return made


def _short(kind: pa.DataType) -> pa.DataType:
    is_short = pa.types.is_decimal128(kind) and kind.precision <= LONGEST_DECIMAL and kind.scale >= 0
    return pa.decimal64(kind.precision, kind.scale) if is_short else kind


def counts_less(kind: pa.DataType) -> bool:
    """Whether it is a timestamp of seconds or milliseconds, without a time zone."""
    return pa.types.is_timestamp(kind) and kind.tz is None and kind.unit in ("s", "ms")


def in_microseconds(kind: pa.DataType) -> pa.DataType:
    """As DuckDB reads a type of files: only nanoseconds make a type of their own."""
    return pa.timestamp("us") if counts_less(kind) else kind


def as_text(kind: pa.DataType) -> pa.DataType:
    """A type with text instead of the bytes in it."""
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return pa.string()
    if isinstance(kind, pa.BaseExtensionType):
        return kind
    if pa.types.is_struct(kind):
        return pa.struct([one.with_type(as_text(one.type)) for one in kind])
    if pa.types.is_map(kind):
        return pa.map_(as_text(kind.key_type), as_text(kind.item_type))
    return pa.list_(as_text(kind.value_type)) if pa.types.is_list(kind) else kind


def asked_columns(
    asked: Sequence[AskedColumn], schemas: Sequence[pa.Schema], written: Sequence[pa.Schema]
) -> list[UnitedColumn]:
    """The columns that `schema` asks for, as the files have them: by numbers of fields, which stand in `written`, or by names."""
    found = []
    for column in asked:
        places = [_field_of(column.key, schema) for schema in written]
        fields = [None if at is None else schema.field(at) for at, schema in zip(places, schemas, strict=True)]
        own = tuple(
            None if one is None else (one.name, dtype_from_arrow(in_microseconds(one.type)) or NULL) for one in fields
        )
        found.append(UnitedColumn(column.name, column.dtype, own, default=column.default))
    return found


_FIELD_ID: Final = b"PARQUET:field_id"


def _field_of(key: int | str, schema: pa.Schema) -> int | None:
    """The place of the field of a number, or of a name without regard to case."""
    for place, field in enumerate(schema):
        own = field.name.lower() if isinstance(key, str) else int((field.metadata or {}).get(_FIELD_ID, b"-1"))
        if own == (key.lower() if isinstance(key, str) else key):
            return place
    return None
