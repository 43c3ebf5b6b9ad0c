"""Loops that put rows in order by counting."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tqp.kernels.loops.loop import WIDTHS, loop

__all__ = ["put_ranges", "repeat_owners", "repeat_places", "repeat_ranges", "rows_by_slot", "rows_of_ranges"]

_AT_ONCE = 8
"""So many numbers are written of a range however short it is, as long as there is room for them: the next one writes over what is
too many. That takes half the time of a loop whose end no processor foresees."""

_PLACES = np.zeros(64, np.int32)
"""The place of a single bit, by the upper six bits of its product with `_BRUIJN`."""
_BRUIJN = 0x03F79D71B4CB0A89

for _place in range(64):
    _PLACES[(_BRUIJN << _place & 2**64 - 1) >> 58] = _place


@loop(*((width, int, torch.int32, torch.int32) for width in WIDTHS))
def rows_by_slot(key: Any, minimum: int, starts: Any, order: Any) -> bool:
    """Write to `order` (n,) int32 the rows of `key` (n,), ascending by key, equal ones in their order (counting sort).

    The rows of key minimum + s, 0 <= s < size, take the places starts[s] .. starts[s + 1] - 1; `starts` (size + 2,) int32 is zero
    before, and its last two are n. True where the keys ascend already: then `order` is not written.
    """
    is_sorted = True
    before = np.int64(minimum)
    # Counted two slots late, so that a slot's end is where the next one starts once all its rows have their places.
    for row in range(key.size):
        value = np.int64(key[row])
        if value < before:
            is_sorted = False
        before = value
        starts[value - minimum + 2] += 1
    total = 0
    for slot in range(starts.size):
        total += starts[slot]
        starts[slot] = total
    if is_sorted:
        for slot in range(starts.size - 1):
            starts[slot] = starts[slot + 1]
        return True
    for row in range(key.size):
        place: Any = np.int64(key[row]) - minimum + 1
        order[starts[place]] = row
        starts[place] += 1
    return False


@loop((torch.int32, torch.int32, torch.int32, torch.uint64, torch.int32))
def rows_of_ranges(starts: Any, counts: Any, order: Any, words: Any, rows: Any) -> None:
    """Write to `rows` (m,), ascending, what `order` has in the ranges starts[p] .. starts[p] + counts[p] - 1; no row twice.

    `words` has a bit for each row that there may be, all zero before.
    """
    for one in range(starts.size):
        first = np.int64(starts[one])
        for place in range(first, first + np.int64(counts[one])):
            row = np.uint64(order[place])
            words[row >> np.uint64(6)] |= np.uint64(1) << (row & np.uint64(63))
    count = 0
    for word in range(words.size):
        left = words[word]
        while left != np.uint64(0):
            lowest = left & (~left + np.uint64(1))
            rows[count] = (word << 6) + _PLACES[(lowest * np.uint64(_BRUIJN)) >> np.uint64(58)]
            left ^= lowest
            count += 1


@loop(*((width, width, torch.int32, width) for width in WIDTHS))
def repeat_ranges(starts: Any, counts: Any, owners: Any, places: Any) -> None:
    """Write to `places` (m,) the numbers starts[p] .. starts[p] + counts[p] - 1 of each p, and to `owners` (m,) p for each."""
    at = 0
    for one in range(counts.size):
        first = starts[one]
        for step in range(counts[one]):
            owners[at] = one
            places[at] = first + step
            at += 1


@loop(*((width, int, torch.int32) for width in WIDTHS))
def repeat_owners(counts: Any, first: int, owners: Any) -> None:
    """Write to `owners` (m,) first + p, counts[p] times for each p."""
    at, border = 0, owners.size - _AT_ONCE
    for one in range(counts.size):
        owner, size = first + one, counts[one]
        if at <= border and size <= _AT_ONCE:
            for step in range(_AT_ONCE):
                owners[at + step] = owner
        else:
            for step in range(size):
                owners[at + step] = owner
        at += size


@loop(*((width, width, width) for width in WIDTHS))
def repeat_places(starts: Any, counts: Any, places: Any) -> None:
    """Write to `places` (m,) the numbers starts[p] .. starts[p] + counts[p] - 1 of each p."""
    at, border = 0, places.size - _AT_ONCE
    for one in range(counts.size):
        first, size = starts[one], counts[one]
        if at <= border and size <= _AT_ONCE:
            for step in range(_AT_ONCE):
                places[at + step] = first + step
        else:
            for step in range(size):
                places[at + step] = first + step
        at += size


@loop(*((kind, torch.int32, torch.int64, kind) for kind in (torch.int8, torch.int16, *WIDTHS)))
def put_ranges(values: Any, counts: Any, targets: Any, found: Any) -> None:
    """Write `values` (n,), counts[p] of each p one behind the other, to the places of `found` from targets[p] on."""
    at = 0
    for one in range(counts.size):
        first = targets[one] - at
        end = at + np.int64(counts[one])
        while at < end:
            found[first + at] = values[at]
            at += 1
