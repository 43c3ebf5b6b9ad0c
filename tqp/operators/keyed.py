"""Recursive queries USING KEY: one row for each key of all rows that came, kept up from step to step.

Keys have numbers. What a step gives goes into the groups of its keys alone: into states where the aggregate has some that merge;
where it asks for all rows of a group, these are kept, and the groups that got some are computed anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.functions.aggregates import aggregate_of
from tqp.functions.align import align, concat
from tqp.functions.comparison import equal_or_both_null
from tqp.ir import words
from tqp.ir.expr import AggregateCall
from tqp.ir.plan import Aggregate, Field, Schema
from tqp.kernels.reduce import extreme_at_
from tqp.kernels.rows import select
from tqp.operators.batch import Batch
from tqp.operators.called import Rows
from tqp.operators.collected import aggregate_groups
from tqp.operators.evaluate import truth
from tqp.operators.marks import Numbers, can_mark
from tqp.operators.operator import Run
from tqp.operators.results import Part, Relation
from tqp.operators.states import Arguments, States

__all__ = ["Fold", "Folded", "loosened"]


def loosened(column: Column) -> Column:
    """The column without bounds and in the usual width: so each step is like the one before, and what is known of it is known."""
    if column.is_wide or not (column.dtype.is_exact or column.dtype.is_temporal):
        return column
    return Column(
        column.data.long(), column.dtype, column.valid, column.dictionary, None, column.encoding, column.children
    )


@dataclass(frozen=True, slots=True)
class Fold:
    """What USING KEY makes of rows with the columns `symbols`: `fields`, of which those at the places `key` are the keys.

    The others are made by the aggregation `plan` of such rows. `changes`: a step reads the rows that the last one made or changed,
    else those that it gave.
    """

    symbols: tuple[str, ...]
    fields: Schema
    key: tuple[int, ...]
    plan: Aggregate
    changes: bool


class _Values:
    """A value of each of a growing number of groups."""

    def __init__(self) -> None:
        self._column: Column | None = None
        self.groups = 0

    def put(self, ids: Tensor, column: Column, groups: int) -> None:
        """Values (m,) of the groups `ids`, which are different ones below `groups`."""
        column = loosened(column)
        held = column.slice(0, 0).map(torch.clone) if self._column is None else self._column
        held, column = align([held, column])
        data, valid = _longer(held.data, groups), held.valid
        if valid is None and column.valid is not None:
            valid = torch.ones(len(held), dtype=torch.bool, device=data.device)
        data.index_copy_(0, ids, column.data)
        if valid is not None:
            valid = _longer(valid, groups)
            if column.valid is None:
                valid.index_fill_(0, ids, True)
            else:
                valid.index_copy_(0, ids, column.valid)
        self._column, self.groups = replace(held, data=data, valid=valid), groups

    def take(self, ids: Tensor) -> Column:
        assert self._column is not None
        return self._column.take(ids)

    def copy(self) -> Column:
        """The values of all groups, which later ones do not overwrite."""
        assert self._column is not None
        return self._column.slice(0, self.groups).map(torch.clone)


def _longer(values: Tensor, rows: int) -> Tensor:
    """The tensor with so many rows at least; new ones are 0. Many at once, so that few are copied for each that is added."""
    if values.shape[0] >= rows:
        return values
    longer = torch.zeros((max(rows, 2 * values.shape[0]), *values.shape[1:]), dtype=values.dtype, device=values.device)
    longer[: values.shape[0]] = values
    return longer


class Folded:
    """The rows of a recursion under a `Fold`. For one thread at a time."""

    def __init__(self, fold: Fold, run: Run) -> None:
        self.rows = 0
        self.fold = fold
        self._run = run
        keys = [fold.fields[place] for place in fold.key]
        self._numbers = Numbers(len(keys) == 1 and can_mark(keys[0].dtype))
        self._values = {field.symbol: _Values() for field in fold.fields}
        self._keys = [(field.symbol, fold.symbols[place]) for field, place in zip(keys, fold.key, strict=True)]
        calls = list(zip(fold.plan.fields, fold.plan.aggregates, strict=True))
        collected = [pair for pair in calls if aggregate_of(pair[1]).collect is not None]
        self._ends = [pair for pair in collected if _is_end(pair[1])]
        self._logged = [pair for pair in collected if not _is_end(pair[1])]
        self._merging = [pair for pair in calls if pair not in collected]
        self._of_ends, self._of_logged, self._arguments = (
            Arguments(run.evaluator, _part(fold.plan, pairs)) for pairs in (self._ends, self._logged, self._merging)
        )
        self._states = States(_part(fold.plan, self._merging), 0, self._arguments)
        self._log: list[tuple[int, Tensor, list[Column]]] = []
        self._ranks = torch.empty(0, dtype=torch.int64, device=run.device)
        self._known: Relation | None = None

    @property
    def whole(self) -> Relation:
        """The row of each key as of now."""
        if self._known is None:
            columns = {field.symbol: self._values[field.symbol].copy() for field in self.fold.fields}
            self._known = Relation(columns, self.rows)
        return self._known

    def parts(self) -> Iterator[tuple[str, Part]]:
        yield from self._numbers.tensors()
        yield from self.whole.columns.items()

    def add(self, found: Relation) -> Relation:
        """Take rows with the columns `symbols` of the fold; gives what the next step reads."""
        found = Relation({symbol: loosened(column) for symbol, column in found.columns.items()}, found.rows)
        before = self.rows
        ids, fresh = self._numbers.of([found.columns[mine] for _, mine in self._keys], self._known_keys)
        self.rows += fresh.shape[0]
        new = torch.arange(before, self.rows, dtype=torch.int64, device=ids.device)
        for symbol, mine in self._keys:
            self._values[symbol].put(new, found.columns[mine].take(fresh), self.rows)
        lasts = self._ends_of(ids, last=True)
        touched = ids.index_select(0, lasts)
        made = self._made(found, ids, lasts, touched)
        changed = touched >= before
        for field in self.fold.plan.fields:
            values = self._values[field.symbol]
            if self.fold.changes and before:
                old = select(~changed)
                same = equal_or_both_null(values.take(touched.index_select(0, old)), made[field.symbol].take(old))
                changed[old] = ~same.data
            values.put(touched, made[field.symbol], self.rows)
        self._known = None
        if not self.fold.changes:
            pairs = zip(self.fold.fields, self.fold.symbols, strict=True)
            return Relation({field.symbol: found.columns[mine] for field, mine in pairs}, found.rows)
        ids = touched.index_select(0, select(changed))
        columns = {field.symbol: self._values[field.symbol].take(ids) for field in self.fold.fields}
        return Relation(columns, ids.shape[0])

    def _known_keys(self) -> Sequence[Column]:
        return [self._values[symbol].copy() for symbol, _ in self._keys]

    def _ends_of(self, ids: Tensor, last: bool) -> Tensor:
        """The first or last row of each group that `ids` (n,) name, groups in the order of their last rows."""
        self._ranks = _longer(self._ranks, self.rows)
        rows = torch.arange(ids.shape[0], dtype=torch.int64, device=ids.device)
        self._ranks.index_fill_(0, ids, -1)
        extreme_at_(self._ranks, ids, rows, True)
        lasts = select(self._ranks.index_select(0, ids) == rows)
        if last:
            return lasts
        self._ranks.index_fill_(0, ids, ids.shape[0])
        extreme_at_(self._ranks, ids, rows, False)
        return self._ranks.index_select(0, ids.index_select(0, lasts))

    def _made(self, found: Relation, ids: Tensor, lasts: Tensor, touched: Tensor) -> dict[str, Column]:
        """The columns of `plan.fields` of the groups `touched`."""
        batch = Batch.of(found.columns, found.rows)
        made: dict[str, Column] = {}
        for (field, call), ((value,), _, _) in zip(self._ends, self._of_ends.in_full(batch), strict=True):
            made[field.symbol] = self._end(field, call, value.expand(found.rows), ids, lasts, touched)
        if self._merging:
            self._grow()
            self._states.update(batch, ids)
            made.update(self._states.pick(touched).finish(None))
        if self._logged:
            columns = [
                column
                for args, passes, order in self._of_logged.in_full(batch)
                for column in (*args, *([] if passes is None else [passes]), *order)
            ]
            self._log.append((found.rows, ids, [column.expand(found.rows) for column in columns]))
            made.update(self._from_log(touched))
        return {symbol: loosened(column) for symbol, column in made.items()}

    def _end(
        self, field: Field, call: AggregateCall, value: Column, ids: Tensor, lasts: Tensor, touched: Tensor
    ) -> Column:
        """The last value of each group, or its first one: that of before where there was one."""
        if call.function == words.LAST:
            return value.take(lasts)
        first = value.take(self._ends_of(ids, last=False))
        values = self._values[field.symbol]
        known = values.groups
        if known == 0:
            return first
        old = touched < known
        count = touched.shape[0]
        both = concat([values.take(torch.where(old, touched, 0)), first], [count, count])
        place = torch.arange(count, dtype=torch.int64, device=ids.device)
        return both.take(torch.where(old, place, place + count))

    def _grow(self) -> None:
        """Room for all groups in the states."""
        states = self._states
        if states.groups >= self.rows:
            return
        self._states = States(states.plan, max(self.rows, 2 * states.groups), self._arguments)
        if states.groups:
            same = torch.arange(states.groups, dtype=torch.int64, device=states.device)
            self._states.merge(states, same)

    def _from_log(self, touched: Tensor) -> dict[str, Column]:
        """What the aggregates that ask for all rows make of those of the groups `touched`."""
        lengths = [rows for rows, _, _ in self._log]
        ids = torch.cat([ids for _, ids, _ in self._log])
        parts = zip(*(columns for _, _, columns in self._log), strict=True)
        columns = [concat(list(part), lengths) for part in parts]
        self._log = [(sum(lengths), ids, columns)]
        number = torch.full((self.rows,), -1, dtype=torch.int64, device=ids.device)
        number.index_copy_(0, touched, torch.arange(touched.shape[0], dtype=torch.int64, device=ids.device))
        own = number.index_select(0, ids)
        rows = select(own >= 0)
        rest = iter([column.take(rows) for column in columns])
        own = own.index_select(0, rows)
        made = {}
        for field, call in self._logged:
            args = tuple([next(rest) for _ in call.args])
            passes = None if call.filter is None else truth(next(rest))
            order = tuple([next(rest) for _ in call.order])
            given = Rows(args, own, touched.shape[0], order, passes)
            made[field.symbol] = aggregate_groups(call, given, ids.device)
        return made


def _is_end(call: AggregateCall) -> bool:
    """Whether the call is the value of the first or last row that came."""
    return call.function in (words.FIRST, words.LAST) and call.filter is None and not call.order


def _part(plan: Aggregate, pairs: Sequence[tuple[Field, AggregateCall]]) -> Aggregate:
    """The aggregation with some of its calls."""
    fields, calls = tuple([field for field, _ in pairs]), tuple([call for _, call in pairs])
    return Aggregate(plan.input, plan.keys, fields, calls)
