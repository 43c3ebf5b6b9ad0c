"""The formats of COPY … TO: what writes the rows of a query as CSV, JSON, Parquet, Arrow or bytes, by its options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ipc

from tqp.errors import BindError, SourceError, UnsupportedError
from tqp.io.field_ids import with_field_ids
from tqp.io.laid_out import has_union, with_structs
from tqp.io.lines import CsvForm, csv_lines, json_lines, opened
from tqp.io.parquet_variants import mark_variants
from tqp.relation import Relation
from tqp.statements.options import Options
from tqp.types import BIGNUM, BLOB, JSON, VARCHAR, VARIANT, DType, Field, Kind

__all__ = ["Constant", "Fields", "Write", "texts_of", "writer"]

Constant = Callable[[str], Any]
"""From a constant of SQL to its value in Python."""
Fields = list[tuple[str, DType]]
_ARROW_COMPRESSION: Final = ("uncompressed", "lz4", "zstd")
_COMPRESSED: Final = {".gz": "gzip", ".zst": "zstd"}
_TEXT_COMPRESSION: Final = ("auto", "auto_detect", "none", "uncompressed", "gzip", "zstd")
_PARQUET_COMPRESSION: Final = ("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4", "lz4_raw")
_ARROW_ROWS: Final = 2**17
"""Rows of a record batch."""
_DOUBLE_DIGITS: Final = 18
"""Decimals of so many digits at most are written to JSON as DOUBLE, as DuckDB does."""
_INSTANTS: Final = (Kind.TIMESTAMP, Kind.TIMESTAMPTZ)
"""What a timestampformat is for."""
_UNITS: Final = (Kind.TIMESTAMP_S, Kind.TIMESTAMP_MS, Kind.TIMESTAMP_NS)
"""What it is for in JSON, besides."""
_AS_JSON: Final = "as JSON"
"""How nested values, and JSON itself, become text in a file of JSON."""


Write = Callable[[list[str], list[Any], str], None]
"""Writes columns of these names to a path."""


def writer(
    kind: str, relation: Relation, fields: Fields, path: str, options: Options, constant: Constant
) -> tuple[Write, list[Any]]:
    """What writes the format, and all columns as it takes them. BindError and UnsupportedError for options that it cannot have."""
    match kind:
        case "parquet":
            return _parquet(relation, fields, options, constant)
        case "json":
            return _json(relation, fields, path, options)
        case "arrow":
            return _arrow(relation, fields, options)
        case "blob":
            return _blob(relation, fields, path, options)
        case _:
            return _csv(relation, fields, path, options)


def _parquet(relation: Relation, fields: Fields, options: Options, constant: Constant) -> tuple[Write, list[Any]]:
    for name, dtype in fields:
        if dtype.kind is Kind.INTERVAL:
            raise UnsupportedError(
                f"column {name} is an INTERVAL, which Parquet files here have not", hint="cast it to VARCHAR"
            )
    compression = options.word("compression", "snappy", _PARQUET_COMPRESSION)
    rows = options.number("row_group_size") or 122_880
    level = options.number("compression_level")
    ids = options.value("field_ids", constant)
    metadata = _metadata(options, constant)
    columns = [
        column.cast(pa.int32()) if pa.types.is_null(column.type) else column for column in relation.arrow().columns
    ]
    for place, (_, dtype) in enumerate(fields):
        if has_union(dtype):
            columns[place] = with_structs(relation.result().on_host(), place)
    for place, column in _bignums_as_text(relation, fields):
        columns[place] = column
    kinds = dict(fields)
    described = pa.schema([(name, column.type) for (name, _), column in zip(fields, columns, strict=True)])
    described = described if ids is None else with_field_ids(described, ids)

    def write(names: list[str], columns: list[Any], place: str) -> None:
        method = "NONE" if compression == "uncompressed" else "lz4" if compression == "lz4_raw" else compression
        schema = pa.schema([described.field(name) for name in names], metadata)
        try:
            with pq.ParquetWriter(place, schema, compression=method, compression_level=level) as file:
                file.write_table(pa.Table.from_arrays(columns, names), rows)
        except pa.ArrowException as error:
            raise SourceError(f"cannot write Parquet: {error}") from error
        dtypes = [kinds[name] for name in names]
        if any(map(_has_variants, dtypes)):
            mark_variants(place, dtypes)

    return write, columns


def _bignums_as_text(relation: Relation, fields: Fields) -> list[tuple[int, Any]]:
    """As in DuckDB the texts of columns of BIGNUMs, or with some in them, which Parquet has not; each with its place."""
    texts = [(place, _in_text(dtype)) for place, (_, dtype) in enumerate(fields)]
    changed = [(place, dtype) for place, dtype in texts if dtype != fields[place][1]]
    columns = texts_of(relation, [(place, f"::{dtype}") for place, dtype in changed]) if changed else []
    return list(zip([place for place, _ in changed], columns, strict=True))


def _in_text(dtype: DType) -> DType:
    """The type with VARCHAR instead of the BIGNUMs in it."""
    if dtype == BIGNUM:
        return VARCHAR
    element = None if dtype.element is None else _in_text(dtype.element)
    return replace(dtype, element=element, fields=tuple([Field(one.name, _in_text(one.type)) for one in dtype.fields]))


def _metadata(options: Options, constant: Constant) -> dict[str, bytes]:
    """The texts that the file keeps by their keys."""
    given = options.value("kv_metadata", constant)
    if given is None:
        return {}
    if not isinstance(given, dict) or any(value is None for value in given.values()):
        raise BindError("KV_METADATA is no struct of values", hint="KV_METADATA {author: 'me'}")
    return {key: value if isinstance(value, bytes) else str(value).encode() for key, value in given.items()}


def _has_variants(dtype: DType) -> bool:
    """Whether values of the type are variants, or have some in them."""
    return dtype == VARIANT or any(map(_has_variants, dtype.children))


def _arrow(relation: Relation, fields: Fields, options: Options) -> tuple[Write, list[Any]]:
    compression = options.word("compression", "uncompressed", _ARROW_COMPRESSION)
    made = relation.arrow()
    # Of variants the fields say that they are some.
    kinds = {name: kind for (name, _), kind in zip(fields, made.schema, strict=True)}
    how = ipc.IpcWriteOptions(compression=None if compression == "uncompressed" else compression)

    def write(names: list[str], columns: list[Any], place: str) -> None:
        table = pa.Table.from_arrays(columns, schema=pa.schema([kinds[name].with_name(name) for name in names]))
        with ipc.new_file(place, table.schema, options=how) as file:
            file.write_table(table, max_chunksize=_ARROW_ROWS)

    return write, list(made.columns)


def _csv(relation: Relation, fields: Fields, path: str, options: Options) -> tuple[Write, list[Any]]:
    quote, escape = options.character("quote", '"'), options.character("escape", '"')
    delimiter, null = options.delimiter(","), options.text("null", "")
    header, comment = options.flag("header", True), options.text("comment", "#")
    prefix, suffix, end = options.text("prefix", ""), options.text("suffix", ""), options.text("new_line", "\n")
    if bool(prefix) != bool(suffix):
        raise BindError("COPY … TO csv takes PREFIX and SUFFIX, or none of them")
    if prefix and options.has("header") and header:
        raise BindError("HEADER does not go together with PREFIX and SUFFIX")
    options.flag("strict_mode")
    assert delimiter is not None and null is not None and comment is not None
    if len(comment.encode()) > 1 or comment and comment in (delimiter, quote):
        raise BindError(f"COMMENT {comment!r} is no character of its own", hint="'' is none")
    names = [name for name, _ in fields]
    forced = options.names("force_quote") or ()
    if forced == ("*",):
        forced = tuple(names)
    lower = [name.lower() for name in names]
    for name in forced:
        if name.lower() not in lower:
            raise BindError(f"FORCE_QUOTE names {name}, which is no column of the rows")
    in_quotes = frozenset(name.lower() for name in forced)
    columns = texts_of(relation, _shown(fields, options))
    compression = _compression(path, options)

    def write(names: list[str], columns: list[Any], place: str) -> None:
        places = frozenset(number for number, name in enumerate(names) if name.lower() in in_quotes)
        form = CsvForm(
            bool(header),
            delimiter,
            quote,
            escape,
            null,
            places,
            comment,
            str(end).replace("\\r", "\r").replace("\\n", "\n"),
        )
        with opened(place, compression) as file:
            file.write(str(prefix).encode())
            last = b""
            for part in csv_lines(names, columns, form):
                file.write(last)
                last = part
            # A suffix follows the last row, not its end.
            file.write(last.removesuffix(form.end.encode()) + str(suffix).encode() if suffix else last)

    return write, columns


def _json(relation: Relation, fields: Fields, path: str, options: Options) -> tuple[Write, list[Any]]:
    is_array = bool(options.flag("array"))
    kinds = {name: _json_kind(dtype) for name, dtype in fields}
    columns = texts_of(relation, _shown(fields, options, is_json=True))
    compression = _compression(path, options)

    def write(names: list[str], columns: list[Any], place: str) -> None:
        with opened(place, compression) as file:
            for part in json_lines(names, columns, [kinds[name] for name in names], is_array):
                file.write(part)

    return write, columns


def _json_kind(dtype: DType) -> str:
    if dtype.is_numeric or dtype == BIGNUM:
        return "number"
    is_json = dtype.is_nested or dtype in (JSON, VARIANT)
    return "plain" if is_json or dtype.kind in (Kind.BOOLEAN, Kind.NULL) else "text"


def _blob(relation: Relation, fields: Fields, path: str, options: Options) -> tuple[Write, list[Any]]:
    """The bytes of a column one after the other, without NULLs."""
    left_out = () if options.flag("write_partition_columns") else options.names("partition_by") or ()
    apart = {name.lower() for name in left_out}
    if [dtype for name, dtype in fields if name.lower() not in apart] != [BLOB]:
        raise BindError("COPY … TO blob takes one column, a BLOB", hint="encode(x) makes a BLOB of text")
    compression = _compression(path, options)

    def write(names: list[str], columns: list[Any], place: str) -> None:
        (column,) = columns
        with opened(place, compression) as file:
            for value in column.drop_null():
                file.write(value.as_buffer())

    return write, relation.arrow().columns


def _compression(path: str, options: Options) -> str | None:
    found = options.word("compression", "auto", _TEXT_COMPRESSION)
    if found in ("auto", "auto_detect"):
        return next((kind for end, kind in _COMPRESSED.items() if path.lower().endswith(end)), None)
    return None if found in ("none", "uncompressed") else found


def _shown(fields: Fields, options: Options, is_json: bool = False) -> list[tuple[int, str]]:
    """For each column the types that its cast to text goes through, or with `%` the format by which it becomes text."""
    dates, instants = options.text("dateformat"), options.text("timestampformat")
    known = (*_INSTANTS, *_UNITS) if is_json else _INSTANTS
    found = []
    for place, (_, dtype) in enumerate(fields):
        form = dates if dtype.kind is Kind.DATE else instants if dtype.kind in known else None
        by = "::VARCHAR"
        if is_json and dtype.is_decimal and dtype.precision <= _DOUBLE_DIGITS:
            by = "::DOUBLE::VARCHAR"
        elif is_json and (dtype.is_nested or dtype in (JSON, VARIANT)):
            by = _AS_JSON
        found.append((place, by if form is None else form))
    return found


def texts_of(relation: Relation, forms: list[tuple[int, str]]) -> list[Any]:
    """Columns of the relation as texts."""
    names = ", ".join(f"c{place}" for place in range(len(relation.schema)))
    parts = []
    for place, form in forms:
        if form == _AS_JSON:
            parts.append(f"to_json(c{place})::VARCHAR")
        elif form.startswith("::"):
            parts.append(f"c{place}{form}")
        else:
            parts.append(f"strftime(c{place}, '{form.replace(chr(39), 2 * chr(39))}')")
    return list(relation.sql(f"SELECT {', '.join(parts)} FROM self AS self({names})").arrow().columns)
