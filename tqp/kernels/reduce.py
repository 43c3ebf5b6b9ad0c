"""Reductions of values per group, and of whole columns.

`ids` (n,) int64 or int32 are group numbers in 0 .. g - 1. Rows to be skipped (NULLs) are left out by the caller. A group
without rows gets the neutral element: 0 for counts and sums, the dtype's greatest value for minimum, its least for
maximum; the caller tells such groups by their counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tqp.errors import ExecutionError
from tqp.kernels import waits, wide
from tqp.kernels.loops.folding import LANES, add_by_group, count_by_group, extreme_by_group
from tqp.kernels.loops.loop import integers, width
from tqp.kernels.operation import ACCELERATOR, Variant, operation

__all__ = [
    "add_at_", "carried", "count", "extreme_at_", "extreme_rows", "first", "limbs", "maximum", "minimum",
    "minimum_of_floats", "scatter_product", "scatter_sum", "sum_exact", "sum_wide", "sum_wide_checked",
]  # fmt: skip

_HALF = 2**32 - 1
_INTEGERS: Final = {torch.int8, torch.int16, torch.int32, torch.int64}

# Threads that add to one address wait for each other. These are facts of today's accelerators, not limits of a target: what is
# spread is let go at once, and takes no more than a few hundred kilobytes.
_ADDRESSES = 2**14
"""A reduction by groups is spread over this many addresses."""
_LANES = 256
"""No group has more of them: a power of two."""
_CONTENDING_ROWS = 2**15
"""Fewer rows wait for each other less than it takes to spread them."""

_NEAR: Final = 2**12
"""The lanes of so many groups stay in a core's cache."""
_ROWS_A_GROUP: Final = 8
"""Fewer rows than that a group take less time than their lanes."""


def _contend(target: Tensor, ids: Tensor, values: Tensor, largest: bool = False) -> bool:
    return ids.shape[0] >= _CONTENDING_ROWS and 1 < target.shape[0] <= _ADDRESSES // 2


def _laned(target: Tensor, ids: Tensor, values: Tensor) -> tuple[int, Tensor, Tensor]:
    """How many rows fill lanes, which are columns, and the ids and values of these: neighbours lie in different ones."""
    lanes = min(_LANES, 1 << ((_ADDRESSES // target.shape[0]).bit_length() - 1))
    whole = ids.shape[0] // lanes * lanes
    return whole, ids[:whole].reshape(-1, lanes), values[:whole].reshape(-1, lanes)


def _add_in_lanes(target: Tensor, ids: Tensor, values: Tensor) -> Tensor:
    whole, lane_ids, lane_values = _laned(target, ids.long(), values.to(target.dtype))
    spread = torch.zeros((target.shape[0], lane_ids.shape[1]), dtype=target.dtype, device=target.device)
    spread.scatter_add_(0, lane_ids, lane_values)
    target.add_(spread.sum(1, dtype=target.dtype))
    return target.scatter_add_(0, ids[whole:].long(), values[whole:].to(target.dtype))


def _in_lanes(ids: Tensor, target: Tensor, add: Callable[[int, npt.NDArray[Any]], None]) -> Tensor:
    """`target` (g,) int64 with what `add`, which is told the step from lane to lane, adds to the places of groups."""
    groups = target.shape[0]
    if groups > _NEAR or ids.shape[0] < _ROWS_A_GROUP * groups:
        add(0, target.numpy())
        return target
    lanes = np.zeros(LANES * groups, np.int64)
    add(groups, lanes)
    return target.add_(torch.from_numpy(lanes.reshape(LANES, groups).sum(0)))


def _add_by_loop(target: Tensor, ids: Tensor, values: Tensor) -> Tensor:
    places, numbers = ids.contiguous().numpy(), values.numpy()
    return _in_lanes(ids, target, lambda lane, sums: add_by_group(places, numbers, lane, sums))


def _adds_integers(target: Tensor, ids: Tensor, values: Tensor) -> bool:
    return (
        target.dtype is torch.int64
        and target.shape[0] > 1
        and target.is_contiguous()
        and values.is_contiguous()
        and values.dtype in _INTEGERS
        and add_by_group.ready(ids.shape[0], ids.dtype, values.dtype, int, torch.int64)
    )


_REDUCTIONS: Final = ("amin", "amax")
_APART: Final = "few groups contend for few addresses: rows next to each other go to different ones"


@operation(
    Variant(_add_in_lanes, ACCELERATOR, _APART, _contend),
    Variant(_add_by_loop, "cpu", "nothing is widened, rows of one group do not wait for each other", _adds_integers),
)
def add_at_(target: Tensor, ids: Tensor, values: Tensor) -> Tensor:
    """target[ids] += values, in place: adds `values` (n,) to the groups `ids` (n,) of `target` (g,), in its dtype.

    The caller has proven that it holds the sums. On the CPU `scatter_add_` beats `index_add_`, `bincount`, lanes and masked sums
    of torch at any number of groups but one.
    """
    if target.shape[0] == 1:
        return target.add_(values.sum(dtype=target.dtype))
    return target.scatter_add_(0, ids.long(), values.to(target.dtype))


def _extreme_in_lanes(target: Tensor, ids: Tensor, values: Tensor, largest: bool) -> Tensor:
    whole, lane_ids, lane_values = _laned(target, ids.long(), values)
    spread = target.unsqueeze(1).repeat(1, lane_ids.shape[1])
    spread.scatter_reduce_(0, lane_ids, lane_values, _REDUCTIONS[largest])
    target.copy_(spread.amax(1) if largest else spread.amin(1))
    return target.scatter_reduce_(0, ids[whole:].long(), values[whole:], _REDUCTIONS[largest])


@operation(Variant(_extreme_in_lanes, ACCELERATOR, _APART, _contend))
def extreme_at_(target: Tensor, ids: Tensor, values: Tensor, largest: bool) -> Tensor:
    """target[ids] = the lesser (or greater) of it and `values`, in place; of one dtype, shapes as for `add_at_`. NaN wins."""
    if target.shape[0] == 1 and values.shape[0]:
        best = values.amax(0, keepdim=True) if largest else values.amin(0, keepdim=True)
        return torch.maximum(target, best, out=target) if largest else torch.minimum(target, best, out=target)
    return target.scatter_reduce_(0, ids.long(), values, _REDUCTIONS[largest])


def scatter_sum(values: Tensor, ids: Tensor, groups: int) -> Tensor:
    """Sums (g,) of `values` (n,) in their dtype, which the caller has proven to hold them."""
    return add_at_(torch.zeros(groups, dtype=values.dtype, device=values.device), ids, values)


def scatter_product(values: Tensor, ids: Tensor, groups: int) -> Tensor:
    """Products (g,) of floats (n,) in their dtype."""
    if groups == 1:
        return values.prod().unsqueeze(0)
    return torch.ones(groups, dtype=values.dtype, device=values.device).scatter_reduce_(0, ids.long(), values, "prod")


def _count_by_bincount(ids: Tensor, groups: int) -> Tensor:
    # Narrow ids halve the time of its range check.
    return torch.bincount(ids.int() if groups < 2**31 else ids, minlength=groups)


def _count_by_loop(ids: Tensor, groups: int) -> Tensor:
    places = integers(ids)
    counts = torch.zeros(groups, dtype=torch.int64, device=ids.device)
    return _in_lanes(ids, counts, lambda lane, found: count_by_group(places, lane, found))


def _counts(ids: Tensor, groups: int) -> bool:
    return groups > 1 and count_by_group.ready(ids.shape[0], width(ids), int, torch.int64)


@operation(
    Variant(_count_by_loop, "cpu", "one pass, in which rows of one group do not wait for each other", _counts),
    Variant(_count_by_bincount, "cpu", "`bincount` needs no column of ones; on a GPU it waits for its size"),
)
def count(ids: Tensor, groups: int) -> Tensor:
    """Rows of each group: int64 (g,)."""
    # One number for all rows: half the bytes of a column of ones.
    one = torch.ones((), dtype=torch.int64, device=ids.device)
    return scatter_sum(one.expand(ids.shape[0]), ids, groups)


def sum_exact(values: Tensor, ids: Tensor, groups: int) -> Tensor:
    """int64 (g,) sums of integers (n,) of up to 64 bits; the caller has proven that they fit 64 bits."""
    return scatter_sum(values.long(), ids, groups)


def sum_wide_checked(values: Tensor, ids: Tensor, groups: int) -> tuple[Tensor, Tensor]:
    """Exact sums (g, 2) of integers (n,) or wide numbers (n, 2), and where they leave 128 bits. n < 2**31."""
    if values.ndim == 1 and values.dtype is not torch.int64:
        sums = wide.from_narrow(sum_exact(values, ids, groups))
        return sums, torch.zeros(groups, dtype=torch.bool, device=values.device)
    return carried([scatter_sum(part, ids, groups) for part in limbs(values)])


@operation()
def sum_wide(values: Tensor, ids: Tensor, groups: int) -> Tensor:
    """Exact sums (g, 2) of integers (n,) or wide numbers (n, 2).

    Raises ExecutionError where a sum of wide numbers leaves 128 bits (a sync on a GPU, for wide input only).
    """
    sums, overflow = sum_wide_checked(values, ids, groups)
    if values.ndim == 2:
        _refuse(overflow)
    return sums


def _refuse(overflow: Tensor) -> None:
    if waits.truth(overflow.any(), "an overflow is an error"):
        raise ExecutionError(
            "a sum leaves the range of 128-bit integers", hint="cast the argument to DOUBLE for an approximate sum"
        )


def limbs(values: Tensor) -> list[Tensor]:
    """int64 parts of 32 bits each, the least significant first, the last one signed: sums of them stay within 64 bits."""
    if values.ndim == 1:
        return [values & _HALF, values >> 32]
    high, low = values[:, 0], values[:, 1]
    return [low & _HALF, (low >> 32) & _HALF, high & _HALF, high >> 32]


def carried(parts: list[Tensor]) -> tuple[Tensor, Tensor]:
    """Wide numbers of sums of `limbs`, and where they leave 128 bits."""
    digits = []
    carry = torch.zeros_like(parts[0])
    for part in parts:
        total = part + carry
        digits.append(total & _HALF)
        carry = total >> 32
    if len(digits) == 2:
        return wide.of(carry, digits[0] | (digits[1] << 32)), torch.zeros_like(carry, dtype=torch.bool)
    high = digits[2] | (digits[3] << 32)
    return wide.of(high, digits[0] | (digits[1] << 32)), carry != high >> 63


def _extreme(values: Tensor, ids: Tensor, groups: int, largest: bool) -> Tensor:
    if values.dtype.is_floating_point:
        neutral: float | int = float("-inf") if largest else float("inf")
    else:
        limits = torch.iinfo(values.dtype)
        neutral = limits.min if largest else limits.max
    result = torch.full((groups,), neutral, dtype=values.dtype, device=values.device)
    return extreme_at_(result, ids, values, largest)


@operation()
def minimum(values: Tensor, ids: Tensor, groups: int) -> Tensor:
    """The least value of each group, in the dtype of `values`: integers or floats (n,), or wide (n, 2).

    NaN is greater than all numbers: it is a minimum only where it is alone.
    """
    ids = ids.long()
    if values.ndim == 2:
        high = _extreme(values[:, 0], ids, groups, largest=False)
        tied = values[:, 0] == high.index_select(0, ids)
        low = torch.where(tied, wide.unsigned_order(values[:, 1]), 2**63 - 1)
        return wide.of(high, wide.unsigned_order(_extreme(low, ids, groups, largest=False)))
    if not values.dtype.is_floating_point:
        return _extreme(values, ids, groups, largest=False)
    return minimum_of_floats(values, ids, groups)


def _minimum_of_numbers(values: Tensor, ids: Tensor, groups: int) -> Tensor:
    return _extreme(values, ids, groups, largest=False)


def _are_numbers(values: Tensor, ids: Tensor, groups: int) -> bool:
    return not np.isnan(values.numpy()).any()


@operation(Variant(_minimum_of_numbers, "cpu", "values without NaN, as most are, need no second look", _are_numbers))
def minimum_of_floats(values: Tensor, ids: Tensor, groups: int) -> Tensor:
    """`minimum` of floats (n,); `ids` (n,) int64."""
    missing = values.isnan()
    result = _extreme(torch.where(missing, float("inf"), values), ids, groups, largest=False)
    return torch.where(_only_nan(missing, ids, groups), float("nan"), result)


def _only_nan(missing: Tensor, ids: Tensor, groups: int) -> Tensor:
    """bool (g,): the group has rows, all of them NaN."""
    numbers = scatter_sum((~missing).to(torch.int64), ids, groups)
    return (numbers == 0) & (scatter_sum(missing.to(torch.int64), ids, groups) > 0)


@operation()
def maximum(values: Tensor, ids: Tensor, groups: int) -> Tensor:
    """The greatest value of each group; NaN is greater than all numbers. Shapes as for `minimum`."""
    ids = ids.long()
    if values.ndim == 2:
        return ~minimum(~values, ids, groups)
    return _extreme(values, ids, groups, largest=True)


@operation()
def first(ids: Tensor, groups: int) -> Tensor:
    """int64 (g,): the first row of each group; n where a group has no row."""
    rows = ids.shape[0]
    result = torch.full((groups,), rows, dtype=torch.int64, device=ids.device)
    return extreme_at_(result, ids, torch.arange(rows, device=ids.device), False)


def _extreme_rows_by_loop(key: Tensor, ids: Tensor, groups: int, largest: bool) -> Tensor:
    found = torch.full((groups,), ids.shape[0], dtype=torch.int64, device=ids.device)
    best = np.full(groups, -(2**63) if largest else 2**63 - 1, np.int64)
    extreme_by_group(integers(key), ids.contiguous().numpy(), largest, best, found.numpy())
    return found


def _finds_extremes(key: Tensor, ids: Tensor, groups: int, largest: bool) -> bool:
    return extreme_by_group.ready(ids.shape[0], width(key), torch.int64, bool, torch.int64, torch.int64)


@operation(Variant(_extreme_rows_by_loop, "cpu", "one pass, not two scatters and a gather", _finds_extremes))
def extreme_rows(key: Tensor, ids: Tensor, groups: int, largest: bool) -> Tensor:
    """int64 (g,): the first row with the least `key` (n,) integers of each group `ids` (n,) int64, or the last with the greatest.

    n where a group has no row.
    """
    rows = ids.shape[0]
    best = (maximum if largest else minimum)(key, ids, groups)
    places = torch.arange(rows, device=ids.device)
    other = -1 if largest else rows
    result = torch.full((groups,), other, dtype=torch.int64, device=ids.device)
    found = extreme_at_(result, ids, torch.where(key == best.index_select(0, ids), places, other), largest)
    return torch.where(found < 0, rows, found) if largest else found
