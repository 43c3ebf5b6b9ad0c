"""Run a program: pipeline after pipeline, batches spread over worker threads.

On a CPU each worker runs whole batches with one intra-op thread, so that a batch's temporaries stay in its core's cache
and no operation waits at a barrier. On a GPU a batch is the whole input and one worker is enough. `tqp.runtime.workers` has
the threads; between any two steps of a batch a worker looks whether the run shall stop. Who wants to know what is done is an
observer (`tqp.runtime.observe`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import torch

from tqp.config import Settings
from tqp.data.table import Table
from tqp.errors import ExecutionError
from tqp.interrupt import checkpoint
from tqp.ir.expr import AggregateCall
from tqp.operators.operator import LimitedSink, PreparedSink, PreparedStage, RankingSink, Run
from tqp.operators.ranked import RankedBlocks
from tqp.operators.reduced import ReducedSource
from tqp.operators.results import Result
from tqp.operators.spans import Spans
from tqp.physical.pipeline import Pipeline
from tqp.physical.program import Program
from tqp.runtime.backends import BACKENDS, Backend, Fused
from tqp.runtime.batches import Batches, batch_rows
from tqp.runtime.measure import measured
from tqp.runtime.memory import refuse_if_exhausted, require_within
from tqp.runtime.observe import EVERYWHERE, Consume, Observer, Work, Worker
from tqp.runtime.rounds import pass_through, small_rounds
from tqp.runtime.workers import side_by_side, together

__all__ = ["run"]


def run(program: Program, settings: Settings, *observers: Observer) -> Table:
    """Execute the program and return its result; ExecutionError or OutOfMemoryError where the data does not allow it.

    Runs on this thread, which `workers.call` should have started, and on helpers. `observers` see what is done.
    """
    state = Run(settings, program.target.limits, program.steps)
    try:
        return _run(program, settings, state, observers)
    except ExecutionError as error:
        if isinstance(error.part, AggregateCall):
            error.say(state.evaluator.compiler.shown, error.part)
        raise


def _run(program: Program, settings: Settings, state: Run, observers: Sequence[Observer]) -> Table:
    threads = min(program.target.threads, settings.threads)
    state.use(threads, partial(side_by_side, interrupt=state.interrupt, threads=threads))
    everywhere = tuple([make() for make in EVERYWHERE])
    observers = (*observers, *everywhere)
    backend = BACKENDS[settings.backend]
    limit = program.target.memory
    is_plain = settings.backend == "eager" and limit is None
    places = {pipeline.writes: place for place, pipeline in enumerate(program.pipelines)}
    interrupt, count = state.interrupt, len(program.pipelines)
    place, watching = 0, observers
    with torch.inference_mode():
        while place < count:
            planned = program.pipelines[place]
            place += 1
            if interrupt is not None:
                interrupt.at = place, count, planned
            pipeline = planned.in_run(state)
            kept = None if pipeline is None else pipeline.sink.kept(state)
            if kept is not None:
                state.keep(planned.writes, kept)
            elif pipeline is not None:
                try:
                    run_one = _run_watched if watching else _run_pipeline
                    run_one(pipeline, state, threads, backend, watching)
                except (MemoryError, RuntimeError) as error:
                    refuse_if_exhausted(error, pipeline)
                    raise
                if limit is not None:
                    require_within(limit, pipeline, state)
            if planned.again is not None and state.result(planned.writes).rows:
                checkpoint()
                if is_plain and pipeline is not None and planned.again == planned.writes:
                    _run_small_rounds(pipeline, state, everywhere)
            if planned.again is not None and state.result(planned.writes).rows:
                # Observers see the first round alone, so that what they tell does not grow with the rounds.
                watching, first = everywhere, places[planned.again]
                state.forget([operator for one in program.pipelines[first:place] for operator in one.operators])
                place = first
                continue
            watching = observers
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


def _run_small_rounds(pipeline: Pipeline, state: Run, observers: Sequence[Observer]) -> None:
    try:
        small_rounds(pipeline, state, observers)
    except (MemoryError, RuntimeError) as error:
        refuse_if_exhausted(error, pipeline)
        raise


def _run_pipeline(
    pipeline: Pipeline, state: Run, threads: int, backend: Backend, observers: Sequence[Observer]
) -> None:
    state.limited, state.answered = None, frozenset()
    layouts = pipeline.layouts(state)
    prepared = pipeline.sink.prepare(state, layouts)
    spans, ranked = None, None
    if pipeline.stages or isinstance(prepared, RankingSink):
        spans, ranked = _read(pipeline, state, prepared)
    state.spans = spans
    asked: list[Fused | None] = []

    def is_fused() -> bool:
        asked.append(backend(pipeline, state, prepared))
        return asked[-1] is not None

    few = None
    if isinstance(pipeline.source, ReducedSource):
        may_end_soon = ranked is not None or isinstance(prepared, LimitedSink)
        few = pipeline.source.reduce(state, spans, is_fused, may_end_soon)
    if few is not None:
        ranked = None  # its rows are those of an index
    stages = [stage.prepare(state) for stage in pipeline.stages]
    state.spans = few or spans
    rows = pipeline.source.rows(state) if state.spans is None else state.spans.rows
    spans = state.spans or Spans(((0, rows),) if rows else (), rows)
    grow_to = pipeline.grows_to(state) if pipeline.growing else 0
    size = batch_rows(state.limits, threads, spans.rows, pipeline, scattered=few is not None, grow_to=grow_to)
    fused = None
    if few is None:
        fused = asked[-1] if asked else backend(pipeline, state, prepared)
    done = 0 if fused is None else fused.rows
    state.limited = prepared if isinstance(prepared, LimitedSink) else None
    counting = None
    if state.spans is None and ranked is None and fused is None and state.limited is None and pipeline.stages:
        counting = measured(pipeline, state, stages[0])
        if counting is not None:
            stages[0] = counting
    sink = prepared
    for observer in reversed(observers):
        stages = [observer.stage(place, stage) for place, stage in enumerate(stages)]
        sink = observer.sink(state, sink, layouts, done)
    batches = Batches(pipeline.source, state, spans.after(done) if done else spans, size, ranked)
    work = _Work(batches, stages, sink, state, observers)
    workers = min(threads, batches.most)
    for observer in observers:
        observer.begin(Work(spans.rows, batches.most, max(workers, 1)))
    locals_ = together(work.run, state.interrupt, workers, threads - 1)
    if fused is not None:

        def share(work: Worker, most: int) -> list[Any]:
            return together(work, state.interrupt, min(threads, most), threads - 1)

        def took(rows: int) -> None:
            for observer in observers:
                observer.took(rows)

        locals_ += fused.locals(sink, size, share, took)
    read = spans.rows
    if ranked is not None:
        state.note_also(pipeline.source, ranked.choice())
        read = ranked.rows
    if counting is not None:
        counting.learn()
    result = sink.finish(locals_)
    state.keep(pipeline.writes, result)
    for observer in observers:
        observer.end(state, result, Work(read, batches.count, max(workers, 1)))


def _read(pipeline: Pipeline, state: Run, sink: PreparedSink[Any, Result]) -> tuple[Spans | None, RankedBlocks | None]:
    """The rows of its source that a pipeline reads, as far as its stages know before the first batch; None: all.

    And the order in which the sink wants their blocks, if it wants some before others.
    """
    blocks = pipeline.source.blocks(state)
    if blocks is None:
        return None, None
    for stage in pipeline.stages:
        stage.narrow(state, blocks)
    spans = blocks.spans()
    if spans is not None:
        state.note_also(pipeline.source, blocks.choice(spans))
    return spans, sink.rank(blocks) if isinstance(sink, RankingSink) else None


class _Work:
    """What every worker of a pipeline does."""

    def __init__(
        self,
        batches: Batches,
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
        if batch.rows == 0:
            return True
        pass_through(batch, self._stages, self._sink, local, self._state)
        return True
