"""For each row the nearest of other rows: the one of its group with the greatest value that is not above its own, or the least."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels import waits
from tqp.kernels.loops.loop import integers
from tqp.kernels.loops.nearest import sweep
from tqp.kernels.operation import Variant, operation
from tqp.kernels.rows import is_ascending, stable_order

__all__ = ["nearest", "ranked"]

_LARGEST: Final = 2**62
_SWEPT: Final = 2**22
"""Groups whose last rows are kept in an array."""


@operation()
def ranked(digits: list[Tensor]) -> Tensor:
    """The ranks (n,) int64 of rows by `digits` (n,) integers, the first one first; equal rows have equal ranks. A sort a digit."""
    order = stable_order(digits[-1])
    for digit in digits[-2::-1]:
        order = order.index_select(0, stable_order(digit.index_select(0, order)))
    rises = torch.zeros_like(order)
    for digit in digits:
        there = digit.index_select(0, order)
        rises[1:] |= (there[1:] != there[:-1]).long()
    return torch.empty_like(order).scatter_(0, order, rises.cumsum(0))


class _Scale(NamedTuple):
    """Values as numbers from 1 to `size`; 0 is below all of them."""

    size: int
    theirs: Tensor
    ours: Tensor


def _by_offset(theirs: Tensor, ours: Tensor, low: int, high: int, strictly: bool) -> _Scale:
    size = high - low + 1
    offset = ours.clamp(low, high) - low + 1
    offset = torch.where(ours > high, size + strictly, torch.where(ours < low, 0, offset))
    return _Scale(size, theirs - low + 1, (offset - 1).clamp(min=0) if strictly else offset)


def _by_rank(theirs: Tensor, ours: Tensor, strictly: bool) -> _Scale:
    theirs, ours = theirs.contiguous(), ours.contiguous()
    values = waits.unique(theirs, "values whose range is too wide")
    rank = torch.searchsorted(values, ours, right=not strictly)
    return _Scale(values.shape[0], torch.searchsorted(values, theirs) + 1, rank)


def _by_sweep(
    their_ids: Tensor, theirs: Tensor, our_ids: Tensor, ours: Tensor, groups: int, strictly: bool, above: bool
) -> Tensor:
    orders: list[Any] = []
    for values in (theirs, ours):
        ordered = is_ascending(values)
        orders.append(values.new_empty(0) if ordered else stable_order(values))
    found = torch.empty_like(ours)
    last = torch.full((groups,), -1, dtype=torch.int64, device=theirs.device)
    ids, numbers, our, own = [integers(x) for x in (their_ids, theirs, our_ids, ours)]
    first, second = [integers(order) for order in orders]
    sweep(first, ids, numbers, second, our, own, integers(last), integers(found), strictly, above)
    return found


def _sweeps(
    their_ids: Tensor, theirs: Tensor, our_ids: Tensor, ours: Tensor, groups: int, strictly: bool, above: bool
) -> bool:
    rows = theirs.shape[0] + ours.shape[0]
    return groups <= _SWEPT and groups <= rows and sweep.ready(rows, *[torch.int64] * 8, bool, bool)


@operation(
    Variant(
        _by_sweep, "cpu", "one pass over both in the order of their values, with the last row of each group", _sweeps
    )
)
def nearest(
    their_ids: Tensor, theirs: Tensor, our_ids: Tensor, ours: Tensor, groups: int, strictly: bool, above: bool
) -> Tensor:
    """For each of our rows that of theirs (n,) int64 of the same group with the greatest value <= ours; -1 for none.

    `their_ids` (m,), `our_ids` (n,) int64 in 0 .. groups - 1, `theirs` (m,), `ours` (n,) int64. `strictly`: < in place of <=.
    `above`: the least value >= (>) ours. Of equal values the last row. One sort of theirs, one of ours unless they ascend, a
    binary search a row.
    """
    checkpoint()
    if theirs.shape[0] == 0 or ours.shape[0] == 0:
        return torch.full_like(ours, -1)
    if above:
        # All bits flipped, numbers come in the opposite order, and none leaves 64 bits.
        theirs, ours = ~theirs, ~ours
    low, high = waits.limits(theirs, "the range of values to search")
    fits = groups * (high - low + 3) < _LARGEST
    scale = _by_offset(theirs, ours, low, high, strictly) if fits else _by_rank(theirs, ours, strictly)
    width = scale.size + 1
    codes = their_ids * width + scale.theirs
    order = stable_order(codes, 0, groups * width)
    codes = codes.index_select(0, order)
    first = our_ids * width
    wanted = first + scale.ours
    back = None
    if not is_ascending(wanted):
        # Neighbours find neighbours: most of what is read lies in the cache.
        back = stable_order(wanted, 0, groups * width)
        wanted = wanted.index_select(0, back)
    found = torch.searchsorted(codes, wanted, right=True) - 1
    if back is not None:
        found = torch.empty_like(found).scatter_(0, back, found)
    there = found.clamp(min=0)
    matches = (found >= 0) & (codes.index_select(0, there) > first)
    return torch.where(matches, order.index_select(0, there), -1)
