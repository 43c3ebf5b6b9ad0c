"""Functions of text: computed once per dictionary entry on the host, then gathered by code.

Positions and lengths count characters (code points) from 1, as in SQL. Where several arguments are columns, the function
runs per distinct combination if the combinations are fewer than the rows, else per row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch

from tqp.data.column import Column
from tqp.data.dictionary import EMPTY, Dictionary
from tqp.errors import BindError, ExecutionError
from tqp.functions import patterns  # noqa: F401  (registers the searching functions)
from tqp.functions.blobs import text_or_bytes
from tqp.functions.entries import Entries, each, host_function, number, spread, string
from tqp.functions.graphemes import clusters
from tqp.functions.parts import interval, left_part, require_within, right_part, slice_of
from tqp.functions.registry import Args, Signature, scalar
from tqp.functions.signatures import fixed
from tqp.functions.slices import Slices, gives_copies
from tqp.functions.text_slices import slices_of
from tqp.functions.unify import of_bits
from tqp.ir.expr import Expr
from tqp.kernels.slices import characters, pieces
from tqp.types import BIGINT, BLOB, INTEGER, VARCHAR, DType, list_of

__all__ = ["SPACES", "TEXT_PLACE", "TEXT_SLICE", "left_part", "right_part", "slice_of"]

TEXT_PLACE = "text_place"
"""The function that a subscript of a text is."""
TEXT_SLICE = "text_slice"
"""The function that a subscript with a colon is of a text."""
_TEXT_PIECE = "text_piece"
"""The function that a subscript is of the pieces of a text."""


SPACES = " \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u202f\u205f\u3000"
"""What trim() removes: the space and its Unicode relatives, but no tab and no newline."""


def _all_text(args: tuple[Expr, ...]) -> Signature:
    if not args:
        raise BindError("concat takes at least 1 argument")
    return (VARCHAR,) * len(args), VARCHAR


# Case, length, parts ------------------------------------------------------------------------------------------------


@host_function("upper", VARCHAR, VARCHAR)
def _upper(entries: Entries, strings: pa.Array) -> pa.Array:
    return pc.utf8_upper(strings)


@host_function("lower", VARCHAR, VARCHAR)
def _lower(entries: Entries, strings: pa.Array) -> pa.Array:
    return pc.utf8_lower(strings)


@host_function("length", BIGINT, VARCHAR, instead=of_bits("bits_length"))
def _length(entries: Entries, strings: pa.Array) -> pa.Array:
    return pc.utf8_length(strings)


@host_function("strlen", BIGINT, VARCHAR)
def _strlen(entries: Entries, strings: pa.Array) -> pa.Array:
    return pc.binary_length(strings)


@host_function("bit_length bitlength", BIGINT, VARCHAR, instead=of_bits("bits_length"))
def _bit_length(entries: Entries, strings: pa.Array) -> pa.Array:
    return pc.multiply(pc.binary_length(strings), 8)


@host_function("ascii", INTEGER, VARCHAR)
def _ascii(entries: Entries, strings: pa.Array) -> pa.Array:
    return each(lambda string: ord(string[0]) if string else 0, pa.int32(), entries)


@host_function("unicode ord", INTEGER, VARCHAR)
def _unicode(entries: Entries, strings: pa.Array) -> pa.Array:
    return each(lambda string: ord(string[0]) if string else -1, pa.int32(), entries)


@host_function("reverse", VARCHAR, VARCHAR)
def _reverse(entries: Entries, strings: pa.Array) -> pa.Array:
    if pc.all(pc.string_is_ascii(strings)).as_py() is not False:
        return pc.utf8_reverse(strings)
    return each(lambda string: "".join(reversed(clusters(string))), pa.large_string(), entries)


_FAR = 2**62
_LONGEST = 2**31 - 1
"""Bytes of a text in Arrow."""
"""More characters than a string has."""


@host_function("substring", VARCHAR, VARCHAR, BIGINT, BIGINT, optional=1)
def _substring(entries: Entries, strings: Any, start: Any, length: Any = None) -> Any:
    if not isinstance(strings, pa.Array) or isinstance(start, pa.Array) or isinstance(length, pa.Array):
        return each(slice_of, pa.large_string(), entries)
    return _characters(strings, *(interval(start, length) if len(strings) else (0, None)))


def _characters(strings: pa.Array, start: int, stop: int | None) -> Any:
    """The characters start..stop-1 of each string, in Python's terms: as slices where few of many differ."""
    part = partial(pc.utf8_slice_codeunits, start=start, stop=stop)
    if not gives_copies(part, strings):
        return part(strings)
    data, offsets = Dictionary(strings, is_sorted=False).bytes_and_offsets()
    return Slices(data, *characters(data, offsets, start, _FAR if stop is None else stop))


def _python_part(start: int, stop: int) -> tuple[int, int | None]:
    """The characters from one place to another, both within, in Python's terms; negative places count from the end."""
    return start - 1 if start > 0 else start, None if stop == -1 else stop + 1 if stop < 0 else stop


@host_function(TEXT_SLICE, VARCHAR, VARCHAR, BIGINT, BIGINT)
def _text_slice(entries: Entries, strings: Any, start: Any, stop: Any) -> Any:
    """`text[start:stop]`; places behind the ends are those of the ends."""
    if isinstance(strings, pa.Array) and isinstance(start, int) and isinstance(stop, int):
        return _characters(strings, *_python_part(start, stop))
    return each(lambda string, *places: string[slice(*_python_part(*places))], pa.large_string(), entries)


@host_function(TEXT_PLACE, VARCHAR, VARCHAR, BIGINT)
def _text_place(entries: Entries, strings: Any, place: Any) -> Any:
    """`text[place]`; '' where it has no such character."""

    def character(string: str, place: int) -> str:
        index = place - 1 if require_within(place, "offset") > 0 else place + len(string)
        return string[index] if place and 0 <= index < len(string) else ""

    return each(character, pa.large_string(), entries)


@host_function("left", VARCHAR, VARCHAR, BIGINT)
def _left(entries: Entries, strings: Any, count: Any) -> pa.Array:
    if isinstance(count, int):
        return _characters(strings, 0, require_within(count, "length") if count > 0 and len(strings) else count)
    return each(left_part, pa.large_string(), entries)


@host_function("right", VARCHAR, VARCHAR, BIGINT)
def _right(entries: Entries, strings: Any, count: Any) -> pa.Array:
    if isinstance(count, int) and count:
        return _characters(strings, -count, None)
    return each(right_part, pa.large_string(), entries)


def _trim(entries: Entries, characters: Any, ascii: Callable[..., Any], python: Callable[[str, str], str]) -> pa.Array:
    if isinstance(characters, str):
        return ascii(entries.operands[0], characters=characters) if characters else entries.operands[0]
    return each(python, pa.large_string(), entries)


@host_function("trim", VARCHAR, VARCHAR, VARCHAR, optional=1)
def _trim_both(entries: Entries, strings: Any, characters: Any = SPACES) -> pa.Array:
    return _trim(entries, characters, pc.utf8_trim, str.strip)


@host_function("ltrim", VARCHAR, VARCHAR, VARCHAR, optional=1)
def _trim_left(entries: Entries, strings: Any, characters: Any = SPACES) -> pa.Array:
    return _trim(entries, characters, pc.utf8_ltrim, str.lstrip)


@host_function("rtrim", VARCHAR, VARCHAR, VARCHAR, optional=1)
def _trim_right(entries: Entries, strings: Any, characters: Any = SPACES) -> pa.Array:
    return _trim(entries, characters, pc.utf8_rtrim, str.rstrip)


def _require_size(size: int) -> None:
    """ExecutionError for one text of more bytes than a string of Arrow has."""
    if size > _LONGEST:
        message = f"a text of {size:,} bytes is too long: it has at most {_LONGEST:,}"
        raise ExecutionError(message, hint="repeat or pad it less")


def _padding(string: str, length: int, fill: str) -> str:
    missing = max(length - len(string), 0)
    _require_size(missing)
    if missing and not fill:
        raise ExecutionError("cannot pad with an empty string", hint="give lpad or rpad a string to repeat")
    return (fill * missing)[:missing]


def _pad(entries: Entries, ascii: Callable[..., Any], python: Callable[[str, int, str], str]) -> pa.Array:
    """Strings of a length: Arrow pads with one character, and leaves longer ones as they are."""
    strings, length, fill = entries.operands
    if isinstance(strings, pa.Array) and isinstance(length, int) and isinstance(fill, str) and len(fill) == 1:
        length = max(length, 0)
        _require_size(length)
        return pc.utf8_slice_codeunits(ascii(strings, width=length, padding=fill), start=0, stop=length)
    return each(python, pa.large_string(), entries)


@host_function("lpad", VARCHAR, VARCHAR, BIGINT, VARCHAR)
def _lpad(entries: Entries, strings: Any, length: Any, fill: Any) -> pa.Array:
    return _pad(entries, pc.utf8_lpad, lambda s, n, fill: _padding(s, n, fill) + s[: max(n, 0)])


@host_function("rpad", VARCHAR, VARCHAR, BIGINT, VARCHAR)
def _rpad(entries: Entries, strings: Any, length: Any, fill: Any) -> pa.Array:
    return _pad(entries, pc.utf8_rpad, lambda s, n, fill: s[: max(n, 0)] + _padding(s, n, fill))


@scalar("repeat", types=text_or_bytes("repeat", None, BIGINT), on_distinct=True, on_host=True)
def _repeat(args: Args, out: DType) -> Column:
    entries = spread(args)
    strings, times = entries.operands
    if isinstance(times, int):
        longest = pc.max(pc.binary_length(strings)).as_py() or 0
        _require_size(longest * times)
        return entries.finish(pc.binary_repeat(strings, max(times, 0)), out)

    def repeated(string: Any, times: int) -> Any:
        _require_size(len(string) * times)
        return string * times

    return entries.finish(each(repeated, pa.large_string() if out == VARCHAR else pa.large_binary(), entries), out)


def _parts_at(strings: pa.Array, separator: str, index: int) -> pa.Array:
    """The part of that number of each string, from the end if it is negative; '' where there is none."""
    parts = pc.split_pattern(strings, separator, max_splits=index if 0 < index < 2**31 else None)
    ends = parts.offsets.to_numpy().astype(np.int64)
    place = ends[:-1] + (index - 1) if index > 0 else ends[1:] + index
    is_there = (place >= ends[:-1]) & (place < ends[1:])
    chosen = parts.values.take(pa.array(place, mask=~is_there))
    return chosen.fill_null("")


@host_function("split_part splitpart", VARCHAR, VARCHAR, VARCHAR, BIGINT)
def _split_part(entries: Entries, strings: Any, separator: Any, index: Any) -> pa.Array:
    def part(string: str, separator: str, index: int) -> str:
        parts = string.split(separator) if separator else list(string)
        at = index - 1 if index > 0 else len(parts) + index
        return parts[at] if index and 0 <= at < len(parts) else ""

    if isinstance(strings, pa.Array) and isinstance(separator, str) and isinstance(index, int) and separator and index:
        return _parts_at(strings, separator, index)
    return each(part, pa.large_string(), entries)


@scalar(_TEXT_PIECE, types=fixed(_TEXT_PIECE, VARCHAR, VARCHAR, VARCHAR, BIGINT), on_distinct=True, on_host=True)
def _text_piece(args: Args, out: DType) -> Column:
    """The element of `string_split` at a place, of which no list is made; NULL outside."""

    def piece(text: str, separator: str, place: int) -> str | None:
        parts = text.split(separator) if separator else list(text)
        at = place - 1 if place > 0 else len(parts) + place
        return parts[at] if place and 0 <= at < len(parts) else None

    texts, separator, place = args
    if texts.is_constant or not (separator.is_constant and place.is_constant and string(separator)):
        entries = spread(args)
        made = each(piece, pa.large_string(), entries)
        known = torch.from_numpy(made.is_valid().to_numpy(zero_copy_only=False))
        return replace(entries.finish(made.fill_null(""), out), valid=entries.rows(known))
    # Nothing is made of the texts: pieces are slices of their dictionary's bytes.
    own, entries = slices_of(texts)
    mark = torch.frombuffer(bytearray(string(separator).encode()), dtype=torch.uint8)
    begins, stops = pieces(own.data, own.begins, own.stops, mark, max(min(number(place), _FAR), -_FAR))
    found = entries.finish(Slices(own.data, begins.clamp(min=0), stops.clamp(min=0)), out)
    return replace(found, valid=entries.rows(begins >= 0))


_split_types = fixed("string_split", list_of(VARCHAR), VARCHAR, VARCHAR)


@scalar(
    "string_split",
    "str_split",
    "split",
    "string_to_array",
    types=_split_types,
    strict=False,
    strict_first=1,
    on_host=True,
    element=_TEXT_PIECE,
)
def _string_split(args: Args, out: DType) -> Column:
    """The parts of each text; all of it where the separator is NULL."""

    def parts(string: str | None, separator: str | None) -> list[str]:
        text = string or ""
        return [text] if separator is None else text.split(separator) if separator else list(text)

    entries = spread(args, nulls=True)
    strings, separator = entries.operands
    if isinstance(separator, str) and separator:
        found = pc.split_pattern(strings.fill_null(""), separator)
    else:
        found = each(parts, pa.list_(pa.large_string()), entries)
    result = entries.finish(found, out)
    return result if args[0].valid is None else result.with_valid(args[0].valid.expand(result.data.shape[:-1]))


@host_function("replace", VARCHAR, VARCHAR, VARCHAR, VARCHAR)
def _replace(entries: Entries, strings: Any, old: Any, new: Any) -> pa.Array:
    if isinstance(old, str) and isinstance(new, str):
        return pc.replace_substring(strings, old, new) if old else strings
    return each(lambda string, old, new: string.replace(old, new) if old else string, pa.large_string(), entries)


@host_function("translate", VARCHAR, VARCHAR, VARCHAR, VARCHAR)
def _translate(entries: Entries, strings: Any, old: Any, new: Any) -> pa.Array:
    def translate(string: str, old: str, new: str) -> str:
        table = {ord(char): new[at] if at < len(new) else None for at, char in reversed(list(enumerate(old)))}
        return string.translate(table)

    return each(translate, pa.large_string(), entries)


@scalar("chr", types=fixed("chr", VARCHAR, INTEGER), on_host=True)
def _chr(args: Args, out: DType) -> Column:
    entries = spread(args)

    def character(code: int) -> str | None:
        return chr(code) if 0 <= code < 0x110000 and not 0xD800 <= code < 0xE000 else None

    made = each(character, pa.large_string(), entries)
    entries.check(made.is_null(), args, lambda entry: f"no character has the code point {entries.operands[0][entry]}")
    return entries.finish(made.fill_null(""), out)


# Joining ------------------------------------------------------------------------------------------------------------


def _joined_types(args: tuple[Expr, ...]) -> Signature:
    return ((BLOB,) * len(args), BLOB) if args and all(arg.dtype == BLOB for arg in args) else _all_text(args)


@scalar("dpipe", types=_joined_types, associative=True, on_host=True)
def _dpipe(args: Args, out: DType) -> Column:
    entries = spread(args)
    arrays = entries.arrays()
    return entries.finish(pc.binary_join_element_wise(*arrays, pa.scalar(EMPTY[arrays[0].type], arrays[0].type)), out)


@scalar("concat", types=_all_text, strict=False, associative=True, on_host=True)
def _concat(args: Args, out: DType) -> Column:
    entries = spread(args, nulls=True)
    parts = [part.fill_null("") for part in entries.arrays()]
    return entries.finish(pc.binary_join_element_wise(*parts, pa.scalar("", pa.large_string())), out)


def _join(separator: str | None, *parts: str | None) -> str:
    return (separator or "").join(part for part in parts if part is not None)


def _separated(args: tuple[Expr, ...]) -> Signature:
    if len(args) < 2:
        raise BindError("concat_ws takes a separator and at least 1 argument")
    return _all_text(args)


@scalar("concatws", types=_separated, strict=False, on_host=True)
def _concat_with_separator(args: Args, out: DType) -> Column:
    entries = spread(args, nulls=True)
    separator = entries.operands[0]
    if isinstance(separator, str):
        parts = entries.arrays()[1:]
        # Arrow drops a row whose parts are all NULL, so one of them becomes empty.
        empty = reduce(pc.and_, [part.is_null() for part in parts])
        parts[0] = pc.if_else(empty, pa.scalar("", pa.large_string()), parts[0])
        joined = pc.binary_join_element_wise(*parts, pa.scalar(separator, pa.large_string()), null_handling="skip")
    else:
        joined = each(_join, pa.large_string(), entries)
    result = entries.finish(joined, out)
    return result if args[0].valid is None else result.with_valid(args[0].valid.expand(result.data.shape))
