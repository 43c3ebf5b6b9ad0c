"""EXPLAIN ANALYZE: rows, time, bytes and choices of every pipeline and step of one execution."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch

from tqp.config import Settings
from tqp.ir.show import printable
from tqp.operators.batch import Batch
from tqp.operators.build import Built
from tqp.operators.operator import PreparedSink, PreparedStage, Relation, Run
from tqp.operators.scan import ResultSource, TableSource
from tqp.physical.program import Pipeline, Program
from tqp.runtime.memory import result_bytes

__all__ = ["Trace", "WatchedSink", "analyze"]


@dataclass(eq=False)
class StageCount:
    """What a stage did: batches and rows that left it, seconds inside it (of all workers)."""

    rows: int = 0
    batches: int = 0
    seconds: float = 0.0


@dataclass(eq=False)
class PipelineTrace:
    """What a pipeline did; seconds of the sink are those of all workers, seconds of the pipeline those on the clock."""

    pipeline: Pipeline
    started: float
    stages: list[StageCount] = field(default_factory=list)
    prepared: float = 0.0
    sink_seconds: float = 0.0
    finish_seconds: float = 0.0
    seconds: float = 0.0
    rows_in: int = 0
    bytes_in: int = 0
    batches: int = 0
    workers: int = 1
    compiled: int = 0
    uncompiled: str = ""
    rows_out: int | None = None
    bytes_out: int = 0
    syncs: int | None = None
    notes: list[str] = field(default_factory=list)


class WatchedSink:
    """A prepared sink whose calls somebody watches."""

    def __init__(self, inner: PreparedSink) -> None:
        self._inner = inner

    def local(self) -> object:
        return self._inner.local()

    def consume(self, local: object, batch: Batch) -> None:
        self._inner.consume(local, batch)

    def finish(self, locals: list[object]) -> object:
        return self._inner.finish(locals)


class _TimedSink(WatchedSink):
    def __init__(self, inner: PreparedSink, trace: PipelineTrace, lock: threading.Lock) -> None:
        super().__init__(inner)
        self._trace = trace
        self._lock = lock

    def consume(self, local: object, batch: Batch) -> None:
        started = time.perf_counter()
        super().consume(local, batch)
        spent = time.perf_counter() - started
        with self._lock:
            self._trace.sink_seconds += spent

    def finish(self, locals: list[object]) -> object:
        started = time.perf_counter()
        result = super().finish(locals)
        self._trace.finish_seconds = time.perf_counter() - started
        return result


class Trace:
    """Collects one `PipelineTrace` a pipeline; handed to `tqp.runtime.executor.run`.

    `syncs` gives how often the host has waited for the device so far, None where nobody counts.
    """

    def __init__(self, syncs: Callable[[], int] | None = None) -> None:
        self.pipelines: list[PipelineTrace] = []
        self._lock = threading.Lock()
        self._syncs = syncs
        self._syncs_before = 0

    def begin(self, pipeline: Pipeline, state: Run) -> None:
        self.pipelines.append(PipelineTrace(pipeline, time.perf_counter()))
        self._syncs_before = self._syncs() if self._syncs is not None else 0

    def watch(self, pipeline: Pipeline, stages: list[PreparedStage]) -> list[PreparedStage]:
        """The stages, each counting what leaves it."""
        current = self.pipelines[-1]
        current.stages = [StageCount() for _ in stages]
        pairs = zip(stages, current.stages, strict=True)
        return [self._counting(stage, count) for stage, count in pairs]

    def watch_sink(self, pipeline: Pipeline, state: Run, sink: PreparedSink, compiled: int) -> PreparedSink:
        """The sink, measured; `compiled` rows do not pass it, as a compiled function takes them."""
        current = self.pipelines[-1]
        current.prepared = time.perf_counter() - current.started
        current.compiled = compiled
        current.uncompiled = state.notes.get(id(pipeline), "")
        return _TimedSink(sink, current, self._lock)

    def _counting(self, stage: PreparedStage, count: StageCount) -> PreparedStage:
        def counted(batch: Batch) -> Iterator[Batch]:
            pieces = stage(batch)
            while True:
                started = time.perf_counter()
                found = next(pieces, None)
                spent = time.perf_counter() - started
                if batch.rows:
                    with self._lock:
                        count.seconds += spent
                        count.batches += found is not None
                        count.rows += 0 if found is None else found.rows
                if found is None:
                    return
                yield found

        return counted

    @contextmanager
    def first_batch(self, pipeline: Pipeline, state: Run) -> Iterator[None]:
        """Around the work on a pipeline's first batch."""
        yield

    def end(self, pipeline: Pipeline, state: Run, rows: int, batches: int, workers: int) -> None:
        current = self.pipelines[-1]
        current.seconds = time.perf_counter() - current.started
        current.rows_in, current.batches, current.workers = rows, batches, max(workers, 1)
        current.bytes_in = _source_bytes(pipeline, state)
        result = state.results[pipeline.slot]
        if isinstance(result, Relation | Built):
            current.rows_out = result.rows
        current.bytes_out = result_bytes(result)
        current.syncs = None if self._syncs is None else self._syncs() - self._syncs_before
        current.notes = [state.notes.get(id(owner), "") for owner in (*pipeline.stages, pipeline.sink)]

    def text(self) -> str:
        """One paragraph a pipeline."""
        return "\n".join(printable(line) for item in self.pipelines for line in _lines(item))


def _lines(item: PipelineTrace) -> Iterator[str]:
    pipeline = item.pipeline
    head = f"pipeline {pipeline.slot}: {_ms(item.seconds)}, {_count(item.batches, 'batch', 'es')}"
    head += f", {_count(item.workers, 'worker')}, {_ms(item.prepared)} to prepare"
    yield head if item.syncs is None else f"{head}, {_count(item.syncs, 'wait')} for the device"
    yield f"  {pipeline.source.describe()}: {_count(item.rows_in, 'row')}, {item.bytes_in:,} bytes"
    if item.compiled:
        yield f"  compiled into one function: {_count(item.compiled, 'row')} do not pass the steps below"
    if item.uncompiled:
        yield f"  {item.uncompiled}"
    for stage, count, note in zip(pipeline.stages, item.stages, item.notes, strict=False):
        yield f"  {stage.describe()}: {_count(count.rows, 'row')}, {_ms(count.seconds)}{_bracket(note)}"
    facts = [] if item.rows_out is None else [_count(item.rows_out, "row")]
    facts += [f"{item.bytes_out:,} bytes", f"{_ms(item.sink_seconds)} + {_ms(item.finish_seconds)} to finish"]
    yield f"  {pipeline.sink.describe()}: {', '.join(facts)}{_bracket(item.notes[-1] if item.notes else '')}"


def _source_bytes(pipeline: Pipeline, state: Run) -> int:
    source = pipeline.source
    if isinstance(source, TableSource):
        return sum(column.nbytes for column in source.columns().values())
    if isinstance(source, ResultSource):
        return sum(column.nbytes for column in source.whole(state).values())
    return 0


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms"


def _count(number: int, noun: str, plural: str = "s") -> str:
    return f"{number:,} {noun}{'' if number == 1 else plural}"


def _bracket(note: str) -> str:
    return f" [{note}]" if note else ""


@contextmanager
def _counted_syncs(settings: Settings) -> Iterator[Callable[[], int] | None]:
    """How often the host waits for the device, as torch's CUDA sync debug mode sees it; None on a CPU."""
    if torch.device(settings.device).type != "cuda":
        yield None
        return
    before = torch.cuda.get_sync_debug_mode()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        try:
            yield lambda: sum("synchronizing" in str(item.message) for item in seen)
        finally:
            torch.cuda.set_sync_debug_mode(before)


def analyze(program: Program, settings: Settings) -> str:
    """Run the program and say what each pipeline and step did. Times of steps add up those of all workers."""
    from tqp.runtime.executor import run

    with _counted_syncs(settings) as syncs:
        trace = Trace(syncs)
        started = time.perf_counter()
        table = run(program, settings, trace)
        seconds = time.perf_counter() - started
    head = f"{_count(table.rows, 'row')} in {_ms(seconds)} on {settings.device}"
    return f"{head}, {_count(settings.threads, 'thread')}, {settings.backend}\n{trace.text()}"
