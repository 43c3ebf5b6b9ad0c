"""Parquet files: columns read in parts of some row groups."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import partial
from hashlib import blake2b
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tqp.data.column import Column
from tqp.data.layout import Bounds
from tqp.data.reading import Excerpt, GroupZones, Reading
from tqp.errors import SourceChanged, SourceError
from tqp.io.arrow import column_from_arrow
from tqp.io.arrow_types import has_documents
from tqp.io.file_schemas import FilesTogether, path_column
from tqp.io.footers import Chunk, chunks, group_zones, is_text, place_of, same_zones, stored_limits
from tqp.io.limits import require_sound
from tqp.io.parquet_options import ParquetOptions
from tqp.io.parquet_schemas import (
    INT96,
    ROW_NUMBER,
    as_text,
    asked_columns,
    counts_less,
    in_microseconds,
    with_short_decimals,
)
from tqp.io.parts import FixedColumn, Part, has_fixed_size
from tqp.io.readers import with_distinct_names
from tqp.io.remote import each
from tqp.io.state import LOCAL, Content, File, require_same
from tqp.io.text import text_column
from tqp.io.united import UnitedColumn, one_below_the_other
from tqp.io.variant_columns import as_documents, with_parquets
from tqp.types import BIGINT

__all__ = ["ParquetReader"]

_FAILURES = (pa.ArrowException, OSError, KeyError, ValueError)
_CORRUPT = "the file is damaged, incomplete or of another kind: write or fetch it again"
_TAIL = 8
_PART_ROWS: Final = 2**19
"""Rows of a part at least, as far as the file has them: opening the file for one takes some 0.1 ms."""


_BUFFER: Final = 2**16
"""Bytes that are read at once of a column of which few rows are."""
_FAR_BUFFER: Final = 2**20
"""The same of a file behind a protocol, where each read is a request."""
_BATCH: Final = 2**16


class _Span(NamedTuple):
    """Row groups of one of the files that make a part; its first row is `start`."""

    place: int
    groups: tuple[int, ...]
    start: int
    rows: int


class _Names(NamedTuple):
    """The columns of a file of which some have one name: what they are called, and what the file calls them."""

    shown: tuple[str, ...]
    own: tuple[str, ...]

    def of(self, name: str) -> tuple[str, int]:
        """What the file calls a column, and how many stand before it that it calls so."""
        place = self.shown.index(name)
        return self.own[place], self.own[:place].count(self.own[place])


class ParquetReader(FilesTogether):
    """Parquet files, one after the other; reads the columns asked for and nothing else.

    All columns are of the files as they were opened: SourceChanged where one was written since.
    """

    def __init__(self, files: tuple[File, ...], options: ParquetOptions) -> None:
        found = each(_opened, files, any(file.place is not LOCAL for file in files))
        self._files = [one for one, _ in found]
        as_written = [schema for _, schema in found]
        self._footers = [
            with_short_decimals(metadata, as_written[at]) for at, (_, metadata, _, _) in enumerate(self._files)
        ]
        schemas = [with_distinct_names(schema) for schema in as_written]
        self._own = [
            None if schema is own else _Names(tuple(schema.names), tuple(own.names))
            for schema, own in zip(schemas, as_written, strict=True)
        ]
        schemas = [with_parquets(schema, one[1]) for schema, one in zip(schemas, self._files, strict=True)]
        self._in_bytes: set[str] = set()
        """The columns whose bytes are text."""
        if options.binary_as_string:
            self._in_bytes = {one.name for schema in schemas for one in schema if as_text(one.type) != one.type}
            schemas = [pa.schema([one.with_type(as_text(one.type)) for one in schema]) for schema in schemas]
        self._shown = schemas
        rows = sum(metadata.num_rows for _, metadata, _, _ in self._files)
        self._numbers = options.file_row_number
        added = {ROW_NUMBER: pa.int64()} if options.file_row_number else {}
        self._is_asked = bool(options.schema)
        asked = asked_columns(options.schema, schemas, as_written)
        super().__init__([file.shown for file in files], schemas, rows, options.files, in_microseconds, added, asked)
        if ROW_NUMBER not in map(str.lower, self.types):
            self._numbers = True
            self.types[ROW_NUMBER] = pa.int64()
            self.hidden = (*self.hidden, (ROW_NUMBER, BIGINT))
        self._chosen = [
            (file, group)
            for file, (_, metadata, _, _) in enumerate(self._files)
            for group in range(metadata.num_row_groups)
        ]

    @property
    def nbytes(self) -> int:
        """Bytes of files in memory: those that their servers only give as a whole."""
        return sum(content.nbytes for _, _, _, content in self._files)

    @property
    def original(self) -> tuple[str, ...] | None:
        """The paths on this machine, for others to read; None where some are not."""
        files = [file for file, _, _, _ in self._files]
        is_plain = all(file.place is LOCAL for file in files) and not self._in_bytes and not self._is_asked
        return tuple(file.path for file in files) if is_plain else None

    @property
    def groups(self) -> list[int]:
        """The rows of each row group that is read."""
        return [self._files[file][1].row_group(group).num_rows for file, group in self._chosen]

    def zones(self, name: str) -> GroupZones | None:
        """What paths and footers say of the column's values in each row group; None where nothing is known."""
        if name in self._of_paths:
            return same_zones(self._of_paths[name].array(file for file, _ in self._chosen))
        is_told = name not in self._uneven and name not in self._in_bytes and not (self._numbers and name == ROW_NUMBER)
        found = self._chunks(name) if is_told else None
        return group_zones(self.types[name], found) if found else None

    def excerpt(self, wanted: Excerpt) -> ParquetReader:
        """Only those rows of the same files."""
        reader = copy(self)
        reader._chosen = [self._chosen[group] for group in wanted.groups]
        reader.rows = wanted.rows
        return reader

    def column(self, name: str) -> Column:
        reading = self.reading(name)
        return reading.whole([part() for part in reading.parts])

    def reading(self, name: str) -> Reading:
        """The column in parts of some row groups. UnsupportedError where it cannot be read."""
        self.require(name)
        kind = self.types[name]
        if name in self._of_paths:
            return Reading((), lambda _: self._partition(name))
        if self._numbers and name == ROW_NUMBER:
            return Reading((), lambda _: self._row_numbers())
        if name in self._uneven:
            pieces = [partial(self._piece, self._uneven[name], span) for span in self._spans()]
            return Reading(pieces, lambda found: self._settled(one_below_the_other(self._uneven[name], found)))
        if is_text(kind):
            coded = name not in self._in_bytes and all(
                _is_dictionary_coded(metadata, self._in_file(place, name)[0])
                for place, (_, metadata, _, _) in enumerate(self._files)
            )
            parts = [partial(self._strings, name, span, coded) for span in self._spans()]
            return Reading(parts, lambda found: self._settled(self._text(name, found)))
        if has_fixed_size(kind):
            made = FixedColumn(kind, self.rows, name, self._expected(name))
            fills = [partial(self._fill, name, span, made) for span in self._spans()]
            return Reading(fills, lambda found: self._settled(self._filled(made, found, name)))
        return Reading((partial(self._whole, name),), lambda found: self._settled(found[0]))

    def _spans(self) -> Iterator[_Span]:
        """The row groups that are read, in order, a few of a file together."""
        start = 0
        for place, chosen in groupby(self._chosen, key=itemgetter(0)):
            groups: list[int] = []
            rows = 0
            for _, group in chosen:
                groups.append(group)
                rows += self._files[place][1].row_group(group).num_rows
                if rows >= _PART_ROWS:
                    yield _Span(place, tuple(groups), start, rows)
                    start, groups, rows = start + rows, [], 0
            if groups:
                yield _Span(place, tuple(groups), start, rows)
                start += rows

    def _fill(self, name: str, span: _Span, made: FixedColumn) -> Part | None:
        return made.fill(span.start, self._decoded(name, span))

    def _filled(self, made: FixedColumn, parts: list[Part | None], name: str) -> Column:
        column = made.column(parts)
        return self._whole(name) if column is None else column

    def _strings(self, name: str, span: _Span, coded: bool) -> list[pa.Array]:
        chunks = self._decoded(name, span, coded)
        # Whether bytes are text is looked at below, where the row is known.
        plain = [
            chunk if pa.types.is_dictionary(chunk.type) else chunk.cast(pa.large_string(), safe=False)
            for chunk in chunks
        ]
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
        runs = [(span.place, self._wanted(span)) for span in self._spans()]
        return path_column(name, self._of_paths[name], runs)

    def _row_numbers(self) -> Column:
        """The number of each row in its file."""
        starts = [
            [0, *accumulate(metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))]
            for _, metadata, _, _ in self._files
        ]
        parts = []
        left = self.rows
        for file, group in self._chosen:
            first = starts[file][group]
            rows = min(starts[file][group + 1] - first, left)
            parts.append(pa.array(np.arange(first, first + rows)))
            left -= rows
        return column_from_arrow(pa.chunked_array(parts, pa.int64()), ROW_NUMBER)

    def _piece(self, column: UnitedColumn, span: _Span) -> tuple[str, Column | None, int]:
        """What a file has of a column that files have in several ways."""
        own, rows, shown = column.own[span.place], self._wanted(span), self._files[span.place][0].shown
        if own is None:
            return shown, None, rows
        chunks = self._decoded(own[0], span)
        return shown, column_from_arrow(pa.chunked_array(chunks) if chunks else pa.nulls(0), own[0]), rows

    def _whole(self, name: str) -> Column:
        """All of a column at once: of types without parts, and where a value is refused, which the error says then."""
        kind = self.types[name]
        chunks = [chunk for span in self._spans() for chunk in self._decoded(name, span)]
        # Files may differ in how they keep a type's values.
        alike = [chunk if chunk.type == kind else chunk.cast(kind) for chunk in chunks]
        return column_from_arrow(pa.chunked_array(alike, kind), name)

    def _chunks(self, name: str) -> list[Chunk] | None:
        """The column in the row groups that are read; None where the footers do not say where it is."""
        names = [self._in_file(place, name)[0] for place in range(len(self._files))]
        return chunks([metadata for _, metadata, _, _ in self._files], self._chosen, names)

    def _in_file(self, place: int, name: str) -> tuple[str, int]:
        """What a file calls a column, and how many stand before it that it calls so."""
        names = self._own[place]
        return (name, 0) if names is None else names.of(name)

    def _expected(self, name: str) -> Bounds | None:
        """Limits of the stored integers by the footers; None where one does not say them."""
        found = self._chunks(name)
        return None if found is None else stored_limits(self.types[name], found)

    def _decoded(self, name: str, span: _Span, coded: bool = False) -> list[pa.Array]:
        """The column's chunks in the row groups of the span; SourceChanged where the file was written since."""
        file, _, _, content = self._files[span.place]
        metadata = self._footers[span.place]
        if file.place is LOCAL:
            require_same(file)
        wanted = self._wanted(span)
        own, before = self._in_file(span.place, name)
        coded_names = [own] if coded else None
        try:
            with pq.ParquetFile(
                content.opened(),
                metadata=metadata,
                read_dictionary=coded_names,
                pre_buffer=False,
                coerce_int96_timestamp_unit=INT96,
                buffer_size=0 if wanted == span.rows else _BUFFER if file.place is LOCAL else _FAR_BUFFER,
            ) as opened:
                if wanted < span.rows:
                    chunks = _first(opened, span.groups, (own, before), wanted)
                else:
                    read = opened.read_row_groups(list(span.groups), columns=[own], use_threads=False)
                    chunks = read.column(before).chunks
                kind = self._shown[span.place].field(name).type
                if name in self._in_bytes and not is_text(kind):
                    chunks = [chunk.cast(kind) for chunk in chunks]
                return [
                    chunk.cast(in_microseconds(chunk.type))
                    if counts_less(chunk.type)
                    else as_documents(chunk, kind, name)
                    if has_documents(kind)
                    else chunk
                    for chunk in chunks
                ]
        except _FAILURES as error:
            self._require_same(span.place)
            message = f"cannot read column {name!r} of {file.shown!r}: {_reason(error)}"
            raise SourceError(message, hint=_CORRUPT) from error

    def _wanted(self, span: _Span) -> int:
        """How many of the first rows of a span are read."""
        return max(min(span.rows, self.rows - span.start), 0)

    def _settled(self, column: Column) -> Column:
        """A column that was read, of the files as they were opened; SourceChanged where one was written meanwhile."""
        for place in range(len(self._files)):
            self._require_same(place)
        return column

    def _require_same(self, place: int) -> None:
        file, _, footer, content = self._files[place]
        require_same(file)
        if _footer(file, content) != footer:
            raise SourceChanged(file.shown)


def _first(opened: pq.ParquetFile, groups: tuple[int, ...], name: tuple[str, int], rows: int) -> list[pa.Array]:
    """The first rows of a column (its name, how many stand before it of that name); pages behind them are not decoded."""
    found: list[pa.Array] = []
    own, before = name
    batches = opened.iter_batches(min(rows, _BATCH) or 1, list(groups), [own], use_threads=False)
    while rows:
        batch = next(batches, None)
        if batch is None:
            raise OSError("it has fewer rows than its footer says")
        found.append(batch.column(before)[:rows])
        rows -= len(found[-1])
    return found


def _is_sound(text: pa.Array) -> bool:
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _opened(file: File) -> tuple[tuple[File, pq.FileMetaData, bytes, Content], pa.Schema]:
    """What is kept of a file, and its schema."""
    content = file.content()
    try:
        footer = _footer(file, content)
        with pq.ParquetFile(content.opened(), coerce_int96_timestamp_unit=INT96) as opened:
            return (file, opened.metadata, footer, content), opened.schema_arrow
    except _FAILURES as error:
        require_same(file)
        raise SourceError(f"cannot read {file.shown!r} as Parquet: {_reason(error)}", hint=_CORRUPT) from error


def _footer(file: File, content: Content) -> bytes:
    """A digest of the file's footer, which says where and how large every column is; b"" where its state says as much."""
    if file.state.is_exact:
        return b""
    with content.opened() as opened:
        total = opened.size()
        opened.seek(max(total - _TAIL, 0))
        size = int.from_bytes(opened.read(4), "little")
        opened.seek(max(total - _TAIL - size, 0))
        return blake2b(opened.read(size + _TAIL), digest_size=16).digest()


def _reason(error: Exception) -> str:
    """Arrow's message on one line, without the bytes it met."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in str(error)).split())


def _is_dictionary_coded(metadata: pq.FileMetaData, name: str) -> bool:
    """Whether no row group of the column stores its strings one by one."""
    place = place_of(metadata, name)
    if place is None:
        return False
    for group in range(metadata.num_row_groups):
        columns = metadata.row_group(group)
        chunk = columns.column(place)
        if not chunk.has_dictionary_page or chunk.total_uncompressed_size > 8 * max(columns.num_rows, 1):
            return False
    return bool(metadata.num_row_groups)
