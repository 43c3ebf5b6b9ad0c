"""Tables in files: Parquet and CSV, one file, a glob or a directory."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import torch

from tqp.column import Column
from tqp.errors import SourceError
from tqp.io.arrow import column_from_arrow
from tqp.io.hive import partition_columns
from tqp.io.readers import ArrowReader, Described

__all__ = ["ParquetReader", "csv_reader", "Paths", "is_path", "path_reader", "reads_like_path"]

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""A file, a glob, a directory, or a list of them."""

_PARQUET = (".parquet", ".parq", ".pq")
_CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt")
_FAILURES = (pa.ArrowException, OSError)
_CORRUPT = "the file is damaged, incomplete or of another kind: write or fetch it again"


def is_path(name: str) -> bool:
    """Whether a table's name is one of a file that tqp reads."""
    return name.lower().endswith(_PARQUET + _CSV) or (any(mark in name for mark in "/\\") and os.path.exists(name))


def reads_like_path(name: str) -> bool:
    """Whether a table's name can only be meant as a path, whatever files there are."""
    return name.lower().endswith(_PARQUET + _CSV) or any(mark in name for mark in "/\\")


def path_reader(path: str) -> ArrowReader | ParquetReader:
    """The reader of a file, glob or directory, by its extension."""
    name = path.lower()
    if name.endswith(_CSV):
        return csv_reader(path)
    if name.endswith(_PARQUET) or os.path.isdir(path):
        return ParquetReader(path)
    raise SourceError(f"no reader for {path!r}", hint="tqp reads Parquet (.parquet) and CSV (.csv) files")


def _files(path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], extensions: tuple[str, ...]) -> list[str]:
    """The files that a path, a glob, a directory or a list of them names, sorted within each."""
    if not isinstance(path, (str, os.PathLike)):
        return [file for one in path for file in _files(one, extensions)]
    text = os.path.expanduser(os.fspath(path))
    if os.path.isfile(text):
        return [text]
    if os.path.isdir(text):
        found = sorted(str(file) for file in Path(text).rglob("*") if file.name.lower().endswith(extensions))
    else:
        found = sorted(file for file in glob.glob(text, recursive=True) if os.path.isfile(file))
    if not found:
        kind = "directory without such files" if os.path.isdir(text) else "no such file"
        raise SourceError(f"cannot read {text!r}: {kind}", hint=f"looked in {os.getcwd()!r}")
    return found


class ParquetReader(Described):
    """Parquet files of one schema, one after the other; reads the columns asked for and nothing else.

    Folders called `key=value` that all files lie in are columns, too, and win over columns of that name in the files.
    """

    def __init__(self, path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> None:
        self._files: list[tuple[str, pq.FileMetaData]] = []
        schema: pa.Schema | None = None
        for file in _files(path, _PARQUET):
            try:
                opened = pq.ParquetFile(file)
                found = opened.schema_arrow
                self._files.append((file, opened.metadata))
                opened.close()
            except _FAILURES as error:
                raise SourceError(f"cannot read {file!r} as Parquet: {_reason(error)}", hint=_CORRUPT) from error
            if schema is None:
                schema = found
            elif (schema.names, schema.types) != (found.names, found.types):
                raise SourceError(
                    f"{file!r} and {self._files[0][0]!r} differ in their columns",
                    hint="files read as one table have the same column names and types in the same order",
                )
        assert schema is not None
        self._partitions = partition_columns([file for file, _ in self._files])
        for name, values in self._partitions.items():
            place = schema.get_field_index(name)
            column = pa.field(name, values[0].type)
            schema = schema.append(column) if place < 0 else schema.set(place, column)
        super().__init__(schema, sum(metadata.num_rows for _, metadata in self._files))

    def column(self, name: str, device: torch.device) -> Column:
        self.require(name)
        if name in self._partitions:
            rows = [metadata.num_rows for _, metadata in self._files]
            parts = [pa.repeat(value, count) for value, count in zip(self._partitions[name], rows, strict=True)]
            return column_from_arrow(pa.chunked_array(parts, self.types[name]), device, name)
        chunks: list[pa.Array] = []
        text = self.types[name] in (pa.string(), pa.large_string(), pa.string_view())
        for file, metadata in self._files:
            coded = [name] if text and _is_dictionary_coded(metadata, name) else None
            try:
                with pq.ParquetFile(file, metadata=metadata, read_dictionary=coded, memory_map=True) as opened:
                    chunks.extend(opened.read(columns=[name]).column(name).chunks)
            except (*_FAILURES, KeyError) as error:
                message = f"cannot read column {name!r} of {file!r}: {_reason(error)}"
                raise SourceError(message, hint=_CORRUPT) from error
        if text and len({chunk.type for chunk in chunks}) > 1:
            chunks = [chunk.cast(pa.large_string()) for chunk in chunks]
        kind = chunks[0].type if chunks else self.types[name]
        return column_from_arrow(pa.chunked_array(chunks, kind), device, name)


def _reason(error: Exception) -> str:
    """Arrow's message on one line, without the bytes it met."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in str(error)).split())


def _is_dictionary_coded(metadata: pq.FileMetaData, name: str) -> bool:
    """Whether no row group of the column stores its strings one by one."""
    for group in range(metadata.num_row_groups):
        columns = metadata.row_group(group)
        for place in range(columns.num_columns):
            chunk = columns.column(place)
            if chunk.path_in_schema == name:
                rows = max(columns.num_rows, 1)
                if not chunk.has_dictionary_page or chunk.total_uncompressed_size > 8 * rows:
                    return False
    return bool(metadata.num_row_groups)


def csv_reader(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    delimiter: str | None = None,
    header: bool = True,
    names: Sequence[str] | None = None,
    types: dict[str, pa.DataType] | None = None,
    quote: str = '"',
    null: str | Sequence[str] = "",
) -> ArrowReader:
    """CSV files of the same columns.

    `delimiter` is a comma, or a tab for .tsv; without `header` columns are `names` or column0, column1, …; `types`
    gives Arrow types instead of guessing them from the values; `null` strings are NULL.
    """
    tables = [_read_csv(file, delimiter, header, names, types, quote, null) for file in _files(path, _CSV)]
    try:
        table = pa.concat_tables(tables) if len(tables) > 1 else tables[0]
    except pa.ArrowException as error:
        raise SourceError(f"the files of {path!r} differ in their columns: {error}", hint="give `types`") from error
    return ArrowReader(table)


def _read_csv(
    file: str,
    delimiter: str | None,
    header: bool,
    names: Sequence[str] | None,
    types: dict[str, pa.DataType] | None,
    quote: str,
    null: str | Sequence[str],
) -> pa.Table:
    tabs = file.lower().endswith((".tsv", ".tsv.gz"))
    read: dict[str, Any] = {}
    if names is not None:
        read = {"column_names": list(names), "skip_rows": 1 if header else 0}
    elif not header:
        read = {"autogenerate_column_names": True}
    try:
        table = pa.csv.read_csv(
            file,
            pa.csv.ReadOptions(**read),
            pa.csv.ParseOptions(
                delimiter=delimiter or ("\t" if tabs else ","), quote_char=quote, newlines_in_values=True
            ),
            pa.csv.ConvertOptions(
                column_types=types,
                null_values=[null] if isinstance(null, str) else list(null),
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
    except _FAILURES as error:
        raise SourceError(f"cannot read {file!r} as CSV: {error}") from error
    if names is None and not header:
        table = table.rename_columns([f"column{place}" for place in range(table.num_columns)])
    return table
