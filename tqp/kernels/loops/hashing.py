"""Loops over hash tables of integers.

A table maps keys to the numbers 0, 1, … in which they came first: `slots` (2**k,) int32 has a number or -1, `keys` the key of each
number. A key's place is the upper k bits of its product with `MIX`, or the next place that is free or its own (linear probing).
No more than a quarter of the places are taken, so that most keys are decided by one look (half: 1.2 to 1.9 times as long for a
key), and no key lies further than `reach` places behind its own.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch

from tqp.kernels.loops.loop import WIDTHS, loop

__all__ = ["MIX", "find_numbers", "number_by_range", "number_keys"]

MIX: Final = 0x9E3779B97F4A7C15
"""2**64 over the golden ratio: neighbouring keys land far apart (Fibonacci hashing)."""

_MIX = np.uint64(MIX)
_FIRST_BITS = 10
_MOST_GROWTH = 128
"""A table is that many times as large at most as it was: the first keys of a column are mostly new, however few there are."""


@loop(*((width, torch.int64, torch.int64) for width in WIDTHS))
def number_keys(key: Any, ids: Any, firsts: Any) -> Any:
    """Number the distinct values of `key` (n,) as they come: (slots, keys, how many, reach).

    Writes each row's number to `ids` (n,), and each number's first row to `firsts` (n,). The table doubles as it fills.
    """
    bits = _FIRST_BITS
    slots = np.full(1 << bits, -1, np.int32)
    keys = np.empty(1 << (bits - 2), np.int64)
    count, reach, start = 0, 0, 0
    while start < key.size:
        # The tables stay the same within, which the compiler needs to know.
        mask = slots.size - 1
        shift = np.uint64(64 - bits)
        stop = key.size
        for row in range(start, key.size):
            value = np.int64(key[row])
            place = np.int64((np.uint64(value) * _MIX) >> shift)
            number = slots[place]
            steps = 0
            while number >= 0 and keys[number] != value:
                place = (place + 1) & mask
                number = slots[place]
                steps += 1
            if number < 0:
                if count == keys.size:
                    stop = row
                    break
                number = np.int32(count)
                slots[place] = number
                keys[count] = value
                firsts[count] = row
                count += 1
                reach = max(reach, steps)
            ids[row] = number
        start = stop
        if start < key.size:
            # As many as there will be if keys go on to be new as often.
            expected = min(max(2 * count, count * (key.size // start + 1)), key.size, _MOST_GROWTH * count)
            while (1 << (bits - 2)) < expected:
                bits += 1
            more = np.empty(1 << (bits - 2), np.int64)
            more[:count] = keys
            keys = more
            slots = np.full(1 << bits, -1, np.int32)
            mask = slots.size - 1
            reach = 0
            for other in range(count):
                place = np.int64((np.uint64(keys[other]) * _MIX) >> np.uint64(64 - bits))
                steps = 0
                while slots[place] >= 0:
                    place = (place + 1) & mask
                    steps += 1
                slots[place] = other
                reach = max(reach, steps)
    return slots, keys, count, reach


@loop(*((width, torch.int32, torch.int64, torch.int32) for width in WIDTHS))
def find_numbers(key: Any, slots: Any, keys: Any, found: Any) -> None:
    """Write to `found` (n,) the number of each key (n,) in the table; -1 where it has none."""
    mask = slots.size - 1
    shift = np.uint64(64)
    while (1 << (64 - np.int64(shift))) < slots.size:
        shift -= np.uint64(1)
    for row in range(key.size):
        value = np.int64(key[row])
        place = np.int64((np.uint64(value) * _MIX) >> shift)
        number = slots[place]
        while number >= 0 and keys[number] != value:
            place = (place + 1) & mask
            number = slots[place]
        found[row] = number


@loop(*((width, int, torch.int32, torch.int64, torch.int64) for width in WIDTHS))
def number_by_range(key: Any, low: int, numbers: Any, ids: Any, firsts: Any) -> int:
    """`number_keys` of keys within low .. low + s - 1 through `numbers` (s,) int32, all -1 before: how many there are."""
    count = 0
    for row in range(key.size):
        place = np.int64(key[row]) - low
        number = numbers[place]
        if number < 0:
            number = np.int32(count)
            numbers[place] = number
            firsts[count] = row
            count += 1
        ids[row] = number
    return count
