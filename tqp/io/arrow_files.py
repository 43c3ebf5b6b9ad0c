"""Files of Arrow's own format (IPC: `.arrow`, `.feather`, `.ipc`, and streams, `.arrows`), read column by column.

A file of record batches has a footer, by which a column is read alone. A stream has none and is read as a whole when it is
named, as are files behind a protocol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa
from pyarrow import ipc

from tqp.data.column import Column
from tqp.errors import SourceError
from tqp.io.arrow import column_from_arrow
from tqp.io.arrow_types import has_documents
from tqp.io.file_schemas import FilesTogether, path_column
from tqp.io.options import COMMON, FileOptions, Known, TypeOf, file_options
from tqp.io.readers import with_distinct_names
from tqp.io.remote import each
from tqp.io.state import LOCAL, Content, File, require_same
from tqp.io.united import UnitedColumn, one_below_the_other
from tqp.io.variant_columns import as_documents, with_variants

__all__ = ["ARROW", "ArrowFileReader", "ArrowOptions"]

ARROW: Final = (".arrow", ".arrows", ".feather", ".ipc")
"""Endings of the names of Arrow's files."""
_FILE, _FIRST_FEATHER = b"ARROW1", b"FEA1"
_FAILURES = (pa.ArrowException, OSError, KeyError, ValueError)
_KNOWN: Final = Known(dict(COMMON))


@dataclass(frozen=True, slots=True)
class ArrowOptions:
    """How Arrow's files are read."""

    files: FileOptions = field(default_factory=FileOptions)

    @staticmethod
    def of(function: str, given: Mapping[str, Any], type_of: TypeOf) -> ArrowOptions:
        """Checked options; raises as `Known.read`."""
        return ArrowOptions(file_options(_KNOWN.read(function, given, type_of)))

    @property
    def endings(self) -> tuple[str, ...]:
        """Of the names of the files that are read in a folder."""
        return ARROW


@dataclass(frozen=True, slots=True)
class _Content:
    """What one file holds, each name once; `table`: all of a stream."""

    file: File
    schema: pa.Schema
    rows: int
    table: pa.Table | None
    content: Content

    def column(self, name: str) -> pa.ChunkedArray:
        """A column of the file; SourceChanged where it was written since it was opened, SourceError where it is damaged."""
        place = self.schema.get_field_index(name)
        found = self._stored(name, place)
        kind = with_variants(pa.schema([self.schema.field(place)])).field(0).type
        if not has_documents(kind):
            return found
        return pa.chunked_array([as_documents(chunk, kind, name) for chunk in found.chunks], kind)

    def _stored(self, name: str, place: int) -> pa.ChunkedArray:
        if self.table is not None:
            return self.table.column(place)
        try:
            with self.content.opened() as opened:
                found = ipc.open_file(opened, options=ipc.IpcReadOptions(included_fields=[place])).read_all().column(0)
        except _FAILURES as error:
            require_same(self.file)
            raise SourceError(f"cannot read column {name!r} of {self.file.shown!r}: {_reason(error)}") from error
        require_same(self.file)
        return found


class ArrowFileReader(FilesTogether):
    """Arrow's files, one after the other."""

    original = None
    """DuckDB does not read such files by itself."""

    def __init__(self, files: Sequence[File], options: FileOptions) -> None:
        self._files = each(_opened, files, any(file.place is not LOCAL for file in files))
        rows = sum(one.rows for one in self._files)
        super().__init__(
            [file.shown for file in files], [with_variants(one.schema) for one in self._files], rows, options
        )

    @property
    def nbytes(self) -> int:
        """Bytes of the files that were read as a whole."""
        return sum(int(one.table.nbytes) for one in self._files if one.table is not None)

    def column(self, name: str) -> Column:
        self.require(name)
        if name in self._of_paths:
            return path_column(name, self._of_paths[name], list(enumerate(one.rows for one in self._files)))
        if name in self._uneven:
            return self._united(self._uneven[name])
        kind = self.types[name]
        chunks = [chunk for one in self._files for chunk in one.column(name).chunks]
        if any(chunk.type != kind for chunk in chunks):
            # Files may differ in how they keep a type's values.
            kind = kind.value_type if pa.types.is_dictionary(kind) else kind
            chunks = [_plain(chunk).cast(kind) for chunk in chunks]
        return column_from_arrow(pa.chunked_array(chunks, kind), name)

    def _united(self, column: UnitedColumn) -> Column:
        pieces: list[tuple[str, Column | None, int]] = []
        for own, one in zip(column.own, self._files, strict=True):
            found = None if own is None else column_from_arrow(one.column(own[0]), own[0])
            pieces.append((one.file.shown, found, one.rows))
        return one_below_the_other(column, pieces)


def _opened(file: File) -> _Content:
    is_far = file.place is not LOCAL
    try:
        content = file.content()
        with content.stream() as stream:
            mark = stream.read(len(_FILE))
            stream.seek(0)
            if mark.startswith(_FIRST_FEATHER):
                hint = "write it again as version 2: pyarrow.feather.write_feather(table, path)"
                raise SourceError(f"{file.shown!r} is a Feather file of version 1, which tqp does not read", hint=hint)
            table = None
            if mark != _FILE:
                table = ipc.open_stream(stream).read_all()
            elif is_far:
                # How many rows it has stands all over the file.
                table = ipc.open_file(stream).read_all()
            else:
                found = _described(file, stream, content)
            if table is not None:
                found = _Content(file, with_distinct_names(table.schema), table.num_rows, table, content)
    except _FAILURES as error:
        require_same(file)
        hint = "the file is damaged, incomplete or of another kind: write or fetch it again"
        raise SourceError(f"cannot read {file.shown!r} as Arrow: {_reason(error)}", hint=hint) from error
    require_same(file)
    return found


def _described(file: File, stream: pa.NativeFile, content: Content) -> _Content:
    """What a file of batches holds, of which only the footer and what describes its batches is read."""
    own = ipc.open_file(stream).schema
    schema = with_distinct_names(own)
    if len(set(own.names)) < len(own):
        # A dataset takes names for columns; one column is enough to count rows.
        rows = ipc.open_file(stream, options=ipc.IpcReadOptions(included_fields=[0])).read_all().num_rows
        return _Content(file, schema, rows, None, content)
    from pyarrow import dataset as ds  # imports pandas, where that is installed

    return _Content(file, schema, ds.IpcFileFormat().make_fragment(stream).count_rows(), None, content)


def _plain(chunk: pa.Array) -> pa.Array:
    return chunk.dictionary_decode() if pa.types.is_dictionary(chunk.type) else chunk


def _reason(error: Exception) -> str:
    """Arrow's message on one line."""
    return " ".join(str(error).split())
