"""Loops that write bytes in base64, as hexadecimal digits and as in URLs, and read them.

Strings are `data[offsets[i]:offsets[i + 1]]`; those that are written are `copies[bounds[i]:bounds[i + 1]]`, with `bounds` ascending
from 0 on.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch

from tqp.kernels.loops.loop import loop

__all__ = ["HEX", "read_base64", "read_hex", "read_url", "write_base64", "write_hex", "write_url"]

_NONE: Final = 255
"""The value of what is no letter of base64, or no digit."""


def _values(letters: bytes) -> Any:
    values = np.full(256, _NONE, np.int64)
    values[list(letters)] = np.arange(len(letters))
    return values


_DIGITS: Final = np.array(list(b"0123456789ABCDEF"), np.uint8)
_BASE64: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
HEX: Final = np.array([list(b"%02X" % byte) for byte in range(256)], np.uint8).view(np.uint16).reshape(-1)
"""The two digits of each byte as they lie in memory."""
_LETTERS: Final = np.array(list(_BASE64), np.uint8)
_OF_LETTERS: Final = _values(_BASE64)
_OF_DIGITS: Final = np.minimum(_values(b"0123456789ABCDEF"), _values(b"0123456789abcdef"))
_STAYS: Final = np.isin(np.arange(256), list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"))
_PAD: Final = ord("=")
_PERCENT: Final = ord("%")

_SAME = torch.uint8, torch.int64, torch.int64, torch.uint8


@loop((torch.uint8, torch.uint16))
def write_hex(data: Any, copies: Any) -> None:
    """Write to `copies` (m,) the two digits of each byte of `data` (m,), one behind the other in memory."""
    for place in range(data.size):
        copies[place] = HEX[data[place]]


@loop((torch.uint8, torch.int64, torch.int64, torch.uint8, torch.bool))
def read_hex(data: Any, offsets: Any, bounds: Any, copies: Any, wrong: Any) -> None:
    """Write to `copies` the bytes whose digits the strings are, of an odd number of them with a 0 before; `wrong` are others."""
    to = 0
    bounds[0] = 0
    for row in range(wrong.size):
        at, stop = offsets[row], offsets[row + 1]
        start = to
        seen = 0
        if (stop - at) & 1:
            value = _OF_DIGITS[data[at]]
            seen |= value
            copies[to] = value
            at += 1
            to += 1
        while at < stop:
            high, low = _OF_DIGITS[data[at]], _OF_DIGITS[data[at + 1]]
            seen |= high | low
            copies[to] = (high << 4) | low
            at += 2
            to += 1
        wrong[row] = seen > 15
        if seen > 15:
            to = start
        bounds[row + 1] = to


@loop(_SAME)
def write_base64(data: Any, offsets: Any, bounds: Any, copies: Any) -> None:
    """Write to `copies` the strings in base64, with `=` behind, four letters for each three bytes."""
    to = 0
    bounds[0] = 0
    for row in range(bounds.size - 1):
        at, stop = offsets[row], offsets[row + 1]
        while at + 3 <= stop:
            word = (data[at] << 16) | (data[at + 1] << 8) | data[at + 2]
            copies[to] = _LETTERS[word >> 18]
            copies[to + 1] = _LETTERS[(word >> 12) & 63]
            copies[to + 2] = _LETTERS[(word >> 6) & 63]
            copies[to + 3] = _LETTERS[word & 63]
            at += 3
            to += 4
        if at < stop:
            word = data[at] << 16
            if at + 1 < stop:
                word |= data[at + 1] << 8
            copies[to] = _LETTERS[word >> 18]
            copies[to + 1] = _LETTERS[(word >> 12) & 63]
            copies[to + 2] = _LETTERS[(word >> 6) & 63] if at + 1 < stop else _PAD
            copies[to + 3] = _PAD
            to += 4
        bounds[row + 1] = to


@loop((torch.uint8, torch.int64, torch.int64, torch.uint8, torch.bool))
def read_base64(data: Any, offsets: Any, bounds: Any, copies: Any, wrong: Any) -> None:
    """Write to `copies` what the strings are in base64, where `=` may stand for the last two letters; `wrong` are others."""
    to = 0
    bounds[0] = 0
    for row in range(wrong.size):
        at, stop = offsets[row], offsets[row + 1]
        start = to
        seen = _NONE if (stop - at) & 3 else 0
        while seen < 64 and at + 4 < stop:
            one, two = _OF_LETTERS[data[at]], _OF_LETTERS[data[at + 1]]
            three, four = _OF_LETTERS[data[at + 2]], _OF_LETTERS[data[at + 3]]
            seen = one | two | three | four
            word = (one << 18) | (two << 12) | (three << 6) | four
            copies[to] = word >> 16
            copies[to + 1] = word >> 8
            copies[to + 2] = word
            at += 4
            to += 3
        if seen < 64 and at < stop:
            left = 4
            if data[at + 3] == _PAD:
                left = 2 if data[at + 2] == _PAD else 3
            word = 0
            for place in range(left):
                value = _OF_LETTERS[data[at + place]]
                seen |= value
                word |= value << (18 - 6 * place)
            for place in range(left - 1):
                copies[to + place] = word >> (16 - 8 * place)
            to += left - 1
        wrong[row] = seen > 63
        if seen > 63:
            to = start
        bounds[row + 1] = to


@loop(_SAME)
def write_url(data: Any, offsets: Any, bounds: Any, copies: Any) -> None:
    """Write to `copies` the strings with `%` and two digits for each byte but letters and digits of ASCII and `-._~`."""
    to = 0
    bounds[0] = 0
    for row in range(bounds.size - 1):
        for at in range(offsets[row], offsets[row + 1]):
            byte = data[at]
            if _STAYS[byte]:
                copies[to] = byte
                to += 1
            else:
                copies[to] = _PERCENT
                copies[to + 1] = _DIGITS[byte >> 4]
                copies[to + 2] = _DIGITS[byte & 15]
                to += 3
        bounds[row + 1] = to


@loop(_SAME)
def read_url(data: Any, offsets: Any, bounds: Any, copies: Any) -> bool:
    """Write to `copies` the strings with one byte for each `%` that two digits follow; whether one of these is beyond ASCII."""
    to = 0
    bounds[0] = 0
    beyond = 0
    for row in range(bounds.size - 1):
        at, stop = offsets[row], offsets[row + 1]
        while at < stop:
            byte: Any = data[at]
            at += 1
            if byte == _PERCENT and at + 1 < stop:
                high, low = _OF_DIGITS[data[at]], _OF_DIGITS[data[at + 1]]
                if (high | low) < 16:
                    byte = np.uint8((high << 4) | low)
                    beyond |= byte
                    at += 2
            copies[to] = byte
            to += 1
        bounds[row + 1] = to
    return beyond >= 128
