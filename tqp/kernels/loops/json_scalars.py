"""Where strings, numbers and words of JSON end, and what they are: parts of the loop that reads texts of it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tqp.kernels.loops.loop import part
from tqp.kernels.loops.matching import lowest
from tqp.kernels.loops.slices import load_word

__all__ = [
    "ARRAY", "BOOLEAN", "INTEGER", "MINUS", "MISSING", "NINE", "NULL", "OBJECT", "ODD", "QUOTE", "REAL", "STRING", "WORD", "ZERO",
    "number_end", "string_end", "word_end",
]  # fmt: skip

ODD: Final = 0
MISSING: Final = 1
NULL: Final = 2
STRING: Final = 3
BOOLEAN: Final = 4
INTEGER: Final = 5
REAL: Final = 6
ARRAY: Final = 7
OBJECT: Final = 8

_DIGITS: Final = 15
"""Of so many digits a decimal number is the shortest one of its float."""
_LEADING_ZEROS: Final = 4
_LONGEST: Final = 18
"""Integers of so many digits have 64 bits."""
QUOTE: Final = ord('"')
_BACKSLASH: Final = ord("\\")
MINUS: Final = ord("-")
_DOT: Final = ord(".")
ZERO: Final = ord("0")
NINE: Final = ord("9")
_SPACE: Final = ord(" ")
WORD: Final = 8
_EACH: Final = 0x0101010101010101
_ONES: Final = np.uint64(_EACH)
_HIGHS: Final = np.uint64(_EACH << 7)
_QUOTES: Final = np.uint64(_EACH * QUOTE)
_BACKSLASHES: Final = np.uint64(_EACH * _BACKSLASH)
_SPACES: Final = np.uint64(_EACH * _SPACE)
_IS_ESCAPED: Final = np.isin(np.arange(256), list(b'"\\/bfnrt'))
"""What may stand behind a backslash; not the four digits of a character, which may be half of one."""


@part
def string_end(data: Any, at: int, stop: int, border: int) -> tuple[int, bool]:
    """Where the string that begins at `at`, behind its quote, has its other one, and whether it has no escapes; -1 for none.

    Behind `border` the data have no whole word.
    """
    is_plain = True
    while at < stop <= border:
        # The lowest of the eight bytes that is a quote, a backslash or no character, by what a subtraction carries.
        word = load_word(data, at)
        quotes, slashes = word ^ _QUOTES, word ^ _BACKSLASHES
        ends = ((quotes - _ONES) & ~quotes) | ((slashes - _ONES) & ~slashes) | ((word - _SPACES) & ~word)
        ends &= _HIGHS
        if ends != 0:
            at += lowest(ends) >> 3
            break
        at += WORD
    while at < stop:
        byte = data[at]
        if byte == QUOTE:
            return at, is_plain
        if byte < _SPACE:
            return -1, False
        if byte == _BACKSLASH:
            is_plain = False
            at += 1
            if at >= stop:
                return -1, False
            if not _IS_ESCAPED[data[at]]:
                return -1, False
        at += 1
    return -1, False


@part
def _digits_end(data: Any, at: int, stop: int) -> int:
    while at < stop and ZERO <= data[at] <= NINE:
        at += 1
    return at


@part
def number_end(data: Any, at: int, stop: int) -> tuple[int, int, bool]:
    """Where the number that begins at `at` ends, -1 for none; what it is; and whether it is written as DuckDB writes it."""
    is_negative = data[at] == MINUS
    first = at + 1 if is_negative else at
    whole = _digits_end(data, first, stop)
    if whole == first or (data[first] == ZERO and whole > first + 1):
        return -1, ODD, False
    if whole < stop and data[whole] == _DOT:
        end = _digits_end(data, whole + 1, stop)
        if end == whole + 1 or (end < stop and (data[end] == 69 or data[end] == 101)):
            return -1, ODD, False
        zeros = 0
        if data[first] == ZERO:
            while whole + 1 + zeros < end and data[whole + 1 + zeros] == ZERO:
                zeros += 1
        ends_well = data[end - 1] != ZERO or end == whole + 2
        return end, REAL, ends_well and end - first - 1 <= _DIGITS and zeros <= _LEADING_ZEROS
    if whole < stop and (data[whole] == 69 or data[whole] == 101):
        return -1, ODD, False
    return whole, INTEGER, whole - first <= _LONGEST and not (is_negative and data[first] == ZERO)


@part
def word_end(data: Any, at: int, stop: int) -> tuple[int, int]:
    """Where `true`, `false` or `null` at `at` ends, -1 for none, and what it is."""
    if at + 4 <= stop:
        if data[at] == 116 and data[at + 1] == 114 and data[at + 2] == 117 and data[at + 3] == 101:
            return at + 4, BOOLEAN
        if data[at] == 110 and data[at + 1] == 117 and data[at + 2] == 108 and data[at + 3] == 108:
            return at + 4, NULL
    if at + 5 <= stop and data[at] == 102 and data[at + 1] == 97 and data[at + 2] == 108 and data[at + 3] == 115:
        return (at + 5, BOOLEAN) if data[at + 4] == 101 else (-1, ODD)
    return -1, ODD
