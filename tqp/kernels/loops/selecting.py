"""Loops that select: what stands at some places in order, without putting all in order."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tqp.kernels.loops.loop import WIDTHS, loop, part

__all__ = ["put_by_group", "select_in_groups"]

_FEW = 24
"""So many values are put in order, one after the other."""


@part
def _selected(values: Any, low: int, high: int, place: int, seed: Any) -> Any:
    """The value at `place` of values[low .. high] in order, which it moves about: those before it are no greater.

    Hoare's selection, around the middle of three values at random places.
    """
    while high - low > _FEW:
        size = np.uint64(high - low + 1)
        seed = seed * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        one = values[low + np.int64((seed >> np.uint64(33)) % size)]
        seed = seed * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        two = values[low + np.int64((seed >> np.uint64(33)) % size)]
        seed = seed * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        three = values[low + np.int64((seed >> np.uint64(33)) % size)]
        pivot = max(min(one, two), min(max(one, two), three))
        left, right = low, high
        while left <= right:
            while values[left] < pivot:
                left += 1
            while values[right] > pivot:
                right -= 1
            if left <= right:
                values[left], values[right] = values[right], values[left]
                left += 1
                right -= 1
        if place <= right:
            high = right
        elif place >= left:
            low = left
        else:
            return values[place]
    for row in range(low + 1, high + 1):
        value = values[row]
        at = row
        while at > low and values[at - 1] > value:
            values[at] = values[at - 1]
            at -= 1
        values[at] = value
    return values[place]


@loop(*((width, torch.int64, torch.int64, width) for width in WIDTHS))
def put_by_group(keys: Any, ids: Any, nexts: Any, room: Any) -> None:
    """Write the keys (n,) of each group `ids` (n,) to `room` (n,) from `nexts` (g,) on, which are then where they end."""
    for row in range(keys.size):
        group = ids[row]
        room[nexts[group]] = keys[row]
        nexts[group] += 1


@loop(*((width, torch.int64, torch.int64, torch.int64, torch.int64) for width in WIDTHS))
def select_in_groups(room: Any, begins: Any, ends: Any, places: Any, found: Any) -> None:
    """Write to `found` (p * g,) what stands at `places` (p * g,) of each of g groups in order, for those of room[begins : ends].

    These are moved about. Of groups without rows nothing is written.
    """
    groups = begins.size
    for one in range(places.size):
        group = one % groups
        begin, end = begins[group], ends[group]
        if begin < end:
            found[one] = _selected(room, begin, end - 1, begin + places[one], np.uint64(one + 1))
