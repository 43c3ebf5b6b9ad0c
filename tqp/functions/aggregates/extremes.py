"""Aggregates that keep the least or greatest value of each group: min, max, and of truths bool_and and bool_or."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from tqp.data.column import Column, Layout
from tqp.functions.aggregates.accumulator import NonNull, of_no_rows, present
from tqp.functions.aggregates.registry import ByRow, FrameForm, RowChoice, aggregate
from tqp.functions.aggregates.signatures import of_several, same, truths
from tqp.functions.align import align, concat
from tqp.ir.expr import Expr, SortKey
from tqp.kernels import group, wide, window
from tqp.kernels.operation import is_tracing
from tqp.kernels.reduce import extreme_at_, maximum, minimum
from tqp.kernels.sort import order_key
from tqp.types import DType, Kind

__all__ = ["Extreme", "LogicalAnd", "LogicalOr", "Maximum", "Minimum"]


def _without_states(largest: bool) -> ByRow:
    def by_row(args: tuple[Expr, ...], order: tuple[SortKey, ...]) -> RowChoice | None:
        """Intervals, nested values and variants are compared by digits. Equal ones may differ: as in DuckDB the last is kept, of
        variants the first."""
        dtype = args[0].dtype
        if dtype.kind not in (Kind.INTERVAL, Kind.VARIANT) and not dtype.is_nested:
            return None
        is_last = dtype.kind is not Kind.VARIANT
        return RowChoice(args[0], (SortKey(args[0], largest != is_last),), args, last=is_last)

    return by_row


def _extreme_over(largest: bool) -> FrameForm:
    """By comparison of integers: the values themselves, else their ranks among all values."""

    def over(args: tuple[Column, ...], dtype: DType, frame: window.Frame) -> Column:
        (column,) = args
        valid = present(column, frame) > 0
        column = column.in_order()
        keys, of_rank = column.data, None
        if column.is_wide or column.dtype.is_float:
            keys, of_rank, _ = group.group_ids_multi(order_key(keys, column.valid, False, False), ordered=True)
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

    return over


class Extreme:
    """min and max. Text compares by rank, floats by an order-preserving integer image (NaN greatest).

    Rows of text whose dictionary is not sorted wait, as long as they are few beside its strings: then these alone are ranked.
    """

    largest: bool

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.dtype = dtype
        self.groups = groups
        self.device = device
        self.nonnull = NonNull()
        self.sample: Column | None = None
        self.states: Tensor | None = None
        self.waiting: list[tuple[Column, Tensor | None]] = []
        self.has_waited = False

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        column = args[0]
        dictionary = column.dictionary
        if dictionary is None or is_tracing() or dictionary.ranks_all(rows):
            self._add(column.ranked().expand(rows), ids, seen)
        else:
            self._wait(column.expand(rows), ids, seen)
        self.nonnull.update(args[0].valid, ids, rows, seen)

    def _wait(self, column: Column, ids: Tensor | None, seen: Tensor) -> None:
        """Let the values of a column take part when more of them are known; all that wait once they are too many."""
        assert column.dictionary is not None
        if self.states is not None and self.sample is not None and not self.has_waited:
            best = _in_32_bits(self._best(self.nonnull.valid(seen)))
            assert best.valid is not None
            self.states = torch.where(best.valid, best.data, self._neutral(best.data))
            self.sample = best.slice(0, 0)
        self.has_waited = True
        self.waiting.append((column, ids))
        if column.dictionary.ranks_all(sum([len(other) for other, _ in self.waiting])):
            self._settle(seen)

    def _settle(self, seen: Tensor) -> None:
        """Let what waits take part."""
        waiting, self.waiting = self.waiting, []
        if not waiting:
            return
        lengths = [len(column) for column, _ in waiting]
        column = concat([column for column, _ in waiting], lengths).in_order()
        ids: Tensor | None = None
        if self.groups > 1 or any(own is not None for _, own in waiting):
            one = torch.zeros((), dtype=torch.int64, device=self.device)
            ids = torch.cat([one.expand(len(column)) if own is None else own.long() for column, own in waiting])
        self._add(column, ids, seen)

    def _add(self, column: Column, ids: Tensor | None, seen: Tensor) -> None:
        """Let the values of a column take part."""
        if self.has_waited:
            column = _in_32_bits(column)
        column = self._in_one_layout(column, seen)
        keys = self._keys(column.data)
        if self.states is None:
            self.states = self._neutral(keys).expand(self.groups, *keys.shape[1:]).clone()
        if column.valid is not None:
            mask = column.valid.unsqueeze(-1) if column.has_elements else column.valid
            keys = torch.where(mask, keys, self._neutral(keys))
        self._reduce(keys, ids)

    def _in_one_layout(self, column: Column, seen: Tensor) -> Column:
        """The column in the layout of the states, which change theirs where the column's width or dictionary asks."""
        if self.states is None or self.sample is None:
            self.sample = column.slice(0, 0)
            return column
        if self.dtype.is_float or column.data.dtype is torch.bool:
            return column
        mine, new = align([self._best(self._known(seen)), column])
        if mine.data.dtype != self.states.dtype or mine.dictionary is not self.sample.dictionary or mine.is_wide:
            assert mine.valid is not None
            shown = mine.valid.unsqueeze(-1) if mine.has_elements else mine.valid
            self.states = torch.where(shown, mine.data, self._neutral(mine.data))
        self.sample = mine.slice(0, 0)
        return new

    def _known(self, seen: Tensor) -> Tensor:
        """bool (groups,): which groups have a state; what waits has none."""
        if not self.has_waited:
            return self.nonnull.valid(seen)
        assert self.states is not None
        # Ranks are of 32 bits, and no rank is the last of these.
        return self.states != self._neutral(self.states)

    def _best(self, valid: Tensor) -> Column:
        """The states as a column, NULL where not `valid` (groups,)."""
        assert self.states is not None and self.sample is not None
        shown = valid.unsqueeze(-1) if self.sample.has_elements else valid
        data = torch.where(shown, self.states, torch.zeros((), dtype=self.states.dtype, device=self.device))
        if self.dtype.is_float:
            data = group.float_from_key(data, self.sample.data.dtype)
        elif self.sample.data.dtype is torch.bool:
            data = data.bool()
        return replace(self.sample, data=data, dtype=self.dtype, valid=valid)

    def _keys(self, values: Tensor) -> Tensor:
        """Integers that order as the values do."""
        if values.is_floating_point():
            return group.float_key(values)
        return values.to(torch.int8) if values.dtype == torch.bool else values

    def _neutral(self, keys: Tensor) -> Tensor:
        """What any value beats, () or (2,) where `keys` are wide."""
        if keys.ndim == 2:
            return wide.scalar(-(2**127) if self.largest else 2**127 - 1, self.device)
        info = torch.iinfo(keys.dtype)
        return torch.full((), info.min if self.largest else info.max, dtype=keys.dtype, device=self.device)

    def _reduce(self, keys: Tensor, ids: Tensor | None) -> None:
        assert self.states is not None
        if keys.ndim == 2:
            # The states take part as one more row of each group.
            own = torch.arange(self.groups, dtype=torch.int64, device=self.device)
            into = torch.zeros(keys.shape[0], dtype=torch.int64, device=self.device) if ids is None else ids
            reduce = maximum if self.largest else minimum
            self.states = reduce(torch.cat((self.states, keys)), torch.cat((own, into)), self.groups)
        elif ids is not None:
            extreme_at_(self.states, ids, keys, self.largest)
        elif keys.shape[0]:
            best = keys.max() if self.largest else keys.min()
            self.states = torch.maximum(self.states, best) if self.largest else torch.minimum(self.states, best)

    def merge(self, other: Extreme, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        into = ids
        if ids is None and self.groups > 1:
            into = torch.arange(self.groups, dtype=torch.int64, device=self.device)
        if other.states is not None:
            self._add(other._best(other._known(other_seen)), into, seen)
        for column, own in other.waiting:
            own = own if into is None else into.expand(len(column)) if own is None else into.index_select(0, own)
            self._wait(column, own, seen)
        self.nonnull.merge(other.nonnull, ids, seen, other_seen)

    def pick(self, other: Extreme, rows: Tensor) -> None:
        other._settle(torch.zeros(other.groups, dtype=torch.int64, device=self.device))
        self.nonnull.pick(other.nonnull, rows)
        self.sample, self.has_waited = other.sample, other.has_waited
        self.states = None if other.states is None else other.states.index_select(0, rows)

    def put(self, best: Tensor, count: Tensor | None, layout: Layout) -> None:
        """Start from the best (groups,) of values of that layout, anything where there is none, and counts as `Count.put`."""
        data = torch.zeros(0, dtype=layout.width, device=self.device)
        self.sample = Column(data, layout.dtype, None, layout.dictionary, layout.bounds, layout.encoding)
        self.states = self._keys(best.to(layout.width))
        self.nonnull.count = count

    def finish(self, seen: Tensor) -> Column:
        self._settle(seen)
        if self.states is None or self.sample is None:
            return of_no_rows(self.dtype, self.groups, self.device)
        best = self._best(self.nonnull.valid(seen))
        bounds = best.bounds
        if bounds is not None:
            bounds = (min(0, bounds[0]), max(0, bounds[1]))
        return replace(best, bounds=bounds)


def _in_32_bits(codes: Column) -> Column:
    return replace(codes, data=codes.data.int())


@aggregate(
    "min",
    types=same,
    over_frames=_extreme_over(False),
    by_row=_without_states(False),
    instead=of_several("min", 1),
    duplicate_free=True,
    idempotent=True,
    compares=0,
    passes_on=True,
    extreme=False,
    of_parts="min",
)
class Minimum(Extreme):
    largest = False


@aggregate(
    "max",
    types=same,
    over_frames=_extreme_over(True),
    by_row=_without_states(True),
    instead=of_several("max", 1),
    duplicate_free=True,
    idempotent=True,
    compares=0,
    passes_on=True,
    extreme=True,
    of_parts="max",
)
class Maximum(Extreme):
    largest = True


@aggregate(
    "bool_and",
    "logical_and",
    types=truths,
    over_frames=_extreme_over(False),
    duplicate_free=True,
    idempotent=True,
    of_parts="bool_and",
)
class LogicalAnd(Extreme):
    largest = False


@aggregate(
    "bool_or",
    "logical_or",
    types=truths,
    over_frames=_extreme_over(True),
    duplicate_free=True,
    idempotent=True,
    of_parts="bool_or",
)
class LogicalOr(Extreme):
    largest = True
