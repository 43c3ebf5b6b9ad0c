"""Run a program: pipeline after pipeline, batches spread over worker threads.

On a CPU each worker runs whole batches with one intra-op thread, so that a batch's temporaries stay in its core's cache
and no operation waits at a barrier. On a GPU a batch is the whole input and one worker is enough. `tqp.runtime.workers` has
the threads; between any two steps of a batch a worker looks whether the run shall stop. Who wants to know what is done is an
observer (`tqp.runtime.observe`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import torch

from tqp.config import Settings
from tqp.data.table import Table
from tqp.device import Limits
from tqp.operators.batch import Batch
from tqp.operators.operator import LimitedSink, PreparedSink, PreparedStage, Run, Source
from tqp.operators.results import Result
from tqp.physical.pipeline import Pipeline
from tqp.physical.program import Program
from tqp.runtime.backends import BACKENDS, Backend
from tqp.runtime.memory import refuse_if_exhausted, require_within
from tqp.runtime.observe import EVERYWHERE, Consume, Observer, Work, Worker
from tqp.runtime.workers import side_by_side, together

__all__ = ["run"]


def run(program: Program, settings: Settings, *observers: Observer) -> Table:
    """Execute the program and return its result; ExecutionError or OutOfMemoryError where the data does not allow it.

    Runs on this thread, which `workers.call` should have started, and on helpers. `observers` see what is done.
    """
    threads = min(program.target.threads, settings.threads)
    state = Run(settings, program.target.limits, program.steps)
    state.use(threads, partial(side_by_side, interrupt=state.interrupt, threads=threads))
    observers = (*observers, *[make() for make in EVERYWHERE])
    run_one = _run_watched if observers else _run_pipeline
    backend = BACKENDS[settings.backend]
    limit = program.target.memory
    with torch.inference_mode():
        for planned in program.pipelines:
            pipeline = planned.in_run(state)
            if pipeline is not None:
                try:
                    run_one(pipeline, state, threads, backend, observers)
                except (MemoryError, RuntimeError) as error:
                    refuse_if_exhausted(error, pipeline)
                    raise
                if limit is not None:
                    require_within(limit, pipeline, state)
            for slot in planned.frees:
                state.free(slot)
    relation = state.result(program.result)
    columns = [relation.columns[item.symbol] for item in program.schema]
    columns = [column.expand(relation.rows) if column.is_constant else column for column in columns]
    return Table(tuple([item.name for item in program.schema]), tuple(columns), relation.rows)


def _run_watched(pipeline: Pipeline, state: Run, threads: int, backend: Backend, observers: Sequence[Observer]) -> None:
    with ExitStack() as stack:
        for observer in observers:
            stack.enter_context(observer.around(pipeline, state))
        _run_pipeline(pipeline, state, threads, backend, observers)


def _run_pipeline(
    pipeline: Pipeline, state: Run, threads: int, backend: Backend, observers: Sequence[Observer]
) -> None:
    state.limited = None
    stages = [stage.prepare(state) for stage in pipeline.stages]
    layouts = pipeline.layouts(state)
    prepared = pipeline.sink.prepare(state, layouts)
    rows = pipeline.source.rows(state)
    size = _batch_rows(state.limits, threads, rows, pipeline)
    fused = backend(pipeline, state, prepared)
    done = 0 if fused is None else fused.rows
    state.limited = prepared if isinstance(prepared, LimitedSink) else None
    sink = prepared
    for observer in reversed(observers):
        stages = [observer.stage(place, stage) for place, stage in enumerate(stages)]
        sink = observer.sink(state, sink, layouts, done)
    batches = _Batches(pipeline.source, state, done, rows, size)
    work = _Work(batches, stages, sink, state, observers)
    workers = min(threads, batches.count)
    locals_ = together(work.run, state.interrupt, workers, threads - 1)
    if fused is not None:

        def share(work: Worker, most: int) -> list[Any]:
            return together(work, state.interrupt, min(threads, most), threads - 1)

        locals_ += fused.locals(sink, size, share)
    result = sink.finish(locals_)
    state.keep(pipeline.writes, result)
    for observer in observers:
        observer.end(state, result, Work(rows, batches.count, max(workers, 1)))


def _batch_rows(limits: Limits, threads: int, rows: int, pipeline: Pipeline) -> int:
    """Rows a batch: all of them, or such that there are a few batches of bounded size for every worker.

    Models that see all rows of a batch take time enough for small ones, which need less memory.
    """
    if limits.batch_rows is None:
        return max(rows, 1)
    share = -(-rows // (limits.batches_a_worker * threads))
    if pipeline.begins_with_models:
        share = limits.smallest_batch
    return min(limits.batch_rows, max(share, limits.smallest_batch))


class _Batches:
    """Hands out the batches in order; stops early when the sink has enough or a worker failed.

    Where a sink may soon have enough, the first batches are small.
    """

    def __init__(self, source: Source, state: Run, start: int, rows: int, size: int) -> None:
        self._source = source
        self._state = state
        self._lock = threading.Lock()
        self._next = 0
        self._rows = rows
        self._starts: Sequence[int] = range(start, rows, size)
        if state.limited is not None and state.limits.batch_rows is not None:
            self._starts = _growing(start, rows, size, min(state.limits.first_batch, size))
        self.count = len(self._starts)
        self.are_left = self.count > 0
        """Whether it is worth while to ask for another one."""

    def stop(self) -> None:
        """Hand out no more."""
        self.are_left = False

    def claim(self) -> Batch | None:
        """The next batch, if there is one that somebody needs."""
        limited = self._state.limited
        with self._lock:
            index = self._next
            if not self.are_left or (limited is not None and limited.has_enough(index)):
                return None
            self._next = following = index + 1
            if following == self.count:
                self.are_left = False
        stop = self._rows if following == self.count else self._starts[following]
        return self._source.batch(self._state, self._starts[index], stop, index)


def _growing(start: int, rows: int, size: int, step: int) -> list[int]:
    """The first rows of the batches; the first has `step` rows, later ones grow to `size`."""
    starts = []
    while start < rows:
        starts.append(start)
        start += step
        step = min(2 * step, size)
    return starts


class _Work:
    """What every worker of a pipeline does."""

    def __init__(
        self,
        batches: _Batches,
        stages: Sequence[PreparedStage],
        sink: PreparedSink[Any, Result],
        state: Run,
        observers: Sequence[Observer],
    ) -> None:
        self._batches = batches
        self._stages = stages
        self._sink = sink
        self._state = state
        self._observers = observers

    def run(self) -> Any:
        """Consume batches until none is left; gives the worker's local state."""
        work: Worker = self._run
        for observer in reversed(self._observers):
            work = observer.worker(work)
        return work()

    def _run(self) -> Any:
        batches = self._batches
        step: Consume = self._consume
        for observer in reversed(self._observers):
            step = observer.consume(step)
        try:
            local = self._sink.local()
            while batches.are_left and step(local):
                pass
        except BaseException:
            batches.stop()
            raise
        return local

    def _consume(self, local: Any) -> bool:
        """Take one batch through the stages into the sink; False where there is none."""
        batch = self._batches.claim()
        if batch is None:
            return False
        index, stages = batch.index, self._stages
        interrupt, limited = self._state.interrupt, self._state.limited
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
                self._sink.consume(local, found)
            else:
                left.append(iter(stages[len(left) - 1](found)))
        return True
