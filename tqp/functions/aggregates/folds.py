"""Aggregates by one rule: what a row is, and how two parts of a group become one.

From that come all forms of an aggregate: states of groups, their merge, and frames of windows. It costs a sort of each batch
by its groups, so what has a scatter of its own (sums, extremes) is better off with that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.functions.aggregates.registry import AggregateTypes, Instead, aggregate
from tqp.kernels import fold, window
from tqp.kernels.fold import Combine, State
from tqp.types import DType

__all__ = ["Fold", "folded"]


@dataclass(frozen=True, slots=True)
class Fold:
    """States of int64 or float64, (n,) a tensor, as the values of `neutral` are int or float.

    `start`: the state of each row by itself; `neutral` in rows that do not take part.
    `combine`: two parts of a group as one, associative and commutative, with `neutral`.
    `finish`: the results (n,) of states (n,), of the type that the aggregate has.
    `grouped`: a faster way to combine the states (n,) of rows in groups `ids` (n,) int64 than the sort that serves all.
    `of_rows`: what `grouped` gives for what `start` gives, from the arguments (n,) at once.
    """

    neutral: tuple[float, ...]
    start: Callable[[tuple[Column, ...]], State]
    combine: Combine
    finish: Callable[[State, DType], Column]
    grouped: Callable[[State, Tensor, int], State] | None = None
    of_rows: Callable[[tuple[Column, ...], Tensor, int], State] | None = None

    def accumulator(self, dtype: DType, groups: int, device: torch.device) -> _Folded:
        """Empty states."""
        return _Folded(self, dtype, groups, device)

    def over_frames(self, args: tuple[Column, ...], dtype: DType, frame: window.Frame) -> Column:
        """The aggregate over each row's frame."""
        return self.finish(window.frame_fold(self.start(args), self.neutral, self.combine, frame), dtype)


def folded(
    name: str,
    *others: str,
    types: AggregateTypes,
    fold: Fold,
    syntax: str | None = None,
    empty: int | None = None,
    duplicate_free: bool = False,
    idempotent: bool = False,
    is_macro: bool = False,
    instead: Instead | None = None,
) -> None:
    """Register the aggregate of a fold; the rest is as for `aggregate`."""
    aggregate(
        name, *others, types=types, syntax=syntax, over_frames=fold.over_frames, empty=empty,
        duplicate_free=duplicate_free, idempotent=idempotent, is_macro=is_macro,
        instead=instead,
    )(fold.accumulator)  # fmt: skip


class _Folded:
    """The states of the groups of a fold."""

    def __init__(self, by: Fold, dtype: DType, groups: int, device: torch.device) -> None:
        self.by = by
        self.dtype = dtype
        self.groups = groups
        self.states: State = tuple(
            torch.full((groups,), value, dtype=torch.int64 if isinstance(value, int) else torch.float64, device=device)
            for value in by.neutral
        )

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        args = tuple(arg.expand(rows) for arg in args)
        if self.by.of_rows is None:
            self._add(self.by.start(args), ids)
        else:
            own = torch.zeros(rows, dtype=torch.int64, device=seen.device) if ids is None else ids.long()
            self.states = self.by.combine(self.states, self.by.of_rows(args, own, self.groups))

    def _add(self, states: State, ids: Tensor | None) -> None:
        by, own = self.by, None if ids is None else ids.long()
        if by.grouped is None:
            found = fold.grouped(states, by.neutral, by.combine, own, self.groups)
        else:
            one = torch.zeros(states[0].shape[0], dtype=torch.int64, device=states[0].device)
            found = by.grouped(states, one if own is None else own, self.groups)
        self.states = by.combine(self.states, found)

    def merge(self, other: _Folded, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        if ids is None:
            self.states = self.by.combine(self.states, other.states)
        else:
            self._add(other.states, ids)

    def pick(self, other: _Folded, rows: Tensor) -> None:
        self.states = tuple(state.index_select(0, rows) for state in other.states)

    def finish(self, seen: Tensor) -> Column:
        return self.by.finish(self.states, self.dtype)
