"""64-bit hashes that are the same on every machine and in every run: Murmur's finalizer over words of 64 bits.

Words are int64 that stand for unsigned ones with the same bits.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels import distances

__all__ = ["EMPTY", "NULL", "combined", "hashed", "of_strings", "of_texts"]

_FACTOR = 0xD6E8FEB86659FD93 - 2**64
_SEED = 0xE17A1465
_LENGTH = 0xC6A4A7935BD1E995 - 2**64
NULL = 13787848793156543929 - 2**64
"""The hash of NULL."""
EMPTY = 0x9E3779B97F4A7C15 - 2**64
"""The hash of a struct without fields."""


def _folded(words: Tensor) -> Tensor:
    return words ^ ((words >> 32) & 0xFFFFFFFF)


def hashed(words: Tensor) -> Tensor:
    """The hash of each word, of the same shape."""
    return _folded(_folded(_folded(words) * _FACTOR) * _FACTOR)


def combined(first: Tensor, second: Tensor) -> Tensor:
    """The hash of two values one after the other, from theirs; of more, from left to right."""
    return (_folded(first) * _FACTOR) ^ second


def of_texts(data: Tensor, offsets: Tensor) -> Tensor:
    """The hash (n,) of each of the strings whose bytes are `data`, uint8, from one of the `offsets` (n + 1,) int64 to the next."""
    lengths = offsets.diff()
    found = torch.zeros_like(lengths)
    for chosen, width, _ in distances.blocks(lengths, torch.zeros_like(lengths)):
        checkpoint()
        found[chosen] = of_strings(distances.rows_of_signs(data, offsets[chosen], width), lengths[chosen])
    return found


def of_strings(rows: Tensor, lengths: Tensor) -> Tensor:
    """The hashes (n,) of strings: rows of bytes (n, width) uint8 filled up with anything, beside their lengths (n,) int64."""
    width = -(-rows.shape[1] // 8) * 8
    inside = torch.arange(rows.shape[1], device=rows.device) < lengths[:, None]
    filled = torch.zeros((rows.shape[0], width), dtype=torch.uint8, device=rows.device)
    filled[:, : rows.shape[1]] = torch.where(inside, rows, 0)
    words = filled.reshape(rows.shape[0], width // 8, 8).long()
    shifts = torch.arange(0, 64, 8, device=rows.device)
    state = _SEED ^ (lengths * _LENGTH)
    for place in range(width // 8):
        word = (words[:, place] << shifts).sum(1)
        state = torch.where(lengths > 8 * place, (state ^ word) * _FACTOR, state)
    return hashed(state)
