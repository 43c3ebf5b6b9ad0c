"""Loops over the frames of windows."""

from __future__ import annotations

from typing import Any

import torch

from tqp.kernels.loops.loop import loop

__all__ = ["nth_in_ranges", "slide_modes"]


@loop((torch.int64, torch.int64, torch.int64, torch.int64, torch.int64, torch.int64, torch.int64))
def nth_in_ranges(numbers: Any, room: Any, before: Any, lows: Any, highs: Any, wanted: Any, found: Any) -> None:
    """Add to `found` (m,) the `wanted`-th (m,) smallest of the numbers (n,) in 0 .. n - 1 of the rows of m times r ranges.

    Those of the q-th are lows[q], lows[q + m], … to highs[q], highs[q + m], … `numbers`, `lows`, `highs` and `wanted` are changed,
    `room` (n,) and `before` (n + 1,) are room to work in. A wavelet matrix, see `kernels.ordered`.
    """
    rows, many = numbers.size, wanted.size
    bits = 0
    while rows >> bits:
        bits += 1
    for level in range(bits):
        bit = bits - 1 - level
        zeros = 0
        for row in range(rows):
            before[row] = zeros
            zeros += 1 - (numbers[row] >> bit & 1)
        before[rows] = zeros
        for one in range(many):
            total = 0
            for place in range(one, lows.size, many):
                total += before[highs[place]] - before[lows[place]]
            if wanted[one] >= total:
                found[one] += 1 << bit
                wanted[one] -= total
                for place in range(one, lows.size, many):
                    lows[place] += zeros - before[lows[place]]
                    highs[place] += zeros - before[highs[place]]
            else:
                for place in range(one, lows.size, many):
                    lows[place] = before[lows[place]]
                    highs[place] = before[highs[place]]
        for row in range(rows):
            if numbers[row] >> bit & 1:
                room[row - before[row] + zeros] = numbers[row]
            else:
                room[before[row]] = numbers[row]
        numbers, room = room, numbers


@loop((torch.int64, torch.int64, torch.int64, torch.int64, torch.int64, torch.int64, torch.int64, torch.int64))
def slide_modes(
    numbers: Any, lows: Any, highs: Any, nexts: Any, counts: Any, firsts: Any, of_counts: Any, found: Any
) -> None:
    """Write to `found` (m,) the first row, in the range [low, high), of the number that comes most often there.

    Of several numbers that of the one which comes first; nothing for empty ranges. `numbers` (n,) int64 are below n. `counts` (n,)
    and `of_counts` (n + 1,) are 0, `nexts` (n,) and `firsts` (n,) room to work in. One range becomes the next by the rows that
    come and go; when those of the number go, the next one is looked for from the range's start.
    """
    rows = numbers.size
    for number in range(rows):
        firsts[number] = rows
    for back in range(rows):
        row = rows - 1 - back
        nexts[row] = firsts[numbers[row]]
        firsts[numbers[row]] = row
    begin, end, top, best = 0, 0, 0, -1
    for one in range(lows.size):
        low, high = lows[one], highs[one]
        if low >= high:
            continue
        if low >= end or low < begin:
            for row in range(begin, end):
                of_counts[counts[numbers[row]]] = 0
                counts[numbers[row]] = 0
            begin, end, top, best = low, low, 0, -1
        is_lost = False
        while end > high:
            end -= 1
            number = numbers[end]
            of_counts[counts[number]] -= 1
            counts[number] -= 1
            of_counts[counts[number]] += 1
            is_lost = is_lost or number == best
        while begin < low:
            number = numbers[begin]
            of_counts[counts[number]] -= 1
            counts[number] -= 1
            of_counts[counts[number]] += 1
            firsts[number] = nexts[begin]
            begin += 1
            is_lost = is_lost or number == best
        while end < high:
            number = numbers[end]
            if counts[number] == 0:
                firsts[number] = end
            of_counts[counts[number]] -= 1
            counts[number] += 1
            of_counts[counts[number]] += 1
            if counts[number] > top or (counts[number] == top and best >= 0 and firsts[number] < firsts[best]):
                top = counts[number]
                best = number
            end += 1
        if is_lost:
            while of_counts[top] == 0:
                top -= 1
            row = begin
            while counts[numbers[row]] < top:
                row += 1
            best = numbers[row]
        found[one] = firsts[best]
