"""Rows of frames in an order of their own: how many of them come before a value, and which one is the n-th.

Both walk down the bits of the rows' `numbers`, from the highest: a level puts the rows whose bit is 0 before the others, each in
the order they had, so that a range of rows becomes one range of either (a wavelet matrix: Claude, Navarro and Ordóñez, 2015). No
level is kept. Some 3 passes over the rows and 2 gathers a range and bit: O(n log n), whatever the frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels.loops.frames import nth_in_ranges
from tqp.kernels.operation import Variant, operation

__all__ = ["nth_smallest", "smaller"]

Range = tuple[Tensor, Tensor]


def smaller(numbers: Tensor, ranges: Sequence[Range], limits: Tensor) -> Tensor:
    """(m,) int64: how many rows of the m ranges [low, high) have one of the `numbers` (n,) below `limits` (m,).

    Numbers are in 0 .. n - 1, limits in 0 .. n.
    """
    total = torch.zeros_like(limits)
    for bit, before, zeros in _levels(numbers):
        above = (limits >> bit & 1).bool()
        moved = []
        for low, high in ranges:
            left, right = before.index_select(0, low), before.index_select(0, high)
            total = total + torch.where(above, right - left, 0)
            moved.append(
                (torch.where(above, low - left + zeros, left), torch.where(above, high - right + zeros, right))
            )
        ranges = moved
    return total


def _by_loop(numbers: Tensor, ranges: Sequence[Range], n: Tensor) -> Tensor:
    lows, highs = (torch.cat([one[end] for one in ranges]) for end in (0, 1))
    found = torch.zeros_like(n)
    before = torch.empty(numbers.shape[0] + 1, dtype=torch.int64, device="cpu")
    room = torch.empty_like(before[1:])
    own, rest = numbers.clone(memory_format=torch.contiguous_format), n.clone(memory_format=torch.contiguous_format)
    nth_in_ranges(own.numpy(), room.numpy(), before.numpy(), lows.numpy(), highs.numpy(), rest.numpy(), found.numpy())
    return found


def _is_compiled(numbers: Tensor, ranges: Sequence[Range], n: Tensor) -> bool:
    return nth_in_ranges.ready(numbers.shape[0], *[torch.int64] * 7)


@operation(Variant(_by_loop, "cpu", "each level is one pass over rows and frames, without a temporary", _is_compiled))
def nth_smallest(numbers: Tensor, ranges: Sequence[Range], n: Tensor) -> Tensor:
    """(m,) int64: the n-th smallest, from 0, of the `numbers` (n,) in 0 .. n - 1 of the rows of the m ranges [low, high).

    `n` (m,) int64; where the ranges have no such row, any number up to 2n.
    """
    found = torch.zeros_like(n)
    for bit, before, zeros in _levels(numbers):
        lefts = [(before.index_select(0, low), before.index_select(0, high)) for low, high in ranges]
        count = torch.stack([right - left for left, right in lefts]).sum(0)
        above = n >= count
        found = torch.where(above, found + (1 << bit), found)
        n = torch.where(above, n - count, n)
        ranges = [
            (torch.where(above, low - left + zeros, left), torch.where(above, high - right + zeros, right))
            for (low, high), (left, right) in zip(ranges, lefts, strict=True)
        ]
    return found


def _levels(numbers: Tensor) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Of each bit, the highest first: how many of the first 0, 1, …, n rows have a 0 there ((n + 1,) int64), and of all ((),)."""
    rows, device = numbers.shape[0], numbers.device
    before = torch.zeros(rows + 1, dtype=torch.int64, device=device)
    own = torch.arange(rows, device=device)
    for bit in reversed(range(rows.bit_length())):
        checkpoint()
        ones = (numbers >> bit & 1).bool()
        before = torch.zeros_like(before)
        torch.cumsum(~ones, 0, dtype=torch.int64, out=before[1:])
        zeros = before[-1]
        yield bit, before, zeros
        place = torch.where(ones, own - before[:-1] + zeros, before[:-1])
        numbers = torch.empty_like(numbers).index_copy_(0, place, numbers)
