"""Accumulators: the states of an aggregate, a group each; here the protocol and what several families share.

An *accumulator* holds one state per group in tensors of length `groups` and knows three steps, so that a program
may aggregate batch by batch and merge what workers found: `update` (rows into groups), `merge` (another
accumulator's groups into groups), `finish` (states into a column). Group ids are int64 (n,), or None where there is but
one group. NULL arguments are skipped; a group with none left gives NULL (count: 0).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol, Self

import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.data.layout import Bounds
from tqp.kernels import window
from tqp.kernels.reduce import add_at_, count, scatter_sum
from tqp.types import DType

__all__ = ["Accumulator", "NonNull", "add_into", "full_range", "known_of", "of_no_rows", "present", "valid_or_zero"]


class Accumulator(Protocol):
    """The states of one aggregate for all groups."""

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        """Add `rows` rows; `seen` (groups,) int64 counts the rows each group had before."""
        ...

    def merge(self, other: Self, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        """Add the groups of `other` (of the same class): its group i is ids[i] here (None: the same); `ids` may repeat."""
        ...

    def pick(self, other: Self, rows: Tensor) -> None:
        """Start, in place of empty states, with the states `rows` (groups,) of `other`; one may come many times."""
        ...

    def finish(self, seen: Tensor) -> Column:
        """The results (groups,); `seen` counts all rows of each group."""
        ...


def add_into(target: Tensor, ids: Tensor | None, values: Tensor) -> None:
    """target[ids] += values, in place."""
    if ids is None:
        target += values.sum(dtype=target.dtype)
    else:
        add_at_(target, ids, values)


def valid_or_zero(column: Column) -> Tensor:
    """The values (n,) of a column, 0 where they are NULL."""
    if column.valid is None:
        return column.data
    return torch.where(column.valid, column.data, torch.zeros((), dtype=column.data.dtype, device=column.device))


def known_of(valid: Tensor | None, ids: Tensor, groups: int) -> Tensor:
    """How many rows (n,) of each group `ids` (n,) are not NULL: (groups,) int64. `valid` (n,) bool; None: all are."""
    return count(ids, groups) if valid is None else scatter_sum(valid.long(), ids, groups)


def of_no_rows(dtype: DType, groups: int, device: torch.device) -> Column:
    """NULL for each group, and as narrow as what is computed of the groups of any rows."""
    column = constant(None, dtype, device).expand(groups)
    return replace(column, bounds=(0, 0)) if dtype.is_ordinal else column


def full_range(dtype: torch.dtype) -> Bounds:
    """What integers of that width may be."""
    if dtype is torch.bool:
        return 0, 1
    info = torch.iinfo(dtype)
    return info.min, info.max


def present(column: Column, frame: window.Frame) -> Tensor:
    """How many rows of each frame take part: (n,) int64."""
    return window.size(frame) if column.valid is None else window.frame_count(column.valid, frame)


class NonNull:
    """Counts the rows that take part; None while every row did (then `seen` is the count)."""

    def __init__(self) -> None:
        self.count: Tensor | None = None

    def update(self, valid: Tensor | None, ids: Tensor | None, rows: int, seen: Tensor) -> None:
        if valid is None and self.count is None:
            return
        if self.count is None:
            self.count = seen.clone()
        if valid is None:
            valid = torch.ones((), dtype=torch.bool, device=seen.device)
        add_into(self.count, ids, valid.expand(rows) if valid.ndim == 0 else valid)

    def merge(self, other: NonNull, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        if self.count is None and other.count is None:
            return
        if self.count is None:
            self.count = seen.clone()
        theirs = other_seen if other.count is None else other.count
        if ids is None:
            self.count += theirs
        else:
            add_at_(self.count, ids, theirs)

    def pick(self, other: NonNull, rows: Tensor) -> None:
        self.count = None if other.count is None else other.count.index_select(0, rows)

    def total(self, seen: Tensor) -> Tensor:
        return seen if self.count is None else self.count

    def valid(self, seen: Tensor) -> Tensor:
        return self.total(seen) > 0
