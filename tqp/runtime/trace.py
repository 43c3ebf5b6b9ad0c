"""What EXPLAIN ANALYZE sees: rows, time, bytes and choices of every pipeline and step of one execution."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from tqp.data.column import Column, Layout
from tqp.ir.show import printable
from tqp.kernels import waits
from tqp.operators.batch import Batch
from tqp.operators.choice import Choice
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Operator, PreparedSink, PreparedStage, Run
from tqp.operators.results import Result, nbytes
from tqp.physical.pipeline import Pipeline
from tqp.runtime.observe import Observer, Work, Worker

__all__ = ["PipelineTrace", "Trace", "Waits", "WatchedSink"]


@dataclass(eq=False)
class StageCount:
    """What a stage did: rows that left it, seconds inside it (of all workers)."""

    rows: int = 0
    seconds: float = 0.0


@dataclass(eq=False)
class PipelineTrace:
    """What a pipeline did.

    Seconds of stages and of the sink are those of all workers, `seconds` of the pipeline and `working` those on the clock:
    from the start of the first worker to the end of the last one. `busy` is the CPU time of the workers.
    """

    pipeline: Pipeline
    started: float
    stages: list[StageCount] = field(default_factory=list)
    prepared: float = 0.0
    sink_seconds: float = 0.0
    finish_seconds: float = 0.0
    seconds: float = 0.0
    working: float = 0.0
    busy: float = 0.0
    work: Work = field(default_factory=lambda: Work(0, 0, 1))
    bytes_in: int = 0
    compiled: int = 0
    rows_out: int | None = None
    bytes_out: int = 0
    notes: list[list[Choice | str]] = field(default_factory=list)
    """What each operator noted, from the source to the sink."""
    announced: dict[str, Layout] = field(default_factory=dict)
    """What was known, before the first batch, of the columns that the result has of the batches."""

    @property
    def choices(self) -> list[Choice]:
        """All that was chosen: by the planner, then in the run."""
        return [*self.pipeline.choices, *(note for notes in self.notes for note in notes if isinstance(note, Choice))]


class WatchedSink:
    """A prepared sink whose calls somebody watches."""

    def __init__(self, inner: PreparedSink[Any, Result]) -> None:
        self._inner = inner

    def local(self) -> Any:
        return self._inner.local()

    def consume(self, local: Any, batch: Batch) -> None:
        self._inner.consume(local, batch)

    def finish(self, locals: list[Any]) -> Result:
        return self._inner.finish(locals)


class _TimedSink(WatchedSink):
    def __init__(self, inner: PreparedSink[Any, Result], trace: PipelineTrace, lock: threading.Lock) -> None:
        super().__init__(inner)
        self._trace = trace
        self._lock = lock

    def consume(self, local: Any, batch: Batch) -> None:
        started = time.perf_counter()
        super().consume(local, batch)
        spent = time.perf_counter() - started
        with self._lock:
            self._trace.sink_seconds += spent

    def finish(self, locals: list[Any]) -> Result:
        started = time.perf_counter()
        result = super().finish(locals)
        self._trace.finish_seconds = time.perf_counter() - started
        return result


class Trace(Observer):
    """Collects one `PipelineTrace` a pipeline."""

    def __init__(self) -> None:
        self.pipelines: list[PipelineTrace] = []
        self._lock = threading.Lock()
        self._first = self._last = 0.0
        self._layouts: Layouts | None = None

    @contextmanager
    def around(self, pipeline: Pipeline, run: Run) -> Iterator[None]:
        trace = PipelineTrace(pipeline, time.perf_counter())
        trace.stages = [StageCount() for _ in pipeline.stages]
        self.pipelines.append(trace)
        self._first = self._last = 0.0
        yield
        trace.seconds = time.perf_counter() - trace.started

    def stage(self, place: int, stage: PreparedStage) -> PreparedStage:
        count = self.pipelines[-1].stages[place]

        def counted(batch: Batch) -> Iterator[Batch]:
            started = time.perf_counter()
            pieces = iter(stage(batch))
            while True:
                found = next(pieces, None)
                spent = time.perf_counter() - started
                with self._lock:
                    count.seconds += spent
                    count.rows += 0 if found is None else found.rows
                if found is None:
                    return
                yield found
                started = time.perf_counter()

        return counted

    def sink(
        self, run: Run, sink: PreparedSink[Any, Result], layouts: Layouts, compiled: int
    ) -> PreparedSink[Any, Result]:
        current = self.pipelines[-1]
        current.prepared = time.perf_counter() - current.started
        current.compiled = compiled
        self._layouts = layouts
        return _TimedSink(sink, current, self._lock)

    def worker(self, work: Worker) -> Worker:
        current = self.pipelines[-1]

        def timed() -> Any:
            started, before = time.perf_counter(), time.thread_time()
            local = work()
            ended, after = time.perf_counter(), time.thread_time()
            with self._lock:
                self._first = min(self._first or started, started)
                self._last = max(self._last, ended)
                current.working = self._last - self._first
                current.busy += after - before
            return local

        return timed

    def end(self, run: Run, result: Result, work: Work) -> None:
        current = self.pipelines[-1]
        pipeline = current.pipeline
        current.work = work
        current.bytes_in = sum(map(nbytes, pipeline.source.inputs(run)))
        current.rows_out = result.rows
        current.bytes_out = nbytes(result)
        current.notes = list(map(run.notes, pipeline.operators))
        if self._layouts is not None:
            names = [name for name, part in result.parts() if isinstance(part, Column) and name in self._layouts]
            current.announced = {name: self._layouts.of(name) for name in names}

    def text(self, waited: Waits) -> str:
        """One paragraph a pipeline."""
        pairs = zip(self.pipelines, waited.pipelines, strict=True)
        return "\n".join(printable(line) for item, count in pairs for line in _lines(item, count))

    def documents(self, waited: Waits) -> Iterator[dict[str, Any]]:
        """Each pipeline as JSON has it."""
        for item, count in zip(self.pipelines, waited.pipelines, strict=True):
            yield _document(item, count)

    @property
    def busy(self) -> float | None:
        """CPU time over time on the clock while workers worked, all pipelines together; None where nobody did."""
        working = sum(item.working for item in self.pipelines)
        return sum(item.busy for item in self.pipelines) / working if working else None


class Waits(Observer):
    """What each pipeline waits for, of the device; on a CPU what it would wait for on an accelerator, in every batch."""

    def __init__(self) -> None:
        self.pipelines: list[Counter[waits.Wait]] = []

    @contextmanager
    def around(self, pipeline: Pipeline, run: Run) -> Iterator[None]:
        with waits.logging() as log:
            yield
        self.pipelines.append(log.counts())


def _lines(item: PipelineTrace, found: Counter[waits.Wait]) -> Iterator[str]:
    pipeline, work = item.pipeline, item.work
    head = f"pipeline {pipeline.writes}: {milliseconds(item.seconds)}, {counted(work.batches, 'batch', 'es')}"
    head += f", {counted(work.workers, 'worker')}"
    if work.workers > 1:
        head += f" that kept {item.busy / item.working:.2f} cores busy"
    head += f", {milliseconds(item.prepared)} to prepare"
    yield f"{head}, {counted(found.total(), 'wait')} for the device"
    yield f"  {pipeline.source.describe()}: {counted(work.rows, 'row')}, {item.bytes_in:,} bytes"
    if item.compiled:
        yield f"  compiled into one function: {counted(item.compiled, 'row')} do not pass the steps below"
    source, *stages, sink = item.notes
    yield from (f"  {note}" for note in source)
    yield from (f"  {choice.in_full()}" for choice in pipeline.choices)
    for stage, count, notes in zip(pipeline.stages, item.stages, stages, strict=True):
        yield f"  {stage.describe()}: {counted(count.rows, 'row')}, {milliseconds(count.seconds)}{_bracket(notes)}"
    if item.announced:
        yield f"  columns: {'; '.join(f'{name} {layout}' for name, layout in item.announced.items())}"
    facts = [] if item.rows_out is None else [counted(item.rows_out, "row")]
    facts += [
        f"{item.bytes_out:,} bytes",
        f"{milliseconds(item.sink_seconds)} + {milliseconds(item.finish_seconds)} to finish",
    ]
    yield f"  {pipeline.sink.describe()}: {', '.join(facts)}{_bracket(sink)}"
    if found:
        yield f"  waits for the device: {'; '.join(f'{count} for {wait}' for wait, count in found.most_common())}"


def _document(item: PipelineTrace, found: Counter[waits.Wait]) -> dict[str, Any]:
    pipeline, work = item.pipeline, item.work
    source, *stages, sink = item.notes
    steps = [_step("source", pipeline.source, work.rows, None, source, bytes=item.bytes_in)]
    for stage, count, notes in zip(pipeline.stages, item.stages, stages, strict=True):
        steps.append(_step("stage", stage, count.rows, count.seconds, notes))
    seconds = item.sink_seconds + item.finish_seconds
    steps.append(_step("sink", pipeline.sink, item.rows_out, seconds, sink, bytes=item.bytes_out))
    return {
        "id": pipeline.writes.number,
        "reads": [slot.number for slot in pipeline.reads],
        "seconds": item.seconds,
        "prepared_seconds": item.prepared,
        "batches": work.batches,
        "workers": work.workers,
        "compiled_rows": item.compiled,
        "choices": [asdict(choice) for choice in item.choices],
        "waits": [{"for": str(wait), "count": number} for wait, number in found.most_common()],
        "columns": [{"name": name, "layout": str(layout)} for name, layout in item.announced.items()],
        "steps": steps,
    }


def _step(
    kind: str, operator: Operator, rows: int | None, seconds: float | None, notes: Sequence[Choice | str], **more: int
) -> dict[str, Any]:
    """`rows` are those that left it; None for a result that has no rows."""
    told = [note for note in notes if isinstance(note, str)]
    return {"kind": kind, "text": operator.describe(), "rows": rows, "seconds": seconds, "notes": told, **more}


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms"


def counted(number: int, noun: str, plural: str = "s") -> str:
    return f"{number:,} {noun}{'' if number == 1 else plural}"


def _bracket(notes: Sequence[Choice | str]) -> str:
    return f" [{', '.join(map(str, notes))}]" if notes else ""
