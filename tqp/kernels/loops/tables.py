"""Loops over rows of tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from tqp.kernels.loops.loop import loop

__all__ = ["add_rows"]


@loop()
def add_rows(sums: Any, table: Any, codes: Any, width: int) -> None:
    """Add to each row of `sums` (n * width,) the rows of `table` (e * width,) that its `codes` (k * n,) int32 choose, in order."""
    size = np.uint64(width)
    rows = sums.size // width
    places = codes.size // max(rows, 1)
    for row in range(rows):
        own = np.uint64(row) * size
        place = 0
        while place < places:
            # Up to four at a time, so that a sum is read and written as rarely; one after the other, as rounding depends on it.
            left = places - place
            t0 = np.uint64(codes[place * rows + row]) * size
            if left == 1:
                for output in range(size):
                    sums[own + output] += table[t0 + output]
                break
            t1 = np.uint64(codes[(place + 1) * rows + row]) * size
            if left == 2:
                for output in range(size):
                    sums[own + output] = (sums[own + output] + table[t0 + output]) + table[t1 + output]
                break
            t2 = np.uint64(codes[(place + 2) * rows + row]) * size
            if left == 3:
                for output in range(size):
                    two = (sums[own + output] + table[t0 + output]) + table[t1 + output]
                    sums[own + output] = two + table[t2 + output]
                break
            t3 = np.uint64(codes[(place + 3) * rows + row]) * size
            for output in range(size):
                two = (sums[own + output] + table[t0 + output]) + table[t1 + output]
                sums[own + output] = (two + table[t2 + output]) + table[t3 + output]
            place += 4
