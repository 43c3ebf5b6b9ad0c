"""A batch's way through the stages of a pipeline, and the rounds of a recursion whose step is one pipeline of few rows.

To set a pipeline up for workers takes longer than to run it on a few rows. So what is prepared for one round is used for all that
come with rows of the same form, on this thread. Rounds of very few rows need no tensors (`tqp.runtime.rowrounds`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic
from typing import Any, Final

from tqp.errors import ExecutionError
from tqp.interrupt import checkpoint
from tqp.kernels.operation import NotTraceable
from tqp.operators.batch import Batch
from tqp.operators.operator import PreparedSink, PreparedStage, Run
from tqp.operators.recursion import WorkingSource
from tqp.operators.results import Relation, Result
from tqp.physical.pipeline import Pipeline
from tqp.runtime.allocation import GROWTH
from tqp.runtime.observe import Observer, Work
from tqp.runtime.rowrounds import RowRounds

__all__ = ["pass_through", "small_rounds"]

_MOST_UNUSUAL: Final = 8
"""After so many rounds with a row that takes another course all are left to tensors, …"""
_USUAL: Final = 8
"""… where so many other rounds make up for one."""


def pass_through(
    batch: Batch, stages: Sequence[PreparedStage], sink: PreparedSink[Any, Result], local: Any, state: Run
) -> None:
    """Take a batch through the stages into the local state of the sink; ends early where nobody needs more of it."""
    index = batch.index
    interrupt, limited = state.interrupt, state.limited
    # What is left of each stage's batches, in a list: stages are as many as queries nest.
    left: list[Iterator[Batch]] = [iter((batch,))]
    while left:
        if interrupt is not None and interrupt.stopped:
            raise interrupt.error()
        if limited is not None and limited.has_enough(index):
            break
        found = next(left[-1], None)
        if found is None:
            left.pop()
            continue
        found.index = index
        if len(left) > len(stages):
            sink.consume(local, found)
            if monotonic() > GROWTH.due:
                GROWTH.look()
        else:
            left.append(iter(stages[len(left) - 1](found)))


def small_rounds(pipeline: Pipeline, state: Run, observers: Sequence[Observer]) -> None:
    """Run a step, which is this pipeline alone, as long as it gives rows that are few enough for one batch, and of one form."""
    source = pipeline.source
    if not isinstance(source, WorkingSource) or source.whole:
        return
    state.limited, state.answered, state.spans = None, frozenset(), None
    layouts = pipeline.layouts(state)
    sink = pipeline.sink.prepare(state, layouts)
    stages: list[PreparedStage] = [stage.prepare(state) for stage in pipeline.stages]
    for observer in reversed(observers):
        stages = [observer.stage(place, stage) for place, stage in enumerate(stages)]
        sink = observer.sink(state, sink, layouts, 0)
    most, form = state.limits.smallest_batch, source.form(state)
    by_rows = _ByRows(pipeline, state)
    while state.result(pipeline.writes).rows:
        checkpoint()
        rows = source.rows(state)
        if not 0 < rows <= most or source.form(state) != form:
            return
        if by_rows.took(rows):
            continue
        local = sink.local()
        pass_through(source.batch(state, 0, rows, 0), stages, sink, local, state)
        result = sink.finish([local])
        state.keep(pipeline.writes, result)
        for observer in observers:
            observer.end(state, result, Work(rows, 1, 1))


class _ByRows:
    """Rounds of so few rows that each is computed by itself, once there were enough of them to write down what is done to a row."""

    def __init__(self, pipeline: Pipeline, state: Run) -> None:
        self._pipeline = pipeline
        self._state = state
        self._few = state.limits.rowwise_rows
        self._before = state.limits.rowwise_after
        self._unusual = 0.0
        self._rounds: RowRounds | None = None

    def took(self, rows: int) -> bool:
        """Whether it has run the next round, of so many rows, and those after it as long as it can."""
        if self._few is None or rows > self._few:
            return False
        if self._rounds is None:
            self._before -= 1
            if self._before >= 0 or not self._written():
                return False
        assert self._rounds is not None
        ran = self._rounds.run(self._few)
        self._unusual += (1 if ran == 0 else 0) - ran / _USUAL
        if self._unusual > _MOST_UNUSUAL:
            self._few = None
        self._state.keep(self._pipeline.writes, Relation({}, self._rounds.left))
        return ran > 0

    def _written(self) -> bool:
        try:
            self._rounds = RowRounds(self._pipeline, self._state)
        except (NotTraceable, ExecutionError):
            self._few = None
        return self._rounds is not None
