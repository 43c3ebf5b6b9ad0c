"""Moments of groups of floats: how many, their mean, and the sum of squared differences from it, (g,) float64 each.

Parts are put together as Chan, Golub and LeVeque (1983) do. Means are kept in range, whatever the values: equal values have
just that mean and no squares, and a mean is infinite or NaN only where a value is. An empty part changes nothing.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from tqp.kernels.loops.moments import group_moments, moments_of_rows
from tqp.kernels.operation import Variant, operation
from tqp.kernels.reduce import minimum, scatter_sum

__all__ = ["SCALE", "Moments", "around", "grouped", "joint", "known", "of_rows", "spread", "together"]

Moments = tuple[Tensor, ...]
"""Count, mean and squares."""

SCALE: Final = 2.0**-32
"""So small that sums of finite values never leave the range; a power of two, which rounds nothing."""


def joint(a: Moments, b: Moments) -> Moments:
    """Two parts as one: all (g,)."""
    count = a[0] + b[0]
    share = b[0] / count.clamp(min=1)
    # Where one part is empty, the other stays as it is: infinity times 0 would be NaN.
    both = (a[0] > 0) & (b[0] > 0)
    # Half of a distance is always in range.
    between = 2 * (a[1] / 2 + (b[1] / 2 - a[1] / 2) * share)
    mean = torch.where(both, between, torch.where(b[0] > 0, b[1], a[1]))
    squares = a[2] + b[2] + torch.where(both, (b[1] - a[1]) ** 2 * a[0] * share, 0.0)
    return count, mean, squares


def grouped(parts: Moments, ids: Tensor, groups: int) -> Moments:
    """Parts (n,) with group numbers (n,) int64 as one each group."""
    weight, mean, squares = parts
    return together(weight, mean, squares, ids, groups)


def _by_loop(weight: Tensor, mean: Tensor, squares: Tensor, ids: Tensor, groups: int) -> Moments:
    count, least, middle, total = torch.zeros(4, groups, dtype=torch.float64, device=ids.device)
    group_moments(
        weight.contiguous().numpy(), mean.contiguous().numpy(), squares.contiguous().numpy(), ids.contiguous().numpy(),
        count.numpy(), least.numpy(), middle.numpy(), total.numpy(),
    )  # fmt: skip
    return count, middle, total


def _is_compiled(weight: Tensor, mean: Tensor, squares: Tensor, ids: Tensor, groups: int) -> bool:
    # One sum of all rows is rounded otherwise, and takes no scatter.
    parts = torch.float64, torch.float64, torch.float64
    return groups > 1 and group_moments.ready(ids.shape[0], *parts, torch.int64, *parts, torch.float64)


@operation(Variant(_by_loop, "cpu", "three passes over the rows instead of a score", _is_compiled))
def together(weight: Tensor, mean: Tensor, squares: Tensor, ids: Tensor, groups: int) -> Moments:
    """`grouped` of parts (n,) float64: four scatters and three gathers."""
    count = scatter_sum(weight, ids, groups)
    some = weight > 0
    # Measured from a value of the group, equal ones are exactly 0 apart.
    least = minimum(torch.where(some, mean, torch.inf), ids, groups) / 2
    apart = mean / 2 - least.index_select(0, ids)
    share = weight / count.clamp(min=1).index_select(0, ids)
    middle = 2 * (torch.where(count > 0, least, 0.0) + scatter_sum(torch.where(some, apart * share, 0.0), ids, groups))
    squares = squares + torch.where(some, (mean - middle.index_select(0, ids)) ** 2 * weight, 0.0)
    return count, middle, scatter_sum(squares, ids, groups)


def _rows_by_loop(values: Tensor, valid: Tensor | None, ids: Tensor, groups: int) -> Moments:
    count, least, middle, total = torch.zeros(4, groups, dtype=torch.float64, device=ids.device)
    numbers, own = known(valid, values, ids)
    moments_of_rows(numbers, own, count.numpy(), least.numpy(), middle.numpy(), total.numpy())
    return count, middle, total


def _rows_are_compiled(values: Tensor, valid: Tensor | None, ids: Tensor, groups: int) -> bool:
    real = torch.float64
    return groups > 1 and moments_of_rows.ready(ids.shape[0], real, torch.int64, real, real, real, real)


def known(valid: Tensor | None, *columns: Tensor) -> list[np.ndarray[Any, Any]]:
    """The rows of columns (n,) on the CPU in which `valid` (n,) bool holds, for loops; all if it is None."""
    arrays = [column.contiguous().numpy() for column in columns]
    return arrays if valid is None else [array[valid.numpy()] for array in arrays]


@operation(Variant(_rows_by_loop, "cpu", "makes no parts of the rows", _rows_are_compiled))
def of_rows(values: Tensor, valid: Tensor | None, ids: Tensor, groups: int) -> Moments:
    """The moments (g,) of values (n,) float64 of groups `ids` (n,) int64, without those where `valid` (n,) bool does not hold."""
    weight = torch.ones_like(values) if valid is None else valid.double()
    values = values if valid is None else torch.where(valid, values, 0.0)
    return together(weight, values, torch.zeros_like(values), ids, groups)


def around(count: Tensor, near: Tensor, apart: Tensor, squares: Tensor) -> Moments:
    """The moments of `count` (g,) int64 values, at most 2**31, from a number near their mean and the sum of the differences from
    it, both times `SCALE`, and the sum of the squares of the differences."""
    weight = count.double()
    shift = apart / weight.clamp(min=1)
    mean = (near + shift) / SCALE
    left = (squares - (apart / SCALE) * (shift / SCALE)).clamp(min=0)
    # Of finite values that are very far apart the squares are infinite, or became their difference.
    return weight, mean, torch.where(mean.isfinite() & ~left.isfinite(), torch.inf, left)


def spread(moments: Moments) -> Tensor:
    """The squared differences (g,): NaN where a value is no finite number, but 0 of one value, whatever it is."""
    count, mean, squares = moments
    # Infinity from itself is NaN.
    return torch.where(count <= 1, 0.0, torch.where(mean.isfinite(), squares, mean - mean))
