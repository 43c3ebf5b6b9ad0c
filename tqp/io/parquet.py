"""Parquet files: columns read in parts of some row groups."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from hashlib import blake2b
from typing import Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from tqp.data.column import Column
from tqp.data.layout import Bounds
from tqp.data.reading import Reading
from tqp.errors import SourceChanged, SourceError
from tqp.io.arrow import column_from_arrow
from tqp.io.hive import partition_columns
from tqp.io.limits import require_sound
from tqp.io.parts import LONGEST_DECIMAL, FixedColumn, Part, has_fixed_size
from tqp.io.readers import Described
from tqp.io.state import File, require_same
from tqp.io.text import text_column

__all__ = ["ParquetReader"]

_FAILURES = (pa.ArrowException, OSError, KeyError, ValueError)
_CORRUPT = "the file is damaged, incomplete or of another kind: write or fetch it again"
_TAIL = 8
_PART_ROWS: Final = 2**19
"""Rows of a part at least, as far as the file has them: opening the file for one takes some 0.1 ms."""


class _Span(NamedTuple):
    """Row groups of one of the files that make a part; its first row is `start`."""

    place: int
    groups: tuple[int, ...]
    start: int


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
        self._footers = [_with_short_decimals(metadata, found) for _, metadata, _ in self._files]
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
        reading = self.reading(name)
        return reading.whole([part() for part in reading.parts])

    def reading(self, name: str) -> Reading:
        """The column in parts of some row groups. UnsupportedError where it cannot be read."""
        self.require(name)
        kind = self.types[name]
        if name in self._partitions:
            return Reading((), lambda _: self._partition(name))
        if _is_text(kind):
            coded = all(_is_dictionary_coded(metadata, name) for _, metadata, _ in self._files)
            parts = [partial(self._strings, name, span, coded) for span in self._spans()]
            return Reading(parts, lambda found: self._settled(self._text(name, found)))
        if has_fixed_size(kind):
            made = FixedColumn(kind, self.rows, name, self._expected(name))
            fills = [partial(self._fill, name, span, made) for span in self._spans()]
            return Reading(fills, lambda found: self._settled(self._filled(made, found, name)))
        return Reading((partial(self._whole, name),), lambda found: self._settled(found[0]))

    def _spans(self) -> Iterator[_Span]:
        """All row groups of all files, in order, a few together."""
        start = 0
        for place, (_, metadata, _) in enumerate(self._files):
            groups: list[int] = []
            rows = 0
            for group in range(metadata.num_row_groups):
                groups.append(group)
                rows += metadata.row_group(group).num_rows
                if rows >= _PART_ROWS or group == metadata.num_row_groups - 1:
                    yield _Span(place, tuple(groups), start)
                    start, groups, rows = start + rows, [], 0

    def _fill(self, name: str, span: _Span, made: FixedColumn) -> Part | None:
        return made.fill(span.start, self._decoded(name, span))

    def _filled(self, made: FixedColumn, parts: list[Part | None], name: str) -> Column:
        column = made.column(parts)
        return self._whole(name) if column is None else column

    def _strings(self, name: str, span: _Span, coded: bool) -> list[pa.Array]:
        chunks = self._decoded(name, span, coded)
        plain = [chunk if pa.types.is_dictionary(chunk.type) else chunk.cast(pa.large_string()) for chunk in chunks]
        start = span.start
        for chunk in plain:
            # Arrow has looked at indices when it decoded them.
            is_coded = pa.types.is_dictionary(chunk.type)
            if not _is_sound(chunk.dictionary if is_coded else chunk):
                require_sound(pa.chunked_array([chunk.dictionary_decode() if is_coded else chunk]), name, start)
            start += len(chunk)
        return plain

    def _text(self, name: str, parts: list[list[pa.Array]]) -> Column:
        chunks = [chunk for part in parts for chunk in part]
        if len({chunk.type for chunk in chunks}) > 1:
            chunks = [chunk.cast(pa.large_string()) for chunk in chunks]
        return text_column(pa.chunked_array(chunks, chunks[0].type if chunks else pa.large_string()))

    def _partition(self, name: str) -> Column:
        rows = [metadata.num_rows for _, metadata, _ in self._files]
        parts = [pa.repeat(value, count) for value, count in zip(self._partitions[name], rows, strict=True)]
        return column_from_arrow(pa.chunked_array(parts, self.types[name]), name)

    def _whole(self, name: str) -> Column:
        """All of a column at once: of types without parts, and where a value is refused, which the error says then."""
        kind = self.types[name]
        chunks = [chunk for span in self._spans() for chunk in self._decoded(name, span)]
        # Files may differ in how they keep a type's values.
        alike = [chunk if chunk.type == kind else chunk.cast(kind) for chunk in chunks]
        return column_from_arrow(pa.chunked_array(alike, kind), name)

    def _expected(self, name: str) -> Bounds | None:
        """Limits of the stored integers by the footers; None where one does not say them."""
        kind = self.types[name]
        if pa.types.is_unsigned_integer(kind) or (pa.types.is_temporal(kind) and getattr(kind, "unit", "us") != "us"):
            return None
        limits: list[Bounds] = []
        for _, metadata, _ in self._files:
            place = _place(metadata, name)
            if place is None:
                return None
            for group in range(metadata.num_row_groups):
                chunk = metadata.row_group(group).column(place)
                found = chunk.statistics
                if found is None:
                    return None
                if found.has_null_count and found.null_count == chunk.num_values:
                    continue
                if not found.has_min_max or not isinstance(found.min_raw, int) or not isinstance(found.max_raw, int):
                    return None
                limits.append((found.min_raw, found.max_raw))
        return (min(low for low, _ in limits), max(high for _, high in limits)) if limits else None

    def _decoded(self, name: str, span: _Span, coded: bool = False) -> list[pa.Array]:
        """The column's chunks in the row groups of the span; SourceChanged where the file was written since."""
        file = self._files[span.place][0]
        metadata = self._footers[span.place]
        require_same(file)
        try:
            # Not mapped into memory: a file that is cut short meanwhile would end the process.
            with pq.ParquetFile(
                file.path, metadata=metadata, read_dictionary=[name] if coded else None, pre_buffer=False
            ) as opened:
                chunks: list[pa.Array] = (
                    opened.read_row_groups(list(span.groups), columns=[name], use_threads=False).column(name).chunks
                )
        except _FAILURES as error:
            self._require_same(span.place)
            message = f"cannot read column {name!r} of {file.shown!r}: {_reason(error)}"
            raise SourceError(message, hint=_CORRUPT) from error
        return chunks

    def _settled(self, column: Column) -> Column:
        """A column that was read, of the files as they were opened; SourceChanged where one was written meanwhile."""
        for place in range(len(self._files)):
            self._require_same(place)
        return column

    def _require_same(self, place: int) -> None:
        file, _, footer = self._files[place]
        require_same(file)
        if _footer(file) != footer:
            raise SourceChanged(file.shown)


def _with_short_decimals(metadata: pq.FileMetaData, schema: pa.Schema) -> pq.FileMetaData:
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


def _is_sound(text: pa.Array) -> bool:
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _is_text(kind: pa.DataType) -> bool:
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def _place(metadata: pq.FileMetaData, name: str) -> int | None:
    """Where a column that is not nested stands among the leaves; None where it cannot be told."""
    places = [place for place in range(metadata.num_columns) if metadata.schema.column(place).path == name]
    return places[0] if len(places) == 1 else None


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
    place = _place(metadata, name)
    if place is None:
        return False
    for group in range(metadata.num_row_groups):
        columns = metadata.row_group(group)
        chunk = columns.column(place)
        if not chunk.has_dictionary_page or chunk.total_uncompressed_size > 8 * max(columns.num_rows, 1):
            return False
    return bool(metadata.num_row_groups)
