"""What stands at a place of each group's values in order."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from tqp.kernels.loops.selecting import select_by_group
from tqp.kernels.operation import Variant, operation
from tqp.kernels.reduce import count
from tqp.kernels.sort import argsort

__all__ = ["nth"]


def _begins(ids: Tensor, groups: int) -> Tensor:
    sizes = count(ids, groups)
    return torch.cumsum(sizes, 0) - sizes


def _by_loop(keys: Tensor, ids: Tensor, groups: int, places: Tensor) -> Tensor:
    begins = _begins(ids, groups).numpy()
    found = np.zeros(places.numel(), np.int64)
    room = np.empty(keys.shape[0], np.int64)
    wanted = places.reshape(-1).contiguous().numpy()
    select_by_group(keys.contiguous().numpy(), ids.contiguous().numpy(), begins, begins.copy(), wanted, room, found)
    return torch.from_numpy(found).view(places.shape)


def _is_compiled(keys: Tensor, ids: Tensor, groups: int, places: Tensor) -> bool:
    return select_by_group.ready(keys.shape[0], *[torch.int64] * 7)


@operation(Variant(_by_loop, "cpu", "a scatter into groups and a selection in each, not a sort", _is_compiled))
def nth(keys: Tensor, ids: Tensor, groups: int, places: Tensor) -> Tensor:
    """(p, groups) int64: of the keys (n,) int64 of groups `ids` (n,) int64, n > 0, those at `places` (p, groups) int64 in order.

    Places are from 0, less than the group has rows; of groups without rows 0 is given, whatever their place. A sort.
    """
    order = argsort([ids, keys])
    begins, last = _begins(ids, groups), keys.shape[0] - 1
    found = keys.index_select(0, order.index_select(0, (begins + places).clamp(max=last).reshape(-1))).view(
        places.shape
    )
    return torch.where(count(ids, groups) > 0, found, 0)
