"""Lists, structs and maps as they are written in a text, taken apart into the texts of their parts.

`[1, NULL]`, `{a: 1}` and `(1, x)`, `{k=v}`. A part is a text that may be quoted by `"` or `'`, between which a backslash takes the
next character as it is; brackets keep what is in them together. NULL in letters of any case is no text, unless it is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

__all__ = ["Split", "entries_of", "fields_of", "parts_of"]

Split = Callable[[str], "list[str | None] | None"]
"""From a text to the texts of its parts, None being NULL; None where it is written in no such way."""

_BLANKS: Final = " \t\n\v\f\r"
_STRINGS: Final = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
# A quote behind a backslash opens nothing. One that is not closed is a token of its own.
_TOKENS: Final = re.compile(rf"""\\+["']?|{_STRINGS}|["'\[\](){{}},=]""", re.DOTALL)
_NAMES: Final = re.compile(rf"""\\[^:]|{_STRINGS}|["':]""", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_CLOSES: Final = {"[": "]", "(": ")", "{": "}"}


def parts_of(text: str) -> list[str | None] | None:
    """The elements of `[a, b]`."""
    inner = _opened(text, "[")
    if inner is None:
        return None
    parts: list[str | None] = []
    place = inner
    while True:
        stop = _stop(text, place, ",]")
        if stop < 0:
            return None
        part = text[place:stop].strip(_BLANKS)
        if part or parts or text[stop] == ",":
            parts.append(_value(part))
        if text[stop] == "]":
            return parts if _ends(text, stop) else None
        place = stop + 1


def entries_of(text: str) -> list[str | None] | None:
    """The keys and values of `{k=v, l=w}`, in turns; a key that is NULL is none."""
    inner = _opened(text, "{")
    if inner is None:
        return None
    parts: list[str | None] = []
    place = inner
    if text[place : place + 1] == "}":
        return parts if _ends(text, place) else None
    while True:
        middle = _stop(text, place, "=")
        stop = _stop(text, middle + 1, ",}") if middle >= 0 else -1
        if stop < 0:
            return None
        key, value = _value(text[place:middle].strip(_BLANKS)), _value(text[middle + 1 : stop].strip(_BLANKS))
        if key is None:
            return None
        parts += (key, value)
        if text[stop] == "}":
            return parts if _ends(text, stop) else None
        place = stop + 1


def fields_of(names: Sequence[str]) -> Split:
    """What gives the fields of these names of `{b: 1, a: 2}`, in their order, or of `(2, 1)`; NULL where one is not written."""
    places = {name: place for place, name in enumerate(names)} if all(names) else {}

    def split(text: str) -> list[str | None] | None:
        parts: list[str | None] = [None] * len(names)
        is_named = _opened(text, "{") is not None
        close = "}" if is_named else ")"
        place = _opened(text, "{" if is_named else "(")
        if place is None:
            return None
        if text[place : place + 1] == close:
            return parts if _ends(text, place) else None
        number = -1
        met: set[int] = set()
        while True:
            number += 1
            if not is_named and number and text[place:].lstrip(_BLANKS)[:1] == close:
                # What follows the last comma is no part, if it is nothing.
                return parts if _ends(text, text.index(close, place)) else None
            if is_named:
                middle = _stop(text, place, ":", _NAMES)
                name = text[place:middle].strip(_BLANKS) if middle >= 0 else ""
                if not name or name.lower() == "null":
                    return None
                number, place = places.get(_unquoted(name, _NAMES), len(names)), middle + 1
            stop = _stop(text, place, "," + close)
            if stop < 0 or number >= len(names) or number in met:
                return None
            met.add(number)
            parts[number] = _value(text[place:stop].strip(_BLANKS))
            if text[stop] == close:
                return parts if _ends(text, stop) else None
            place = stop + 1

    return split


def _opened(text: str, bracket: str) -> int | None:
    """Where what is in the brackets begins, if the text begins with this one."""
    start = len(text) - len(text.lstrip(_BLANKS))
    if text[start : start + 1] != bracket:
        return None
    start += 1
    while text[start : start + 1] and text[start] in _BLANKS:
        start += 1
    return start


def _ends(text: str, place: int) -> bool:
    """Whether nothing follows the bracket."""
    return not text[place + 1 :].strip(_BLANKS)


def _stop(text: str, place: int, stops: str, tokens: re.Pattern[str] = _TOKENS) -> int:
    """The place of the first of the stops that is in no string and no brackets; -1 where there is none, or one is not closed."""
    open_: list[str] = []
    for token in tokens.finditer(text, place):
        mark = token[0]
        if len(mark) > 1 or mark == "\\":
            continue
        if mark in "\"'":
            return -1
        if not open_ and mark in stops:
            return token.start()
        if open_ and mark == open_[-1]:
            open_.pop()
        elif mark in _CLOSES:
            open_.append(_CLOSES[mark])
    return -1


def _value(part: str) -> str | None:
    return None if len(part) == 4 and part.lower() == "null" else _unquoted(part, _TOKENS)


def _unquoted(part: str, tokens: re.Pattern[str]) -> str:
    """The text without its quotes and the backslashes that keep others; what is in brackets stays as it is."""
    if '"' not in part and "'" not in part:
        return part
    kept: list[str] = []
    place = 0
    while token := tokens.search(part, place):
        mark, start = token[0], token.start()
        kept.append(part[place:start])
        place = token.end()
        if mark in _CLOSES:
            place = _stop(part, place, _CLOSES[mark]) + 1 or len(part)
            kept.append(part[start:place])
        elif mark[0] in "\"'" and len(mark) > 1:
            kept.append(_ESCAPED.sub(r"\1", mark[1:-1]))
        elif mark[-1] in "\"'" and len(mark) > 1:
            kept.append(mark[:-2] + mark[-1])
        else:
            kept.append(mark)
    return "".join((*kept, part[place:]))
