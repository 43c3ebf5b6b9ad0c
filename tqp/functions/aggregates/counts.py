"""Aggregates that count rows or values."""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.functions.aggregates.accumulator import NonNull, present
from tqp.functions.aggregates.registry import Totals, aggregate
from tqp.functions.aggregates.signatures import Types, same
from tqp.ir.expr import Expr
from tqp.kernels import window
from tqp.types import BIGINT, DType

__all__ = ["Count", "CountRows"]


def _no_argument(args: tuple[Expr, ...]) -> Types:
    return (), BIGINT


def _to_bigint(args: tuple[Expr, ...]) -> Types:
    return same(args)[0], BIGINT


def _rows_over(args: tuple[Column, ...], dtype: DType, frame: window.Frame) -> Column:
    return Column(window.size(frame), dtype)


def _count_over(args: tuple[Column, ...], dtype: DType, frame: window.Frame) -> Column:
    (column,) = args
    return Column(present(column, frame), dtype, bounds=(0, len(column)))


@aggregate(
    "count_star",
    types=_no_argument,
    over_frames=_rows_over,
    empty=0,
    counts_rows=True,
    totals=Totals.COUNTS,
    of_parts="sum",
)
class CountRows:
    """count(*): `seen` is the result."""

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        pass

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        pass

    def merge(self, other: CountRows, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        pass

    def pick(self, other: CountRows, rows: Tensor) -> None:
        pass

    def finish(self, seen: Tensor) -> Column:
        return Column(seen, BIGINT)


@aggregate("count", types=_to_bigint, over_frames=_count_over, empty=0, totals=Totals.COUNTS, of_parts="sum")
class Count:
    """count(x): how many values are not NULL."""

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.nonnull = NonNull()

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        valid = args[0].valid if args else None
        self.nonnull.update(valid, ids, rows, seen)

    def merge(self, other: Count, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        self.nonnull.merge(other.nonnull, ids, seen, other_seen)

    def pick(self, other: Count, rows: Tensor) -> None:
        self.nonnull.pick(other.nonnull, rows)

    def put(self, total: Tensor | None, count: Tensor | None, limit: int) -> None:
        """Start from a count (groups,) of values that are not NULL, None where none is NULL."""
        self.nonnull.count = count

    def finish(self, seen: Tensor) -> Column:
        return Column(self.nonnull.total(seen), BIGINT)
