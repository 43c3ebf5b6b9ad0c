"""Window functions that are the value of another row: lag and lead, first_value, last_value and nth_value."""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.functions.align import merge_rows
from tqp.functions.windows.registry import Order, Over, window_function
from tqp.ir.expr import Expr
from tqp.kernels import ordered, sort, window
from tqp.types import BIGINT, DType

__all__: list[str] = []


def _values(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return (args[0].dtype, BIGINT, args[0].dtype)[: len(args)], args[0].dtype


@window_function("lag", counts=(1, 2, 3), types=_values, passes_on=True, ignores_nulls=True)
def _lag(over: Over) -> Column:
    return _shifted(over, back=True)


@window_function("lead", counts=(1, 2, 3), types=_values, passes_on=True, ignores_nulls=True)
def _lead(over: Over) -> Column:
    return _shifted(over, back=False)


def _shifted(over: Over, back: bool) -> Column:
    """The value some rows before the row in its partition, or after it; a default where there is no such row.

    With an ORDER BY inside: of its frame, in that order.
    """
    args = over.args
    by: Tensor | int = 1 if back else -1
    known = None
    if len(args) > 1:
        # The least integer has no opposite; any step so far is out of the partition.
        steps = args[1].data.long().clamp(min=-(2**62), max=2**62)
        by, known = steps if back else -steps, args[1].valid
    eligible = args[0].valid if over.ignore_nulls else None
    if over.order is None:
        places, exists = window.moved(over.partitions, by, eligible)
        inside = exists
    else:
        frame = over.frame()
        n = ordered.smaller(over.order.places, frame.ranges, over.order.places) - by
        # As in DuckDB the row itself is counted among all, the other one among those that are not NULL.
        inside = (n >= 0) & (n < window.size(frame))
        places, exists = _nth(over.order, frame, n, eligible)
    found = _at(args[0], places, exists)
    if len(args) > 2:
        found = merge_rows(inside, found, args[2].expand(len(args[0])))
    if known is None:
        return found
    return found.with_valid(known if found.valid is None else known & found.valid)


@window_function("first_value", counts=(1,), types=_values, passes_on=True, picks=True, ignores_nulls=True)
def _first_value(over: Over) -> Column:
    return _picked(over, torch.zeros_like(_size(over)))


@window_function("last_value", counts=(1,), types=_values, passes_on=True, picks=True, ignores_nulls=True)
def _last_value(over: Over) -> Column:
    return _picked(over, _size(over) - 1)


@window_function("nth_value", counts=(2,), types=_values, passes_on=True, picks=True, ignores_nulls=True)
def _nth_value(over: Over) -> Column:
    number = over.args[1]
    n = number.data.long().clamp(min=0) - 1
    return _picked(over, n if number.valid is None else torch.where(number.valid, n, -1))


def _size(over: Over) -> Tensor:
    """How many rows of each frame may be picked: (n,) int64."""
    frame = over.frame()
    return window.size(frame) if over.eligible is None else window.frame_count(over.eligible, frame)


def _picked(over: Over, n: Tensor) -> Column:
    """The value of the n-th row, from 0, of each frame; NULL where there is none."""
    if over.order is None:
        places, exists = window.nth(over.frame(), n, over.eligible)
    else:
        places, exists = _nth(over.order, over.frame(), n, over.eligible)
    return _at(over.args[0], places, exists)


def _nth(order: Order, frame: window.Frame, n: Tensor, eligible: Tensor | None) -> tuple[Tensor, Tensor]:
    """Position (n,) int64 of the n-th row, from 0, of each frame in that order, or of its `eligible` rows; whether there is one."""
    rows, numbers, count = order.rows, order.places, window.size(frame)
    if eligible is not None:
        # The others come behind all that may be picked, where no frame looks.
        rows = rows.index_select(0, sort.argsort([(~eligible).to(torch.int8).index_select(0, rows)]))
        own = torch.arange(rows.shape[0], device=rows.device)
        numbers = torch.empty_like(rows).index_copy_(0, rows, own)
        count = window.frame_count(eligible, frame)
    exists = (n >= 0) & (n < count)
    found = ordered.nth_smallest(numbers, frame.ranges, torch.where(exists, n, 0))
    return rows.index_select(0, torch.where(exists, found, 0)), exists


def _at(column: Column, places: Tensor, exists: Tensor) -> Column:
    found = column.take(places)
    return found.with_valid(exists if found.valid is None else exists & found.valid)
