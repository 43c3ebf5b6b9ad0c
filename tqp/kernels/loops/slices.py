"""Loops over slices of bytes: where some characters of strings lie, and which slices are equal."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import torch

from tqp.kernels.loops.hashing import MIX
from tqp.kernels.loops.loop import loop, native, part

__all__ = ["copy_slices", "find_characters", "find_pieces", "load_word", "number_slices"]

_MIX = np.uint64(MIX)
_WORD = 8


def _write_load(builder: Any, ir: Any, data: Any, at: Any) -> Any:
    word = builder.load(builder.bitcast(builder.gep(data, [at]), ir.IntType(64).as_pointer()))
    word.align = 1
    return word if sys.byteorder == "little" else builder.bswap(word)


@native(_write_load, "uint64", "uint8[]", "int64")
def load_word(data: Any, at: Any) -> Any:
    """The eight bytes of `data` from `at` on, all within it, as a number whose lowest byte is the first."""
    return data[at : at + _WORD].view("<u8")[0]


@loop((torch.uint8, torch.int64, torch.int64, torch.int32, torch.int32))
def number_slices(data: Any, begins: Any, stops: Any, numbers: Any, firsts: Any) -> int:
    """Write to `numbers` (n,) which of the distinct slices `data[begins[i]:stops[i]]` each is, in the order in which they come, and
    to `firsts` the first of each: how many differ. A hash table, of which little is touched where few differ."""
    rows = begins.size
    bits = 1
    while (1 << bits) < 2 * rows:
        bits += 1
    slots = np.full(1 << bits, -1, np.int32)
    shift = np.uint64(64 - bits)
    mask = (1 << bits) - 1
    # Of each distinct one: its hash, its length, and its last bytes, which are all of a short one.
    hashes, words = np.empty(rows, np.uint64), np.empty(rows, np.uint64)
    sizes = np.empty(rows, np.int64)
    count = 0
    border = data.size - _WORD
    for row in range(rows):
        begin, stop = begins[row], stops[row]
        size = stop - begin
        value = np.uint64(size) * _MIX
        at = begin
        while at + _WORD < stop:
            value = (value ^ load_word(data, at)) * _MIX
            value ^= value >> np.uint64(29)
            at += _WORD
        word = np.uint64(0)
        if size >= _WORD:
            # The last eight, some of them once more.
            word = load_word(data, stop - _WORD)
        elif size > 0 and at <= border:
            word = load_word(data, at) & ((np.uint64(1) << np.uint64(8 * size)) - np.uint64(1))
        else:
            for byte in range(size):
                word |= np.uint64(data[at + byte]) << np.uint64(8 * byte)
        value = (value ^ word) * _MIX
        value ^= value >> np.uint64(32)
        value *= _MIX
        place = np.int64(value >> shift)
        other = slots[place]
        while other >= 0:
            if hashes[other] == value and words[other] == word and sizes[other] == size:
                at, move = begin, begins[firsts[other]] - begin
                while at + _WORD < stop and load_word(data, at) == load_word(data, at + move):
                    at += _WORD
                if at + _WORD >= stop:
                    break
            place = (place + 1) & mask
            other = slots[place]
        if other < 0:
            other = count
            slots[place] = other
            hashes[other], words[other], sizes[other] = value, word, size
            firsts[other] = row
            count += 1
        numbers[row] = other
    return count


@loop((torch.uint8, torch.int64, torch.int64, torch.uint8))
def copy_slices(data: Any, begins: Any, bounds: Any, copies: Any) -> None:
    """Write to `copies` (m,) the bytes of slices from `begins[i]` on, those of slice i to `bounds[i]:bounds[i + 1]`."""
    for row in range(begins.size):
        start, size = bounds[row], bounds[row + 1] - bounds[row]
        begin = begins[row]
        for byte in range(size):
            copies[start + byte] = data[begin + byte]


@loop((torch.uint8, torch.int64, torch.int64, int, int, torch.int64, torch.int64))
def find_characters(data: Any, begins: Any, stops: Any, start: int, stop: int, firsts: Any, lasts: Any) -> None:
    """Write to `firsts` and `lasts` (n,) where the characters start..stop-1 of the strings `data[begins[i]:stops[i]]` lie.

    In UTF-8. Negative numbers count from the end.
    """
    for row in range(begins.size):
        begin, end = begins[row], stops[row]
        for side in range(2):
            wanted = stop if side else start
            # A character begins where a byte is no continuation; there are no more than bytes.
            if wanted >= end - begin:
                at = end
            elif -wanted >= end - begin:
                at = begin
            elif wanted >= 0:
                at = begin
                while wanted > 0 and at < end:
                    at += 1
                    while at < end and data[at] & 0xC0 == 0x80:
                        at += 1
                    wanted -= 1
            else:
                at = end
                while wanted < 0 and at > begin:
                    at -= 1
                    while at > begin and data[at] & 0xC0 == 0x80:
                        at -= 1
                    wanted += 1
            if side:
                lasts[row] = max(at, firsts[row])
            else:
                firsts[row] = at


@part
def _next(data: Any, at: int, stop: int, separator: Any) -> int:
    """Where the separator lies first in `data[at:stop]`; -1 where it does not."""
    head, size = separator[0], separator.size
    while at + size <= stop:
        if data[at] == head:
            same = 1
            while same < size and data[at + same] == separator[same]:
                same += 1
            if same == size:
                return at
        at += 1
    return -1


@loop((torch.uint8, torch.int64, torch.int64, torch.uint8, int, torch.int64, torch.int64))
def find_pieces(data: Any, begins: Any, stops: Any, separator: Any, place: int, firsts: Any, lasts: Any) -> None:
    """Write to `firsts` and `lasts` (n,) where piece number `place` of the strings `data[begins[i]:stops[i]]` lies; -1 of none.

    Pieces are what a separator, which is not empty, divides, counted from 1, or from the end for negative numbers.
    """
    size = separator.size
    for row in range(firsts.size):
        begin, stop = begins[row], stops[row]
        left = place
        if place < 0:
            at = begin
            while at >= 0:
                left += 1
                at = _next(data, at, stop, separator)
                if at >= 0:
                    at += size
            left += 1
        firsts[row] = lasts[row] = -1
        if left <= 0:
            continue
        while left > 1:
            at = _next(data, begin, stop, separator)
            if at < 0:
                break
            begin = at + size
            left -= 1
        if left == 1:
            at = _next(data, begin, stop, separator)
            firsts[row] = begin
            lasts[row] = stop if at < 0 else at
