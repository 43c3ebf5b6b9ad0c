"""The average of TIME WITH TIME ZONE: of what clocks in UTC show, whatever the day, as a time in UTC."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError
from tqp.functions.aggregates.accumulator import present
from tqp.functions.aggregates.registry import aggregate
from tqp.functions.aggregates.signatures import Types
from tqp.functions.aggregates.sums import OFFSET_TIMES, InstantAverage, divided, total_over
from tqp.functions.offset_times import in_utc, of_utc
from tqp.ir.expr import Expr
from tqp.kernels import window
from tqp.kernels.calendar import DAY
from tqp.types import HUGEINT, TIME, TIMETZ, DType

__all__: list[str] = []

_BOUNDS: Final = (0, DAY - 1)


def _types(args: tuple[Expr, ...]) -> Types:
    if len(args) != 1 or args[0].dtype != TIMETZ:
        raise BindError("the average of times with offsets is that of one of them")
    return (TIMETZ,), TIMETZ


def _micros(column: Column) -> Column:
    return Column(in_utc(column.data).remainder(DAY), TIME, column.valid, None, _BOUNDS)


def _over(args: tuple[Column, ...], dtype: DType, frame: window.Frame) -> Column:
    column = _micros(args[0])
    rows = present(column, frame)
    return _in_utc(divided(total_over(column, HUGEINT, frame, rows), rows, TIME))


def _in_utc(found: Column) -> Column:
    return replace(found, data=of_utc(found.data), dtype=TIMETZ, bounds=None)


@aggregate(OFFSET_TIMES, types=_types, over_frames=_over)
class OffsetTimeAverage(InstantAverage):
    """Their exact sum in microseconds, divided once."""

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        super().__init__(TIME, groups, device)

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        super().update((_micros(args[0]),), ids, rows, seen)

    def finish(self, seen: Tensor) -> Column:
        return _in_utc(super().finish(seen))
