"""Functions of the characters of text: code points, accents, grapheme clusters, parts that are replaced, text in URLs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tqp.data.column import Column
from tqp.data.to_arrow import texts
from tqp.errors import ExecutionError
from tqp.functions.blobs import bytes_and_offsets
from tqp.functions.by_value import by_value, computed
from tqp.functions.code_points import CODES, ODD, REMOVED, CodePoints, code_points, except_for, first_code_points
from tqp.functions.entries import Entries, each, host_function, spread
from tqp.functions.graphemes import clusters, have_clusters, is_mark
from tqp.functions.parts import interval, is_within, require_within
from tqp.functions.registry import Args, scalar
from tqp.functions.signatures import fixed
from tqp.functions.text_slices import characters_of
from tqp.kernels import encodings
from tqp.types import BIGINT, INTEGER, VARCHAR, DType

__all__: list[str] = []


# Code points --------------------------------------------------------------------------------------------------------


@host_function("ascii", INTEGER, VARCHAR)
def _ascii(entries: Entries, strings: pa.Array) -> Any:
    return first_code_points(strings, 0)


@host_function("unicode ord", INTEGER, VARCHAR)
def _unicode(entries: Entries, strings: pa.Array) -> Any:
    return first_code_points(strings, -1)


@scalar("chr", types=fixed("chr", VARCHAR, INTEGER), on_host=True)
def _chr(args: Args, out: DType) -> Column:
    entries = spread(args)
    codes = np.asarray(entries.array(0).to_numpy(zero_copy_only=False), np.int64)
    failed = (codes < 0) | (codes >= CODES) | ((codes >= 0xD800) & (codes < 0xE000))
    entries.check(pa.array(failed), args, lambda entry: f"no character has the code point {codes[entry]}")
    found = CodePoints(np.where(failed, 0, codes), np.arange(len(codes) + 1))
    return entries.finish(found.strings(), out)


@host_function("translate", VARCHAR, VARCHAR, VARCHAR, VARCHAR)
def _translate(entries: Entries, strings: Any, old: Any, new: Any) -> pa.Array:
    def table_of(old: str, new: str) -> dict[int, int]:
        return {ord(char): ord(new[at]) if at < len(new) else REMOVED for at, char in reversed([*enumerate(old)])}

    if isinstance(strings, pa.Array) and isinstance(old, str) and isinstance(new, str):
        changes = table_of(old, new)
        return code_points(strings).mapped(changes).strings()

    def translate(string: str, old: str, new: str) -> str:
        table = {code: None if other == REMOVED else other for code, other in table_of(old, new).items()}
        return string.translate(table)

    return each(translate, pa.large_string(), entries)


@host_function("strip_accents", VARCHAR, VARCHAR)
def _strip_accents(entries: Entries, strings: pa.Array) -> pa.Array:
    found = code_points(strings)
    if found.are_ascii:
        return strings
    changes = {code: _without_accent(code) for code in found.distinct.tolist()}  # host: NumPy
    odd = [code for code, other in changes.items() if other == ODD]
    plain = found.mapped(changes).strings()
    return except_for(found.having(np.isin(found.codes, odd)), plain, strings, _plain) if odd else plain


def _plain(text: str) -> str:
    letters = "".join(character for character in unicodedata.normalize("NFD", text) if not is_mark(character))
    return unicodedata.normalize("NFC", letters)


_PARTS_OF_SYLLABLES: Final = range(0x1160, 0x1200)
"""Vowels and tails of Korean: of characters that are no marks these alone become one with what stands before them."""


def _without_accent(code: int) -> int:
    plain = _plain(chr(code))
    if code in _PARTS_OF_SYLLABLES or len(plain) > 1:
        return ODD
    return ord(plain) if plain else REMOVED


@host_function("nfc_normalize", VARCHAR, VARCHAR)
def _nfc_normalize(entries: Entries, strings: pa.Array) -> pa.Array:
    beyond = ~np.asarray(pc.string_is_ascii(strings).to_numpy(zero_copy_only=False), np.bool_)
    return except_for(beyond, strings, strings, lambda text: unicodedata.normalize("NFC", text))


# Grapheme clusters --------------------------------------------------------------------------------------------------


@host_function("length_grapheme", BIGINT, VARCHAR)
def _length_grapheme(entries: Entries, strings: pa.Array) -> pa.Array:
    found = pc.utf8_length(strings)
    several = have_clusters(code_points(strings))
    return found if several is None else except_for(several, found, strings, lambda text: len(clusters(text)))


@host_function("reverse", VARCHAR, VARCHAR)
def _reverse(entries: Entries, strings: pa.Array) -> pa.Array:
    points = code_points(strings)
    if points.are_ascii:
        return pc.ascii_reverse(strings)
    found, several = pc.utf8_reverse(strings), have_clusters(points)
    if several is None:
        return found
    return except_for(several, found, strings, lambda text: "".join(reversed(clusters(text))))


_Places = tuple[int, int | None]


def _part_of_clusters(
    name: str, places: Callable[..., _Places], *wanted: DType, optional: int = 0, to_end: bool = False
) -> None:
    """Register a function that takes a part of the grapheme clusters of a text: `places` says which, in Python's terms.

    `to_end` says that it is counted from the end where a negative place is.
    """

    def of_text(text: str, *numbers: int) -> str:
        parts = clusters(text)
        start, stop = places(*numbers)
        begin, end, _ = slice(start, stop).indices(len(parts))
        if to_end or (start >= 0 and stop is not None):
            # As DuckDB does: before the first character beyond ASCII each is one, be it half of a line's end.
            last = end if stop is None or stop < 0 else stop
            if text[: last + 1].isascii():
                return text[begin if start < 0 else start : last]
        return "".join(parts[begin:end])

    @scalar(name, types=fixed(name, VARCHAR, VARCHAR, *wanted, optional=optional), on_distinct=True, on_host=True)
    def kernel(args: Args, out: DType) -> Column:
        entries = spread(args)
        strings, *numbers = entries.operands
        if not isinstance(strings, pa.Array) or not all(isinstance(one, int) and is_within(one) for one in numbers):
            return computed(of_text, args, out, entries)
        several = have_clusters(code_points(strings))
        found = characters_of(strings, *places(*numbers))
        if several is not None:
            whole = found if isinstance(found, pa.Array) else found.strings()
            found = except_for(several, whole, strings, lambda text: of_text(text, *numbers))
        return entries.finish(found, out)


def _first(count: int) -> _Places:
    return 0, require_within(count, "length") if count > 0 else count


def _last(count: int) -> _Places:
    return (-count, None) if count else (0, 0)


_part_of_clusters("left_grapheme", _first, BIGINT)
_part_of_clusters("right_grapheme", _last, BIGINT, to_end=True)
_part_of_clusters("substring_grapheme", interval, BIGINT, BIGINT, optional=1)


# Parts that are replaced --------------------------------------------------------------------------------------------


@by_value("overlay", VARCHAR, VARCHAR, VARCHAR, BIGINT, BIGINT, optional=1)
def _overlay(text: str, other: str, start: int, length: int | None = None) -> str:
    begin = max(start - 1, 0)
    size = len(other) if length is None or length < 0 else length
    return text[:begin] + other + text[max(start - 1 + size, 0) :]


# URLs ---------------------------------------------------------------------------------------------------------------

_PERCENT: Final = re.compile(rb"%([0-9a-fA-F]{2})")


@scalar("url_encode", types=fixed("url_encode", VARCHAR, VARCHAR), on_distinct=True, on_host=True)
def _url_encode(args: Args, out: DType) -> Column:
    entries = spread(args)
    shown = encodings.as_url(*bytes_and_offsets(entries))
    strings = each(_encoded, pa.large_string(), entries) if shown is None else texts(*shown, pa.large_string())
    return entries.finish(strings, out)


def _encoded(text: str) -> str:
    return quote(text, safe="~-_.")


@scalar("url_decode", types=fixed("url_decode", VARCHAR, VARCHAR), on_distinct=True, on_host=True)
def _url_decode(args: Args, out: DType) -> Column:
    entries = spread(args)
    known = encodings.of_url(*bytes_and_offsets(entries))
    if known is not None:
        data, offsets, is_beyond = known
        strings = texts(data, offsets, pa.large_string())
        if not is_beyond or _is_utf8(strings):
            return entries.finish(strings, out)
    return computed(_decoded, args, out, entries)


def _is_utf8(strings: pa.Array) -> bool:
    try:
        strings.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _decoded(text: str) -> str:
    decoded = _PERCENT.sub(lambda match: bytes([int(match[1], 16)]), text.encode())
    try:
        return decoded.decode()
    except UnicodeDecodeError:
        raise ExecutionError(f"{text!r} is no text in UTF-8 once it is decoded") from None
