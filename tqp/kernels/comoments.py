"""Moments of pairs of floats by groups: how many, the means of y and x, the sums of products of their differences from these."""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.kernels import means
from tqp.kernels.loops.moments import comoments_of_rows, group_comoments
from tqp.kernels.moments import known
from tqp.kernels.operation import Variant, operation
from tqp.kernels.reduce import scatter_sum

__all__ = ["of_rows", "together"]

Comoments = tuple[Tensor, ...]
"""Count, mean of y, mean of x, and the sums of yy, xx and yx."""


def _by_loop(
    weight: Tensor, y: Tensor, x: Tensor, yy: Tensor, xx: Tensor, yx: Tensor, ids: Tensor, groups: int
) -> Comoments:
    found = torch.zeros(6, groups, dtype=torch.float64, device=ids.device)
    given = [one.contiguous().numpy() for one in (weight, y, x, yy, xx, yx, ids)]
    group_comoments(*given, *found.numpy())
    return tuple(found)


def _is_compiled(
    weight: Tensor, y: Tensor, x: Tensor, yy: Tensor, xx: Tensor, yx: Tensor, ids: Tensor, groups: int
) -> bool:
    real = torch.float64
    return groups > 1 and group_comoments.ready(ids.shape[0], *[real] * 6, torch.int64, *[real] * 6)


@operation(Variant(_by_loop, "cpu", "one pass over the rows instead of a score", _is_compiled))
def together(
    weight: Tensor, y: Tensor, x: Tensor, yy: Tensor, xx: Tensor, yx: Tensor, ids: Tensor, groups: int
) -> Comoments:
    """Parts (n,) float64 of groups `ids` (n,) int64 as one each; those of weight 0 do not count. Eight scatters, four gathers."""
    count = scatter_sum(weight, ids, groups)
    mean_y, mean_x = (means.grouped(weight, side, count, ids) for side in (y, x))
    took = weight > 0
    apart_y = torch.where(took, y - mean_y.index_select(0, ids), 0.0)
    apart_x = torch.where(took, x - mean_x.index_select(0, ids), 0.0)
    products = ((yy, apart_y * apart_y), (xx, apart_x * apart_x), (yx, apart_y * apart_x))
    return count, mean_y, mean_x, *(scatter_sum(own + weight * apart, ids, groups) for own, apart in products)


def _rows_by_loop(y: Tensor, x: Tensor, valid: Tensor | None, ids: Tensor, groups: int) -> Comoments:
    states = torch.zeros(groups * 6, dtype=torch.float64, device=ids.device)
    some_y, some_x, own = known(valid, y, x, ids)
    comoments_of_rows(some_y, some_x, own, states.numpy())
    return tuple(states.view(groups, 6).t().contiguous())


def _rows_are_compiled(y: Tensor, x: Tensor, valid: Tensor | None, ids: Tensor, groups: int) -> bool:
    real = torch.float64
    return groups > 1 and comoments_of_rows.ready(ids.shape[0], real, real, torch.int64, real)


@operation(Variant(_rows_by_loop, "cpu", "makes no parts of the rows", _rows_are_compiled))
def of_rows(y: Tensor, x: Tensor, valid: Tensor | None, ids: Tensor, groups: int) -> Comoments:
    """`together` of pairs (n,) float64 by themselves, without those where `valid` (n,) bool does not hold."""
    weight = torch.ones_like(y)
    if valid is not None:
        weight, y, x = valid.double(), torch.where(valid, y, 0.0), torch.where(valid, x, 0.0)
    none = torch.zeros_like(weight)
    return together(weight, y, x, none, none, none, ids, groups)
