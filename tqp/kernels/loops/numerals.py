"""Loops that write numbers as digits."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch

from tqp.kernels.loops.loop import loop

__all__ = ["write_decimals", "write_digits"]

_DIGITS: Final = np.array(list(b"0123456789ABCDEF"), np.uint8)
_ZERO: Final = ord("0")
_MINUS: Final = ord("-")
_POINT: Final = ord(".")


@loop((torch.uint64, int, int, torch.int64, torch.uint8))
def write_digits(words: Any, width: int, bits: int, bounds: Any, copies: Any) -> None:
    """Write to `copies` the digits to base 2**bits of numbers of `width` words each, the highest first, to `bounds` (n + 1,) where.

    Without leading zeros, but one digit at least.
    """
    to = 0
    bounds[0] = 0
    mask = np.uint64((1 << bits) - 1)
    for row in range(bounds.size - 1):
        start = to
        for place in range(width):
            word = words[row * width + place]
            size = 0
            if to > start:
                size = 64
            else:
                rest = word
                while rest > 0:
                    rest >>= np.uint64(bits)
                    size += bits
            while size > 0:
                size -= bits
                copies[to] = _DIGITS[np.int64((word >> np.uint64(size)) & mask)]
                to += 1
        if to == start:
            copies[to] = _ZERO
            to += 1
        bounds[row + 1] = to


@loop((torch.int64, int, int, torch.int64, torch.uint8))
def write_decimals(numbers: Any, scale: int, least: int, bounds: Any, copies: Any) -> None:
    """Write to `copies` numbers with a point before their last `scale` digits, at 0 without one, and zeros before up to `least`
    digits; to `bounds` (n + 1,) where."""
    digits = np.empty(20, np.uint8)
    to = 0
    bounds[0] = 0
    for row in range(numbers.size):
        number = numbers[row]
        rest = np.uint64(number)
        if number < 0:
            copies[to] = _MINUS
            to += 1
            rest = np.uint64(0) - rest
        size = 0
        while rest > 0:
            shorter = rest // np.uint64(10)
            digits[size] = np.uint8(_ZERO + np.int64(rest - shorter * np.uint64(10)))
            rest = shorter
            size += 1
        for place in range(max(size, least) - 1, -1, -1):
            if place == scale - 1:
                copies[to] = _POINT
                to += 1
            copies[to] = digits[place] if place < size else _ZERO
            to += 1
        bounds[row + 1] = to
