"""The loop that finds the nearest of stored rows down a tree of boxes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from tqp.kernels.loops.loop import loop, part

__all__ = ["CITY", "EUCLID", "LARGEST", "descend"]

CITY = 1
"""Distances are sums of the differences of all columns."""
EUCLID = 2
"""Roots of the sums of their squares."""
LARGEST = 0
"""The largest difference."""
_TOGETHER = 8  # columns
_DEEP = 64  # more levels than a tree has


@part
def owed_to(rows: Any, base: int, boxes: Any, box: int, width: int, measure: int) -> float:
    """How far the row that begins at `base` is from the box at `box` at least, as a sum of squares where EUCLID takes its root."""
    total = 0.0
    for column in range(width):
        value = rows[base + column]
        apart = max(boxes[box + column] - value, value - boxes[box + width + column])
        if apart > 0.0:
            if measure == EUCLID:
                total += apart * apart
            elif measure == CITY:
                total += apart
            else:
                total = max(total, apart)
    return total


@loop((torch.float64, torch.float64, torch.int64, torch.float64, torch.int64, int, int, int, torch.int64))
def descend(
    rows: Any, points: Any, places: Any, boxes: Any, bounds: Any, width: int, count: int, measure: int, found: Any
) -> None:
    """Write to `found` (n * count,) int64 what `kernels/neighbours.py` says for rows (n * width,) float64.

    `points` (m * width,) float64 in the order of the leaves, `places` (m,) their places; of each node `boxes` (nodes * 2 * width,)
    float64 has the least and the greatest of each column, `bounds` (nodes * 2,) int64 the first of its points and the one behind
    the last.
    """
    nodes = bounds.size // 2
    stored = places.size
    first_leaf = nodes // 2
    near = np.empty(count, np.float64)
    at = np.empty(count, np.int64)
    stack = np.empty(_DEEP, np.int64)
    owed = np.empty(_DEEP, np.float64)
    last = count - 1
    for row in range(rows.size // width):
        base = row * width
        for slot in range(count):
            near[slot] = np.inf
            at[slot] = stored
        # No sum above it is a distance that counts; a root may hide the last digits of a sum.
        limit = np.inf
        stack[0] = 0
        owed[0] = 0.0
        size = 1
        while size > 0:
            size -= 1
            node = stack[size]
            if owed[size] > limit:
                continue
            if node >= first_leaf:
                for place in range(bounds[2 * node], bounds[2 * node + 1]):
                    start = place * width
                    total = 0.0
                    first = 0
                    # What is too far by some columns need not be summed up.
                    while first < width and total <= limit:
                        stop = min(first + _TOGETHER, width)
                        if measure == EUCLID:
                            for column in range(first, stop):
                                apart = rows[base + column] - points[start + column]
                                total += apart * apart
                        elif measure == CITY:
                            for column in range(first, stop):
                                total += abs(rows[base + column] - points[start + column])
                        else:
                            for column in range(first, stop):
                                total = max(total, abs(rows[base + column] - points[start + column]))
                        first = stop
                    if total <= limit:
                        distance = math.sqrt(total) if measure == EUCLID else total
                        index = places[place]
                        if distance < near[last] or (distance == near[last] and index < at[last]):
                            slot = last
                            while slot > 0 and (
                                distance < near[slot - 1] or (distance == near[slot - 1] and index < at[slot - 1])
                            ):
                                near[slot] = near[slot - 1]
                                at[slot] = at[slot - 1]
                                slot -= 1
                            near[slot] = distance
                            at[slot] = index
                            limit = near[last]
                            if measure == EUCLID:
                                limit = max(limit * limit * (1 + 1e-15), total if slot == last else 0.0)
                continue
            left, right = 2 * node + 1, 2 * node + 2
            to_left = owed_to(rows, base, boxes, 2 * width * left, width, measure)
            to_right = owed_to(rows, base, boxes, 2 * width * right, width, measure)
            # The nearer one is looked at first.
            if to_left <= to_right:
                stack[size], owed[size] = right, to_right
                stack[size + 1], owed[size + 1] = left, to_left
            else:
                stack[size], owed[size] = left, to_left
                stack[size + 1], owed[size + 1] = right, to_right
            size += 2
        for slot in range(count):
            # A row of NaN is near to nothing.
            found[row * count + slot] = at[slot] if at[slot] < stored else slot
