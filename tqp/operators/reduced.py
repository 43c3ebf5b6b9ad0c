"""A scan of a large table that reads few rows alone: those that a value index has for what later stages keep.

A condition on one column of the table, or a join whose key is one, drops most rows in some runs. What values it keeps is known
before the scan: the condition is evaluated for all values that the column may have, the keys of the build side are there. If they
are few, and an index of the column has their rows, these are the batches; all stages run on them as they would on a scan, in the
same order, and where it counts in the same batches, so that answers are the same, sums of floats included.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.indexes import Answer, ValueIndex, bounds_of
from tqp.data.layout import Bounds
from tqp.errors import ExecutionError
from tqp.ir.expr import Expr
from tqp.ir.show import show_expr
from tqp.kernels import join, keysets, waits
from tqp.kernels.rows import count_true, expand, select
from tqp.operators.batch import Batch, Part
from tqp.operators.choice import Choice
from tqp.operators.evaluate import truth
from tqp.operators.instructions import Writer
from tqp.operators.membership import MembershipStage
from tqp.operators.operator import Expressions, Run
from tqp.operators.probe import ProbeStage
from tqp.operators.scan import TableSource

__all__ = ["ByCondition", "ByKeys", "ReducedSource", "Reducer"]

_ALL = "all rows"
_ENDS = "where the rows of a batch lie among those that an index has"
_SORTED_SHARE = 64
"""Fewer than one in so many rows are sorted, more are marked and read from the marks."""


class Reducer(Protocol):
    """What keeps the rows of some values of a stored column alone."""

    @property
    def column(self) -> str:
        """The stored column."""
        ...

    @property
    def expressions(self) -> Expressions: ...

    def most(self, run: Run) -> float:
        """The largest share of the rows that is worth being read by an index."""
        ...

    def slots(self, run: Run, column: Column, bounds: Bounds) -> Tensor | None:
        """How far the values that are kept are from the least (m,) int64, ascending; None where they are many, or unknown."""
        ...

    def describe(self) -> str: ...


@dataclass(frozen=True, eq=False)
class ByCondition:
    """A condition that reads `symbol` alone, which is the stored `column`."""

    condition: Expr
    symbol: str
    column: str

    @property
    def expressions(self) -> Expressions:
        return ((self.condition,),)

    def most(self, run: Run) -> float:
        return run.limits.ranged_share

    def slots(self, run: Run, column: Column, bounds: Bounds) -> Tensor | None:
        values = torch.arange(bounds[0], bounds[1] + 1, dtype=column.data.dtype, device=run.device)
        there = Column(values, column.dtype, None, column.dictionary, bounds, column.encoding)
        try:
            kept = self._kept(run, there)
            if column.valid is not None:
                null = there.slice(0, 1).with_valid(torch.zeros(1, dtype=torch.bool, device=run.device))
                if waits.truth(
                    self._kept(run, null).any(), "whether a condition keeps NULL, which an index leaves out"
                ):
                    return None
        except ExecutionError:
            # Perhaps for a value that no row has.
            return None
        return select(kept) if count_true(kept) <= self.most(run) * kept.shape[0] else None

    def _kept(self, run: Run, column: Column) -> Tensor:
        batch = Batch.of({self.symbol: column}, len(column))
        return truth(run.evaluator.prepare(self.condition)(batch)).expand(len(column)).contiguous()

    def describe(self) -> str:
        return show_expr(self.condition)


@dataclass(frozen=True, eq=False)
class ByKeys:
    """An inner or a semi join of the stored `column`, which is its one key, in a later stage."""

    stage: ProbeStage | MembershipStage
    column: str

    @property
    def expressions(self) -> Expressions:
        return ()

    def most(self, run: Run) -> float:
        return run.limits.joined_share

    def slots(self, run: Run, column: Column, bounds: Bounds) -> Tensor | None:
        low, high = bounds
        keys = self._keys(run, self.most(run) * (high - low + 1))
        if keys is None:
            return None
        inside = keys.index_select(0, select((keys >= low) & (keys <= high)))
        return select(keysets.bitmap(inside, low, high))

    def _keys(self, run: Run, most: float) -> Tensor | None:
        """All keys that the join may find, and perhaps others, in any order; None where they are more than `most`, or unknown."""
        stage = self.stage
        if isinstance(stage, ProbeStage):
            built = stage.build.get(run)
            codec, alive = built.codec, built.alive
            if codec is None or not codec.is_plain:
                return None
            if alive is None:
                return codec.codes if codec.codes.shape[0] <= most else None
            return codec.codes.index_select(0, select(alive)) if count_true(alive) <= most else None
        members = run.result(stage.slot)
        if not members.codec.is_plain:
            return None
        match members.form:
            case keysets.KeyBitmap(present, minimum):
                return select(present) + minimum if count_true(present) <= most else None
            case join.SortedLookup(keys):
                return keys if keys.shape[0] <= most else None
            case join.HashedLookup(table):
                return table.keys if table.keys.shape[0] <= most else None
            case _:
                return None

    def describe(self) -> str:
        return self.stage.describe()


@dataclass(frozen=True, eq=False)
class _Found:
    """The rows that are read (m,), ascending; None: all. Why, where that was a question."""

    rows: Tensor | None
    choice: Choice | None = None


@dataclass(frozen=True, eq=False)
class ReducedSource(TableSource):
    """The rows of a scan that its `reducers` keep, or more of them. Whether one of them chooses the rows is the run's choice.

    `keeps_batches`: batches are those of a scan of all rows.
    """

    reducers: tuple[Reducer, ...] = ()
    keeps_batches: bool = False

    @property
    def expressions(self) -> Expressions:
        return tuple([group for reducer in self.reducers for group in reducer.expressions])

    def is_reduced(self, run: Run) -> bool:
        """Whether few rows are read in this run; the results that its stages read are there."""
        return self._found(run).rows is not None

    def rows(self, run: Run) -> int:
        rows = None if self.keeps_batches else self._found(run).rows
        return super().rows(run) if rows is None else rows.shape[0]

    def batch(self, run: Run, start: int, stop: int, index: int) -> Batch:
        rows = self._found(run).rows
        if rows is None:
            return super().batch(run, start, stop, index)
        if not self.keeps_batches:
            rows = rows[start:stop]
        elif stop - start < self.scan.source.rows:
            ends = torch.tensor([start, stop], dtype=rows.dtype, device=rows.device)
            first, last = waits.numbers(torch.searchsorted(rows, ends), _ENDS)
            rows = rows[first:last]
        columns = self._stored
        return Batch(dict.fromkeys(self._names, Part(columns, rows)), rows.shape[0], None, index)

    def _found(self, run: Run) -> _Found:
        return run.once(self, partial(self._find, run))

    def _find(self, run: Run) -> _Found:
        """The rows by the reducer whose values are the smallest share of those of its column, if an index has them."""
        source, budget = self.scan.source, run.limits.index_bytes
        if run.settings.memory_limit is not None:
            budget = min(budget, run.settings.memory_limit)
        promising = []
        for reducer in self.reducers:
            column = source.column(reducer.column)
            bounds = bounds_of(column)
            if bounds is not None and bounds[1] - bounds[0] < run.limits.value_slots * len(column):
                slots = reducer.slots(run, column, bounds)
                if slots is not None:
                    promising.append((slots.shape[0] / (bounds[1] - bounds[0] + 1), reducer, column, bounds, slots))
        promising.sort(key=lambda one: one[0])
        reasons = []
        for place, (_, reducer, column, bounds, slots) in enumerate(promising):
            answer = self._asked(run, reducer.column, column, bounds, budget, is_first=place == 0)
            name = f"{source.name}.{reducer.column}"
            if answer.index is None:
                reasons.append(f"no index on {name}: {answer.reason}")
                continue
            rows, count = _rows(answer.index, slots, source.rows, reducer.most(run))
            told = f"the index on {name} has {count:,} of {source.rows:,} for {reducer.describe()}"
            if rows is not None:
                choice = Choice("rows", f"index on {reducer.column}", (_ALL,), f"{told}; {answer.reason}")
                return self._noted(run, _Found(rows, choice))
            reasons.append(f"{told}, which are many")
        if not reasons:
            return _Found(None)
        others = tuple([f"index on {reducer.column}" for _, reducer, *_ in promising])
        return self._noted(run, _Found(None, Choice("rows", _ALL, others, "; ".join(reasons))))

    def _asked(self, run: Run, name: str, column: Column, bounds: Bounds, budget: int, is_first: bool) -> Answer:
        """The index of a column: asked for once a run, and of the columns that may serve the best alone."""
        source = self.scan.source
        key = (source, name)
        found = run.lent.get(key)
        if found is None:
            there = None if is_first else source.indexes.there(name)
            if is_first:
                found = run.lent[key] = source.indexes.ask(name, column, bounds, budget)
            elif there is None:
                found = Answer(None, "another one is better")
            else:
                found = Answer(there, "it is there")
        return found

    def _noted(self, run: Run, found: _Found) -> _Found:
        if found.choice is not None:
            run.note(self, found.choice)
        return found

    def write(self, writer: Writer) -> None:
        symbols = [field.symbol for field in self.scan.fields]
        ways = (_ALL, *dict.fromkeys(f"index on {reducer.column}" for reducer in self.reducers))
        facts = {"table": self.scan.source, "columns": self.scan.columns}
        writer.add("scan", (), symbols, writer.size(), ways, facts)


def _rows(index: ValueIndex, slots: Tensor, total: int, most: float) -> tuple[Tensor | None, int]:
    """The rows (m,) of the values of an index, ascending, and how many; None where they are more than the share `most` of all."""
    starts, counts, count = index.ranges(slots)
    if count > most * total:
        return None, count
    _, places = expand(starts, counts)
    order = index.lookup.order
    if order is None:
        return places, count
    rows = order.index_select(0, places)
    if slots.shape[0] <= 1:
        return rows, count
    if count * _SORTED_SHARE < total:
        return torch.sort(rows).values, count
    marks = torch.zeros(total, dtype=torch.bool, device=rows.device)
    return select(marks.index_fill_(0, rows.long(), True)), count
