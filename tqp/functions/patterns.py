"""Searching in text: parts of strings, LIKE and GLOB. Regular expressions are in `regexp`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch

from tqp.data.column import Column
from tqp.data.copies import placed
from tqp.data.dictionary import Dictionary
from tqp.errors import BindError
from tqp.functions.entries import Entries, each, follow_one_another, host_function, spread, string
from tqp.functions.registry import Args, Compared, Signature, TypeRule, scalar
from tqp.functions.signatures import fixed
from tqp.ir.expr import Expr, Literal
from tqp.kernels import text, waits
from tqp.types import BIGINT, BOOLEAN, VARCHAR, DType

__all__ = ["Like", "like_pattern"]

# Above this many entries the byte search beats Arrow's row-wise matching.
_MANY = 4096
# Up to this many strings of one pattern are matched one by one: a call of Arrow costs more.
_FEW = 8


# Searching ----------------------------------------------------------------------------------------------------------


@host_function("strpos strposition position", BIGINT, VARCHAR, VARCHAR, of_keys=Compared.TEXTS)
def _position(entries: Entries, strings: Any, part: Any) -> pa.Array:
    if not isinstance(part, str):
        return each(lambda string, part: string.find(part) + 1, pa.int64(), entries)
    at = pc.add(pc.find_substring(strings, part).cast(pa.int64()), 1)
    is_ascii = pc.string_is_ascii(strings)
    if pc.all(is_ascii).as_py() is False:
        # Arrow counts bytes.
        others = strings.filter(pc.invert(is_ascii)).to_pylist()
        return pc.replace_with_mask(
            at, pc.invert(is_ascii), pa.array([one.find(part) + 1 for one in others], pa.int64())
        )
    return at


def _searching(
    names: str,
    segments: Callable[[str], tuple[str, ...]],
    function: Callable[[str, str], bool],
    selectivity: float | None = None,
    of_keys: Compared | None = None,
) -> None:
    """Register a search for one piece of text: as the segments of a pattern where it is constant, else by a function of Python."""
    types = fixed(names.split()[0], BOOLEAN, VARCHAR, VARCHAR)

    @scalar(*names.split(), types=types, on_distinct=True, on_host=True, selectivity=selectivity, of_keys=of_keys)
    def kernel(args: Args, out: DType) -> Column:
        found = _on_rows(args[0], segments(string(args[1]))) if args[1].is_constant else None
        if found is not None:
            return found
        entries = spread(args)
        strings, part = entries.operands
        if isinstance(part, str):
            return entries.finish(_literal(strings, segments(part)), out)
        return entries.finish(each(function, pa.bool_(), entries), out)


_searching("contains", lambda part: ("", part, ""), lambda text, part: part in text, of_keys=Compared.TEXTS)
_searching("starts_with startswith", lambda part: (part, ""), str.startswith, 0.05, Compared.TEXTS)
_searching("prefix", lambda part: (part, ""), str.startswith, 0.05)
_searching("ends_with endswith suffix", lambda part: ("", part), str.endswith)


def _on_rows(column: Column, segments: tuple[str, ...]) -> Column | None:
    """Whether the strings of rows match such segments, looked up where they lie; None where Arrow or the entries serve better."""
    dictionary = column.dictionary
    if dictionary is None or column.is_constant or not _MANY <= len(column) <= len(dictionary):
        return None
    codes = waits.array(column.data, "text is on the host")
    data, offsets = dictionary.bytes_and_offsets()
    parts = [segment.encode() for segment in segments]
    if follow_one_another(codes):
        matches = text.like(data, offsets, parts, int(codes[0]), int(codes[-1]) + 1)
    elif len(column) == len(dictionary):
        return None
    else:
        matches = text.like_rows(data, offsets, parts, torch.from_numpy(codes))
    return Column(placed(matches, column.device), BOOLEAN)


def _literal(strings: pa.Array, segments: tuple[str, ...]) -> Any:
    """Whether strings match literal segments with anything between them."""
    if len(strings) < _MANY:
        return pc.match_like(strings, "%".join(map(_verbatim, segments)))
    data, offsets = Dictionary(strings, is_sorted=False).bytes_and_offsets()
    return text.like(data, offsets, [segment.encode() for segment in segments]).numpy()


def _verbatim(segment: str) -> str:
    return "".join(f"\\{char}" if char in "\\%_" else char for char in segment)


# LIKE ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Like:
    """A LIKE pattern, taken apart: what stands between its runs of `%`.

    `segments` are literal text, `arrow` is the pattern as Arrow reads it. `wild`: a `_` stands somewhere, which no
    segment can say. `open_end`: the pattern ends in its escape character, so what it would match is an error.
    """

    segments: tuple[str, ...]
    arrow: str
    wild: bool
    open_end: bool

    def matches(self, strings: pa.Array) -> Any:
        """Whether each string (no NULLs) matches: `(k,)` booleans (Arrow or NumPy). Linear in the text."""
        if self.wild:
            # RE2 does it, which never goes back.
            return pc.match_like(strings, self.arrow)
        return _literal(strings, self.segments)

    def match(self, string: str) -> bool:
        """Whether a string matches; not for wild patterns. The leftmost place for each segment leaves most to the rest."""
        if len(self.segments) == 1:
            return string == self.segments[0]
        head, *inner, tail = self.segments
        at, stop = len(head), len(string) - len(tail)
        if at > stop or not string.startswith(head) or not string.endswith(tail):
            return False
        for segment in inner:
            found = string.find(segment, at, stop)
            if found < 0:
                return False
            at = found + len(segment)
        return True


@lru_cache(maxsize=4096)
def like_pattern(pattern: str, escape: str) -> Like:
    """A pattern taken apart; what follows the escape character (none: '') stands for itself."""
    if not escape or escape not in pattern:
        return Like(_squeezed(pattern.split("%")), pattern.replace("\\", "\\\\"), "_" in pattern, False)
    tokens, chars, open_end = [], iter(pattern), False
    for char in chars:
        escaped = char == escape
        if escaped and (char := next(chars, "")) == "":
            # An error for the strings that get as far: those that begin with what stands before it.
            char, escaped, open_end = "%", False, True
        tokens.append((char, not escaped and char in "%_"))
    segments, arrow = [""], ""
    for char, is_wildcard in tokens:
        arrow += char if is_wildcard else _verbatim(char)
        if is_wildcard and char == "%":
            segments.append("")
        else:
            segments[-1] += char
    return Like(_squeezed(segments), arrow, ("_", True) in tokens, open_end)


def _squeezed(segments: list[str]) -> tuple[str, ...]:
    """The segments less the empty ones between two `%`."""
    return (segments[0], *filter(None, segments[1:-1]), *segments[1:][-1:])


def _like_types(name: str) -> TypeRule:
    plain = fixed(name, BOOLEAN, VARCHAR, VARCHAR, VARCHAR, optional=1)

    def types(args: tuple[Expr, ...]) -> Signature:
        wanted, out = plain(args)
        if len(args) == 3 and isinstance(args[2], Literal) and isinstance(args[2].value, str):
            problem = _unfit(args[2].value)
            if problem:
                raise BindError(problem)
        return wanted, out

    return types


def _unfit(escape: str) -> str | None:
    return (
        None if len(escape.encode()) <= 1 else f"the escape string {escape!r} is not one ASCII character, and not empty"
    )


def _like(fold: bool) -> Callable[[Args, DType], Column]:
    def compute(args: Args, out: DType) -> Column:
        if not fold and all(arg.is_constant for arg in args[1:]):
            pattern, escape = (*map(string, args[1:]), "")[:2]
            like = None if _unfit(escape) else like_pattern(pattern, escape)
            found = None if like is None or like.wild or like.open_end else _on_rows(args[0], like.segments)
            if found is not None:
                return found
        entries = spread(args)
        strings = entries.array(0)
        if fold:
            strings = pc.utf8_lower(strings)
        result, failed = np.zeros(entries.count, np.bool_), np.zeros(entries.count, np.bool_)
        texts: list[str] = []
        for values, rows in entries.alike(*range(1, len(args))):
            pattern, escape = map(_lower, (*values, "")[:2]) if fold else (*values, "")[:2]
            if _unfit(escape):
                failed[slice(None) if rows is None else rows] = True
                continue
            like = like_pattern(pattern, escape)
            verdict = failed if like.open_end else result
            if rows is None:
                verdict[:] = like.matches(strings)
            elif like.wild or len(rows) > _FEW:
                verdict[rows] = like.matches(strings.take(pa.array(rows)))
            else:
                texts = texts or strings.to_pylist()
                for row in rows.tolist():  # host: NumPy, no tensor
                    verdict[row] = like.match(texts[row])

        def message(row: int) -> str:
            escape = entries.array(2)[row].as_py()
            return _unfit(escape) or f"the LIKE pattern {entries.array(1)[row].as_py()!r} ends in its escape character"

        entries.check(pa.array(failed), args, message)
        return entries.finish(result, out)

    return compute


def _lower(text: str) -> str:
    return str(pc.utf8_lower(pa.scalar(text)).as_py())


for _name in ("like", "ilike"):
    scalar(_name, types=_like_types(_name), on_distinct=True, selectivity=0.08, of_keys=Compared.TEXTS)(
        _like(fold=_name == "ilike")
    )


# GLOB ---------------------------------------------------------------------------------------------------------------


@host_function("glob", BOOLEAN, VARCHAR, VARCHAR, of_keys=Compared.TEXTS)
def _glob(entries: Entries, strings: Any, pattern: Any) -> Any:
    """Character by character: `?` is one."""
    data, result = entries.array(0), np.zeros(entries.count, np.bool_)
    for (value,), rows in entries.alike(1):
        regex = _glob_regex(value)
        if rows is None:
            return pc.match_substring_regex(data, regex)
        result[rows] = pc.match_substring_regex(data.take(pa.array(rows)), regex)
    return result


@lru_cache(maxsize=4096)
def _glob_regex(pattern: str) -> str:
    """A GLOB pattern as a regular expression; what is not closed matches nothing."""
    out, at = r"\A(?s:", 0
    while at < len(pattern):
        sign, at = pattern[at], at + 1
        if sign == "*":
            out += ".*"
        elif sign == "?":
            out += "."
        elif sign == "[":
            allowed, at = _bracket(pattern, at)
            out += allowed
        elif sign == "\\":
            out += _any_of(pattern[at : at + 1])
            at += 1
        else:
            out += _any_of(sign)
    return out + r")\z"


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """The class that begins behind `[` at `at`, and where the pattern goes on behind it."""
    inverted = pattern[at : at + 1] == "!"
    at += inverted
    first, named = at, ""
    while at < len(pattern):
        # At once behind the bracket, `]` stands for itself, as does a `-` before it.
        if pattern[at] == "]" and at > first:
            found = named if not inverted else f"^{named}" if named else _ALL
            return f"[{found}]" if found else _NONE, at + 1
        low = high = pattern[at]
        if pattern[at + 1 : at + 2] == "-" and pattern[at + 2 : at + 3] not in ("", "]"):
            high = pattern[at + 2]
            at += 2
        if low <= high:
            named += f"{_code(low)}-{_code(high)}"
        at += 1
    return _NONE, at


_ALL: Final = r"\x{0}-\x{10ffff}"
_NONE: Final = f"[^{_ALL}]"


def _any_of(sign: str) -> str:
    return f"[{_code(sign)}]" if sign else _NONE


def _code(sign: str) -> str:
    return f"\\x{{{ord(sign):x}}}"
