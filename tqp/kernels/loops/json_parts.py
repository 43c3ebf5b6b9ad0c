"""The loops that take JSON apart of which is known what it is: elements, members, numbers; and those that put texts in quotes.

Strings end where a part in `json_scalars` says. Where it changes, so must this file: its loops are cached by what stands in it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch

from tqp.kernels.loops.json_scalars import MINUS, QUOTE, WORD, ZERO, string_end
from tqp.kernels.loops.loop import loop, part

__all__ = [
    "MEASURING", "NUMBERS", "QUOTING", "SPLITTING", "measure_quoted", "quote_texts", "read_numbers", "split_json",
]  # fmt: skip

_BEGIN: Final = ord("{")
_DOT: Final = ord(".")
_ZERO: Final = ord("0")
_BACKSLASH: Final = ord("\\")
_U: Final = ord("u")
_IS_BLANK: Final = np.isin(np.arange(256), list(b" \t\n\r"))
_OPENS: Final = np.isin(np.arange(256), list(b"[{"))
_CLOSES: Final = np.isin(np.arange(256), list(b"]}"))
_ENDS: Final = np.isin(np.arange(256), list(b" \t\n\r,]}"))
_POWERS: Final = 10.0 ** np.arange(23)
"""Each is a float: what is divided by one is rounded once."""

_ESCAPED: Final = np.zeros(256, np.uint8)
"""Of each byte what stands for it behind a backslash, `u` before its four digits; 0 where it stands for itself."""
_ESCAPED[:32] = _U
_ESCAPED[[8, 9, 10, 12, 13, QUOTE, _BACKSLASH]] = list(b'btnfr"\\')
_MORE: Final = np.where(_ESCAPED == _U, 5, np.minimum(_ESCAPED, 1)).astype(np.int64)
"""Of each byte how many more stand for it."""
_DIGITS: Final = np.frombuffer(b"0123456789ABCDEF", np.uint8).copy()


@part
def _behind_blanks(data: Any, at: int, stop: int) -> int:
    while at < stop and _IS_BLANK[data[at]]:
        at += 1
    return at


@part
def _behind_value(data: Any, at: int, stop: int, border: int) -> int:
    """Where the value that begins at `at` ends."""
    depth = 0
    while at < stop:
        byte = data[at]
        if byte == QUOTE:
            at = string_end(data, at + 1, stop, border)[0] + 1
        elif _OPENS[byte]:
            depth += 1
            at += 1
        elif _CLOSES[byte]:
            depth -= 1
            at += 1
        elif depth > 0:
            at += 1
            continue
        else:
            while at < stop and not _ENDS[data[at]]:
                at += 1
        if depth == 0:
            break
    return at


SPLITTING: Final = (torch.uint8, *[torch.int64] * 7)
"""What `split_json` gets."""


@loop(SPLITTING, alone=True)
def split_json(
    data: Any, begins: Any, stops: Any, bounds: Any, heads: Any, tails: Any, firsts: Any, lasts: Any
) -> None:  # fmt: skip
    """Write to `firsts` and `lasts` where the elements or members of the JSON `data[begins[i]:stops[i]]` begin and end, those of
    list or object i to `bounds[i]:bounds[i + 1]`, and to `heads` and `tails` where the names of members do, without quotes; a tail
    of -1 says that some characters of a name are escaped."""
    border = data.size - WORD
    for row in range(begins.size):
        at, stop = begins[row] + 1, stops[row]
        for child in range(bounds[row], bounds[row + 1]):
            at = _behind_blanks(data, at, stop)
            if data[begins[row]] == _BEGIN:
                end, is_plain = string_end(data, at + 1, stop, border)
                heads[child], tails[child] = at + 1, end if is_plain else -1
                # The colon behind it.
                at = _behind_blanks(data, _behind_blanks(data, end + 1, stop) + 1, stop)
            firsts[child] = at
            at = _behind_value(data, at, stop, border)
            lasts[child] = at
            # The comma behind it.
            at = _behind_blanks(data, at, stop) + 1


NUMBERS: Final = (torch.uint8, torch.int64, torch.int64, torch.int64, torch.float64)
"""What `read_numbers` gets."""


@loop(NUMBERS, alone=True)
def read_numbers(data: Any, begins: Any, stops: Any, wholes: Any, reals: Any) -> None:
    """Write to `wholes` and `reals` (n,) the numbers `data[begins[i]:stops[i]]`, of at most 18 digits, with a point of at most 15;
    the whole ones are without the point of others. Where nothing stands, 0."""
    for row in range(begins.size):
        at, stop = begins[row], stops[row]
        is_negative = at < stop and data[at] == MINUS
        if is_negative:
            at += 1
        whole, places = np.int64(0), 0
        while at < stop:
            if data[at] == _DOT:
                places = stop - at - 1
            else:
                whole = 10 * whole + (np.int64(data[at]) - ZERO)
            at += 1
        real = whole / _POWERS[places]
        wholes[row] = -whole if is_negative else whole
        reals[row] = -real if is_negative else real


MEASURING: Final = (torch.uint8, torch.int64, torch.int64)
"""What `measure_quoted` gets."""


@loop(MEASURING, alone=True)
def measure_quoted(data: Any, offsets: Any, bounds: Any) -> None:
    """Write to `bounds` (n + 1,) where the texts `data[offsets[i]:offsets[i + 1]]` end and begin as `quote_texts` writes them."""
    bounds[0] = 0
    for row in range(offsets.size - 1):
        size = offsets[row + 1] - offsets[row] + 2
        for at in range(offsets[row], offsets[row + 1]):
            size += _MORE[data[at]]
        bounds[row + 1] = bounds[row] + size


QUOTING: Final = (torch.uint8, torch.int64, torch.int64, torch.uint8)
"""What `quote_texts` gets."""


@loop(QUOTING, alone=True)
def quote_texts(data: Any, offsets: Any, bounds: Any, written: Any) -> None:
    """Write to `written` the texts `data[offsets[i]:offsets[i + 1]]` in quotes, with what is not itself there escaped, to
    `bounds[i]:bounds[i + 1]`."""
    for row in range(offsets.size - 1):
        to = bounds[row]
        written[to] = QUOTE
        to += 1
        for at in range(offsets[row], offsets[row + 1]):
            byte = data[at]
            letter = _ESCAPED[byte]
            if letter == 0:
                written[to] = byte
                to += 1
                continue
            written[to], written[to + 1] = _BACKSLASH, letter
            to += 2
            if letter == _U:
                written[to], written[to + 1] = _ZERO, _ZERO
                written[to + 2], written[to + 3] = _DIGITS[byte >> 4], _DIGITS[byte & 15]
                to += 4
        written[to] = QUOTE
