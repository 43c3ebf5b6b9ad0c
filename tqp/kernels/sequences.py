"""Sequences of different lengths, one behind the other: how they compare as wholes."""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels import waits
from tqp.kernels.group import group_ids_multi
from tqp.kernels.operation import operation
from tqp.kernels.rows import expand

__all__ = ["ranks"]

_BITS = 62


@operation()
def ranks(lengths: Tensor, elements: Tensor, ordered: bool = True) -> Tensor:
    """(n,) int64 numbers >= 0 that are equal just where the sequences are.

    If `ordered` they order as these do: by the first element that differs, and a shorter one before those that it begins.

    `lengths` (n,) int64 >= 0, `elements` (m,) int64 in 0 .. 2^62, those of one sequence after those of the one before it.
    Where all elements of a sequence fit into 62 bits, they are the digits of a number. Else pairs of neighbours become one element
    each. Cost: a pass over the n for each place, behind a sort of m/2 pairs, of m/4, …, as long as those do not fit; a wait on a
    GPU for each.
    """
    if not elements.shape[0]:
        return torch.zeros_like(lengths)
    longest, top = waits.several((lengths.max(), elements.max()), "how many bits the longest list needs")
    begins = torch.cumsum(lengths, 0) - lengths
    while longest * (top + 1).bit_length() > _BITS:
        checkpoint()
        halves = (lengths + 1) // 2
        starts = torch.cumsum(halves, 0) - halves
        rows, places = expand(starts, halves)
        left = begins.index_select(0, rows) + 2 * (places - starts.index_select(0, rows))
        ends = (begins + lengths).index_select(0, rows)
        has_right = left + 1 < ends
        right = elements.index_select(0, torch.where(has_right, left + 1, left)) + 1
        pairs = [elements.index_select(0, left), torch.where(has_right, right, 0)]
        elements, _, groups = group_ids_multi(pairs, ordered=ordered)
        lengths, begins, longest, top = halves, starts, (longest + 1) // 2, groups - 1
    found = torch.zeros_like(lengths)
    for place in range(longest):
        digit = elements.index_select(0, (begins + place).clamp(max=elements.shape[0] - 1)) + 1
        found = found * (top + 2) + torch.where(lengths > place, digit, 0)
    return found
