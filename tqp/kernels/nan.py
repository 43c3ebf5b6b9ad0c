"""The sign of NaN, which only its text shows."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["signed_nan"]


def signed_nan(result: Tensor, *args: Tensor, sign: int = -1) -> Tensor:
    """The `result` of a function of `args`, all floats (n,) or 0-dim, with signs for its NaN.

    It is the sign of the first argument that is NaN, else `sign`. The sign that a processor gives depends on how
    many rows it takes at a time. Some 3 passes an argument.
    """
    nan = result.copysign(sign)
    for arg in reversed(args):
        nan = torch.where(arg.isnan(), arg, nan)
    return torch.where(result.isnan(), nan, result)
