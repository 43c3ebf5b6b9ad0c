"""The loop that finds what groups of a regular expression hold, by tables that `tqp.kernels.automata` describes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tqp.kernels.loops.loop import loop

__all__ = ["find_all_groups", "find_groups"]


@loop((
    torch.uint8, torch.int64, torch.int64, torch.uint8, int, torch.uint8, torch.int32, int, torch.int64,
))  # fmt: skip
def find_groups(
    data: Any,
    begins: Any,
    stops: Any,
    back: Any,
    last: int,
    accepts: Any,
    ahead: Any,
    slots: int,
    places: Any,
) -> None:
    """Write to `places` (n * slots,) where groups in the strings `data[begins[i]:stops[i]]` begin and end.

    -1 where they hold nothing, -2 in the first one where a string does not match.
    """
    # Without a sign a subscript is not asked whether it counts from the end.
    one, eight, most = np.uint64(1), np.uint64(8), np.uint64(slots)
    states = np.empty(1, np.uint8)
    for row in range(begins.size):
        begin, size = np.uint64(begins[row]), np.uint64(stops[row] - begins[row])
        if size >= np.uint64(states.size):
            states = np.empty(2 * size + one, np.uint8)
        state = np.uint64(last)
        states[size] = state
        at = size
        while at > np.uint64(0):
            at -= one
            state = np.uint64(back[(state << eight) | np.uint64(data[begin + at])])
            states[at] = state
        base = np.uint64(row) * most
        for slot in range(slots):
            places[base + np.uint64(slot)] = -1
        if not accepts[state]:
            places[base] = -2
            continue
        node = np.int64(0)
        while node >= 0:
            entry = np.int64(ahead[np.uint64(node) + np.uint64(states[at])])
            node = entry >> 8
            saved = entry & 255
            if saved:
                for slot in range(slots):
                    if saved >> slot & 1:
                        places[base + np.uint64(slot)] = begin + at
            at += one


@loop((
    torch.uint8, torch.int64, torch.uint8, int, torch.uint8, torch.int32, int, torch.int64, torch.int64, torch.int64,
))  # fmt: skip
def find_all_groups(
    data: Any,
    offsets: Any,
    back: Any,
    last: int,
    accepts: Any,
    ahead: Any,
    slots: int,
    counts: Any,
    firsts: Any,
    lasts: Any,
) -> int:
    """Write to `firsts` and `lasts` where the last group of each match in the strings `data[offsets[i]:offsets[i + 1]]` lies, and
    to `counts` (n,) how many each string has: how many there are. The first two slots are those of the whole match, never empty.
    """
    eight = np.uint64(8)
    states = np.empty(1, np.uint8)
    places = np.empty(slots, np.int64)
    total = 0
    for row in range(counts.size):
        begin, size = offsets[row], offsets[row + 1] - offsets[row]
        if size >= states.size:
            states = np.empty(2 * size + 1, np.uint8)
        state = np.uint64(last)
        states[size] = state
        for at in range(size - 1, -1, -1):
            state = np.uint64(back[(state << eight) | np.uint64(data[begin + at])])
            states[at] = state
        before = total
        at = 0
        # What matches from a place on is known for all of them: each match is looked for behind the one before it.
        while at <= size and accepts[states[at]]:
            node = np.int64(0)
            for slot in range(slots):
                places[slot] = -1
            here = at
            while node >= 0:
                entry = np.int64(ahead[node + states[here]])
                node = entry >> 8
                saved = entry & 255
                if saved:
                    for slot in range(slots):
                        if saved >> slot & 1:
                            places[slot] = here
                here += 1
            firsts[total] = begin + places[slots - 2]
            lasts[total] = begin + places[slots - 1]
            total += 1
            at = max(places[1], at + 1)
        counts[row] = total - before
    return total
