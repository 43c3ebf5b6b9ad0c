"""Loops over the bits of floats."""

from __future__ import annotations

from typing import Any, Final

import torch

from tqp.kernels.loops.loop import loop, part

__all__ = ["order_doubles", "put_doubles_by_group"]

_MAGNITUDE: Final = 2**63 - 1
_INFINITY: Final = 0x7FF0000000000000
_NEGATIVE_ZERO: Final = -(2**63)


@part
def _image(own: Any) -> Any:
    """The integer that orders as the float64 of these bits does: -0.0 is 0.0, all NaN are the greatest."""
    own = 0 if own == _NEGATIVE_ZERO else own
    # A negative float's bits order backwards: all but the sign are flipped.
    found = own ^ ((own >> 63) & _MAGNITUDE)
    return _MAGNITUDE if (own & _MAGNITUDE) > _INFINITY else found


@loop((torch.int64, torch.int64))
def order_doubles(bits: Any, keys: Any) -> None:
    """Write to `keys` (n,) the images of the float64 of these bits (n,)."""
    for row in range(bits.size):
        keys[row] = _image(bits[row])


@loop((torch.int64, torch.int64, torch.int64, torch.int64))
def put_doubles_by_group(bits: Any, ids: Any, nexts: Any, room: Any) -> None:
    """`put_by_group` of the images of the float64 of these bits (n,)."""
    for row in range(bits.size):
        group = ids[row]
        room[nexts[group]] = _image(bits[row])
        nexts[group] += 1
