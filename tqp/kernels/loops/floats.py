"""Loops over the bits of floats."""

from __future__ import annotations

from typing import Any, Final

import torch

from tqp.kernels.loops.loop import loop

__all__ = ["order_doubles"]

_MAGNITUDE: Final = 2**63 - 1
_INFINITY: Final = 0x7FF0000000000000
_NEGATIVE_ZERO: Final = -(2**63)


@loop((torch.int64, torch.int64))
def order_doubles(bits: Any, keys: Any) -> None:
    """Write to `keys` (n,) the integers that order as the float64 of these bits (n,) do: -0.0 is 0.0, all NaN are the greatest."""
    for row in range(bits.size):
        own = bits[row]
        own = 0 if own == _NEGATIVE_ZERO else own
        # A negative float's bits order backwards: all but the sign are flipped.
        found = own ^ ((own >> 63) & _MAGNITUDE)
        keys[row] = _MAGNITUDE if (own & _MAGNITUDE) > _INFINITY else found
