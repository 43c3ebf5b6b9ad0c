"""COPY … TO: the rows of a query as a file, or as a folder of files by the values of some columns."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ipc

from tqp.errors import BindError, SourceError, UnsupportedError
from tqp.io.laid_out import has_union, with_structs
from tqp.io.lines import CsvForm, csv_lines, json_lines, opened
from tqp.io.parquet_variants import mark_variants
from tqp.io.written import Existing, partitions, written, written_folder
from tqp.relation import Relation
from tqp.sql.scope import distinct_names
from tqp.statements.caller import Caller
from tqp.statements.file_names import FileName
from tqp.statements.options import Options
from tqp.types import JSON, VARIANT, DType, Kind

__all__ = ["FORMATS", "CopyTo", "format_of"]

FORMATS: Final = ("csv", "parquet", "json", "arrow")
_ENDINGS: Final = {
    ".parquet": "parquet", ".json": "json", ".jsonl": "json", ".ndjson": "json",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
}  # fmt: skip
_ARROW_COMPRESSION: Final = ("uncompressed", "lz4", "zstd")
_COMPRESSED: Final = {".gz": "gzip", ".zst": "zstd"}
_TEXT_COMPRESSION: Final = ("auto", "none", "uncompressed", "gzip", "zstd")
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


def format_of(path: str, options: Options) -> str:
    """The format that the options name, or the ending of the path, or CSV."""
    plain = path.lower().removesuffix(".gz").removesuffix(".zst")
    ending = next((kind for end, kind in _ENDINGS.items() if plain.endswith(end)), "csv")
    found = options.word("format", ending, FORMATS)
    assert found is not None
    return found


@dataclass(frozen=True, slots=True)
class CopyTo:
    query: str
    file: FileName
    options: Options
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        named = self.file.of(caller)
        caller.access.require_files(named)
        if not named:
            raise BindError("COPY … TO needs the name of a file")
        relation = caller.query(self.query)
        path = os.path.expanduser(named)
        kind = format_of(path, self.options)
        fields = [(field.name, field.dtype) for field in distinct_names(relation.schema)]
        by = self._partitions(fields)
        existing = self._existing()
        write, columns = _writer(kind, relation, fields, path, self.options)
        keeps = bool(self.options.flag("write_partition_columns"))
        pattern = self.options.text("filename_pattern", "data_{i}")
        ending = self.options.text("file_extension", kind)
        self.options.done(f"COPY … TO {kind}")
        names = [name for name, _ in fields]
        if not by:
            with written(path, caller.access.systems, caller.storage) as beside:
                write(names, columns, beside)
            return caller.count(len(relation))
        kept = [place for place in range(len(fields)) if keeps or place not in by]
        if not kept:
            raise BindError("all columns name folders, and none is left to write", hint="WRITE_PARTITION_COLUMNS true")
        texts = _texts(relation, [(place, "::VARCHAR") for place in by])
        if existing == "append":
            pattern = "{uuid}"

        def fill(folder: str) -> None:
            for inner, rows in partitions([names[place] for place in by], texts) if len(relation) else ():
                here = os.path.join(folder, *inner.split("/"))
                os.makedirs(here)
                name = str(pattern).replace("{i}", "0").replace("{uuid}", str(uuid.uuid4()))
                part = [columns[place].take(rows) for place in kept]
                write([names[place] for place in kept], part, os.path.join(here, f"{name}.{ending}"))

        written_folder(path, existing, fill, caller.access.systems, caller.storage)
        return caller.count(len(relation))

    def _partitions(self, fields: list[tuple[str, DType]]) -> list[int]:
        """The numbers of the columns by whose values there are folders."""
        places = {name.lower(): place for place, (name, _) in enumerate(fields)}
        found = []
        for name in self.options.names("partition_by") or ():
            if name.lower() not in places:
                hint = f"the columns are {', '.join(name for name, _ in fields)}"
                raise BindError(f"PARTITION_BY names {name}, which is no column of the rows", hint=hint)
            if places[name.lower()] in found:
                raise BindError(f"PARTITION_BY names {name} twice")
            found.append(places[name.lower()])
        return found

    def _existing(self) -> Existing:
        if self.options.flag("append"):
            return "append"
        if self.options.flag("overwrite"):
            return "replace"
        return "mix" if self.options.flag("overwrite_or_ignore") else "refuse"


def _writer(
    kind: str, relation: Relation, fields: list[tuple[str, DType]], path: str, options: Options
) -> tuple[Write, list[Any]]:
    """What writes the format, and all columns as it takes them."""
    match kind:
        case "parquet":
            return _parquet(relation, fields, options)
        case "json":
            return _json(relation, fields, path, options)
        case "arrow":
            return _arrow(relation, fields, options)
        case _:
            return _csv(relation, fields, path, options)


def _parquet(relation: Relation, fields: list[tuple[str, DType]], options: Options) -> tuple[Write, list[Any]]:
    for name, dtype in fields:
        if dtype.kind is Kind.INTERVAL:
            raise UnsupportedError(
                f"column {name} is an INTERVAL, which Parquet files here have not", hint="cast it to VARCHAR"
            )
    compression = options.word("compression", "snappy", _PARQUET_COMPRESSION)
    rows = options.number("row_group_size") or 122_880
    level = options.number("compression_level")
    columns = [
        column.cast(pa.int32()) if pa.types.is_null(column.type) else column for column in relation.arrow().columns
    ]
    for place, (_, dtype) in enumerate(fields):
        if has_union(dtype):
            columns[place] = with_structs(relation.result().on_host(), place)

    kinds = dict(fields)

    def write(names: list[str], columns: list[Any], place: str) -> None:
        method = "NONE" if compression == "uncompressed" else "lz4" if compression == "lz4_raw" else compression
        try:
            pq.write_table(
                pa.Table.from_arrays(columns, names),
                place,
                row_group_size=rows,
                compression=method,
                compression_level=level,
            )
        except pa.ArrowException as error:
            raise SourceError(f"cannot write Parquet: {error}") from error
        dtypes = [kinds[name] for name in names]
        if any(map(_has_variants, dtypes)):
            mark_variants(place, dtypes)

    return write, columns


def _has_variants(dtype: DType) -> bool:
    """Whether values of the type are variants, or have some in them."""
    return dtype == VARIANT or any(map(_has_variants, dtype.children))


def _arrow(relation: Relation, fields: list[tuple[str, DType]], options: Options) -> tuple[Write, list[Any]]:
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


def _csv(relation: Relation, fields: list[tuple[str, DType]], path: str, options: Options) -> tuple[Write, list[Any]]:
    quote, escape = options.character("quote", '"'), options.character("escape", '"')
    delimiter, null = options.delimiter(","), options.text("null", "")
    header, comment = options.flag("header", True), options.text("comment", "#")
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
    columns = _texts(relation, _shown(fields, options))
    compression = _compression(path, options)

    def write(names: list[str], columns: list[Any], place: str) -> None:
        places = frozenset(number for number, name in enumerate(names) if name.lower() in in_quotes)
        form = CsvForm(bool(header), delimiter, quote, escape, null, places, comment)
        with opened(place, compression) as file:
            for part in csv_lines(names, columns, form):
                file.write(part)

    return write, columns


def _json(relation: Relation, fields: list[tuple[str, DType]], path: str, options: Options) -> tuple[Write, list[Any]]:
    is_array = bool(options.flag("array"))
    kinds = {name: _json_kind(dtype) for name, dtype in fields}
    columns = _texts(relation, _shown(fields, options, is_json=True))
    compression = _compression(path, options)

    def write(names: list[str], columns: list[Any], place: str) -> None:
        with opened(place, compression) as file:
            for part in json_lines(names, columns, [kinds[name] for name in names], is_array):
                file.write(part)

    return write, columns


def _json_kind(dtype: DType) -> str:
    if dtype.is_numeric:
        return "number"
    is_json = dtype.is_nested or dtype in (JSON, VARIANT)
    return "plain" if is_json or dtype.kind in (Kind.BOOLEAN, Kind.NULL) else "text"


def _compression(path: str, options: Options) -> str | None:
    found = options.word("compression", "auto", _TEXT_COMPRESSION)
    if found == "auto":
        return next((kind for end, kind in _COMPRESSED.items() if path.lower().endswith(end)), None)
    return None if found in ("none", "uncompressed") else found


def _shown(fields: list[tuple[str, DType]], options: Options, is_json: bool = False) -> list[tuple[int, str]]:
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


def _texts(relation: Relation, forms: list[tuple[int, str]]) -> list[Any]:
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
