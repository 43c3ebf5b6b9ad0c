"""Sums and averages of arrays of floats, element by element, in float64."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError
from tqp.functions.aggregates.accumulator import present
from tqp.functions.aggregates.registry import aggregate
from tqp.functions.aggregates.signatures import Types
from tqp.ir.expr import Expr
from tqp.kernels import window
from tqp.types import DOUBLE, DType, array

__all__ = ["AVERAGES", "SUMS", "is_vector"]

SUMS: Final = "sum of arrays"
AVERAGES: Final = "avg of arrays"
_NUMBERS: Final = 2**20
"""So many numbers are widened at once."""


def is_vector(args: tuple[Expr, ...]) -> bool:
    """Whether the argument is one array of floats."""
    element = args[0].dtype.element if len(args) == 1 and args[0].dtype.is_array else None
    return element is not None and element.is_float


def _types(args: tuple[Expr, ...]) -> Types:
    if not is_vector(args):
        raise BindError("it adds arrays of FLOAT or DOUBLE alone")
    dtype = args[0].dtype
    return (dtype,), array(DOUBLE, dtype.size)


def _known(column: Column, start: int, stop: int) -> tuple[Tensor, Tensor]:
    """Some rows as float64, NULL as 0, and which are there, (b,) int64."""
    values = column.data[start:stop].double()
    if column.valid is None:
        return values, torch.ones(len(values), dtype=torch.int64, device=values.device)
    valid = column.valid[start:stop]
    return torch.where(valid.unsqueeze(1), values, 0.0), valid.long()


def _sum_over(args: tuple[Column, ...], dtype: DType, frame: window.Frame) -> Column:
    (column,) = args
    values, _ = _known(column, 0, len(column))
    sums = [window.frame_float_sum(element.contiguous(), frame) for element in values.unbind(1)]
    return Column(torch.stack(sums, dim=1), dtype, present(column, frame) > 0)


def _average_over(args: tuple[Column, ...], dtype: DType, frame: window.Frame) -> Column:
    rows = present(args[0], frame)
    return Column(_sum_over(args, dtype, frame).data / rows.clamp(min=1).unsqueeze(1), dtype, rows > 0)


@aggregate(SUMS, types=_types, over_frames=_sum_over)
class VectorSum:
    """Sums (groups, d) of the arrays that are not NULL."""

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.dtype = dtype
        self.count = torch.zeros(groups, dtype=torch.int64, device=device)
        self.total = torch.zeros((groups, dtype.size), dtype=torch.float64, device=device)

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        column = args[0].expand(rows)
        step = max(1, _NUMBERS // self.dtype.size)
        for start in range(0, rows, step):
            values, known = _known(column, start, min(start + step, rows))
            if ids is None:
                self.total += values.sum(dim=0)
                self.count += known.sum()
            else:
                self.total.index_add_(0, ids[start : start + step], values)
                self.count.index_add_(0, ids[start : start + step], known)

    def merge(self, other: VectorSum, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        if ids is None:
            self.total += other.total
            self.count += other.count
        else:
            self.total.index_add_(0, ids, other.total)
            self.count.index_add_(0, ids, other.count)

    def pick(self, other: VectorSum, rows: Tensor) -> None:
        self.total = other.total.index_select(0, rows)
        self.count = other.count.index_select(0, rows)

    def finish(self, seen: Tensor) -> Column:
        return Column(self.total, self.dtype, self.count > 0)


@aggregate(AVERAGES, types=_types, over_frames=_average_over)
class VectorAverage(VectorSum):
    """The sums divided by how many arrays there are."""

    def finish(self, seen: Tensor) -> Column:
        return Column(self.total / self.count.clamp(min=1).unsqueeze(1), self.dtype, self.count > 0)
