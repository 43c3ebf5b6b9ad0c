"""Run a program: pipeline after pipeline, batches spread over worker threads.

On a CPU each worker runs whole batches with one intra-op thread, so that a batch's temporaries stay in its core's cache
and no operation waits at a barrier. On a GPU a batch is the whole input and one worker is enough. `tqp.runtime.workers` has
the threads; between any two steps of a batch a worker looks whether the run shall stop.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext

import torch

from tqp.config import Settings
from tqp.data.table import Table
from tqp.interrupt import checkpoint, current
from tqp.operators.batch import Batch
from tqp.operators.filter import ProjectStage
from tqp.operators.operator import PreparedSink, PreparedStage, Relation, Run
from tqp.operators.sort import Limiter
from tqp.physical.program import Pipeline, Program
from tqp.runtime import backends
from tqp.runtime.memory import guard
from tqp.runtime.trace import Trace
from tqp.runtime.workers import help_with

__all__ = ["run"]

_BATCHES_A_WORKER = 2
_SMALLEST_BATCH = 2**18
_FIRST_BATCH = 2**14
"""Rows of the first batch where few rows may be enough; later ones grow."""


def run(program: Program, settings: Settings, trace: Trace | None = None) -> Table:
    """Execute the program and return its result; ExecutionError or OutOfMemoryError where the data does not allow it.

    Runs on this thread, which `workers.call` should have started, and on helpers. What a pipeline left is let go after
    the last one that reads it.
    """
    state = Run(settings)
    last = program.last_readers()
    with torch.inference_mode():
        for place, pipeline in enumerate(program.pipelines):
            with guard(pipeline, state):
                _run_pipeline(pipeline, state, trace)
            for slot in last.get(place, ()):
                del state.results[slot]
    relation = state.results[program.pipelines[-1].slot]
    assert isinstance(relation, Relation)
    columns = tuple(relation.columns[item.symbol].expand(relation.rows) for item in program.schema)
    return Table(tuple(item.name for item in program.schema), columns, relation.rows)


def _run_pipeline(pipeline: Pipeline, state: Run, trace: Trace | None) -> None:
    checkpoint()
    state.limited = None
    stages = [stage.prepare(state) for stage in pipeline.stages]
    if trace is not None:
        trace.begin(pipeline, state)
        stages = trace.watch(pipeline, stages)
    (sample,) = _through(stages, pipeline.source.batch(state, 0, 0, 0), state)
    sink = pipeline.sink.prepare(state, sample)
    rows = pipeline.source.rows(state)
    size = _batch_rows(state, rows, pipeline)
    fused = backends.prepare(pipeline, state, sink)
    done = 0 if fused is None else fused.rows
    state.limited = sink if isinstance(sink, Limiter) else None
    if trace is not None:
        sink = trace.watch_sink(pipeline, state, sink, done)
    batches = _Batches(pipeline, state, done, rows, size)
    work = _Work(batches, stages, sink, state)
    workers = min(state.settings.threads, batches.count) if state.device.type == "cpu" else 1
    locals_ = _shared_out(work, workers, state.settings.threads, _around_first(pipeline, state, trace))
    if fused is not None:
        locals_.append(sink.local())
        fused.consume(locals_[-1])
    state.results[pipeline.slot] = sink.finish(locals_)
    if trace is not None:
        trace.end(pipeline, state, rows, batches.count, workers)
    state.combined.pop(id(pipeline.source), None)


def _shared_out(work: _Work, workers: int, threads: int, first: AbstractContextManager[None]) -> list[object]:
    """The local states of all who worked: this thread, and helpers as far as they have time."""
    helpers: list[Future[object]] = []
    if workers > 1:
        helpers = help_with(work.run_alone, current(), workers - 1, threads - 1)
    try:
        locals_ = [work.run(first)]
    except BaseException:
        # Their errors say no more than this one, but they must not go on with what is let go.
        for helper in helpers:
            if not helper.cancel():
                helper.exception()
        raise
    return locals_ + [helper.result() for helper in helpers if not helper.cancel()]


def _batch_rows(state: Run, rows: int, pipeline: Pipeline) -> int:
    """Rows a batch: on a CPU a few batches for every worker, of bounded size; on a GPU all rows.

    Models that see all rows of a batch take time enough for small ones, which need less memory.
    """
    if state.device.type != "cpu":
        return max(rows, 1)
    share = -(-rows // (_BATCHES_A_WORKER * state.settings.threads))
    if pipeline.stages and isinstance(pipeline.stages[0], ProjectStage) and pipeline.stages[0].predicts:
        share = _SMALLEST_BATCH
    return min(state.settings.batch_rows, max(share, _SMALLEST_BATCH))


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
        self._starts = list(_starts(start, rows, size, state.limited is not None and state.device.type == "cpu"))
        self._rows = rows

    @property
    def count(self) -> int:
        return len(self._starts)

    def claim(self) -> Batch | None:
        checkpoint()
        with self._lock:
            index = self._next
            if index >= self.count or self.failed or self._state.has_enough(index):
                return None
            self._next += 1
        start = self._starts[index]
        stop = self._starts[index + 1] if index + 1 < self.count else self._rows
        return self._source.batch(self._state, start, stop, index)


def _starts(start: int, rows: int, size: int, growing: bool) -> Iterator[int]:
    """The first rows of the batches."""
    step = min(_FIRST_BATCH, size) if growing else size
    while start < rows:
        yield start
        start += step
        step = min(2 * step, size)


def _through(stages: Sequence[PreparedStage], batch: Batch, state: Run) -> Iterator[Batch]:
    """The batches that one batch becomes, until nobody needs them."""
    # One iterator a stage, in a list: stages are as many as queries nest.
    iterators = [iter((batch,))]
    while iterators:
        checkpoint()
        found = next(iterators[-1], None)
        if state.has_enough(batch.index):
            return
        if found is None:
            iterators.pop()
            continue
        found.index = batch.index
        if len(iterators) > len(stages):
            yield found
        else:
            iterators.append(stages[len(iterators) - 1](found))


def _around_first(pipeline: Pipeline, state: Run, trace: Trace | None) -> AbstractContextManager[None]:
    return nullcontext() if trace is None else trace.first_batch(pipeline, state)


class _Work:
    """What every worker of a pipeline does."""

    def __init__(self, batches: _Batches, stages: list[PreparedStage], sink: PreparedSink, state: Run) -> None:
        self._batches = batches
        self._stages = stages
        self._sink = sink
        self._state = state

    def run(self, first: AbstractContextManager[None]) -> object:
        """Consume batches until none is left; returns the worker's local state."""
        local = self._sink.local()
        try:
            with first:
                self._consume(local, self._batches.claim())
            while (batch := self._batches.claim()) is not None:
                self._consume(local, batch)
        except BaseException:
            self._batches.failed = True
            raise
        return local

    def run_alone(self) -> object:
        """`run` on a helper's thread."""
        with torch.inference_mode():
            return self.run(nullcontext())

    def _consume(self, local: object, batch: Batch | None) -> None:
        if batch is None:
            return
        for found in _through(self._stages, batch, self._state):
            self._sink.consume(local, found)
            if self._state.has_enough(batch.index):
                return
