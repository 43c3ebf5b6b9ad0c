"""CSV files as a table: read as texts when the table is opened, and each column converted when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from tqp.data.column import Column
from tqp.errors import SourceError, TqpError
from tqp.functions.promotion import forced_type
from tqp.io.buffers import owned_by_arrow
from tqp.io.csv.dialect import MARK, Found, Records, is_blank, is_plainly_quoted, records_of, uneven
from tqp.io.csv.kinds import CsvType, converted
from tqp.io.csv.options import CsvOptions
from tqp.io.csv.sniff import Sniffed, require_typed, sniffed, value_of
from tqp.io.file_schemas import path_column, types_of_paths, with_path_columns
from tqp.io.hive import hidden_columns, path_columns
from tqp.io.packed import text_of
from tqp.io.state import File, require_same
from tqp.io.united import BY_NAME, FileSchema, UnitedColumn, one_below_the_other, united
from tqp.types import NULL, VARCHAR, DType

__all__ = ["CsvReader"]

_LINES_OF_ALL: Final = -1


@dataclass(frozen=True, slots=True)
class _Texts:
    """The values of one file as texts, NULL where they are; `columns` by the lower case of their names."""

    file: File
    sniffed: Sniffed
    rows: int
    columns: Mapping[str, pa.ChunkedArray]

    def type_of(self, name: str) -> CsvType:
        return self.sniffed.types[[one.lower() for one in self.sniffed.names].index(name.lower())]


class CsvReader:
    """CSV files, one after the other, of the columns of the first file, or with `union_by_name` of all files."""

    def __init__(self, files: tuple[File, ...], options: CsvOptions) -> None:
        self._options = options
        self._files = [_read(file, options) for file in files]
        shown = [file.shown for file in files]
        together = _all if options.files.union_by_name else _alike
        found = united(_schemas(self._files), options.files.union_by_name, together)
        lacking = next((column.lacking for column in found if column.lacking), None)
        if lacking is not None:
            raise SourceError(lacking, hint=BY_NAME)
        self._united = {column.name: column for column in found}
        require_typed(list(self._united), options, shown[0])
        self._paths = path_columns(shown, options.files)
        own = {name: column.dtype for name, column in self._united.items()}
        self.schema = tuple(with_path_columns(own, self._paths, options.files).items())
        hidden = hidden_columns(shown, options.files, dict(self.schema))
        self._paths |= hidden
        self.hidden = types_of_paths(hidden)
        bignums = {
            name
            for one in self._files
            for name, kind in zip(one.sniffed.names, one.sniffed.types, strict=True)
            if kind.is_bignum
        }
        self.unsupported: Mapping[str, str] = {
            name: f"it has integers of more than 128 bits; types={{'{name}': 'VARCHAR'}} or 'DOUBLE' reads it"
            for name in bignums
        }
        self.rows = sum(one.rows for one in self._files)

    @property
    def nbytes(self) -> int:
        """Bytes of the texts."""
        return sum(int(column.nbytes) for one in self._files for column in one.columns.values())

    def column(self, name: str) -> Column:
        """A column in its type; SourceError where a value is none of it, which says the line."""
        if name in self._paths:
            values = self._paths[name]
            rows = (one.rows for one in self._files)
            return path_column(name, values[0].type, zip(values, rows, strict=True))
        column = self._united[name]
        pieces = [(one.file.shown, self._piece(column, place), one.rows) for place, one in enumerate(self._files)]
        return one_below_the_other(column, pieces)

    def _piece(self, column: UnitedColumn, place: int) -> Column | None:
        own, one = column.own[place], self._files[place]
        if own is None:
            return None
        kind = one.type_of(own[0])
        to = kind if kind.dtype == column.dtype else CsvType(column.dtype)
        texts = one.columns[own[0].lower()]
        try:
            found, bad = converted(texts, to, self._options)
        except TqpError as error:
            raise SourceError(
                f"column {column.name!r} of {one.file.shown!r}: {error.message}", hint=error.hint
            ) from error
        if bad is not None:
            raise _no_value(one, column.name, texts, to, bad, self._options)
        return found


def _schemas(files: Sequence[_Texts]) -> list[FileSchema]:
    """The columns of files; NULL is the type of one without values. An empty file has none, if not all are."""
    found = []
    are_empty = all(one.sniffed.is_empty for one in files)
    for one in files:
        kinds = [NULL if kind.is_blank else kind.dtype for kind in one.sniffed.types]
        columns = () if one.sniffed.is_empty and not are_empty else tuple(zip(one.sniffed.names, kinds, strict=True))
        found.append(FileSchema(one.file.shown, columns))
    return found


def _all(kinds: Sequence[DType]) -> DType:
    found = forced_type(*kinds)
    return VARCHAR if found == NULL else found


def _alike(kinds: Sequence[DType]) -> DType:
    """What files of the same columns have in common: a number's type that holds all, else text."""
    known = [kind for kind in kinds if kind != NULL]
    is_number = all(kind.is_exact or kind.is_float for kind in known)
    return _all(known) if is_number or len(set(known)) <= 1 else VARCHAR


def _no_value(
    one: _Texts, name: str, texts: pa.ChunkedArray, to: CsvType, row: int, options: CsvOptions
) -> SourceError:
    """The error of a value that is none of its column's type, with its line."""
    text = _text(one.file, options)
    records = records_of(text, one.sniffed.found.dialect)
    where = ""
    if records is not None:
        places = _rows(records, one.sniffed, options)
        where = f" on line {records.line_number(places[row])}" if row < len(places) else ""
    written = f" in the format {to.format!r}" if to.format else ""
    return SourceError(
        f"{one.file.shown!r}: {texts[row].as_py()!r}{where}, column {name!r}, is no {to.dtype}{written}",
        hint=f"types={{'{name}': 'VARCHAR'}}, sample_size=-1 to look at all lines first, or ignore_errors=true",
    )


def _read(file: File, options: CsvOptions) -> _Texts:
    """One file, whose state did not change meanwhile."""
    require_same(file)
    text = _text(file, options)
    longest = options.max_line_size
    if longest is not None and any(len(line.encode()) > longest for line in text.splitlines()):
        raise SourceError(f"cannot read {file.shown!r} as CSV: a line is longer than max_line_size={longest} bytes")
    head, whole = _head(text, options.sampled + options.skip + 64 if options.sampled > 0 else _LINES_OF_ALL)
    found = sniffed(head, whole, options, file.shown)
    table = _by_arrow(text, found, options)
    if table is None:
        table = _by_records(text, found, options, file.shown)
    require_same(file)
    names = [name.lower() for name in found.names]
    columns = dict(zip(names, table, strict=True))
    if options.ignore_errors:
        columns = _readable(columns, found, options)
    rows = len(next(iter(columns.values())))
    return _Texts(file, found, rows, columns)


def _text(file: File, options: CsvOptions) -> str:
    """The whole text. SourceError for bytes that are none, and for a zero byte, which the marks need."""
    text = text_of(file, "CSV", options.compression, options.encoding)
    if MARK in text:
        line = text.count("\n", 0, text.index(MARK)) + 1
        raise SourceError(f"cannot read {file.shown!r} as CSV: line {line} has a zero byte")
    return text


def _head(text: str, lines: int) -> tuple[str, bool]:
    """The first lines, and whether these are all."""
    if lines == _LINES_OF_ALL or len(text) < lines:
        return text, True
    end = 0
    mark = "\n" if "\n" in text else "\r"
    for _ in range(lines):
        end = text.find(mark, end) + 1
        if not end:
            return text, True
    return text[:end], end == len(text)


def _by_arrow(text: str, found: Sniffed, options: CsvOptions) -> Sequence[pa.ChunkedArray] | None:
    """The columns by Arrow's reader; None where it means something else by the file."""
    dialect = found.found.dialect
    lines = found.found.records.lines
    has_quotes = bool(dialect.quote) and dialect.quote in text
    if dialect.comment or options.null_padding or options.ignore_errors or len(dialect.delimiter.encode()) != 1:
        return None
    if any(map(is_blank, lines[: found.first])) and found.found.width == 1:
        return None
    width = found.found.width + found.found.extra
    names = [str(place) for place in range(width)]
    content = text[_offset(text, found.found.records.line_number(found.first) - 1) :].encode()
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
                ignore_empty_lines=width > 1,
            ),
            pa.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.large_string()),
                null_values=list(options.nullstr),
                strings_can_be_null=True,
            ),
        )
    except pa.ArrowInvalid:
        return None
    columns = table.columns[: found.found.width]
    return [
        pc.fill_null(column, "") if name.lower() in forced else column
        for name, column in zip(found.names, columns, strict=True)
    ]


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
    width = found.found.width
    places = [
        place
        for place, line in enumerate(records.lines)
        if place >= found.first and line is not None and (width == 1 or not is_blank(line))
    ]
    if options.ignore_errors:
        places = [place for place in places if _fits(len(records.lines[place] or ()), found.found, options)]
    return places


def _fits(count: int, found: Found, options: CsvOptions) -> bool:
    return count == found.width + found.extra or count < found.width and options.null_padding


def _by_records(text: str, found: Sniffed, options: CsvOptions, shown: str) -> Sequence[pa.ChunkedArray]:
    """The columns value by value; SourceError for a row of another number of values."""
    records = records_of(text, found.found.dialect)
    if records is None:
        raise SourceError(
            f"cannot read {shown!r} as CSV: a quoted value does not end as it should", hint="quote='' for none"
        )
    width = found.found.width
    rows = [records.lines[place] or [] for place in _rows(records, found, options)]
    if not all(_fits(len(row), found.found, options) for row in rows):
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
    return columns


def _readable(
    columns: Mapping[str, pa.ChunkedArray], found: Sniffed, options: CsvOptions
) -> dict[str, pa.ChunkedArray]:
    """The rows of which each value is one of its column's type."""
    rows = len(next(iter(columns.values())))
    good = np.ones(rows, np.bool_)
    for texts, kind in zip(columns.values(), found.types, strict=True):
        if kind.is_bignum or kind.dtype.is_text:
            continue
        values, bad = converted(texts, kind, options)
        if bad is not None and values.valid is not None:
            good &= values.valid.numpy() | np.asarray(texts.is_null())  # host: on the CPU
    return {name: texts.filter(pa.array(good)) for name, texts in columns.items()}
