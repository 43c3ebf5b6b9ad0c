"""Loops over groups of floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tqp.kernels.loops.loop import loop

__all__ = ["group_moments"]

_F = torch.float64


@loop((_F, _F, _F, torch.int64, _F, _F, _F, _F))
def group_moments(
    weight: Any, mean: Any, squares: Any, ids: Any, count: Any, least: Any, middle: Any, total: Any
) -> None:
    """Write to `count`, `middle` and `total` (g,), all 0 before, the moments of parts (n,) in groups `ids` (n,).

    `least` (g,) is room to work in. Three passes, each in the order of the rows, so that all is rounded as by `grouped`.
    """
    for group in range(count.size):
        least[group] = np.inf
    for row in range(ids.size):
        group = ids[row]
        count[group] += weight[row]
        # NaN is not less than anything.
        if weight[row] > 0 and mean[row] < least[group]:
            least[group] = mean[row]
    for group in range(count.size):
        least[group] /= 2
    for row in range(ids.size):
        if weight[row] > 0:
            group = ids[row]
            middle[group] += (mean[row] / 2 - least[group]) * (weight[row] / max(count[group], 1.0))
    for group in range(count.size):
        middle[group] = 2 * ((least[group] if count[group] > 0 else 0.0) + middle[group])
    for row in range(ids.size):
        group = ids[row]
        apart = mean[row] - middle[group]
        total[group] += squares[row] + (apart * apart * weight[row] if weight[row] > 0 else 0.0)
