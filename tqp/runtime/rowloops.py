"""Filter, join, project and aggregate of a pipeline as one loop over the rows of a table.

The pipelines are those of `tqp.runtime.compile`, with as many groups as states in arrays allow, and with joins in which a row
finds at most one partner (`tqp.runtime.sides`). The loop does what the eager evaluator does (`tqp.runtime.rowwise`). Numba compiles
it in the background once a pipeline has read many rows; all workers run it, a range of rows at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

from tqp.data.column import Column
from tqp.functions.aggregates import Totals, aggregate_of
from tqp.functions.aggregates.accumulator import full_range
from tqp.interrupt import checkpoint
from tqp.kernels.loops.generated import generated
from tqp.kernels.loops.loop import Kind, behind, mode
from tqp.kernels.operation import NotTraceable, tracing
from tqp.locks import Lock
from tqp.operators.grouping_sets import rows_by
from tqp.operators.operator import PreparedSink, Run
from tqp.operators.results import Result
from tqp.operators.scan import TableSource
from tqp.operators.slots import DirectAggregation
from tqp.operators.spans import Span, Spans
from tqp.operators.states import States
from tqp.physical.pipeline import Pipeline
from tqp.runtime.codes import COMPILING, Codes, Parts, Share, StoredColumns
from tqp.runtime.loopstates import How, State
from tqp.runtime.looptext import sums
from tqp.runtime.masked import FewGroups, Shape, extreme_layout
from tqp.runtime.rowwise import Rowwise
from tqp.runtime.workers import compute_alone

__all__ = ["LoopAggregation", "loop_of", "looped_bytes"]

_TRACED_ROWS: Final = 131_101
"""Rows of the trace: a number that no other tensor has (it is prime), and so many that kernels take what is best for many."""
_ORDERED_GROUPS: Final = 2**12
"""Of more groups the states of a range are not worth keeping for themselves."""
_MODE: Final = mode()
_COUNTING: Final = Lock()
_ASKING: Final = Lock()
"""Held by who looks for a loop; not by who traces one, for whom no query waits."""
_MADE: Final[WeakKeyDictionary[Pipeline, _Candidate]] = WeakKeyDictionary()
"""The pipelines of programs that are still there and have read many rows."""


class _Candidate:
    """A pipeline that may become a loop: how many rows it has read, and what became of it."""

    def __init__(self) -> None:
        self.rows = 0
        self.codes: Codes[_Traced] = Codes(_whole, _Traced, rowwise=True)


def loop_of(pipeline: Pipeline, run: Run, eager: FewGroups) -> LoopAggregation | None:
    """The pipeline's aggregation as a compiled loop; None as long as there is none. NotTraceable where its shape allows none."""
    least = run.limits.looped_rows
    if (
        _MODE == "off"
        or least is None
        or not isinstance(pipeline.source, TableSource)
        or (rows := pipeline.source.rows(run) if run.spans is None else run.spans.rows) < least
    ):
        return None
    with _COUNTING:
        found = _MADE.get(pipeline)
        if found is None:
            found = _MADE[pipeline] = _Candidate()
        found.rows += rows
        if found.rows < run.limits.looped_after:
            return None
    with _ASKING:
        traced, given = found.codes.of(pipeline, run, eager)
    loop = traced.loop
    if loop is None or not loop.is_ready():
        return None
    return LoopAggregation(loop, tuple(loop.constants(given)), run.spans or Spans.all(loop.rows))


def looped_bytes(pipeline: Pipeline) -> int | None:
    """Bytes that the pipeline's loops keep beside their texts; None where it has none."""
    found = _MADE.get(pipeline)
    return None if found is None else found.codes.nbytes


def _whole(source: TableSource, run: Run) -> StoredColumns:
    return StoredColumns.of(source, source.rows(run), lambda data: data)


class _Traced:
    """The loop of a pipeline once it is traced, by the thread that compiles: a trace takes as long as small queries, the first one
    of a process a second."""

    def __init__(self, parts: Parts) -> None:
        self._found: _RowLoop | NotTraceable | None = None
        behind("what a pipeline does", partial(self._trace, parts))

    def _trace(self, parts: Parts) -> None:
        compute_alone()
        with COMPILING, torch.inference_mode():
            try:
                self._found = loop = _RowLoop(parts)
            except NotTraceable as refusal:
                # Without what it was raised in, which is not to be kept.
                self._found = NotTraceable(*refusal.args)
            else:
                loop.is_ready()

    @property
    def loop(self) -> _RowLoop | None:
        """The loop; None as long as it is not traced. NotTraceable where there will be none."""
        if isinstance(self._found, NotTraceable):
            raise NotTraceable(*self._found.args)
        return self._found


class _RowLoop:
    """The loop of a pipeline over the columns of its table."""

    def __init__(self, parts: Parts) -> None:
        stored = parts.stored
        if not all(tensor.is_contiguous() for tensor in stored.tensors):
            raise NotTraceable("a column has gaps")
        self.rows = stored.rows
        self.groups = parts.eager.size if isinstance(parts.eager, DirectAggregation) else 1
        self._tensors = stored.tensors
        count = len(stored.tensors)

        def results(tensors: Sequence[Tensor]) -> list[Tensor]:
            return self._results(parts, tensors[:count], tensors[count:])

        few = [tensor[:_TRACED_ROWS] for tensor in stored.tensors]
        given = parts.traced(_TRACED_ROWS)
        with torch.no_grad(), tracing():
            # Once without the tracer: what is remembered of dictionaries is no part of a function.
            results([*few, *given])
            traced = make_fx(lambda *tensors: results(tensors))(*few, *given)
        self._rowwise = Rowwise(traced, _TRACED_ROWS, count)
        left = iter(self._rowwise.results)
        passes = list(islice(left, self._masks))
        group = next(left) if isinstance(parts.eager, DirectAggregation) else None
        states = [
            State(next(left) if counted else None, next(left) if how is not None else None, how)
            for counted, how in self._kept
        ]
        self._starts = [0, *(start for state in states for start in state.starts)]
        self.is_ordered = self.groups <= _ORDERED_GROUPS and any(
            how is not None and how.is_ordered for _, how in self._kept
        )
        kinds = [tensor.dtype for tensor in stored.tensors]
        self._kinds: tuple[Kind, ...] = (*kinds, *self._rowwise.constants, *map(_dtype, self._starts))
        self._loop = generated(sums(self._rowwise, [one.itemsize for one in kinds], passes, group, states))

    def _results(self, parts: Parts, columns: Sequence[Tensor], given: Sequence[Tensor]) -> list[Tensor]:
        """Whether a row passes each mask; its group, if there are any; of each aggregate whether its value is one, and that, if
        asked."""
        masked = parts.masked(given, 1)
        values = masked.values(parts.stored.over(columns), _TRACED_ROWS)
        found = list(values.masks)
        self._masks = len(found)
        if isinstance(parts.eager, DirectAggregation):
            found.append(parts.eager.layout.encode(values.keys).long())
        self._shape = Shape()
        self._kept: list[tuple[bool, How | None]] = []
        plan = rows_by(parts.pipeline.sink)
        assert plan is not None
        calls = plan.aggregates
        for place, args in zip(masked.own, values.args, strict=True):
            is_counted, how, limit, layout = False, None, 0, None
            for column in args:
                is_counted = column.valid is not None
                if column.valid is not None:
                    found.append(column.valid)
                known = aggregate_of(calls[place])
                if known.totals is Totals.SUMS:
                    how, limit = _summed(column, self.rows)
                elif known.totals is Totals.MOMENTS:
                    how = How.MOMENTS
                elif known.extreme is not None:
                    how, layout = _extreme(known.extreme, column), extreme_layout(column)
                if how is not None:
                    found.append(column.data)
            self._shape.add(is_counted, limit, layout, len(how.starts) if how is not None else 0)
            self._kept.append((is_counted, how))
        return found

    def is_ready(self) -> bool:
        """Whether it is compiled; if not, it is asked for."""
        return self._loop.ready(self.rows, *self._kinds)

    def constants(self, given: Sequence[Tensor]) -> Iterator[Any]:
        """What the loop takes beside columns, where a run gives these tensors."""
        return self._rowwise.values(given)

    def arrays(self) -> list[Any]:
        """States of no rows: rows of each group; then, an aggregate after the other, counts, and what values become."""
        return [
            np.full(self.groups, start, np.float64 if isinstance(start, float) else np.int64) for start in self._starts
        ]

    def add(self, arrays: Sequence[Any], constants: Sequence[Any], start: int, stop: int) -> None:
        """Add the rows of the range to the states."""
        self._loop(*[tensor[start:stop].numpy() for tensor in self._tensors], *constants, *arrays)

    def put(self, arrays: Sequence[Any], rows: int, local: States) -> None:
        """Add the states, of so many rows, to those of the eager sink."""
        states = States(local.plan, local.groups, local.arguments)
        self._shape.put(states, [torch.from_numpy(array) for array in arrays], rows)
        local.merge(states, None)


@dataclass(eq=False)
class LoopAggregation:
    """A compiled loop, what a run gives it, and its workers."""

    loop: _RowLoop
    constants: tuple[Any, ...]
    spans: Spans

    @property
    def rows(self) -> int:
        """The rows from the start of the source that it takes."""
        return self.loop.rows

    def locals(
        self, sink: PreparedSink[Any, Result], size: int, share: Share, took: Callable[[int], None]
    ) -> list[Any]:
        """The eager sink's states of all rows: workers take ranges of `size` rows, and tell `took` how many they took.

        Where the order of the rows is to be seen, each range has states of its own, which are put together in that order: who
        has taken which range makes no difference.
        """

        left = self.spans.pieces(size)[::-1]

        def work() -> list[_Part]:
            parts: list[_Part] = []
            for start, stop in _taken(left):
                checkpoint()
                if not parts or self.loop.is_ordered:
                    parts.append(_Part(start, self.loop.arrays()))
                self.loop.add(parts[-1].arrays, self.constants, start, stop)
                parts[-1].rows += stop - start
                took(stop - start)
            return parts

        local = sink.local()
        for part in sorted((part for parts in share(work, len(left)) for part in parts), key=lambda part: part.start):
            self.loop.put(part.arrays, part.rows, local)
        return [local]


@dataclass(slots=True, eq=False)
class _Part:
    """The states of a range of rows that begins there, and maybe of later ones."""

    start: int
    arrays: list[Any]
    rows: int = 0


def _summed(column: Column, rows: int) -> tuple[How, int]:
    """How a column (n,) is summed, and the limit of its sum's magnitude if that takes 64 bits."""
    if column.dtype.is_float:
        return How.FLOATS, 0
    if column.is_wide:
        raise NotTraceable("numbers of 128 bits are summed")
    low, high = column.bounds or full_range(column.data.dtype)
    limit = max(-low, high) * rows
    return (How.SUM, limit) if limit < 2**63 else (How.HALVES, 0)


def _extreme(largest: bool, column: Column) -> How:
    if column.dtype.is_float:
        return How.GREATEST_FLOAT if largest else How.LEAST_FLOAT
    return How.GREATEST if largest else How.LEAST


def _dtype(start: int | float) -> torch.dtype:
    return torch.float64 if isinstance(start, float) else torch.int64


def _taken(left: list[Span]) -> Iterator[Span]:
    """The ranges that a worker takes, from the end of those that are left."""
    while left:
        try:
            yield left.pop()
        except IndexError:
            return  # another one took the last
