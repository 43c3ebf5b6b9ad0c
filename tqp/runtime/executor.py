"""Run a program: pipeline after pipeline, batches spread over worker threads.

On a CPU each worker runs whole batches with one intra-op thread, so that a batch's temporaries stay in its core's cache
and no operation waits at a barrier. On a GPU a batch is the whole input and one worker is enough.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache

import torch

from tqp.column import Table
from tqp.config import Settings
from tqp.physical.batch import Batch
from tqp.physical.filter import ProjectStage
from tqp.physical.pipeline import Pipeline, PreparedSink, PreparedStage, Program, Relation, Run
from tqp.runtime import backends
from tqp.runtime.memory import guard
from tqp.runtime.trace import Trace

__all__ = ["run"]

_BATCHES_A_WORKER = 2
_SMALLEST_BATCH = 2**18


def run(program: Program, settings: Settings, trace: Trace | None = None) -> Table:
    """Execute the program and return its result; ExecutionError or OutOfMemoryError where the data does not allow it."""
    state = Run(settings)
    threads_before = torch.get_num_threads()
    on_cpu = state.device.type == "cpu"
    if on_cpu:
        torch.set_num_threads(1)
    try:
        with torch.inference_mode():
            for pipeline in program.pipelines:
                with guard(pipeline, state):
                    _run_pipeline(pipeline, state, trace)
    finally:
        if on_cpu:
            torch.set_num_threads(threads_before)
    relation = state.results[program.pipelines[-1].slot]
    assert isinstance(relation, Relation)
    columns = tuple(relation.columns[item.symbol].expand(relation.rows) for item in program.schema)
    return Table(tuple(item.name for item in program.schema), columns, relation.rows)


def _run_pipeline(pipeline: Pipeline, state: Run, trace: Trace | None) -> None:
    stages = [stage.prepare(state) for stage in pipeline.stages]
    if trace is not None:
        trace.begin(pipeline, state)
        stages = trace.watch(pipeline, stages)
    (sample,) = _through(stages, pipeline.source.batch(state, 0, 0, 0))
    sink = pipeline.sink.prepare(state, sample)
    rows = pipeline.source.rows(state)
    size = _batch_rows(state, rows, pipeline)
    fused = backends.prepare(pipeline, state, sink)
    done = 0 if fused is None else fused.rows
    if trace is not None:
        sink = trace.watch_sink(pipeline, state, sink, done)
    batches = _Batches(pipeline, state, done, rows, size)
    work = _Work(batches, stages, sink)
    workers = min(state.settings.threads, batches.count) if state.device.type == "cpu" else 1
    if workers <= 1:
        locals_ = [work.run(_around_first(pipeline, state, trace))]
    else:
        futures = [_pool(workers).submit(work.run_alone) for _ in range(workers)]
        locals_ = [future.result() for future in futures]
    if fused is not None:
        locals_.append(sink.local())
        fused.consume(locals_[-1])
    state.results[pipeline.slot] = sink.finish(locals_)
    if trace is not None:
        trace.end(pipeline, state, rows, batches.count, workers)


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
    """Hands out batch numbers in order; stops early when the sink has enough or a worker failed."""

    def __init__(self, pipeline: Pipeline, state: Run, start: int, rows: int, size: int) -> None:
        self.count = -(-(rows - start) // size)
        self.failed = False
        self._source = pipeline.source
        self._state = state
        self._start = start
        self._rows = rows
        self._size = size
        self._next = 0
        self._lock = threading.Lock()

    def claim(self, sink: PreparedSink) -> Batch | None:
        with self._lock:
            index = self._next
            if index >= self.count or self.failed or getattr(sink, "full", False):
                return None
            self._next += 1
        start = self._start + index * self._size
        return self._source.batch(self._state, start, min(start + self._size, self._rows), index)


def _through(stages: Sequence[PreparedStage], batch: Batch) -> Iterator[Batch]:
    """The batches that one batch becomes."""
    # One iterator a stage, in a list: stages are as many as queries nest.
    iterators = [iter((batch,))]
    while iterators:
        found = next(iterators[-1], None)
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

    def __init__(self, batches: _Batches, stages: list[PreparedStage], sink: PreparedSink) -> None:
        self._batches = batches
        self._stages = stages
        self._sink = sink

    def run(self, first: AbstractContextManager[None]) -> object:
        """Consume batches until none is left; returns the worker's local state."""
        local = self._sink.local()
        try:
            with first:
                self._consume(local, self._batches.claim(self._sink))
            while (batch := self._batches.claim(self._sink)) is not None:
                self._consume(local, batch)
        except BaseException:
            self._batches.failed = True
            raise
        return local

    def run_alone(self) -> object:
        """`run` on a thread of its own."""
        with torch.inference_mode():
            return self.run(nullcontext())

    def _consume(self, local: object, batch: Batch | None) -> None:
        if batch is None:
            return
        for found in _through(self._stages, batch):
            self._sink.consume(local, found)


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="tqp", initializer=torch.set_num_threads, initargs=(1,))
