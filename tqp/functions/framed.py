"""Aggregates over frames, and picking a frame's rows: on columns whose rows lie in the order of a window.

The rows of each frame are the ranges of `tqp.kernels.window`. NULL arguments are skipped; a frame with none left gives
NULL (count: 0).
"""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import Bounds, Encoding
from tqp.errors import ExecutionError, InternalError
from tqp.functions.accumulators import valid_or_zero
from tqp.functions.align import merge_rows
from tqp.kernels import moments, wide, window
from tqp.kernels.group import group_ids_multi
from tqp.kernels.sort import order_key
from tqp.kernels.window import Frame
from tqp.types import BIGINT, DOUBLE, HUGEINT, DType

__all__ = ["aggregate", "picked", "shift"]

_INT64_MAX = 2**63 - 1


def aggregate(name: str, args: tuple[Column, ...], dtype: DType, frame: Frame) -> Column:
    """The aggregate of that name, of result type `dtype`, over each row's frame: (n,)."""
    if name == "count_star":
        return Column(window.size(frame), BIGINT)
    (column,) = args
    rows = len(column)
    # The rows that take part in each frame.
    present = window.size(frame) if column.valid is None else window.frame_count(column.valid, frame)
    if name == "count":
        return Column(present, BIGINT, bounds=(0, rows))
    valid = present > 0
    match name:
        case "sum":
            return _sum(column, frame, dtype, present).with_valid(valid)
        case "avg" | "mean":
            return _average(column, frame, present).with_valid(valid)
        case "min" | "bool_and" | "logical_and":
            return _extreme(column, frame, valid, largest=False)
        case "max" | "bool_or" | "logical_or":
            return _extreme(column, frame, valid, largest=True)
        case _ if name in _MOMENTS:
            sample, root = _MOMENTS[name]
            return _variance(column, frame, sample, root)
        case _:
            raise InternalError(f"{name} does not slide over frames")


def _sum(column: Column, frame: Frame, dtype: DType, present: Tensor) -> Column:
    if dtype.is_float:
        return Column(window.frame_float_sum(valid_or_zero(column), frame), dtype)
    values = column.data
    if column.valid is not None:
        mask = column.valid.unsqueeze(-1) if column.is_wide else column.valid
        values = torch.where(mask, values, torch.zeros((), dtype=values.dtype, device=values.device))
    if not column.is_wide:
        low, high = column.bounds or _full_range(values.dtype)
        limit = max(abs(low), abs(high)) * _longest(present)
        if limit <= _INT64_MAX:
            return Column(window.frame_sum(values, frame), dtype, bounds=(-limit, limit))
    sums, overflow = window.frame_sum_wide(values, frame)
    if column.is_wide and bool(overflow.any()):  # sync: an overflow is an error
        raise ExecutionError(
            "a sum leaves the range of 128-bit integers", hint="cast the argument to DOUBLE for an approximate sum"
        )
    return Column(sums, dtype, encoding=Encoding.WIDE)


def _longest(present: Tensor) -> int:
    return int(present.max()) if present.shape[0] else 0  # sync: decides the width of sums


def _full_range(dtype: torch.dtype) -> Bounds:
    if dtype is torch.bool:
        return 0, 1
    info = torch.iinfo(dtype)
    return info.min, info.max


def _average(column: Column, frame: Frame, present: Tensor) -> Column:
    """Exact sum, then one division in float64."""
    if column.dtype.is_float:
        total = window.frame_float_sum(valid_or_zero(column), frame)
    else:
        exact = _sum(column, frame, HUGEINT, present)
        total = wide.to_float64(exact.data) if exact.is_wide else exact.data.double()
    mean = total / present.clamp(min=1)
    return Column(mean / 10**column.dtype.scale if column.dtype.scale else mean, DOUBLE)


def _extreme(column: Column, frame: Frame, valid: Tensor, largest: bool) -> Column:
    """By comparison of integers: the values themselves, else their ranks among all values."""
    column = column.ranked()
    keys, of_rank = column.data, None
    if column.is_wide or column.dtype.is_float:
        keys, of_rank, _ = group_ids_multi(order_key(keys, column.valid, False, False))
    elif keys.dtype is torch.bool:
        keys = keys.to(torch.int8)
    best = window.frame_extreme(keys, column.valid, frame, largest)
    if of_rank is not None:
        return column.take(of_rank.index_select(0, best)).with_valid(valid)
    bounds = column.bounds
    if bounds is not None:
        bounds = (min(0, bounds[0]), max(0, bounds[1]))
    data = best.bool() if column.data.dtype is torch.bool else best
    return Column(data, column.dtype, valid, column.dictionary, bounds)


_MOMENTS = {
    "stddev": (True, True), "stddev_samp": (True, True), "stddev_pop": (False, True), "variance": (True, False),
    "var_samp": (True, False), "variance_pop": (False, False), "var_pop": (False, False),
}  # fmt: skip


def _variance(column: Column, frame: Frame, sample: bool, root: bool) -> Column:
    parts = window.frame_moments(column.data, column.valid, frame)
    freedom = parts[0] - 1 if sample else parts[0]
    variance = moments.spread(parts) / freedom.clamp(min=1)
    return Column(variance.sqrt() if root else variance, DOUBLE, freedom > 0)


def picked(column: Column, frame: Frame, n: Tensor, eligible: Tensor | None) -> Column:
    """The value of the n-th row, from 0, of each frame; NULL where there is none. `eligible` as for `window.nth`."""
    places, exists = window.nth(frame, n, eligible)
    return _at(column, places, exists)


def shift(
    column: Column, partitions: window.Runs, by: Tensor | int, default: Column | None, ignore_nulls: bool
) -> Column:
    """The value `by` ((n,) int64 or one number) rows before the row in its partition, `default` where there is no such row.

    `ignore_nulls`: rows where the column is NULL do not count.
    """
    places, exists = window.moved(partitions, by, column.valid if ignore_nulls else None)
    if default is None:
        return _at(column, places, exists)
    return merge_rows(exists, column.take(places), default.expand(len(column)))


def _at(column: Column, places: Tensor, exists: Tensor) -> Column:
    found = column.take(places)
    return found.with_valid(exists if found.valid is None else exists & found.valid)
