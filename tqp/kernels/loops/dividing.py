"""Loops that divide by numbers that are the same for all, many at a time.

Processors divide 64-bit integers one after the other. They multiply floats with an inverse eight at a time: that quotient is off by
one at most, as its rest tells.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tqp.kernels.loops.loop import loop

__all__ = ["EXACT", "HALVES", "digits", "steps"]

EXACT = 2**52
"""Integers below this one are floats, and their quotients by integers off by one at most."""
HALVES = 2**50
"""Halves below this one are floats, too, whose quotients by integers are off by less than to the next integer."""


@loop((torch.int64, int, float, float, torch.int8), (torch.int64, int, float, float, torch.int32))
def digits(x: Any, first: int, by: float, span: float, found: Any) -> None:
    """Write to `found` (n,) how many whole `by` are in what is left of x - first (n,) without its whole `span`.

    Both are integers, `span` is a multiple of `by` and below HALVES; 0 <= x - first < EXACT. Of other x it is any such number.
    """
    digit, period, most = 1.0 / by, 1.0 / span, span - 1.0
    for row in range(x.size):
        own = np.float64(x[row] - first)
        left = own - np.floor(own * period) * span
        left = left + span if left < 0.0 else left
        left = left - span if left >= span else left
        left = left if left > 0.0 else 0.0
        left = left if left < most else most
        found[row] = np.int32((left + 0.5) * digit)


@loop((torch.int64, int, float, float, torch.int32))
def steps(x: Any, first: int, by: float, most: float, found: Any) -> None:
    """Write to `found` (n,) how many whole `by`, an integer, are in x - first (n,) < EXACT; from 0 to `most` < 2**31."""
    step = 1.0 / by
    for row in range(x.size):
        own = np.float64(x[row] - first)
        count = np.floor(own * step)
        left = own - count * by
        count = count - 1.0 if left < 0.0 else count
        count = count + 1.0 if left >= by else count
        count = count if count > 0.0 else 0.0
        found[row] = np.int32(count if count < most else most)
