"""Widths and limits of stored numbers."""

from __future__ import annotations

import torch

from tqp import types

__all__ = ["ELEMENTS", "Bounds", "clipped", "narrowest"]

Bounds = tuple[int, int]
"""Proven inclusive limits of stored integers."""

ELEMENTS = {
    types.FLOAT: torch.float32,
    types.DOUBLE: torch.float64,
    types.TINYINT: torch.int8,
    types.SMALLINT: torch.int16,
    types.INTEGER: torch.int32,
    types.BIGINT: torch.int64,
    types.UTINYINT: torch.int16,
    types.USMALLINT: torch.int32,
    types.UINTEGER: torch.int64,
}
"""The dtypes of the elements of arrays."""


def narrowest(low: int, high: int) -> torch.dtype | None:
    """The narrowest signed integer dtype that holds low..high; None where 64 bits do not suffice."""
    for dtype, limit in ((torch.int8, 2**7), (torch.int16, 2**15), (torch.int32, 2**31), (torch.int64, 2**63)):
        if -limit <= low and high < limit:
            return dtype
    return None


def clipped(bounds: Bounds, allowed: Bounds) -> Bounds:
    """The part of `bounds` within `allowed`: the limits of values that were checked to lie there.

    Where there is no such part no value passed the check: all rows are NULL, or there are none. The nearest end of
    `allowed` is then as true as any, and keeps the limits in order.
    """
    low, high = max(bounds[0], allowed[0]), min(bounds[1], allowed[1])
    if low > high:
        low = high = allowed[0] if bounds[1] < allowed[0] else allowed[1]
    return low, high
