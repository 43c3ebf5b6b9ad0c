"""Roots of floats."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from tqp.kernels.operation import Variant, operation

__all__ = ["square_root"]


def _by_numpy(x: Tensor) -> Tensor:
    with np.errstate(invalid="ignore"):
        return torch.from_numpy(np.asarray(np.sqrt(x.numpy())))


@operation(
    Variant(_by_numpy, "cpu", "the processor's own root is the nearest float; that of torch's library need not be")
)
def square_root(x: Tensor) -> Tensor:
    """The float next to the square root of each of the floats (n,) or 0-dim; NaN below 0. One pass."""
    return torch.sqrt(x)
