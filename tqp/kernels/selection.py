"""What stands at a place of each group's values in order."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels.group import float_key
from tqp.kernels.loops.floats import put_doubles_by_group
from tqp.kernels.loops.loop import integers, width
from tqp.kernels.loops.selecting import put_by_group, select_in_groups
from tqp.kernels.operation import Variant, operation
from tqp.kernels.reduce import count
from tqp.kernels.sort import argsort

__all__ = ["nth"]

_LARGE: Final = 2**11
"""Groups of so many rows on average are partitioned one by one, in vectors."""


def _begins(ids: Tensor, groups: int) -> Tensor:
    sizes = count(ids, groups)
    return torch.cumsum(sizes, 0) - sizes


def _in_groups(values: Tensor, ids: Tensor, groups: int) -> tuple[np.ndarray[Any, Any], ...]:
    """The keys (n,) of one group after the other, a copy; where each group begins, and where it ends: (groups,) each."""
    rows = values.shape[0]
    if groups == 1:
        own = _keys(values)
        numbers = integers(own)
        # What is no copy yet is the caller's.
        is_own = own is not values or not own.is_contiguous() or width(own) is not own.dtype
        return numbers if is_own else numbers.copy(), np.zeros(1, np.int64), np.full(1, rows, np.int64)
    begins = _begins(ids, groups).numpy()
    ends, numbers_of_groups = begins.copy(), ids.contiguous().numpy()
    if values.dtype is torch.float64:
        room = np.empty(rows, np.int64)
        put_doubles_by_group(values.contiguous().view(torch.int64).numpy(), numbers_of_groups, ends, room)
        return room, begins, ends
    numbers = integers(_keys(values))
    room = np.empty(rows, numbers.dtype)
    put_by_group(numbers, numbers_of_groups, ends, room)
    return room, begins, ends


def _keys(values: Tensor) -> Tensor:
    return float_key(values) if values.dtype.is_floating_point else values


def _by_partition(values: Tensor, ids: Tensor, groups: int, places: Tensor) -> Tensor:
    room, begins, ends = _in_groups(values, ids, groups)
    wanted = places.numpy()
    found = np.zeros(places.shape, np.int64)
    for group in range(groups):
        checkpoint()
        rows = room[begins[group] : ends[group]]
        if rows.size:
            rows.partition(wanted[:, group])
            found[:, group] = rows[wanted[:, group]]
    return torch.from_numpy(found)


def _are_large(values: Tensor, ids: Tensor, groups: int, places: Tensor) -> bool:
    return values.shape[0] >= groups * _LARGE and (groups == 1 or _puts(values))


def _puts(values: Tensor) -> bool:
    kind = _kind(values)
    put = put_doubles_by_group if values.dtype is torch.float64 else put_by_group
    return put.ready(values.shape[0], kind, torch.int64, torch.int64, kind)


def _kind(values: Tensor) -> torch.dtype:
    return torch.int64 if values.dtype.is_floating_point else width(values)


def _by_loop(values: Tensor, ids: Tensor, groups: int, places: Tensor) -> Tensor:
    room, begins, ends = _in_groups(values, ids, groups)
    found = np.zeros(places.numel(), np.int64)
    select_in_groups(room, begins, ends, places.reshape(-1).contiguous().numpy(), found)
    return torch.from_numpy(found).view(places.shape)


def _is_compiled(values: Tensor, ids: Tensor, groups: int, places: Tensor) -> bool:
    is_ready = select_in_groups.ready(values.shape[0], _kind(values), *[torch.int64] * 4)
    return _puts(values) and is_ready


@operation(
    Variant(_by_partition, "cpu", "large groups are partitioned in vectors", _are_large),
    Variant(_by_loop, "cpu", "a scatter into groups and a selection in each, not a sort", _is_compiled),
)
def nth(values: Tensor, ids: Tensor, groups: int, places: Tensor) -> Tensor:
    """(p, groups) int64: of the values (n,) of groups `ids` (n,) int64, n > 0, those at `places` (p, groups) int64 in order.

    Integers, or floats, of which their `float_key` is given. Places are from 0, less than the group has rows; of groups without
    rows 0 is given, whatever their place. A sort.
    """
    keys = _keys(values)
    order = argsort([ids, keys])
    begins, last = _begins(ids, groups), keys.shape[0] - 1
    found = keys.index_select(0, order.index_select(0, (begins + places).clamp(max=last).reshape(-1))).view(
        places.shape
    )
    return torch.where(count(ids, groups) > 0, found.long(), 0)
