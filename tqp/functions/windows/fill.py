"""`fill`: what lies on the line through the nearest values that are known, where a value is NULL."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import Bounds, Encoding
from tqp.errors import BindError, ExecutionError
from tqp.functions.align import merge_rows
from tqp.functions.instants import infinite
from tqp.functions.windows.registry import Over, window_function
from tqp.ir.expr import Expr
from tqp.kernels import filled, waits, wide, window
from tqp.kernels.calendar import DAY
from tqp.types import DType, Kind, integer_range

__all__: list[str] = []

_LONG: Bounds = (-(2**63), 2**63 - 1)
_INSTANTS: Final = {Kind.DATE: (-(2**31), 2**31 - 1), Kind.TIME: (0, DAY), Kind.TIME_NS: (0, DAY * 1000)}


def _types(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    value, key = (arg.dtype for arg in args)
    for dtype, what in ((value, "values"), (key, "an order by")):
        if not (dtype.is_numeric or dtype.is_temporal):
            raise BindError(f"fill needs {what} that can be subtracted, not {dtype}")
    return (value, key), value


@window_function("fill", counts=(2,), types=_types, takes_key=True)
def _fill(over: Over) -> Column:
    value, key = over.args
    if value.valid is None or value.dtype.kind is Kind.NULL:
        return value
    if over.order is not None:
        value, key = value.take(over.order.rows), key.take(over.order.rows)
    keys, known_key = _number(key)
    numbers, known = _number(value)
    low, high, both, some = filled.nearest_points(
        known & known_key, window.start_of(over.partitions), window.stop_of(over.partitions)
    )
    x, x0, x1 = keys, keys.index_select(0, low), keys.index_select(0, high)
    width = x1 - x0
    share = torch.where(width == 0, 0.0, (x - x0) / torch.where(width == 0, 1.0, width))
    drawn = _drawn(value, numbers, low, high, share)
    copied = value.take(low)
    missing = known_key if value.valid is None else ~value.valid & known_key
    line = merge_rows(both, drawn, copied.with_valid(some if copied.valid is None else some & copied.valid))
    found = merge_rows(missing, line, value)
    return found if over.order is None else found.take(over.order.places)


def _number(column: Column) -> tuple[Tensor, Tensor]:
    """float64 (n,) that the values are drawn by, and which of them are finite."""
    data = column.data
    if column.is_wide:
        numbers, finite = wide.to_float64(data), torch.ones(len(column), dtype=torch.bool, device=data.device)
    else:
        numbers, finite = data.double(), torch.isfinite(data)
        endless = infinite(column)
        finite = finite if endless is None else finite & ~endless
    return numbers, finite if column.valid is None else finite & column.valid


def _drawn(column: Column, numbers: Tensor, low: Tensor, high: Tensor, share: Tensor) -> Column:
    """The values (n,) at a `share` of the way from row `low` to row `high`; NULL beyond the range of the type."""
    dtype = column.dtype
    line = filled.between(numbers.index_select(0, low), share, numbers.index_select(0, high))
    if dtype.is_float:
        return Column(line.to(column.data.dtype), dtype)
    least, greatest = integer_range(dtype) if dtype.is_exact else _INSTANTS.get(dtype.kind, _LONG)
    within = (line >= float(least)) & (line < float(greatest) + 1.0)
    if column.is_wide or least < _LONG[0]:
        # As in DuckDB numbers of 128 bits are drawn as DOUBLE, and what is behind the point is left out.
        data, beyond = wide.from_float64(line)
        return Column(data, dtype, within & ~beyond, encoding=Encoding.WIDE)
    data = column.data.long()
    inner, outer = (share >= 0) & (share <= 1), _beyond(data, low, high, share)
    if waits.truth((inner & ~within).any(), "a value beyond its type is an error"):
        raise ExecutionError(f"fill: a value between two others is beyond {dtype}")
    found, fits = outer
    fits &= (found >= least) & (found <= min(greatest, _LONG[1]))
    return Column(torch.where(inner, torch.where(within, line, 0.0).long(), found), dtype, inner | fits)


def _beyond(data: Tensor, low: Tensor, high: Tensor, share: Tensor) -> tuple[Tensor, Tensor]:
    """Values (n,) int64 on the line but not between its points, rounded to the nearest even number, and where they fit 64 bits."""
    first, second = data.index_select(0, low), data.index_select(0, high)
    falls = first > second
    start = torch.where(falls, second, first)
    share = torch.where(falls, 1.0 - share, share)
    steps = ((torch.where(falls, first, second) - start).double() * share.abs()).round()
    fits = steps < 2.0**63
    offset = torch.where(fits, steps, 0.0).long()
    found = torch.where(share < 0, start - offset, start + offset)
    moved = torch.where(share < 0, start >= found, found >= start)
    return found, fits & moved
