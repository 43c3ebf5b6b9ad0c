"""One CSV file: what it is, known by its beginning, and its values as texts, all of which are read when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from tqp.errors import InternalError, SourceError
from tqp.io.buffers import owned_by_arrow
from tqp.io.csv.dialect import Records, goes_on, is_blank, is_plainly_quoted, records_of, uneven
from tqp.io.csv.kinds import CsvType, converted
from tqp.io.csv.options import CsvOptions
from tqp.io.csv.sniff import Sniffed, sniffed, value_of
from tqp.io.packed import beginnings, text_of
from tqp.io.state import File, require_same
from tqp.locks import Lock
from tqp.types import TIMESTAMP

__all__ = ["CsvFile", "Texts"]

_LINES_OF_ALL: Final = -1
_MORE: Final = 64
"""Lines that are read behind those that say what the file is: comments and blank ones are among them."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Values as texts, NULL where they are; `columns` by the lower case of their names."""

    rows: int
    columns: Mapping[str, pa.ChunkedArray]

    def first(self, rows: int) -> Texts:
        """The first rows of them, or all."""
        if rows >= self.rows:
            return self
        return Texts(rows, {name: column.slice(0, rows) for name, column in self.columns.items()})

    @property
    def nbytes(self) -> int:
        return sum(int(column.nbytes) for column in self.columns.values())


class CsvFile:
    """A file of names and types that its beginning tells. Safe to use from several threads.

    SourceError for one that cannot be read, as far as it is: from the beginning when this is made, else from what is asked for.
    """

    def __init__(self, file: File, options: CsvOptions) -> None:
        self.file = file
        self._options = options
        self._lock = Lock()
        require_same(file)
        text, head, share = _begun(file, options)
        self._head, self._share = head, share
        self.sniffed = sniffed(head, share == 1, options, file.shown)
        self.names = self.sniffed.names
        self.types = self.sniffed.types
        self.is_empty = self.sniffed.is_empty
        self.guessed_rows = int(self.sniffed.rows / share) if share else 0
        """About how many rows it has, as its beginning has."""
        self._begun: Texts | None = None
        self._all: Texts | None = None
        if text is not None:
            self._keep(text)
        require_same(file)

    def type_of(self, name: str) -> CsvType:
        return self.types[[one.lower() for one in self.names].index(name.lower())]

    @property
    def is_read(self) -> bool:
        """Whether all of it was read."""
        return self._all is not None

    @property
    def texts(self) -> Texts:
        """All rows."""
        with self._lock:
            if self._all is None:
                require_same(self.file)
                self._keep(_text(self.file, self._options))
                require_same(self.file)
            assert self._all is not None
            return self._all

    @property
    def beginning(self) -> Texts:
        """The rows of its beginning, or all of them if they were read."""
        with self._lock:
            if self._all is not None:
                return self._all
            if self._begun is None:
                self._begun = self._texts(self._head, self._share == 1)
            return self._begun

    @property
    def nbytes(self) -> int:
        """Bytes of the texts in memory."""
        return sum(one.nbytes for one in (self._begun, self._all) if one is not None)

    def no_value(self, name: str, texts: pa.ChunkedArray, to: CsvType, row: int) -> SourceError:
        """The error of a value that is none of its column's type, with its line."""
        found, where = self.sniffed, ""
        records = records_of(_text(self.file, self._options), found.dialect)
        if records is not None:
            places = _rows(records, found, self._options)
            where = f" on line {records.line_number(places[row])}" if row < len(places) else ""
        written = f" in the format {to.format!r}" if to.format else ""
        return SourceError(
            f"{self.file.shown!r}: {texts[row].as_py()!r}{where}, column {name!r}, is no {to.dtype}{written}",
            hint=f"types={{'{name}': 'VARCHAR'}}, sample_size=-1 to look at all lines first, or ignore_errors=true",
        )

    def _keep(self, text: str) -> None:
        """Make texts of all of it; its beginning is not needed any more."""
        self._all = self._texts(text, True)
        self._begun, self._head = None, ""

    def _texts(self, text: str, whole: bool) -> Texts:
        """The values of the text, which is the `whole` file or its beginning."""
        found, options, shown = self.sniffed, self._options, self.file.shown
        longest = options.max_line_size
        if longest is not None and any(
            len(line.encode(errors="surrogateescape")) > longest for line in text.splitlines()
        ):
            raise SourceError(f"cannot read {shown!r} as CSV: a line is longer than max_line_size={longest} bytes")
        texts = _by_arrow(text, found, options)
        if texts is not None:
            return texts
        records = records_of(text, found.dialect, whole)
        if records is None:
            reason = "a quoted value does not end as it should"
            raise SourceError(f"cannot read {shown!r} as CSV: {reason}", hint="quote='' for none")
        return _by_records(records, found, options, shown)


def _begun(file: File, options: CsvOptions) -> tuple[str | None, str, float]:
    """The whole text if that was read, the lines that say what the file is, and which share of the file these are."""
    lines = options.sampled + options.skip + _MORE if options.sampled > 0 else _LINES_OF_ALL
    for text, share in beginnings(file, "CSV", options.compression, options.encoding, not options.ignore_errors):
        end = len(text) if lines == _LINES_OF_ALL else _end_of(lines, text)
        if share == 1 or end < len(text):
            return text if share == 1 else None, text[:end], share * end / max(len(text), 1)
    raise InternalError(f"the beginnings of {file.shown!r} do not end with all of it")


def _text(file: File, options: CsvOptions) -> str:
    """The whole text. SourceError for bytes that are none."""
    return text_of(file, "CSV", options.compression, options.encoding, not options.ignore_errors)


def _end_of(lines: int, text: str) -> int:
    """Where the first lines of a text end; its end where it has no more."""
    end = 0
    mark = "\n" if "\n" in text else "\r"
    for _ in range(lines):
        end = text.find(mark, end) + 1
        if not end:
            return len(text)
    return end


def _by_arrow(text: str, found: Sniffed, options: CsvOptions) -> Texts | None:
    """The values by Arrow's reader; None where it means something else by the file."""
    dialect = found.dialect
    has_quotes = bool(dialect.quote) and dialect.quote in text
    if dialect.comment or options.null_padding or options.ignore_errors or len(dialect.delimiter.encode()) != 1:
        return None
    if found.has_blanks and found.width == 1:
        return None
    width = found.width + found.extra
    names = [str(place) for place in range(width)]
    content = text[_offset(text, found.line - 1) :].encode()
    if has_quotes and not (options.allow_quoted_nulls and is_plainly_quoted(content, dialect)):
        return None
    forced = {name.lower() for name in options.force_not_null}
    try:
        table = pa.csv.read_csv(
            pa.BufferReader(owned_by_arrow(content)),
            pa.csv.ReadOptions(column_names=names),
            pa.csv.ParseOptions(
                delimiter=dialect.delimiter,
                quote_char=dialect.quote if has_quotes else False,
                newlines_in_values=has_quotes,
                ignore_empty_lines=not options.keeps_blank(width),
            ),
            pa.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.large_string()),
                null_values=list(options.nullstr),
                strings_can_be_null=True,
            ),
        )
    except pa.ArrowInvalid:
        return None
    columns = table.columns[: found.width]
    filled = [
        pc.fill_null(column, "") if name.lower() in forced else column
        for name, column in zip(found.names, columns, strict=True)
    ]
    return _texts(filled, found, options)


def _offset(text: str, lines: int) -> int:
    """Where a line begins."""
    place = 0
    for _ in range(lines):
        ends = [end for mark in "\r\n" if (end := text.find(mark, place)) >= 0]
        if not ends:
            return len(text)
        place = min(ends)
        place += 2 if text.startswith("\r\n", place) else 1
    return place


def _rows(records: Records, found: Sniffed, options: CsvOptions) -> list[int]:
    """The records that are rows of values."""
    width = found.width
    places = [
        place
        for place, line in enumerate(records.lines)
        if place >= found.first and line is not None and (options.keeps_blank(width) or not is_blank(line))
    ]
    if options.ignore_errors:
        places = [
            place for place in places if _fits(records.lines[place] or (), found, options) and records.is_text(place)
        ]
    return places


def _fits(row: Sequence[str], found: Sniffed, options: CsvOptions) -> bool:
    """Whether a row has a value for each column; empty ones behind them are passed over."""
    return not goes_on(row, found.width) and (len(row) >= found.width or options.null_padding)


def _by_records(records: Records, found: Sniffed, options: CsvOptions, shown: str) -> Texts:
    """The values one by one; SourceError for a row of another number of values."""
    width = found.width
    rows = [records.lines[place] or [] for place in _rows(records, found, options)]
    if not all(_fits(row, found, options) for row in rows):
        raise uneven(records, found.first, width, shown)
    forced = {name.lower() for name in options.force_not_null}
    columns = []
    for place, name in enumerate(found.names):
        written = (row[place] if place < len(row) else None for row in rows)
        if name.lower() in forced:
            values = [None if value is None else value_of(value, options) or "" for value in written]
        else:
            values = [None if value is None else value_of(value, options) for value in written]
        columns.append(pa.chunked_array([pa.array(values, pa.large_string())]))
    return _texts(columns, found, options)


def _texts(columns: Sequence[pa.ChunkedArray], found: Sniffed, options: CsvOptions) -> Texts:
    """The values by the names of their columns, without rows that are left out for the values in them."""
    named = dict(zip([name.lower() for name in found.names], columns, strict=True))
    if options.ignore_errors:
        named = _readable(named, found, options)
    return Texts(len(next(iter(named.values()))), named)


def _readable(
    columns: Mapping[str, pa.ChunkedArray], found: Sniffed, options: CsvOptions
) -> dict[str, pa.ChunkedArray]:
    """The rows of which each value is one of its column's type."""
    rows = len(next(iter(columns.values())))
    good = np.ones(rows, np.bool_)
    for texts, kind in zip(columns.values(), found.types, strict=True):
        if kind.dtype.is_text:
            continue
        values, bad = converted(texts, replace(kind, dtype=TIMESTAMP) if kind.is_local else kind, options)
        if bad is not None and values.valid is not None:
            good &= values.valid.numpy() | np.asarray(texts.is_null())  # host: on the CPU
    return {name: texts.filter(pa.array(good)) for name, texts in columns.items()}
