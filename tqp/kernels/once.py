"""Frames in which only the first row of each value counts, as DISTINCT asks for.

`earlier` (n,) int64 is, of each row, the position of the last row before it with the same value, -1 where there is none. A row p
of the frame [low, high) is the first one of its value there if earlier[p] < low.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels import waits
from tqp.kernels.fold import Combine, State, scan
from tqp.kernels.operation import operation
from tqp.kernels.rows import is_ascending
from tqp.kernels.sort import argsort

__all__ = ["earlier_rows", "folded", "summed"]


def earlier_rows(ids: Tensor) -> Tensor:
    """(n,) int64: the position of the last row before each with the same number in `ids` (n,), -1 where there is none. A sort."""
    order = argsort([ids])
    sorted_ids = ids.index_select(0, order)
    before = torch.full_like(order, -1)
    before[1:] = torch.where(sorted_ids[1:] == sorted_ids[:-1], order[:-1], -1)
    return torch.empty_like(order).index_copy_(0, order, before)


@operation()
def summed(values: Tensor, earlier: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """(n,) int64 sums modulo 2**64 of the integers or bool (n,) of the rows that count in each frame [low, high).

    Frames whose ends never fall, as those of constant offsets: a row counts in one run of frames, so that two binary searches
    and a running sum of differences do. Others: as `folded`.
    """
    if not (is_ascending(low) and is_ascending(high)):
        zero = torch.zeros((), dtype=torch.int64, device=values.device)
        (total,) = folded((values.long(),), (zero,), lambda a, b: (a[0] + b[0],), earlier, low, high)
        return total
    rows, low, high = values.shape[0], low.contiguous(), high.contiguous()
    own = torch.arange(rows, device=values.device)
    # The first frame that ends behind the row and begins behind its earlier one, and the first one that begins behind it.
    begins = torch.maximum(torch.searchsorted(high, own, right=True), torch.searchsorted(low, earlier, right=True))
    ends = torch.maximum(torch.searchsorted(low, own, right=True), begins)
    values = values.long()
    steps = torch.zeros(rows + 1, dtype=torch.int64, device=values.device)
    steps.index_add_(0, begins, values).index_add_(0, ends, -values)
    return steps.cumsum(0)[:rows]


@operation()
def folded(states: State, empty: State, combine: Combine, earlier: Tensor, low: Tensor, high: Tensor) -> State:
    """`states` ((n,) each, a row's own) of the rows that count in each frame [low, high) combined.

    `combine` is associative and commutative, `empty` (() each) neutral: what a frame without rows has. A merge sort tree: a level
    has blocks of 1, 2, 4, … rows, in each of them the rows by `earlier` and the running states of these; a frame is two blocks a
    level at most, and takes of each what comes before its `low`. As many levels as the longest frame has bits, each a sort, a
    scan and two binary searches a frame: O(n log n log l) for frames of l rows. A sync on a GPU.
    """
    rows, device = low.shape[0], low.device
    result = tuple(value.expand(rows) for value in empty)
    if rows == 0:
        return result
    own = torch.arange(rows, device=device)
    longest = waits.number((high - low).max(), "the longest frame decides how many levels")
    first, last = low, high
    for level in range(longest.bit_length()):
        checkpoint()
        blocks = own >> level
        keys, order = torch.sort(blocks * (rows + 1) + earlier + 1)
        starts = (own & ((1 << level) - 1)) == 0
        running = scan(tuple(state.index_select(0, order) for state in states), starts, combine)
        for block, odd in (
            (first, (first < last) & (first & 1).bool()),
            (last - 1, (first + (first & 1) < last) & (last & 1).bool()),
        ):
            before = torch.searchsorted(keys, block * (rows + 1) + low + 1) - 1
            some = odd & (before >= block << level)
            place = before.clamp(0, rows - 1)
            result = combine(
                result,
                tuple(
                    torch.where(some, state.index_select(0, place), value)
                    for state, value in zip(running, empty, strict=True)
                ),
            )
        first, last = (first + (first & 1)) >> 1, last >> 1
        last = torch.maximum(first, last)
    return result
