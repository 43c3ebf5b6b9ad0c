"""A run under torch's profiler: its operations on all threads, under the names of the pipelines and steps that called them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Final

from torch._C._profiler import _ExperimentalConfig
from torch.autograd import profiler as profilers
from torch.profiler import profile, record_function

from tqp.errors import ExecutionError, SourceError
from tqp.interrupt import Described
from tqp.ir.show import printable
from tqp.operators.batch import Batch
from tqp.operators.layouts import Layouts
from tqp.operators.operator import PreparedSink, PreparedStage, Run
from tqp.operators.results import Result
from tqp.physical.pipeline import Pipeline
from tqp.runtime.observe import Observer, Worker
from tqp.runtime.trace import WatchedSink

__all__ = ["profiling"]

_LETTERS: Final = 200
_QUIET: Final = "6"
_PROFILING: Final = Lock()
"""torch has one profiler a process."""


@contextmanager
def profiling(path: Path) -> Iterator[Observer]:
    """Write to `path` what the profiler sees of the runs inside, which the observer watches; SourceError where that cannot be.

    For the thread that waits for the run: torch's profiler wants to be started where torch was loaded, which is never a worker's.
    """
    try:
        # Before the run: it may take long.
        path.open("ab").close()
    except OSError as error:
        raise SourceError(f"cannot write a profile to {str(path)!r}: {error.strerror}") from error
    hint = "wait for its end: torch has one profiler a process"
    if not _PROFILING.acquire(blocking=False):
        raise ExecutionError("another query is being profiled", hint=hint)
    try:
        if profilers._is_profiler_enabled:
            # It would lose what it has seen.
            raise ExecutionError("a profiler of torch runs in this process", hint=hint)
        # Its tracer says on the standard error, of every run, that it starts and stops; it reads this when it is first used.
        os.environ.setdefault("KINETO_LOG_LEVEL", _QUIET)
        found = profile(experimental_config=_ExperimentalConfig(profile_all_threads=True))
        found.start()
        try:
            yield _Names()
        finally:
            found.stop()
        found.export_chrome_trace(str(path))
    except BaseException:
        if not path.stat().st_size:
            path.unlink()
        raise
    finally:
        _PROFILING.release()


class _Names(Observer):
    """Puts what is done for a pipeline, by a worker, by a stage or the sink for a batch under its name."""

    def __init__(self) -> None:
        self._pipeline: Pipeline | None = None

    @contextmanager
    def around(self, pipeline: Pipeline, run: Run) -> Iterator[None]:
        self._pipeline = pipeline
        with record_function(_name(pipeline)):
            yield

    def stage(self, place: int, stage: PreparedStage) -> PreparedStage:
        assert self._pipeline is not None
        name = _name(self._pipeline.stages[place])

        def named(batch: Batch) -> Iterator[Batch]:
            with record_function(name):
                pieces = iter(stage(batch))
            while True:
                with record_function(name):
                    found = next(pieces, None)
                if found is None:
                    return
                yield found

        return named

    def sink(
        self, run: Run, sink: PreparedSink[Any, Result], layouts: Layouts, compiled: int
    ) -> PreparedSink[Any, Result]:
        assert self._pipeline is not None
        return _NamedSink(sink, _name(self._pipeline.sink))

    def worker(self, work: Worker) -> Worker:
        assert self._pipeline is not None
        name = f"batches of pipeline {self._pipeline.writes}"

        def named() -> Any:
            with record_function(name):
                return work()

        return named


class _NamedSink(WatchedSink):
    def __init__(self, inner: PreparedSink[Any, Result], name: str) -> None:
        super().__init__(inner)
        self._name = name

    def consume(self, local: Any, batch: Batch) -> None:
        with record_function(self._name):
            super().consume(local, batch)

    def finish(self, locals: list[Any]) -> Result:
        with record_function(f"finish: {self._name}"):
            return super().finish(locals)


def _name(described: Described) -> str:
    """Its line, of letters that the profiler writes: it loses names that are not ASCII."""
    text = printable(described.describe())
    short = text if len(text) <= _LETTERS else f"{text[:_LETTERS]}..."
    return short.replace("…", "...").encode("ascii", "backslashreplace").decode()
