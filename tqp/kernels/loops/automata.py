"""The loop that finds what groups of a regular expression hold, by tables that `tqp.kernels.automata` describes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tqp.kernels.loops.loop import loop

__all__ = ["find_groups"]


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
