"""Means of groups of floats, exact where all values of a group are equal, whatever rounding does to their sum."""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.kernels.reduce import extreme_at_, scatter_sum

__all__ = ["grouped"]


def grouped(weights: Tensor, values: Tensor, count: Tensor, ids: Tensor) -> Tensor:
    """(g,) float64: the means of values (n,), each of a weight (n,) >= 0, in groups `ids` (n,) int64 of `count` (g,) altogether.

    Of groups without weight 0. Values are measured from the least one of their group. Two scatters and a gather.
    """
    least = torch.full_like(count, torch.inf)
    extreme_at_(least, ids, torch.where(weights > 0, values, torch.inf), False)
    base = torch.where(least.isfinite(), least, 0.0)
    apart = torch.where(weights > 0, (values - base.index_select(0, ids)) * weights, 0.0)
    return base + scatter_sum(apart, ids, count.shape[0]) / count.clamp(min=1)
