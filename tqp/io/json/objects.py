"""Objects of JSON on lines, read by Arrow into columns of plain types: much faster than value by value, where it means the same.

What Arrow refuses, or reads in another way than DuckDB does, is None here, and read value by value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions.casts.cast import cast
from tqp.functions.casts.json_reading import Cast
from tqp.functions.json_text import Members, Number, parsed
from tqp.io.arrow import column_from_arrow
from tqp.io.buffers import owned_by_arrow
from tqp.io.json.kinds import Formats, type_of_texts
from tqp.io.json.options import JsonOptions
from tqp.io.text import text_column
from tqp.types import BIGINT, BOOLEAN, DATE, DOUBLE, HUGEINT, NULL, TIME, TIMESTAMP, UUID, VARCHAR, DType

__all__ = ["ARROW_TYPES", "JsonColumn", "column_of", "found_columns", "found_members", "lines_of", "read_objects"]

_TEXT: Final = pa.string()
ARROW_TYPES: Final[Mapping[DType, pa.DataType]] = {
    BIGINT: pa.int64(), HUGEINT: pa.int64(), DOUBLE: pa.float64(), BOOLEAN: pa.bool_(), VARCHAR: _TEXT, DATE: _TEXT,
    TIMESTAMP: _TEXT, TIME: _TEXT, UUID: _TEXT, NULL: pa.null(),
}  # fmt: skip
"""The types of columns that Arrow reads, and as what."""
_FIRST: Final = 100
"""Lines that tell what the columns may be."""
_BLOCK: Final = 2**24
_NUMBERS: Final = {pa.int64(), pa.float64()}


def lines_of(text: str) -> int:
    """How many lines a text has."""
    return text.count("\n") + (not text.endswith("\n"))


def found_members(text: str) -> pa.Table | None:
    """The members of objects, one on each line, in types of which all of their values are; None where only values tell."""
    schema = _tentative(text)
    return None if schema is None else read_objects(text, schema, True)


def _tentative(text: str) -> dict[str, pa.DataType] | None:
    """The members that the first lines have, as what Arrow may read them; None where they are no objects of plain values."""
    found: dict[str, pa.DataType] = {}
    for line in text.split("\n", _FIRST)[:_FIRST]:
        try:
            value = parsed(line) if line else None
        except ExecutionError:
            return None
        if not isinstance(value, Members):
            if line:
                return None
            continue
        for name, member in value.pairs:
            kind = _kind(member) if name else None
            before = found.get(name, pa.null())
            if kind is None or before not in (kind, pa.null()) and kind != pa.null() and {kind, before} != _NUMBERS:
                return None
            found[name] = before if kind == pa.null() else pa.float64() if {kind, before} == _NUMBERS else kind
    return found or None


def _kind(member: object) -> pa.DataType | None:
    match member:
        case None:
            return pa.null()
        case bool():
            return pa.bool_()
        case str():
            return _TEXT
        case Number():
            return pa.float64() if member.kind == "DOUBLE" else pa.int64()
        case _:
            return None


def read_objects(text: str, schema: Mapping[str, pa.DataType], strict: bool) -> pa.Table | None:
    """The members of the objects, one on each line of the text, of these names and types; NULL where an object has none.

    None where Arrow does not read them so, or with `strict` where an object has other members.
    """
    lines = lines_of(text)
    # Each line is to begin with an object: Arrow ends the process for a block that begins with `null`.
    if not text.startswith("{") or text.count("\n{") != lines - 1:
        return None
    try:
        content = owned_by_arrow(text.encode())
        table = pa.json.read_json(
            pa.BufferReader(content),
            pa.json.ReadOptions(block_size=max(min(_BLOCK, len(content)), 1)),
            pa.json.ParseOptions(
                explicit_schema=pa.schema(list(schema.items())),
                unexpected_field_behavior="error" if strict else "ignore",
            ),
        )
    except (pa.ArrowException, ValueError):
        return None
    # Arrow takes several objects from one line, too.
    return table.select(list(schema)) if table.num_rows == lines else None


@dataclass(frozen=True, slots=True)
class JsonColumn:
    """A column: the key of its values in the files, their type, and the formats in which dates and times in them are written."""

    key: str
    dtype: DType
    formats: Formats = field(default_factory=dict)


def found_columns(tables: Sequence[pa.Table], options: JsonOptions) -> list[JsonColumn] | None:
    """The columns of several tables together, as value by value they are found; None where only that tells."""
    names = dict.fromkeys(name for table in tables for name in table.column_names)
    if 0 <= options.map_inference_threshold <= len(names):
        return None
    # Where values are that are NULL here only what was read tells: few of these may make objects maps.
    known = sum(len(column) - column.null_count for table in tables for column in table.columns)
    rows = sum(table.num_rows for table in tables)
    if known < options.field_appearance_threshold * max(rows, 1) * len(names):
        return None
    found = []
    for name in names:
        columns = [table.column(name) for table in tables if name in table.column_names]
        kinds = {column.type for column in columns} - {pa.null()}
        if kinds == _NUMBERS:
            found.append(JsonColumn(name, DOUBLE))
            continue
        if len(kinds) > 1:
            return None
        kind = kinds.pop() if kinds else pa.null()
        chunks = [chunk for one in columns if one.type == kind for chunk in one.chunks]
        found.append(_column(name, pa.chunked_array(chunks, kind), options))
    return found


def _column(name: str, column: pa.ChunkedArray, options: JsonOptions) -> JsonColumn:
    if column.null_count == len(column):
        return JsonColumn(name, NULL)
    if column.type == pa.bool_():
        return JsonColumn(name, BOOLEAN)
    if column.type == pa.float64():
        return JsonColumn(name, DOUBLE)
    if column.type == _TEXT:
        dtype, pattern = type_of_texts(pc.unique(column).drop_null().to_pylist(), options)
        return JsonColumn(name, dtype, {} if pattern is None else {(): pattern})
    ends = pc.min_max(column).as_py()
    return JsonColumn(name, HUGEINT if ends["min"] < 0 <= ends["max"] else BIGINT)


def column_of(column: pa.ChunkedArray, dtype: DType, reads: Cast) -> Column | None:
    """The values as a column of the type, `reads` being what casts texts; None where one of them is none of it."""
    if dtype == DOUBLE and not all(
        map(math.isfinite, pc.min_max(column).as_py().values() if column.null_count < len(column) else ())
    ):
        # What no DOUBLE holds has an error of its own.
        return None
    if column.type != _TEXT or dtype.is_text:
        found = column_from_arrow(column)
        return found if found.dtype == dtype else cast(found, dtype, False)
    written = text_column(column)
    read = reads(written, dtype, True)
    if read.valid is None:
        return read
    lost = ~read.valid if written.valid is None else written.valid & ~read.valid
    return None if bool(lost.any()) else read  # host: on the CPU
