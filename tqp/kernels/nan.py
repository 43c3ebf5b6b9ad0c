"""NaN: its sign, which only its text shows, and rows without it."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from tqp.kernels.operation import Variant, operation

__all__ = ["signed_nan", "without_nan"]


def signed_nan(result: Tensor, *args: Tensor, sign: int = -1) -> Tensor:
    """The `result` of a function of `args`, all floats (n,) or 0-dim, with signs for its NaN.

    It is the sign of the first argument that is NaN, else `sign`. The sign that a processor gives depends on how
    many rows it takes at a time. Some 3 passes an argument.
    """
    nan = result.copysign(sign)
    for arg in reversed(args):
        nan = torch.where(arg.isnan(), arg, nan)
    return torch.where(result.isnan(), nan, result)


def _are_numbers(x: Tensor, valid: Tensor | None) -> bool:
    return not np.isnan(x.numpy()).any()


def _all_of(x: Tensor, valid: Tensor | None) -> Tensor | None:
    return valid


@operation(Variant(_all_of, "cpu", "values without NaN, as most are, need no mask", _are_numbers))
def without_nan(x: Tensor, valid: Tensor | None) -> Tensor | None:
    """`valid` (n,) bool less the rows of `x` (n,) floats that are NaN; None stands for all rows."""
    return ~x.isnan() if valid is None else valid & ~x.isnan()
