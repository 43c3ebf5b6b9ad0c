"""Sums of rows of a table that codes choose."""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.kernels.loops.tables import add_rows
from tqp.kernels.operation import Variant, operation

__all__ = ["add_rows_"]


def _by_loop(sums: Tensor, table: Tensor, codes: Tensor) -> Tensor:
    own = sums.contiguous()
    rows = table.contiguous()
    add_rows(own.view(-1).numpy(), rows.view(-1).numpy(), codes.contiguous().view(-1).numpy(), sums.shape[1])
    return sums if own is sums else sums.copy_(own)


def _is_compiled(sums: Tensor, table: Tensor, codes: Tensor) -> bool:
    kind = torch.float64
    fits = sums.dtype is table.dtype is kind and codes.dtype is torch.int32 and sums.shape[1] > 0
    return fits and add_rows.ready(sums.numel(), kind, kind, torch.int32, int)


@operation(
    Variant(_by_loop, "cpu", "several rows are added at once, none is copied: a third of the time", _is_compiled),
)
def add_rows_(sums: Tensor, table: Tensor, codes: Tensor) -> Tensor:
    """Add to each row of `sums` (n, w) the rows of `table` (e, w) that `codes` (k, n) int32 choose, one after the other."""
    for chosen in codes:
        sums.add_(table.index_select(0, chosen))
    return sums
