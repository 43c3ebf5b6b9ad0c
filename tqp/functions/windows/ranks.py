"""Window functions that say how many rows come before: row_number, rank, ntile and their kin.

With an ORDER BY inside they count the rows of the frame that come before in that order, whether the row itself is one of them
or not.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions.windows.registry import Over, window_function
from tqp.ir.expr import Expr
from tqp.kernels import ordered, waits, window
from tqp.types import BIGINT, DOUBLE, DType

__all__: list[str] = []


def _counts(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return (), BIGINT


def _shares(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return (), DOUBLE


def _tiles(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return (BIGINT,), BIGINT


@window_function("row_number", counts=(0,), types=_counts, never_null=True, numbers=True, counts_before=True)
def _row_number(over: Over) -> Column:
    if over.order is not None:
        return Column(_before(over, over.order.places) + 1, over.dtype)
    return Column(window.row_number(over.partitions), over.dtype)


@window_function("rank", counts=(0,), types=_counts, never_null=True, counts_before=True)
def _rank(over: Over) -> Column:
    if over.order is not None:
        return Column(_before(over, over.order.ranks) + 1, over.dtype)
    return Column(window.rank(over.partitions, over.peers()), over.dtype)


@window_function("dense_rank", "rank_dense", counts=(0,), types=_counts, never_null=True, orders=False)
def _dense_rank(over: Over) -> Column:
    return Column(window.dense_rank(over.partitions, over.peers()), over.dtype)


@window_function("percent_rank", counts=(0,), types=_shares, never_null=True)
def _percent_rank(over: Over) -> Column:
    if over.order is not None:
        others = window.size(over.frame()) - 1
        before = _before(over, over.order.ranks).double()
        return Column(torch.where(others > 0, before / others, 0.0), over.dtype)
    return Column(window.percent_rank(over.partitions, over.peers()), over.dtype)


@window_function("cume_dist", counts=(0,), types=_shares, never_null=True)
def _cume_dist(over: Over) -> Column:
    if over.order is not None:
        rows = window.size(over.frame())
        up_to = _before(over, over.order.ranks, and_equal=True).double()
        return Column(torch.where(rows > 0, up_to / rows, 0.0), over.dtype)
    return Column(window.cume_dist(over.partitions, over.peers()), over.dtype)


@window_function("ntile", counts=(1,), types=_tiles, ignores_nulls=True)
def _ntile(over: Over) -> Column:
    (tiles,) = over.args
    counts = tiles.data.long()
    wrong = counts < 1 if tiles.valid is None else (counts < 1) & tiles.valid
    if waits.truth(wrong.any(), "a count of tiles below 1 is an error"):
        raise ExecutionError("ntile takes a number above 0")
    if over.order is None:
        return Column(window.ntile(over.partitions, counts.clamp(min=1)), tiles.dtype, tiles.valid)
    rows = window.size(over.frame())
    found = window.tile(_before(over, over.order.places), rows, counts.clamp(min=1))
    some = rows > 0
    return Column(found, tiles.dtype, some if tiles.valid is None else some & tiles.valid)


def _before(over: Over, numbers: Tensor, and_equal: bool = False) -> Tensor:
    """(n,) int64: how many rows of the row's frame have a smaller number than the row, or the same."""
    return ordered.smaller(numbers, over.frame().ranges, numbers + and_equal)
