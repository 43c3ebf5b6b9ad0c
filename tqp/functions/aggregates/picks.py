"""Aggregates that are the value of one row of the group: the first one, or any."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.functions.aggregates.registry import aggregate
from tqp.functions.aggregates.signatures import same
from tqp.functions.align import align
from tqp.kernels.rows import select
from tqp.types import DType

__all__ = ["AnyValue"]


@aggregate("first", types=same, duplicate_free=True, idempotent=True, order_free=False, picks_row=True)
@aggregate(
    "any_value", "arbitrary", types=same, duplicate_free=True, idempotent=True, order_free=False, in_order="first"
)
class AnyValue:
    """One of the group's values that are not NULL; which one is open. `first` picks its rows where all are collected."""

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.dtype = dtype
        self.groups = groups
        self.device = device
        self.sample: Column | None = None
        self.data: Tensor | None = None
        self.valid = torch.zeros(groups, dtype=torch.bool, device=device)

    def _put(self, column: Column, ids: Tensor | None) -> None:
        if column.valid is not None:
            keep = select(column.valid)
            column = column.take(keep)
            ids = None if ids is None else ids.index_select(0, keep)
        if len(column) == 0:
            return
        if self.data is None:
            self.sample = column.slice(0, 0)
            shape = (self.groups, *column.data.shape[1:])
            self.data = torch.zeros(shape, dtype=column.data.dtype, device=self.device)
        assert self.sample is not None
        mine, column = align([replace(self.sample, data=self.data, valid=None), column])
        self.sample, self.data = mine.slice(0, 0), mine.data
        if ids is None:
            self.data[:] = column.data[:1]
            self.valid[:] = True
            return
        values = column.data
        if column.has_elements:
            self.data.index_copy_(0, ids, values)
        else:
            self.data.scatter_(0, ids, values)
        self.valid.index_fill_(0, ids, True)

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        self._put(args[0].expand(rows), ids)

    def merge(self, other: AnyValue, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        if other.data is None or other.sample is None:
            return
        column = replace(other.sample, data=other.data, dtype=self.dtype, valid=other.valid)
        if ids is None and self.groups > 1:
            ids = torch.arange(self.groups, dtype=torch.int64, device=self.device)
        self._put(column, ids)

    def pick(self, other: AnyValue, rows: Tensor) -> None:
        self.sample, self.valid = other.sample, other.valid.index_select(0, rows)
        self.data = None if other.data is None else other.data.index_select(0, rows)

    def finish(self, seen: Tensor) -> Column:
        if self.data is None or self.sample is None:
            return constant(None, self.dtype, self.device).expand(self.groups)
        bounds = self.sample.bounds
        if bounds is not None:
            bounds = (min(0, bounds[0]), max(0, bounds[1]))
        return replace(self.sample, data=self.data, dtype=self.dtype, valid=self.valid, bounds=bounds)
