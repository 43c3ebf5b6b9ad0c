"""A batch's way through the stages of a pipeline, and the rounds of a recursion whose step is one pipeline of few rows.

To set a pipeline up for workers takes longer than to run it on a few rows. So what is prepared for one round is used for all that
come with rows of the same form, on this thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic
from typing import Any

from tqp.interrupt import checkpoint
from tqp.operators.batch import Batch
from tqp.operators.operator import PreparedSink, PreparedStage, Run
from tqp.operators.recursion import WorkingSource
from tqp.operators.results import Result
from tqp.physical.pipeline import Pipeline
from tqp.runtime.allocation import GROWTH
from tqp.runtime.observe import Observer, Work

__all__ = ["pass_through", "small_rounds"]


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
    while state.result(pipeline.writes).rows:
        checkpoint()
        rows = source.rows(state)
        if not 0 < rows <= most or source.form(state) != form:
            return
        local = sink.local()
        pass_through(source.batch(state, 0, rows, 0), stages, sink, local, state)
        result = sink.finish([local])
        state.keep(pipeline.writes, result)
        for observer in observers:
            observer.end(state, result, Work(rows, 1, 1))
