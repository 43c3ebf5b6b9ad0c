"""CSV and JSON as DuckDB writes them, of columns that are text already. Whole columns at a time."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Final, cast

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["CsvForm", "Kind", "csv_lines", "json_lines", "opened"]

_ROWS: Final = 2**16
_CONTROL: Final = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"}

Kind = str
"""What a text is to JSON: "text", "number" or "plain" (true, false)."""


@dataclass(frozen=True, slots=True)
class CsvForm:
    """How CSV is written; `forced` are numbers of columns whose values stand in quotes in any case.

    What has `comment` in it stands in quotes, as a line that begins so may be read as a comment. `end` is how lines end.
    """

    header: bool = True
    delimiter: str = ","
    quote: str = '"'
    escape: str = '"'
    null: str = ""
    forced: frozenset[int] = frozenset()
    comment: str = "#"
    end: str = "\n"


@contextmanager
def opened(path: str, compression: str | None) -> Iterator[BinaryIO]:
    """The file to write bytes into, compressed as `gzip` or `zstd` say."""
    if compression == "gzip":
        with gzip.open(path, "wb") as file:
            yield cast(BinaryIO, file)
    elif compression == "zstd":
        with pa.OSFile(path, "wb") as plain, pa.CompressedOutputStream(plain, "zstd") as stream:
            yield stream
    else:
        with open(path, "wb") as file:
            yield file


def csv_lines(names: Sequence[str], columns: Sequence[pa.ChunkedArray], form: CsvForm) -> Iterator[bytes]:
    """The header, then the rows, some at a time."""
    if form.header:
        cells = [
            _csv_column(pa.array([name], pa.large_string()), form, place in form.forced)
            for place, name in enumerate(names)
        ]
        yield _joined(cells, form)
    for piece in _pieces(columns):
        yield _joined([_csv_column(column, form, place in form.forced) for place, column in enumerate(piece)], form)


def json_lines(
    names: Sequence[str], columns: Sequence[pa.ChunkedArray], kinds: Sequence[Kind], is_array: bool
) -> Iterator[bytes]:
    """One object a line, or one array of them all."""
    keys = [_json_text(pa.array([name], pa.large_string()))[0].as_py() for name in names]
    first = True
    if is_array:
        yield b"[\n\t"
    for piece in _pieces(columns):
        parts: list[object] = []
        for place, (key, column, kind) in enumerate(zip(keys, piece, kinds, strict=True)):
            parts += [("{" if place == 0 else ",") + key + ":", _json_column(column, kind)]
        rows = pc.binary_join_element_wise(*[_large(part) for part in parts], _large("}"), _large(""))
        if is_array:
            text = _whole(rows, ",\n\t")
            yield text if first else b",\n\t" + text
            first = False
        else:
            yield _whole(rows, "\n") + b"\n"
    if is_array:
        yield b"\n]\n"


def _pieces(columns: Sequence[pa.ChunkedArray]) -> Iterator[list[pa.Array]]:
    rows = len(columns[0])
    for start in range(0, rows, _ROWS):
        yield [_flat(column.slice(start, _ROWS)) for column in columns]


def _flat(column: pa.ChunkedArray) -> pa.Array:
    found = column.cast(pa.large_string()).combine_chunks()
    return pa.concat_arrays(found.chunks) if isinstance(found, pa.ChunkedArray) else found


def _large(part: object) -> object:
    return pa.scalar(part, pa.large_string()) if isinstance(part, str) else part


def _joined(cells: Sequence[pa.Array], form: CsvForm) -> bytes:
    return _whole(pc.binary_join_element_wise(*cells, _large(form.delimiter)), form.end) + form.end.encode()


def _whole(rows: pa.Array, between: str) -> bytes:
    lists = pa.LargeListArray.from_arrays(pa.array([0, len(rows)], pa.int64()), rows)
    return bytes(pc.binary_join(lists, _large(between))[0].as_buffer())


def _csv_column(column: pa.Array, form: CsvForm, forced: bool) -> pa.Array:
    text = pc.fill_null(column, "")
    needs = pc.equal(text, _large(form.null))
    for mark in dict.fromkeys((form.delimiter, form.quote, "\n", "\r", form.comment)):
        if mark:
            needs = pc.or_(needs, pc.match_substring(text, mark))
    if forced:
        needs = pc.or_(needs, True)
    inner = text
    if form.quote:
        for mark in dict.fromkeys((form.escape, form.quote)) if form.escape else ():
            inner = pc.replace_substring(inner, mark, form.escape + mark)
        quoted = pc.binary_join_element_wise(_large(form.quote), inner, _large(form.quote), _large(""))
        text = pc.if_else(needs, quoted, text)
    return pc.if_else(pc.is_valid(column), text, _large(form.null))


def _json_column(column: pa.Array, kind: Kind) -> pa.Array:
    if kind == "text":
        shown = _json_text(column)
    elif kind == "number":
        shown = pc.replace_substring_regex(column, r"e\+?(-?)0*(\d)", r"e\1\2")
        shown = pc.replace_substring(pc.replace_substring(shown, "inf", "Infinity"), "nan", "NaN")
    else:
        shown = column
    return pc.fill_null(shown, "null")


def _json_text(column: pa.Array) -> pa.Array:
    text = pc.replace_substring(pc.replace_substring(column, "\\", "\\\\"), '"', '\\"')
    if pc.any(pc.match_substring_regex(text, r"[\x00-\x1f]")).as_py():
        for code in range(32):
            text = pc.replace_substring(text, chr(code), _CONTROL.get(code, f"\\u{code:04x}"))
    return pc.binary_join_element_wise(_large('"'), text, _large('"'), _large(""))
