"""Parquet files, read a column at a time."""

from __future__ import annotations

from hashlib import blake2b

import pyarrow as pa
import pyarrow.parquet as pq

from tqp.data.column import Column
from tqp.errors import SourceChanged, SourceError
from tqp.io.arrow import column_from_arrow
from tqp.io.hive import partition_columns
from tqp.io.readers import Described
from tqp.io.state import File, require_same

__all__ = ["ParquetReader"]

_FAILURES = (pa.ArrowException, OSError, KeyError, ValueError)
_CORRUPT = "the file is damaged, incomplete or of another kind: write or fetch it again"
_TAIL = 8


class ParquetReader(Described):
    """Parquet files of one schema, one after the other; reads the columns asked for and nothing else.

    Folders called `key=value` that all files lie in are columns, too, and win over columns of that name in the files. All
    columns are of the files as they were opened: SourceChanged where one was written since.
    """

    def __init__(self, files: tuple[File, ...]) -> None:
        self._files: list[tuple[File, pq.FileMetaData, bytes]] = []
        schema: pa.Schema | None = None
        for file in files:
            try:
                footer = _footer(file)
                with pq.ParquetFile(file.path) as opened:
                    found = opened.schema_arrow
                    self._files.append((file, opened.metadata, footer))
            except _FAILURES as error:
                require_same(file)
                raise SourceError(f"cannot read {file.shown!r} as Parquet: {_reason(error)}", hint=_CORRUPT) from error
            if schema is None:
                schema = found
            elif (schema.names, schema.types) != (found.names, found.types):
                raise SourceError(
                    f"{file.shown!r} and {files[0].shown!r} differ in their columns",
                    hint="files read as one table have the same column names and types in the same order",
                )
        assert schema is not None
        self._partitions = partition_columns([file.shown for file in files])
        for name, values in self._partitions.items():
            place = schema.get_field_index(name)
            column = pa.field(name, values[0].type)
            schema = schema.append(column) if place < 0 else schema.set(place, column)
        super().__init__(schema, sum(metadata.num_rows for _, metadata, _ in self._files))

    @property
    def nbytes(self) -> int:
        """Bytes of rows in memory: none, they are read when they are asked for."""
        return 0

    @property
    def original(self) -> tuple[str, ...]:
        """The paths, for others to read."""
        return tuple(file.path for file, _, _ in self._files)

    def column(self, name: str) -> Column:
        self.require(name)
        if name in self._partitions:
            rows = [metadata.num_rows for _, metadata, _ in self._files]
            parts = [pa.repeat(value, count) for value, count in zip(self._partitions[name], rows, strict=True)]
            return column_from_arrow(pa.chunked_array(parts, self.types[name]), name)
        chunks = [chunk for place in range(len(self._files)) for chunk in self._chunks(place, name)]
        if self._is_text(name) and len({chunk.type for chunk in chunks}) > 1:
            chunks = [chunk.cast(pa.large_string()) for chunk in chunks]
        kind = chunks[0].type if chunks else self.types[name]
        return column_from_arrow(pa.chunked_array(chunks, kind), name)

    def _is_text(self, name: str) -> bool:
        return self.types[name] in (pa.string(), pa.large_string(), pa.string_view())

    def _chunks(self, place: int, name: str) -> list[pa.Array]:
        """The column in one file, which is looked at before and after: it may be written in between."""
        file, metadata, footer = self._files[place]
        coded = [name] if self._is_text(name) and _is_dictionary_coded(metadata, name) else None
        require_same(file)
        try:
            if _footer(file) != footer:
                raise SourceChanged(file.shown)
            # Not mapped into memory: a file that is cut short meanwhile would end the process.
            with pq.ParquetFile(file.path, metadata=metadata, read_dictionary=coded) as opened:
                chunks: list[pa.Array] = opened.read(columns=[name]).column(name).chunks
        except _FAILURES as error:
            require_same(file)
            message = f"cannot read column {name!r} of {file.shown!r}: {_reason(error)}"
            raise SourceError(message, hint=_CORRUPT) from error
        require_same(file)
        return chunks


def _footer(file: File) -> bytes:
    """A digest of the file's footer, which says where and how large every column is."""
    with open(file.path, "rb") as opened:
        opened.seek(max(file.state.size - _TAIL, 0))
        size = int.from_bytes(opened.read(4), "little")
        opened.seek(max(file.state.size - _TAIL - size, 0))
        return blake2b(opened.read(size + _TAIL), digest_size=16).digest()


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
