"""EXPLAIN ANALYZE: rows, time and choices of every pipeline and stage of one execution."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tqp.config import Settings
from tqp.physical.batch import Batch
from tqp.physical.build import Built
from tqp.physical.pipeline import Pipeline, PreparedStage, Program, Relation, Run

__all__ = ["Trace", "analyze"]


@dataclass(eq=False)
class StageCount:
    """What a stage did: batches and rows that left it, seconds inside it (of all workers)."""

    rows: int = 0
    batches: int = 0
    seconds: float = 0.0


@dataclass(eq=False)
class PipelineTrace:
    pipeline: Pipeline
    started: float
    stages: list[StageCount] = field(default_factory=list)
    seconds: float = 0.0
    rows_in: int = 0
    batches: int = 0
    workers: int = 1
    rows_out: int | None = None
    bytes_out: int | None = None
    notes: list[str] = field(default_factory=list)


class Trace:
    """Collects one `PipelineTrace` a pipeline; handed to `tqp.runtime.executor.run`."""

    def __init__(self) -> None:
        self.pipelines: list[PipelineTrace] = []
        self._lock = threading.Lock()

    def begin(self, pipeline: Pipeline, state: Run) -> None:
        self.pipelines.append(PipelineTrace(pipeline, time.perf_counter()))

    def watch(self, pipeline: Pipeline, stages: list[PreparedStage]) -> list[PreparedStage]:
        """The stages, each counting what leaves it."""
        current = self.pipelines[-1]
        current.stages = [StageCount() for _ in stages]
        return [self._counting(stage, count) for stage, count in zip(stages, current.stages, strict=True)]

    def _counting(self, stage: PreparedStage, count: StageCount) -> Callable[[Batch], Iterator[Batch]]:
        def counted(batch: Batch) -> Iterator[Batch]:
            started = time.perf_counter()
            found = list(stage(batch))
            spent = time.perf_counter() - started
            with self._lock:
                count.seconds += spent
                if batch.rows:
                    count.batches += len(found)
                    count.rows += sum(item.rows for item in found)
            yield from found

        return counted

    @contextmanager
    def first_batch(self, pipeline: Pipeline, state: Run) -> Iterator[None]:
        """Around the work on a pipeline's first batch."""
        yield

    def end(self, pipeline: Pipeline, state: Run, rows: int, batches: int, workers: int) -> None:
        current = self.pipelines[-1]
        current.seconds = time.perf_counter() - current.started
        current.rows_in, current.batches, current.workers = rows, batches, workers
        result = state.results[pipeline.slot]
        if isinstance(result, Relation | Built):
            current.rows_out = result.rows
        if isinstance(result, Relation):
            current.bytes_out = result.nbytes
        current.notes = [state.notes.get(id(owner), "") for owner in (*pipeline.stages, pipeline.sink)]

    def text(self) -> str:
        """One paragraph a pipeline."""
        lines = []
        for item in self.pipelines:
            head = f"pipeline {item.pipeline.slot}: {item.seconds * 1e3:.2f} ms, {item.batches} batches"
            lines.append(f"{head}, {item.workers} worker{'s' if item.workers > 1 else ''}")
            lines.append(f"  {item.pipeline.source.describe()}: {item.rows_in:,} rows")
            for stage, count, note in zip(item.pipeline.stages, item.stages, item.notes, strict=False):
                lines.append(f"  {stage.describe()}: {count.rows:,} rows, {count.seconds * 1e3:.2f} ms{_bracket(note)}")
            out = "" if item.rows_out is None else f": {item.rows_out:,} rows"
            size = "" if item.bytes_out is None else f", {item.bytes_out:,} bytes"
            lines.append(f"  {item.pipeline.sink.describe()}{out}{size}{_bracket(item.notes[-1] if item.notes else '')}")
        return "\n".join(lines)


def _bracket(note: str) -> str:
    return f" [{note}]" if note else ""


def analyze(program: Program, settings: Settings) -> str:
    """Run the program and say what each pipeline and stage did."""
    from tqp.runtime.executor import run

    trace = Trace()
    started = time.perf_counter()
    table = run(program, settings, trace)
    seconds = time.perf_counter() - started
    head = f"{table.rows:,} rows in {seconds * 1e3:.2f} ms on {settings.device}, {settings.threads} threads"
    return f"{head}\n{trace.text()}"
