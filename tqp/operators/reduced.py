"""A scan of a large table that reads few rows alone: those that a value index has for what later stages keep.

A condition on one column of the table, or a join whose key is one, drops most rows in some runs. What values it keeps is known
before the scan: the condition is evaluated for all values that the column may have, the keys of the build side are there. If they
are few, and an index of the column has their rows, these are the batches; all stages run on them as they would on a scan, in the
same order, and where it counts in the same batches, so that answers are the same, sums of floats included.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.indexes import Answer, ValueIndex, bounds_of
from tqp.data.layout import Bounds
from tqp.errors import ExecutionError
from tqp.ir import words
from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import Call, ColumnRef, Expr, Literal
from tqp.ir.show import show_expr
from tqp.kernels import keysets, waits
from tqp.kernels.rows import count_true, expand, select, sorted_rows
from tqp.operators.batch import Batch, Part
from tqp.operators.choice import Choice
from tqp.operators.evaluate import truth
from tqp.operators.instructions import Writer
from tqp.operators.keyfilters import KeyFilterStage
from tqp.operators.membership import MembershipStage
from tqp.operators.operator import Expressions, Run, index_budget
from tqp.operators.probe import ProbeStage
from tqp.operators.scan import TableSource
from tqp.operators.spans import Spans
from tqp.types import DType

__all__ = ["ByCondition", "ByKeys", "ReducedSource", "Reducer"]

_ALL = "all rows"
_ENDS = "where the rows of a batch lie among those that an index has"


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

    @property
    def is_cheap(self) -> bool:
        """Whether a compiled loop does as much with a row in hardly any time."""
        ...

    @property
    def answers(self) -> frozenset[Expr]:
        """The conditions of filters that are true of all rows of those values, and of no others."""
        ...

    def slots(self, run: Run, column: Column, bounds: Bounds, rows: int) -> Tensor | None:
        """How far the values that are kept are from the least (m,) int64, ascending; None where they are many, or unknown.

        `rows` are read otherwise, so that finding out shall take little beside them.
        """
        ...

    def describe(self) -> str: ...


@dataclass(frozen=True, eq=False)
class ByCondition:
    """Conditions that read `symbol` alone, which is the stored `column`."""

    conditions: tuple[Expr, ...]
    symbol: str
    column: str

    @cached_property
    def condition(self) -> Expr:
        """All of them."""
        return conjunction(self.conditions)

    @property
    def answers(self) -> frozenset[Expr]:
        # Of constants alone that it is compared with, other conditions may leave out some.
        return (
            frozenset(self.conditions)
            if self._constants is None or len(conjuncts(self.condition)) == 1
            else frozenset()
        )

    @property
    def expressions(self) -> Expressions:
        return ((self.condition,),)

    def most(self, run: Run) -> float:
        return run.limits.ranged_share

    @property
    def is_cheap(self) -> bool:
        return True

    def slots(self, run: Run, column: Column, bounds: Bounds, rows: int) -> Tensor | None:
        """By the constants that it compares with, else as it is true of all values, where these are few beside the rows."""
        size = bounds[1] - bounds[0] + 1
        if self._constants is not None:
            return self._places(run, self._constants, bounds)
        if size * run.limits.rows_a_value > rows:
            return None
        # Not up to the last value and 1, which 64 bits may not hold.
        values = (torch.arange(size, device=run.device) + bounds[0]).to(column.data.dtype)
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

    @cached_property
    def _constants(self) -> tuple[Literal, ...] | None:
        """What numbers the column must be one of; None where the condition does not say so."""
        for part in conjuncts(self.condition):
            match part:
                case Call(function=words.EQ | words.IN, args=(ColumnRef(dtype=dtype), *found)):
                    pass
                case Call(function=words.EQ, args=(Literal() as one, ColumnRef(dtype=dtype))):
                    found = [one]
                case _:
                    continue
            literals = tuple([one for one in found if isinstance(one, Literal) and _is_like(one.dtype, dtype)])
            if len(literals) == len(found):
                return literals
        return None

    def _places(self, run: Run, constants: tuple[Literal, ...], bounds: Bounds) -> Tensor:
        low, high = bounds
        one = Batch({}, 1)
        found = [run.evaluator.evaluate(constant, one) for constant in constants]
        numbers = {column.bounds[0] for column in found if column.bounds is not None and column.valid is None}
        places = [number - low for number in sorted(numbers) if low <= number <= high]
        return torch.tensor(places, dtype=torch.int64, device=run.device)

    def _kept(self, run: Run, column: Column) -> Tensor:
        batch = Batch.of({self.symbol: column}, len(column))
        return truth(run.evaluator.prepare(self.condition)(batch)).expand(len(column)).contiguous()

    def describe(self) -> str:
        return show_expr(self.condition)


@dataclass(frozen=True, eq=False)
class ByKeys:
    """An inner or a semi join of the stored `column`, which is its key number `place`, in a later stage."""

    stage: ProbeStage | MembershipStage | KeyFilterStage
    place: int
    column: str

    @property
    def expressions(self) -> Expressions:
        return ()

    @property
    def answers(self) -> frozenset[Expr]:
        # Keys that are there may have no partner by another key.
        return frozenset()

    def most(self, run: Run) -> float:
        return run.limits.joined_share

    @property
    def is_cheap(self) -> bool:
        return False

    def slots(self, run: Run, column: Column, bounds: Bounds, rows: int) -> Tensor | None:
        low, high = bounds
        stage = self.stage
        most = self.most(run) * (high - low + 1)
        if isinstance(stage, KeyFilterStage):
            keys = stage.key_values(run, most)
        else:
            build = stage.build.get(run) if isinstance(stage, ProbeStage) else run.result(stage.slot)
            keys = build.key_values(self.place, most)
        if keys is None:
            return None
        inside = keys.index_select(0, select((keys >= low) & (keys <= high)))
        return select(keysets.bitmap(inside, low, high))

    def describe(self) -> str:
        return self.stage.describe()


@dataclass(frozen=True, eq=False)
class _Promise:
    """A reducer that keeps few values of its column: their share of all, and which they are."""

    share: float
    reducer: Reducer
    column: Column
    bounds: Bounds
    slots: Tensor


@dataclass(frozen=True, eq=False)
class ReducedSource(TableSource):
    """The rows of a scan that its `reducers` keep, or more of them. Whether one of them chooses the rows is the run's choice.

    `keeps_batches`: batches are those of a scan of all rows. `has_groups`: if the rows are aggregated, then by keys.
    """

    reducers: tuple[Reducer, ...] = ()
    keeps_batches: bool = False
    has_groups: bool = True

    @property
    def expressions(self) -> Expressions:
        return tuple([group for reducer in self.reducers for group in reducer.expressions])

    def rows(self, run: Run) -> int:
        few = None if self.keeps_batches else run.few.get(self)
        return super().rows(run) if few is None else few.shape[0]

    def batch(self, run: Run, start: int, stop: int, index: int) -> Batch:
        rows = run.few.get(self)
        if rows is None:
            return super().batch(run, start, stop, index)
        if not self.keeps_batches:
            rows = rows[start:stop]
        elif stop - start < self.scan.source.rows:
            ends = torch.tensor([start, stop], dtype=rows.dtype, device=rows.device)
            first, last = waits.numbers(torch.searchsorted(rows, ends), _ENDS)
            rows = rows[first:last]
        return Batch(dict.fromkeys(self._names, Part(self._stored, rows)), rows.shape[0], None, index)

    def reduce(
        self, run: Run, spans: Spans | None, is_looped: Callable[[], bool], may_end_soon: bool = False
    ) -> Spans | None:
        """What is read where an index has few rows beside those that are read otherwise (`spans`, None: all); None where none has.

        Asked once a run, when the results that the stages read are there. The reducer chooses whose values are the smallest share.
        `is_looped` says whether a compiled loop is there that reads what is read otherwise. `may_end_soon`: few of the rows may be
        enough, so that no condition is evaluated for very many values ahead.
        """
        table = self.scan.source
        total = table.rows if spans is None else spans.rows
        limits = run.limits
        few = limits.looped_share if self.has_groups else limits.keyless_share
        promising = []
        for reducer in self.reducers:
            column = table.column(reducer.column)
            bounds = bounds_of(column)
            if bounds is None:
                continue
            most = min(reducer.most(run), limits.looped_share) if may_end_soon else reducer.most(run)
            values = bounds[1] - bounds[0] + 1
            # Of few values none is a small share.
            if 1 > most * values or values > run.limits.value_slots * total:
                continue
            widest = run.limits.smallest_batch if column.dictionary is None else run.limits.entries_at_once
            if may_end_soon and values > widest:
                continue
            slots = reducer.slots(run, column, bounds, total)
            share = 1.0 if slots is None else slots.shape[0] / values
            if slots is not None and share * table.rows <= most * total:
                promising.append(_Promise(share, reducer, column, bounds, slots))
        promising.sort(key=lambda one: one.share)
        reasons = []
        for place, one in enumerate(promising):
            name, most = one.reducer.column, one.reducer.most(run) * total
            is_wide = one.share * table.rows > limits.looped_share * total
            gains_little = is_wide or (one.reducer.is_cheap and not self.has_groups and is_looped())
            answer = self._asked(run, one, limits.late_asks if gains_little else limits.index_asks, is_best=place == 0)
            if answer.index is None:
                reasons.append(f"no index on {table.name}.{name}: {answer.reason}")
                continue
            starts, counts, count = answer.index.ranges(one.slots)
            told = f"the index on {table.name}.{name} has {count:,} of {table.rows:,} for {one.reducer.describe()}"
            if count > most:
                reasons.append(f"{told}, which are many")
                continue
            if one.reducer.is_cheap and count > few * total and is_looped():
                reasons.append(f"{told}, and one compiled loop reads all rows")
                continue
            rows = _rows(answer.index, starts, counts, count, table.rows)
            run.few[self] = rows
            run.answered = one.reducer.answers
            run.note_also(self, Choice("rows", f"index on {name}", (_ALL,), f"{told}; {answer.reason}"))
            if self.keeps_batches:
                return spans or Spans.all(table.rows)
            return Spans.all(count)
        if reasons:
            others = tuple([f"index on {one.reducer.column}" for one in promising])
            run.note_also(self, Choice("rows", _ALL, others, "; ".join(reasons)))
        return None

    def _asked(self, run: Run, one: _Promise, asks: int, is_best: bool) -> Answer:
        """The index of a column: asked for once a run, and of the columns that may serve the best alone."""
        indexes, name = self.scan.source.indexes, one.reducer.column
        key = (self.scan.source, name)
        found = run.lent.get(key)
        if found is None and is_best:
            found = indexes.ask(name, one.column, one.bounds, asks, index_budget(run))
            run.lent[key] = found
        if found is None:
            there = indexes.there(name)
            return Answer(there, "another one is better" if there is None else "it is there")
        return found

    def write(self, writer: Writer) -> None:
        symbols = [field.symbol for field in self.scan.fields]
        ways = (_ALL, *dict.fromkeys(f"index on {reducer.column}" for reducer in self.reducers))
        facts = {"table": self.scan.source, "columns": self.scan.columns}
        writer.add("scan", (), symbols, writer.size(), ways, facts)


def _is_like(one: DType, other: DType) -> bool:
    """Whether equal values of both types are equal integers."""
    if one.is_exact and other.is_exact:
        return one.scale == other.scale
    return one == other and one.is_ordinal


def _rows(index: ValueIndex, starts: Tensor, counts: Tensor, count: int, rows: int) -> Tensor:
    """The rows (count,) of ranges of an index of a table of so many `rows`, ascending."""
    order = index.lookup.order
    if order is None or starts.shape[0] <= 1:
        _, places = expand(starts, counts)
        return places if order is None else order.index_select(0, places)
    return sorted_rows(order, starts, counts, count, rows)
