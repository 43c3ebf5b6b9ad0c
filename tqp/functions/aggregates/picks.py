"""Aggregates that are the value of one row of the group: any one, the first one, or that of the least or greatest key."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError
from tqp.functions.aggregates.accumulator import of_no_rows
from tqp.functions.aggregates.grouped import Enough, Grouped
from tqp.functions.aggregates.registry import ByRow, FrameForm, RowChoice, aggregate, collected, row_of
from tqp.functions.aggregates.signatures import Types, of_several, same
from tqp.functions.align import align, concat
from tqp.ir.expr import Expr, SortKey
from tqp.kernels import sort, window
from tqp.kernels.rows import select
from tqp.types import DType, Kind

__all__ = ["AnyValue", "ArgMax", "ArgMin"]


class _Held:
    """One value of each group, or none yet."""

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.dtype = dtype
        self.groups = groups
        self.device = device
        self.valid = torch.zeros(groups, dtype=torch.bool, device=device)
        self._sample: Column | None = None
        self._data: Tensor | None = None

    def put(self, column: Column, ids: Tensor) -> None:
        """Hold the values of a column without NULL; where `ids` (n,) repeat, any one of them."""
        if len(column) == 0:
            return
        if self._data is None:
            self._sample = column.slice(0, 0)
            shape = (self.groups, *column.data.shape[1:])
            self._data = torch.zeros(shape, dtype=column.data.dtype, device=self.device)
        assert self._sample is not None
        held = replace(self._sample, data=self._data, valid=None)
        mine, column = align([held, replace(column, valid=None)])
        self._sample, self._data = mine.slice(0, 0), mine.data
        if column.has_elements:
            self._data.index_copy_(0, ids, column.data)
        else:
            self._data.scatter_(0, ids, column.data)
        self.valid.index_fill_(0, ids, True)

    def pick(self, other: _Held, rows: Tensor) -> None:
        self._sample, self.valid = other._sample, other.valid.index_select(0, rows)
        self._data = None if other._data is None else other._data.index_select(0, rows)

    def column(self) -> Column:
        """(groups,), NULL where there is none."""
        if self._data is None or self._sample is None:
            return of_no_rows(self.dtype, self.groups, self.device)
        bounds = self._sample.bounds
        if bounds is not None:
            bounds = (min(0, bounds[0]), max(0, bounds[1]))
        return replace(self._sample, data=self._data, dtype=self.dtype, valid=self.valid, bounds=bounds)


def _known(columns: tuple[Column, ...], ids: Tensor | None) -> tuple[tuple[Column, ...], Tensor]:
    """The rows in which no column is NULL, and their group ids (n,)."""
    if ids is None:
        ids = torch.zeros(len(columns[0]), dtype=torch.int64, device=columns[0].device)
    mask: Tensor | None = None
    for column in columns:
        if column.valid is not None:
            mask = column.valid if mask is None else mask & column.valid
    if mask is None:
        return columns, ids.long()
    rows = select(mask)
    return tuple(column.take(rows) for column in columns), ids.index_select(0, rows).long()


def _groups(ids: Tensor | None, groups: int, device: torch.device) -> Tensor:
    return torch.arange(groups, dtype=torch.int64, device=device) if ids is None else ids


def _ends(rows: Grouped, last: bool) -> Tensor:
    """(groups,) int64: the first or last row of each group in the order asked for; any of groups without rows."""
    return sort.end_of_groups(rows.order, rows.ids, rows.groups, last).clamp(max=rows.rows - 1)


def _first_rows(rows: Grouped) -> Tensor:
    return _ends(rows, last=False)


def _last_rows(rows: Grouped) -> Tensor:
    return _ends(rows, last=True)


def _picked(rows: Grouped, last: bool) -> Column:
    if not rows.rows:
        return rows.nothing()
    found = rows.args[0].take(_ends(rows, last))
    some = rows.counts > 0
    return found.with_valid(some if found.valid is None else some & found.valid)


@collected(
    "first", "arbitrary", types=same, duplicate_free=True, idempotent=True, passes_on=True, order_free=False, keeps_nulls=True,
    enough=_first_rows,
)  # fmt: skip
def _first(rows: Grouped) -> Column:
    """The value, NULL or not, of each group's first row in the order asked for, else in that of the source."""
    return _picked(rows, last=False)


@collected(
    "last", types=same, duplicate_free=True, idempotent=True, passes_on=True, order_free=False, keeps_nulls=True,
    enough=_last_rows,
)  # fmt: skip
def _last(rows: Grouped) -> Column:
    """The value of each group's last row."""
    return _picked(rows, last=True)


def _known_in_order(args: tuple[Expr, ...], order: tuple[SortKey, ...]) -> RowChoice | None:
    return RowChoice(args[0], order, args) if order else None


@aggregate(
    "any_value",
    types=same,
    duplicate_free=True,
    idempotent=True,
    passes_on=True,
    order_free=False,
    by_row=_known_in_order,
)
class AnyValue:
    """One of the group's values that are not NULL; which one is open."""

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.held = _Held(dtype, groups, device)

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        (column,), ids = _known((args[0].expand(rows),), ids)
        self.held.put(column, ids)

    def merge(self, other: AnyValue, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        column = other.held.column()
        (column,), ids = _known((column,), _groups(ids, len(column), column.device))
        self.held.put(column, ids)

    def pick(self, other: AnyValue, rows: Tensor) -> None:
        self.held.pick(other.held, rows)

    def finish(self, seen: Tensor) -> Column:
        return self.held.column()


def _by_key(args: tuple[Expr, ...]) -> Types:
    if len(args) != 2:
        raise BindError(f"arg_min and arg_max take a value and what to compare, not {len(args)} arguments")
    value, key = (arg.dtype for arg in args)
    return (value, key), value


def _in_order_of_key(largest: bool) -> ByRow:
    def by_row(args: tuple[Expr, ...], order: tuple[SortKey, ...]) -> RowChoice | None:
        """Rows with the same key come in an order that is asked for; intervals, nested values and variants are no states."""
        value, key = args
        is_nested = key.dtype.is_nested or value.dtype.is_nested
        if not order and key.dtype.kind not in (Kind.INTERVAL, Kind.VARIANT) and not is_nested:
            return None
        return RowChoice(value, (SortKey(key, largest), *order), args)

    return by_row


def _places(key: Column, largest: bool) -> list[Tensor]:
    """Integers (n,) whose ascending order has the wanted key first."""
    key = key.in_order()
    low, high = key.bounds or (None, None)
    return sort.order_key(key.data, key.valid, largest, False, low, high)


def _best(key: Column, ids: Tensor, groups: int, largest: bool) -> Tensor:
    """(groups,) int64: the first row with the best key of each group; n where a group has no row."""
    return sort.end_of_groups(_places(key, largest), ids, groups, last=False)


def _best_rows(largest: bool) -> Enough:
    def enough(rows: Grouped) -> Tensor:
        """The row of each group with the best key; any of groups without rows."""
        return _best(rows.args[1], rows.ids, rows.groups, largest).clamp(max=rows.rows - 1)

    return enough


def _best_over(largest: bool) -> FrameForm:
    """The rows numbered by their keys: the frame's least number is that of its row."""

    def over(args: tuple[Column, ...], dtype: DType, frame: window.Frame) -> Column:
        value, key = args
        rows = len(value)
        order = sort.argsort(_places(key, largest))
        number = torch.empty_like(order).index_copy_(0, order, torch.arange(rows, device=order.device))
        known = torch.ones(rows, dtype=torch.bool, device=order.device)
        for column in args:
            known = known if column.valid is None else known & column.valid
        least = window.frame_extreme(number, known, frame, largest=False)
        return value.take(order.index_select(0, least)).with_valid(window.frame_count(known, frame) > 0)

    return over


class _Best:
    """The value of the row with the least or greatest key, of the rows in which neither is NULL; of equal keys the first one's."""

    largest: bool

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.values = _Held(dtype, groups, device)
        self.keys: _Held | None = None

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        self._add(*_known(tuple(arg.expand(rows) for arg in args), ids))

    def _add(self, pair: tuple[Column, ...], ids: Tensor) -> None:
        """Let rows without NULL take part: first the best of each group among them, then that against the one held."""
        value, key = pair
        groups, rows = self.values.groups, ids.shape[0]
        if self.keys is None:
            self.keys = _Held(key.dtype, groups, self.values.device)
        if rows == 0:
            return
        best = _best(key, ids, groups, self.largest)
        into = select(best < rows)
        chosen = best.index_select(0, into)
        value, key = value.take(chosen), key.take(chosen)
        count = into.shape[0]
        place = torch.arange(count, device=into.device)
        both = concat([self.keys.column().take(into), key], [count, count])
        newer = select(_best(both, torch.cat((place, place)), count, self.largest) >= count)
        into = into.index_select(0, newer)
        self.values.put(value.take(newer), into)
        self.keys.put(key.take(newer), into)

    def merge(self, other: _Best, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        if other.keys is not None:
            pair = (other.values.column(), other.keys.column())
            self._add(*_known(pair, _groups(ids, other.values.groups, other.values.device)))

    def pick(self, other: _Best, rows: Tensor) -> None:
        self.values.pick(other.values, rows)
        if other.keys is not None:
            self.keys = _Held(other.keys.dtype, self.values.groups, self.values.device)
            self.keys.pick(other.keys, rows)

    def finish(self, seen: Tensor) -> Column:
        return self.values.column()


@aggregate(
    "arg_min",
    "argmin",
    "min_by",
    types=_by_key,
    over_frames=_best_over(False),
    by_row=_in_order_of_key(False),
    instead=of_several("arg_min", 2),
    duplicate_free=True,
    order_free=False,
    compares=1,
    passes_on=True,
    enough=_best_rows(False),
)
class ArgMin(_Best):
    largest = False


@aggregate(
    "arg_max",
    "argmax",
    "max_by",
    types=_by_key,
    over_frames=_best_over(True),
    by_row=_in_order_of_key(True),
    instead=of_several("arg_max", 2),
    duplicate_free=True,
    order_free=False,
    compares=1,
    passes_on=True,
    enough=_best_rows(True),
)
class ArgMax(_Best):
    largest = True


def _keyed(largest: bool, keeps_key: bool) -> ByRow:
    def by_row(args: tuple[Expr, ...], order: tuple[SortKey, ...]) -> RowChoice:
        value, key = args
        return RowChoice(value, (SortKey(key, largest), *order), () if keeps_key else (key,))

    return by_row


for _largest, _name in ((False, "arg_min"), (True, "arg_max")):
    # Also where the value is NULL; and with keys that are NULL behind all others.
    row_of(f"{_name}_null", types=_by_key, by_row=_keyed(_largest, False))
    _last_name = f"{_name}_nulls_last"
    row_of(_last_name, types=_by_key, by_row=_keyed(_largest, True), instead=of_several(_last_name, 2))
