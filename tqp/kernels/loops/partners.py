"""A loop that finds the partners of rows among those of their keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tqp.kernels.loops.loop import WIDTHS, loop

__all__ = ["match_rows"]

_BLOCK = 1024
"""Rows whose numbers stay in the nearest cache."""
_TRIED = 3 * _BLOCK
_FEW = 4
"""The rows before the end of that block tell whether at most one in so many has candidates. Where more do, to find and list the
candidates of all rows step by step is as fast, or faster."""
_BOOL = torch.bool
_INT = torch.int32


@loop(*((width, int, _BOOL, _BOOL, _INT, _INT, width, width, _BOOL, int) for width in WIDTHS))
def match_rows(
    key: Any,
    minimum: int,
    valid: Any,
    present: Any,
    starts: Any,
    order: Any,
    digit: Any,
    check: Any,
    alive: Any,
    most: int,
) -> Any:
    """(whether all pairs were found, how many, the rows of `key` (n,), their partners): pairs of equal keys and digits.

    Key minimum + s has the partners order[starts[s]] .. order[starts[s + 1] - 1]; an empty `order` is 0, 1, …. Of `valid` (n,),
    `present` (by s) and `alive` (by partner) False leaves out; `digit` (n,) must be as `check` (by partner) is. Each of them may
    be empty, which leaves out nothing. More than `most` candidates are not looked at, nor those of many rows.
    """
    size = np.uint64(starts.size - 2)
    room: Any = key.size // 4 + 64
    owners, partners = np.empty(room, np.int32), np.empty(room, np.int32)
    some = np.empty(_BLOCK, np.int32)
    seen = 0
    count: Any = 0
    tried: Any = 0
    for block in range(0, key.size, _BLOCK):
        stop = min(block + _BLOCK, key.size)
        # Which rows have candidates is found without branches, which few hits would make wrong ones of.
        found = 0
        if present.size > 0:
            for row in range(block, stop):
                slot = np.uint64(np.int64(key[row]) - minimum)
                inside = slot < size
                some[found] = row
                found += 1 if inside & present[slot if inside else np.uint64(0)] else 0
        else:
            for row in range(block, stop):
                slot = np.uint64(np.int64(key[row]) - minimum)
                slot = slot if slot < size else size
                some[found] = row
                found += 1 if starts[slot + np.uint64(1)] > starts[slot] else 0
        seen += found
        if block == _TRIED and seen * _FEW > block + _BLOCK:
            return False, 0, owners, partners
        for one in range(found):
            row = some[one]
            if valid.size > 0 and not valid[row]:
                continue
            slot = np.uint64(np.int64(key[row]) - minimum)
            first: Any = np.int64(starts[slot])
            last: Any = np.int64(starts[slot + np.uint64(1)])
            tried += last - first
            if tried > most:
                return False, 0, owners, partners
            if count + last - first > room:
                # As many as there will be if rows go on to have as many.
                room = (count + last - first) * key.size // (row + 1) * 9 // 8 + 2 * (count + last - first)
                more, others = np.empty(room, np.int32), np.empty(room, np.int32)
                more[:count], others[:count] = owners[:count], partners[:count]
                owners, partners = more, others
            for place in range(first, last):
                partner = np.int64(order[place]) if order.size > 0 else place
                if check.size > 0 and check[partner] != digit[row]:
                    continue
                if alive.size > 0 and not alive[partner]:
                    continue
                owners[count] = row
                partners[count] = partner
                count += 1
    return True, count, owners, partners
