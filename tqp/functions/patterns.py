"""Searching in text: parts of strings, LIKE, and regular expressions (RE2, as in DuckDB)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tqp.column import Dictionary
from tqp.errors import ExecutionError
from tqp.functions.entries import Entries, each, host_function
from tqp.kernels import text
from tqp.types import BIGINT, BOOLEAN, INTEGER, VARCHAR, DType

__all__ = ["like_entries"]

# Above this many entries the byte search beats Arrow's row-wise matching.
_MANY = 4096


# Searching ----------------------------------------------------------------------------------------------------------


@host_function("strposition", BIGINT, VARCHAR, VARCHAR)
def _position(entries: Entries, strings: Any, part: Any) -> pa.Array:
    if not isinstance(part, str):
        return each(lambda string, part: string.find(part) + 1, pa.int64(), entries)
    at = pc.find_substring(strings, part)
    if pc.all(pc.string_is_ascii(strings)).as_py() is False:
        return each(lambda string, part: string.find(part) + 1, pa.int64(), entries)
    return pc.add(at.cast(pa.int64()), 1)


@host_function("contains", BOOLEAN, VARCHAR, VARCHAR)
def _contains(entries: Entries, strings: Any, part: Any) -> Any:
    if isinstance(part, str):
        return _literal(strings, ("", part, ""))
    return each(lambda string, part: part in string, pa.bool_(), entries)


@host_function("startswith prefix", BOOLEAN, VARCHAR, VARCHAR)
def _starts_with(entries: Entries, strings: Any, part: Any) -> Any:
    return pc.starts_with(strings, part) if isinstance(part, str) else each(str.startswith, pa.bool_(), entries)


@host_function("endswith suffix", BOOLEAN, VARCHAR, VARCHAR)
def _ends_with(entries: Entries, strings: Any, part: Any) -> Any:
    return pc.ends_with(strings, part) if isinstance(part, str) else each(str.endswith, pa.bool_(), entries)


def _literal(strings: pa.Array, segments: tuple[str, ...]) -> Any:
    """Whether strings match literal segments with anything between them."""
    # A single byte occurs too often for a search of the whole buffer to pay.
    if len(strings) < _MANY or any(len(segment.encode()) == 1 for segment in segments[1:-1]):
        return pc.match_like(strings, "%".join(re.sub(r"([\\%_])", r"\\\1", segment) for segment in segments))
    data, offsets = Dictionary(strings, is_sorted=False).bytes_and_offsets()
    return text.like(data, offsets, [segment.encode() for segment in segments]).numpy()


def like_entries(strings: pa.Array, pattern: str, escape: str | None) -> Any:
    """Whether each string (no NULLs) matches a LIKE pattern: `(k,)` booleans (Arrow or numpy)."""
    segments, literal, wild, chars = [], "", False, iter(pattern)
    arrow = ""
    for char in chars:
        if char == escape:
            char = next(chars, "")
            if char not in ("%", "_", escape):
                raise ExecutionError(
                    f"LIKE pattern {pattern!r}: the escape character stands before neither % nor _ nor itself"
                )
        elif char == "%":
            segments.append(literal)
            literal, arrow = "", arrow + "%"
            continue
        elif char == "_":
            wild, arrow = True, arrow + "_"
            continue
        literal += char
        arrow += "\\" + char if char in "\\%_" else char
    segments.append(literal)
    if len(segments) > 1:
        segments = [segments[0], *(segment for segment in segments[1:-1] if segment), segments[-1]]
    return pc.match_like(strings, arrow) if wild else _literal(strings, tuple(segments))


def _like(fold: bool) -> Callable[..., Any]:
    def compute(entries: Entries, strings: Any, pattern: Any, escape: Any = "") -> Any:
        if not isinstance(pattern, str) or not isinstance(escape, str):
            matched = re.compile
            return each(lambda s, p, e="": bool(matched(_like_regex(p.lower() if fold else p, e), re.DOTALL).fullmatch(
                s.lower() if fold else s)), pa.bool_(), entries)  # fmt: skip
        if fold:
            strings, pattern = pc.utf8_lower(strings), pc.utf8_lower(pa.scalar(pattern)).as_py()
        return like_entries(strings, pattern, escape or None)

    return compute


def _like_regex(pattern: str, escape: str) -> str:
    out, chars = "", iter(pattern)
    for char in chars:
        if escape and char == escape:
            out += re.escape(next(chars, ""))
        else:
            out += {"%": ".*", "_": "."}.get(char) or re.escape(char)
    return out


host_function("like", BOOLEAN, VARCHAR, VARCHAR, VARCHAR, optional=1)(_like(fold=False))
host_function("ilike", BOOLEAN, VARCHAR, VARCHAR, VARCHAR, optional=1)(_like(fold=True))


# Regular expressions -------------------------------------------------------------------------------------------------


def _inline(pattern: str, flags: str) -> str:
    """The pattern with DuckDB's option letters as RE2 flags in front."""
    if "l" in flags:
        pattern = re.escape(pattern)
    letters = {"i": "(?i)", "s": "(?s)", "m": "(?-s)", "n": "(?-s)", "p": "(?-s)", "c": "", "g": "", "l": ""}
    unknown = set(flags) - set(letters)
    if unknown:
        raise ExecutionError(
            f"regular expression option {unknown.pop()!r} is unknown", hint=f"the options are {' '.join(letters)}"
        )
    return "".join(letters[flag] for flag in flags) + pattern


def _regex(run: Callable[..., Any], one: Callable[..., Any], kind: pa.DataType) -> Callable[..., Any]:
    """A host function over constant patterns by `run`, over columns of patterns entry by entry."""

    def compute(entries: Entries, *operands: Any) -> Any:
        try:
            if all(not isinstance(operand, pa.Array) for operand in operands[1:]):
                return run(*operands)
            return each(lambda *values: one(*values), kind, entries)
        except (pa.ArrowInvalid, re.error) as error:
            raise ExecutionError(f"the regular expression is not valid: {error}") from error

    return compute


def _one(run: Callable[..., Any]) -> Callable[..., Any]:
    return lambda string, *rest: run(pa.array([string], pa.large_string()), *rest)[0].as_py()


def _search(strings: pa.Array, pattern: str, flags: str = "") -> pa.Array:
    return pc.match_substring_regex(strings, _inline(pattern, flags))


def _full(strings: pa.Array, pattern: str, flags: str = "") -> pa.Array:
    return pc.match_substring_regex(strings, rf"\A(?:{_inline(pattern, flags)})\z")


def _substitute(strings: pa.Array, pattern: str, new: str, flags: str = "") -> pa.Array:
    limit = None if "g" in flags else 1
    return pc.replace_substring_regex(strings, _inline(pattern, flags), new, max_replacements=limit)


def _extract(strings: pa.Array, pattern: str, group: int = 0, flags: str = "") -> pa.Array:
    named, count = _name_groups(_inline(pattern, flags))
    if group > count:
        return pc.utf8_slice_codeunits(strings, start=0, stop=0)
    found = pc.extract_regex(strings, f"(?P<g0>{named})")
    return pc.struct_field(found, f"g{group}").fill_null("").cast(pa.large_string())


def _name_groups(pattern: str) -> tuple[str, int]:
    """The pattern with its groups named g1, g2, … (Arrow extracts named groups alone), and their number."""
    count = 0

    def name(match: re.Match[str]) -> str:
        nonlocal count
        if not match[0].startswith("("):
            return match[0]
        count += 1
        return f"(?P<g{count}>"

    # Escapes and character classes are skipped; `(?:` and flags are no groups, `(?P<name>` is one.
    return re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?P?<\w+>|\((?!\?)", name, pattern, flags=re.DOTALL), count


_REGEX: dict[str, tuple[DType, Callable[..., Any], pa.DataType, tuple[DType, ...], int]] = {
    "regexplike": (BOOLEAN, _search, pa.bool_(), (VARCHAR,), 1),
    "similarto": (BOOLEAN, _full, pa.bool_(), (), 0),
    "regexpfullmatch": (BOOLEAN, _full, pa.bool_(), (VARCHAR,), 1),
    "regexpreplace": (VARCHAR, _substitute, pa.large_string(), (VARCHAR, VARCHAR), 1),
    "regexpextract": (VARCHAR, _extract, pa.large_string(), (INTEGER, VARCHAR), 2),
}
for _name, (_out, _run, _kind, _more, _optional) in _REGEX.items():
    host_function(_name, _out, VARCHAR, VARCHAR, *_more, optional=_optional)(_regex(_run, _one(_run), _kind))
