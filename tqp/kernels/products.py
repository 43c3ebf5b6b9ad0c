"""Products of floats, and what they lack."""

from __future__ import annotations

from typing import Final

from torch import Tensor

__all__ = ["error"]

_SPLIT: Final = float(2**27 + 1)
"""What parts 53 bits into two halves."""


def error(x: Tensor, y: Tensor, product: Tensor) -> Tensor:
    """x * y - product, exact, of float64 tensors and what float64 makes of x * y; NaN where a number is beyond 2**996."""
    (high, low), (upper, lower) = _halves(x), _halves(y)
    return ((high * upper - product) + high * lower + low * upper) + low * lower


def _halves(x: Tensor) -> tuple[Tensor, Tensor]:
    scaled = x * _SPLIT
    high = scaled - (scaled - x)
    return high, x - high
