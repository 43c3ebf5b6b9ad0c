"""Rows in the order of a value, for joins by ranges: a comparison with the value keeps a range of them.

A *band* is one comparison of a build row's value with a number of the probe side. The rows are sorted by the value of the first
band. Of any other band the running extreme stands for the value: it ascends with the place, and no row outside the range that
it keeps matches. Values are integers (m,), or integers in the order of what they stand for, without NULLs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from tqp.kernels import waits
from tqp.kernels.operation import operation
from tqp.kernels.rows import row_dtype, stable_order

__all__ = ["SortedBands", "ranges", "sorted_bands"]


@dataclass(frozen=True, slots=True, eq=False)
class SortedBands:
    """Build rows `order` (m,), ascending by the first band's value; of each band `edges` (m,) int64, which ascend, too.

    `is_exact`: the edges are the values themselves, so that exactly the rows of a range match.
    """

    order: Tensor
    edges: tuple[Tensor, ...]
    is_exact: bool


@operation()
def sorted_bands(values: list[Tensor], is_least: list[bool], rows: Tensor | None = None) -> SortedBands:
    """The bands of integer `values` (m,) each; `rows` (m,) are the build rows (None: 0 .. m - 1).

    `is_least`: a row matches from its value downwards (value >= number), so that those before the range are too small. One sort.
    """
    order = stable_order(values[0])
    edges, is_exact = [], True
    for place, (value, least) in enumerate(zip(values, is_least, strict=True)):
        edge = value.index_select(0, order).long()
        if place and edge.shape[0]:
            extreme = edge.cummax(0).values if least else edge.flip(0).cummin(0).values.flip(0)
            is_exact = waits.are_equal(extreme, edge, "whether all rows of a range match") and is_exact
            edge = extreme
        edges.append(edge)
    named = order.to(row_dtype(order.shape[0])) if rows is None else rows.index_select(0, order)
    return SortedBands(named, tuple(edges), is_exact)


def ranges(
    bands: SortedBands, keys: Sequence[Tensor], comparisons: Sequence[tuple[bool, bool]], valid: Tensor | None
) -> tuple[Tensor, Tensor]:
    """(starts (n,), counts (n,)) int64 of the places whose rows may match numbers `keys` (n,), one for each band.

    A comparison is (whether rows match from their value downwards, whether at the value itself). `valid` (n,) bool or None:
    False finds nothing. One binary search a row and band.
    """
    starts: Tensor | None = None
    ends: Tensor | None = None
    for edge, key, (is_least, is_closed) in zip(bands.edges, keys, comparisons, strict=True):
        place = torch.searchsorted(edge, key.long().contiguous(), right=is_least is not is_closed)
        if is_least:
            starts = place if starts is None else torch.maximum(starts, place)
        else:
            ends = place if ends is None else torch.minimum(ends, place)
    if ends is None:
        assert starts is not None
        counts = bands.order.shape[0] - starts
    else:
        starts = torch.zeros_like(ends) if starts is None else starts
        counts = (ends - starts).clamp_(min=0)
    return starts, counts if valid is None else counts * valid
