"""The schemas of Parquet files: as tqp reads them, and those of several files as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from tqp.errors import SourceError
from tqp.functions.promotion import forced_type
from tqp.io.arrow_types import dtype_from_arrow, unsupported_reason
from tqp.io.export import arrow_type
from tqp.io.options import FileOptions
from tqp.io.parts import LONGEST_DECIMAL
from tqp.io.united import FileSchema, UnitedColumn, united
from tqp.types import NULL, DType

__all__ = ["ROW_NUMBER", "counts_less", "in_microseconds", "together", "with_column", "with_short_decimals"]

ROW_NUMBER: Final = "file_row_number"
"""What the column of the numbers of rows is called."""


def together(
    files: Sequence[str],
    schemas: Sequence[pa.Schema],
    options: FileOptions,
    as_read: Callable[[pa.DataType], pa.DataType],
) -> tuple[pa.Schema, dict[str, UnitedColumn]]:
    """The columns of the table, and those of them that files have in several ways; `as_read` gives the type that one is read as."""
    first = pa.schema([one.with_type(as_read(one.type)) for one in schemas[0]])
    if all((schema.names, schema.types) == (schemas[0].names, schemas[0].types) for schema in schemas[1:]):
        return first, {}
    columns = [
        FileSchema(shown, tuple((one.name, dtype_from_arrow(as_read(one.type)) or NULL) for one in schema))
        for shown, schema in zip(files, schemas, strict=True)
    ]
    found = []
    uneven = {}
    for column in united(columns, options.union_by_name, _all if options.union_by_name else _first):
        kinds = [schema.field(own[0]).type for own, schema in zip(column.own, schemas, strict=True) if own is not None]
        unknown = next((kind for kind in kinds if unsupported_reason(kind)), None)
        if unknown is None and not column.is_even:
            uneven[column.name] = column
        kind = kinds[0] if unknown is None else unknown
        if unknown is None and dtype_from_arrow(kind) != column.dtype:
            kind = arrow_type(column.dtype)
        found.append(pa.field(column.name, as_read(kind)))
    return pa.schema(found), uneven


def _all(kinds: Sequence[DType]) -> DType:
    return forced_type(*kinds)


def _first(kinds: Sequence[DType]) -> DType:
    return kinds[0]


def with_column(schema: pa.Schema, options: FileOptions, name: str, kind: pa.DataType) -> pa.Schema:
    """The schema with a column that is in no file; SourceError where one of the files' has the name that an option asks for."""
    place = next((place for place, own in enumerate(schema.names) if own.lower() == name.lower()), None)
    if place is None:
        return schema.append(pa.field(name, kind))
    if name in (options.filename, ROW_NUMBER):
        hint = f"filename='{name}_of_file'" if name == options.filename else "rename the column of the file"
        raise SourceError(f"the files have a column {name!r} of their own", hint=hint)
    return schema.set(place, pa.field(name, kind))


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
