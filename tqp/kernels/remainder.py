"""The rest of a division of floats."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from tqp.kernels.operation import Variant, operation

__all__ = ["remainder"]


def _by_numpy(x: Tensor, y: Tensor) -> Tensor:
    with np.errstate(all="ignore"):
        return torch.from_numpy(np.asarray(np.fmod(x.numpy(), y.numpy())))


@operation(Variant(_by_numpy, "cpu", "torch's vectorised loop is NaN where the quotient leaves the floats' range"))
def remainder(x: Tensor, y: Tensor) -> Tensor:
    """x - y * trunc(x / y), exact, of floats (n,) or 0-dim of one dtype; NaN where `y` is 0. One pass."""
    return torch.fmod(x, y)
