"""Bytes in base64, as hexadecimal digits and as in URLs; numbers as digits: one pass over all, on the host.

Strings are the bytes `data`, uint8, from one of the `offsets` (n + 1,) int64 to the next; what is made of them is given in the same
way, with offsets from 0 on. None where the loop for so many is not there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tqp.kernels.loops import encodings, numerals
from tqp.kernels.loops.loop import Loop

__all__ = ["as_base64", "as_bits", "as_decimals", "as_digits", "as_hex", "as_url", "of_base64", "of_hex", "of_url"]

Bytes = npt.NDArray[np.uint8]
Offsets = npt.NDArray[np.int64]

_ZERO = ord("0")
_STRINGS = torch.uint8, torch.int64, torch.int64, torch.uint8


def as_hex(data: Tensor, offsets: Tensor) -> tuple[Bytes, Offsets]:
    """The two digits, in capitals, of each byte."""
    ends = offsets.numpy()
    inside = data.numpy()[ends[0] : ends[-1]]
    bounds: Offsets = (ends - ends[0]) * 2
    if not encodings.write_hex.ready(len(inside), torch.uint8, torch.uint16):
        return encodings.HEX[inside].view(np.uint8), bounds
    copies = np.empty(len(inside), np.uint16)
    encodings.write_hex(inside, copies)
    return copies.view(np.uint8), bounds


def as_bits(data: Tensor, offsets: Tensor) -> tuple[Bytes, Offsets]:
    """The eight digits to base 2 of each byte."""
    ends = offsets.numpy()
    digits = np.unpackbits(data.numpy()[ends[0] : ends[-1]])
    digits += _ZERO
    return digits, (ends - ends[0]) * 8


def of_hex(data: Tensor, offsets: Tensor) -> tuple[Bytes, Offsets, npt.NDArray[np.bool_]] | None:
    """The bytes whose digits the strings are, with a 0 before an odd number of them; and which have others (n,), with no bytes."""
    return _read(encodings.read_hex, data, offsets, (_size(offsets) + len(offsets)) // 2)


def as_base64(data: Tensor, offsets: Tensor) -> tuple[Bytes, Offsets] | None:
    """The strings in base64, each with `=` up to a multiple of four letters."""
    return _written(encodings.write_base64, data, offsets, (_size(offsets) // 3 + len(offsets)) * 4)


def of_base64(data: Tensor, offsets: Tensor) -> tuple[Bytes, Offsets, npt.NDArray[np.bool_]] | None:
    """What the strings are in base64; and which are not (n,), with no bytes. Nothing asks for zeros in what `=` leaves out."""
    return _read(encodings.read_base64, data, offsets, _size(offsets) + 3)


def as_url(data: Tensor, offsets: Tensor) -> tuple[Bytes, Offsets] | None:
    """The strings as they stand in URLs: with `%` and two digits for each byte but letters and digits of ASCII and `-._~`."""
    return _written(encodings.write_url, data, offsets, 3 * _size(offsets))


def of_url(data: Tensor, offsets: Tensor) -> tuple[Bytes, Offsets, bool] | None:
    """The strings with one byte for each `%` that two digits follow; and whether one of these bytes is beyond ASCII."""
    if not encodings.read_url.ready(len(offsets) - 1, *_STRINGS):
        return None
    bounds, copies = np.empty(len(offsets), np.int64), np.empty(_size(offsets), np.uint8)
    is_beyond = encodings.read_url(data.numpy(), offsets.numpy(), bounds, copies)
    return copies[: bounds[-1]], bounds, is_beyond


def _size(offsets: Tensor) -> int:
    ends = offsets.numpy()
    return int(ends[-1] - ends[0])  # host: NumPy, no tensor


def _written(write: Loop[Any, Any], data: Tensor, offsets: Tensor, most: int) -> tuple[Bytes, Offsets] | None:
    if not write.ready(len(offsets) - 1, *_STRINGS):
        return None
    # Memory that is not written to is not taken.
    bounds, copies = np.empty(len(offsets), np.int64), np.empty(most, np.uint8)
    write(data.numpy(), offsets.numpy(), bounds, copies)
    return copies[: bounds[-1]], bounds


def _read(
    read: Loop[Any, Any], data: Tensor, offsets: Tensor, most: int
) -> tuple[Bytes, Offsets, npt.NDArray[np.bool_]] | None:
    if not read.ready(len(offsets) - 1, *_STRINGS, torch.bool):
        return None
    bounds, copies = np.empty(len(offsets), np.int64), np.empty(most, np.uint8)
    wrong = np.empty(len(offsets) - 1, np.bool_)
    read(data.numpy(), offsets.numpy(), bounds, copies, wrong)
    return copies[: bounds[-1]], bounds, wrong


def as_digits(words: npt.NDArray[np.uint64], bits: int) -> tuple[Bytes, Offsets] | None:
    """The digits to base 2**bits, which divides 64, of numbers (n, w) of words, the highest first, without leading zeros."""
    rows, width = words.shape
    if not numerals.write_digits.ready(rows, torch.uint64, int, int, torch.int64, torch.uint8):
        return None
    bounds, copies = np.empty(rows + 1, np.int64), np.empty(rows * (64 // bits * width), np.uint8)
    numerals.write_digits(np.ascontiguousarray(words).reshape(-1), width, bits, bounds, copies)
    return copies[: bounds[-1]], bounds


_MOST = 40
"""A sign, a point and at most 38 digits."""


def as_decimals(numbers: npt.NDArray[np.int64], scale: int, least: int) -> tuple[Bytes, Offsets] | None:
    """Numbers (n,) with a point before the last `scale` digits, at 0 without one, and zeros up to `least` digits, 38 at most."""
    if not numerals.write_decimals.ready(len(numbers), torch.int64, int, int, torch.int64, torch.uint8):
        return None
    bounds, copies = np.empty(len(numbers) + 1, np.int64), np.empty(_MOST * len(numbers), np.uint8)
    numerals.write_decimals(np.ascontiguousarray(numbers), scale, least, bounds, copies)
    return copies[: bounds[-1]], bounds
