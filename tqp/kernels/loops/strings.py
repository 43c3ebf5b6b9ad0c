"""Loops over strings that lie end to end in one buffer of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tqp.kernels.loops.hashing import MIX
from tqp.kernels.loops.loop import loop

__all__ = ["first_equals", "rank_strings"]

_MIX = np.uint64(MIX)
_FEW = 16
"""Ranges of so many strings are sorted by insertion."""


@loop((torch.uint8, torch.int64, torch.int32))
def first_equals(data: Any, offsets: Any, firsts: Any) -> int:
    """Write to `firsts` (n,) the first of the strings that equals each, `data[offsets[i]:offsets[i + 1]]`: how many differ.

    A hash table of the strings that came first, less than half full; a tag of 32 bits spares most comparisons.
    """
    rows = offsets.size - 1
    bits = 1
    while (1 << bits) < 2 * rows:
        bits += 1
    slots = np.full(1 << bits, -1, np.int32)
    tags = np.empty(rows, np.uint32)
    mask = (1 << bits) - 1
    shift = np.uint64(64 - bits)
    count = 0
    for row in range(rows):
        begin = offsets[row]
        size = offsets[row + 1] - begin
        value = np.uint64(size) * _MIX
        at = begin
        for _ in range(size >> 3):
            word = np.uint64(0)
            for byte in range(8):
                word |= np.uint64(data[at + byte]) << np.uint64(8 * byte)
            value = (value ^ word) * _MIX
            value ^= value >> np.uint64(29)
            at += 8
        word = np.uint64(0)
        for byte in range(size & 7):
            word |= np.uint64(data[at + byte]) << np.uint64(8 * byte)
        value = (value ^ word) * _MIX
        value ^= value >> np.uint64(32)
        value *= _MIX
        tag = np.uint32(value)
        tags[row] = tag
        place = np.int64(value >> shift)
        other = slots[place]
        while other >= 0:
            if tags[other] == tag and offsets[other + 1] - offsets[other] == size:
                start = offsets[other]
                same = True
                for byte in range(size):
                    if data[begin + byte] != data[start + byte]:
                        same = False
                        break
                if same:
                    break
            place = (place + 1) & mask
            other = slots[place]
        if other < 0:
            slots[place] = row
            firsts[row] = row
            count += 1
        else:
            firsts[row] = other
    return count


@loop((torch.uint8, torch.int64, torch.int32, torch.int32))
def rank_strings(data: Any, offsets: Any, ranks: Any, firsts: Any) -> int:
    """Write to `ranks` (n,) the rank of each string among the distinct ones, and to `firsts` the first string of each rank.

    How many ranks there are. By their bytes; a quicksort of three parts by seven bytes and how many of them there are, whose middle
    part goes on with the next seven (multikey quicksort).
    """
    rows = offsets.size - 1
    order = np.arange(rows).astype(np.int32)
    words = np.empty(rows, np.uint64)
    same = np.zeros(rows, np.bool_)
    # Ranges that wait are apart from one another, and of two strings at least.
    lows = np.empty(rows // 2 + 1, np.int64)
    highs = np.empty(rows // 2 + 1, np.int64)
    depths = np.empty(rows // 2 + 1, np.int64)
    waiting = 0
    if rows > 1:
        lows[0], highs[0], depths[0] = 0, rows, 0
        waiting = 1
    while waiting > 0:
        waiting -= 1
        low, high, depth = lows[waiting], highs[waiting], depths[waiting]
        if depth < 0:
            # Its words are those of this depth already.
            depth = -1 - depth
        else:
            for place in range(low, high):
                at = offsets[order[place]] + depth
                rest = offsets[order[place] + 1] - at
                word = np.uint64(0)
                if rest > 7:
                    for byte in range(7):
                        word = (word << np.uint64(8)) | np.uint64(data[at + byte])
                    rest = 8
                else:
                    for byte in range(7):
                        word <<= np.uint64(8)
                        if byte < rest:
                            word |= np.uint64(data[at + byte])
                words[place] = (word << np.uint64(8)) | np.uint64(rest)
        while high - low > _FEW:
            first, pivot, last = words[low], words[(low + high) // 2], words[high - 1]
            if first > pivot:
                first, pivot = pivot, first
            if pivot > last:
                pivot = max(first, last)
            below, above, place = low, high, low
            while place < above:
                word = words[place]
                if word < pivot:
                    words[place] = words[below]
                    words[below] = word
                    row = order[place]
                    order[place] = order[below]
                    order[below] = row
                    below += 1
                    place += 1
                elif word > pivot:
                    above -= 1
                    words[place] = words[above]
                    words[above] = word
                    row = order[place]
                    order[place] = order[above]
                    order[above] = row
                else:
                    place += 1
            if (pivot & np.uint64(255)) < np.uint64(8):
                for place in range(below + 1, above):
                    same[place] = True
            elif above - below > 1:
                lows[waiting], highs[waiting], depths[waiting] = below, above, depth + 7
                waiting += 1
            # The smaller side first, so that few ranges wait.
            if below - low > high - above:
                if below - low > 1:
                    lows[waiting], highs[waiting], depths[waiting] = low, below, -1 - depth
                    waiting += 1
                low = above
            else:
                if high - above > 1:
                    lows[waiting], highs[waiting], depths[waiting] = above, high, -1 - depth
                    waiting += 1
                high = below
        for place in range(low + 1, high):
            word, row = words[place], order[place]
            before = place - 1
            while before >= low and words[before] > word:
                words[before + 1] = words[before]
                order[before + 1] = order[before]
                before -= 1
            words[before + 1] = word
            order[before + 1] = row
        begin = low
        while begin < high:
            end = begin + 1
            while end < high and words[end] == words[begin]:
                end += 1
            if end - begin > 1:
                if (words[begin] & np.uint64(255)) < np.uint64(8):
                    for place in range(begin + 1, end):
                        same[place] = True
                else:
                    lows[waiting], highs[waiting], depths[waiting] = begin, end, depth + 7
                    waiting += 1
            begin = end
    count = 0
    for place in range(rows):
        row = order[place]
        if same[place]:
            firsts[count - 1] = min(firsts[count - 1], row)
        else:
            firsts[count] = row
            count += 1
        ranks[row] = count - 1
    return count
