"""Loops that find numbers among ascending cuts."""

from __future__ import annotations

from typing import Any

import numpy as np

from tqp.kernels.loops.loop import loop

__all__ = ["find_cells"]

_ROWS = 1024  # a step for so many rows at a time, so that none waits for another


@loop()
def find_cells(
    numbers: Any, low: Any, scale: Any, last: Any, missing: int, starts: Any, padded: Any, steps: int, found: Any
) -> None:
    """Write to `found` (n,) int32 how many cuts are below each of `numbers` (n,), `missing` for NaN.

    The grid is that of `kernels/cuts.py`: `low` (1,), `scale` (1,) and its `last` place (1,) are of the dtype of the numbers, so
    that all is rounded as it is there. The search within a cell has no branch.
    """
    origin, unit, end = low[0], scale[0], last[0]
    zero = origin - origin
    for start in range(0, numbers.size, _ROWS):
        stop = min(start + _ROWS, numbers.size)
        for row in range(start, stop):
            place = (numbers[row] - origin) * unit
            # NaN is neither: it is at the place 0.
            place = place if place > zero else zero
            found[row] = starts[np.uint32(np.int32(place if place < end else end))]
        for step in range(steps):
            half = np.uint32(1) << np.uint32(steps - 1 - step)
            for row in range(start, stop):
                cell = np.uint32(found[row])
                found[row] = cell + half * np.uint32(padded[cell + half - np.uint32(1)] < numbers[row])
        for row in range(start, stop):
            if numbers[row] != numbers[row]:
                found[row] = missing
