"""Run a program: pipeline after pipeline, batches spread over worker threads.

On a CPU each worker runs whole batches with one intra-op thread, so that a batch's temporaries stay in its core's cache
and no operation waits at a barrier. On a GPU a batch is the whole input and one worker is enough. `tqp.runtime.workers` has
the threads; between any two steps of a batch a worker looks whether the run shall stop. Who wants to know what is done is an
observer (`tqp.runtime.observe`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import Any

import torch

from tqp.config import Settings
from tqp.data.table import Table
from tqp.device import Limits
from tqp.interrupt import current
from tqp.operators.batch import Batch
from tqp.operators.operator import LimitedSink, PreparedSink, PreparedStage, Run
from tqp.operators.results import Result
from tqp.physical.pipeline import Pipeline
from tqp.physical.program import Program
from tqp.runtime import backends
from tqp.runtime.memory import MemoryLimit
from tqp.runtime.observe import EVERYWHERE, Observer, Observers, Work
from tqp.runtime.workers import help_with

__all__ = ["run"]


def run(program: Program, settings: Settings, *observers: Observer) -> Table:
    """Execute the program and return its result; ExecutionError or OutOfMemoryError where the data does not allow it.

    Runs on this thread, which `workers.call` should have started, and on helpers. `observers` see what is done.
    """
    state = Run(settings, program.target.limits, program.steps)
    threads = min(program.target.threads, settings.threads)
    observer = Observers((MemoryLimit(program.target.memory), *observers, *(make() for make in EVERYWHERE)))
    with torch.inference_mode():
        for planned in program.pipelines:
            pipeline = planned.in_run(state)
            if pipeline is not None:
                with observer.around(pipeline, state):
                    _run_pipeline(pipeline, state, threads, observer)
            for slot in planned.frees:
                state.free(slot)
    relation = state.result(program.result)
    columns = tuple(relation.columns[item.symbol].expand(relation.rows) for item in program.schema)
    return Table(tuple(item.name for item in program.schema), columns, relation.rows)


def _run_pipeline(pipeline: Pipeline, state: Run, threads: int, observer: Observer) -> None:
    state.limited = None
    stages = [stage.prepare(state) for stage in pipeline.stages]
    layouts = pipeline.layouts(state)
    prepared = pipeline.sink.prepare(state, layouts)
    rows = pipeline.source.rows(state)
    size = _batch_rows(state.limits, threads, rows, pipeline)
    fused = backends.prepare(pipeline, state, prepared)
    done = 0 if fused is None else fused.rows
    state.limited = prepared if isinstance(prepared, LimitedSink) else None
    sink = observer.sink(state, prepared, layouts, done)
    stages = [observer.stage(place, stage) for place, stage in enumerate(stages)]
    batches = _Batches(pipeline, state, done, rows, size)
    work = _Work(batches, stages, sink, state, observer)
    workers = min(threads, batches.count)
    locals_ = _shared_out(work, workers, threads)
    if fused is not None:
        locals_.append(sink.local())
        fused.consume(locals_[-1])
    result = sink.finish(locals_)
    state.keep(pipeline.writes, result)
    observer.end(state, result, Work(rows, batches.count, max(workers, 1)))


def _shared_out(work: _Work, workers: int, threads: int) -> list[Any]:
    """The local states of all who worked: this thread, and helpers as far as they have time."""
    helpers: list[Future[Any]] = []
    if workers > 1:
        helpers = help_with(work.run_alone, current(), workers - 1, threads - 1)
    try:
        locals_ = [work.run()]
    except BaseException:
        # Their errors say no more than this one, but they must not go on with what is let go.
        for helper in helpers:
            if not helper.cancel():
                helper.exception()
        raise
    return locals_ + [helper.result() for helper in helpers if not helper.cancel()]


def _batch_rows(limits: Limits, threads: int, rows: int, pipeline: Pipeline) -> int:
    """Rows a batch: all of them, or such that there are a few batches of bounded size for every worker.

    Models that see all rows of a batch take time enough for small ones, which need less memory.
    """
    if limits.batch_rows is None:
        return max(rows, 1)
    share = -(-rows // (limits.batches_a_worker * threads))
    if pipeline.stages and pipeline.stages[0].predicts:
        share = limits.smallest_batch
    return min(limits.batch_rows, max(share, limits.smallest_batch))


class _Batches:
    """Hands out batch numbers in order; stops early when the sink has enough or a worker failed.

    Where a sink may soon have enough, the first batches are small.
    """

    def __init__(self, pipeline: Pipeline, state: Run, start: int, rows: int, size: int) -> None:
        self.failed = False
        self._source = pipeline.source
        self._state = state
        self._lock = threading.Lock()
        self._next = 0
        growing = state.limited is not None and state.limits.batch_rows is not None
        self._starts = list(_starts(start, rows, size, min(state.limits.first_batch, size) if growing else size))
        self.count = len(self._starts)
        self._rows = rows

    def claim(self) -> Batch | None:
        with self._lock:
            index = self._next
            if index >= self.count or self.failed or self._state.has_enough(index):
                return None
            self._next += 1
        start = self._starts[index]
        stop = self._starts[index + 1] if index + 1 < self.count else self._rows
        return self._source.batch(self._state, start, stop, index)


def _starts(start: int, rows: int, size: int, step: int) -> Iterator[int]:
    """The first rows of the batches; the first has `step` rows, later ones grow to `size`."""
    while start < rows:
        yield start
        start += step
        step = min(2 * step, size)


def _through(stages: Sequence[PreparedStage], batch: Batch, state: Run) -> Iterator[Batch]:
    """The batches that one batch becomes, until nobody needs them."""
    # One iterator a stage, in a list: stages are as many as queries nest.
    iterators = [iter((batch,))]
    interrupt, limited = current(), state.limited
    while iterators:
        if interrupt is not None and interrupt.stopped:
            raise interrupt.error()
        found = next(iterators[-1], None)
        if limited is not None and limited.has_enough(batch.index):
            return
        if found is None:
            iterators.pop()
            continue
        found.index = batch.index
        if len(iterators) > len(stages):
            yield found
        else:
            iterators.append(stages[len(iterators) - 1](found))


class _Work:
    """What every worker of a pipeline does."""

    def __init__(
        self,
        batches: _Batches,
        stages: Sequence[PreparedStage],
        sink: PreparedSink[Any, Result],
        state: Run,
        observer: Observer,
    ) -> None:
        self._batches = batches
        self._stages = stages
        self._sink = sink
        self._state = state
        self._observer = observer

    def run(self) -> Any:
        """Consume batches until none is left; returns the worker's local state."""
        with self._observer.worker():
            local = self._sink.local()
            try:
                more = True
                while more:
                    with self._observer.batch():
                        more = self._consume(local)
            except BaseException:
                self._batches.failed = True
                raise
        return local

    def run_alone(self) -> Any:
        """`run` on a helper's thread."""
        with torch.inference_mode():
            return self.run()

    def _consume(self, local: Any) -> bool:
        """Consume one batch; False where there is none."""
        batch = self._batches.claim()
        if batch is None:
            return False
        limited = self._state.limited
        for found in _through(self._stages, batch, self._state):
            self._sink.consume(local, found)
            if limited is not None and limited.has_enough(batch.index):
                break
        return True
