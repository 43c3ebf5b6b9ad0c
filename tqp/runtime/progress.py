"""How far a run is: rows of the pipeline that runs, of how many there are, as sources know their rows.

The workers count batches; the thread that waits for the run looks ten times a second and tells whoever shows it. A run that nobody
asks has no observer for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import count
from threading import Lock
from time import perf_counter
from types import TracebackType
from typing import Any, Final

from tqp.config import Settings
from tqp.errors import ExecutionError, TqpError
from tqp.interrupt import Interrupt
from tqp.operators.batch import Batch
from tqp.operators.layouts import Layouts
from tqp.operators.operator import PreparedSink, PreparedStage, Run
from tqp.operators.results import Result
from tqp.runtime.observe import Observer, Work
from tqp.runtime.trace import WatchedSink

__all__ = ["Progress", "Watch", "watch"]

_RUNS: Final = count(1)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    `run` tells runs apart that go on at the same time. `pipeline` counts, from 1 to `pipelines`, which one runs; it is 0 while the
    query is planned and columns are read. `what` is the pipeline in a line. `rows` of the `total` rows that its source has went
    through; a pipeline that needs no more rows ends earlier. `is_finishing`: all rows are seen, and the result is made of them.
    `is_done`: the run has ended, this is the last that is told of it.
    """

    run: int
    query: str | None
    seconds: float
    pipeline: int
    pipelines: int
    what: str
    rows: int
    total: int
    is_finishing: bool = False
    is_done: bool = False

    @property
    def share(self) -> float | None:
        """What part of the pipeline's rows went through, 0 to 1; None where there are none to count."""
        return min(self.rows / self.total, 1.0) if self.total else None

    def __str__(self) -> str:
        if self.pipeline == 0:
            return f"{self.what}, {self.seconds:.1f} s"
        text = f"{self.pipeline} of {self.pipelines}"
        if self.share is not None:
            text += f", {self.rows:,} of {self.total:,} rows ({self.share:.0%})"
        # What it is stands last: a narrow terminal cuts it off there.
        return f"{text}{', finishing' if self.is_finishing else ''}, {self.seconds:.1f} s, {self.what}"


class _Counter(Observer):
    """Counts the rows of the source that went through the stages and into the sink."""

    def __init__(self) -> None:
        self.rows = self.total = 0
        self.is_finishing = False
        self._is_counted = False
        self._lock = Lock()

    def stage(self, place: int, stage: PreparedStage) -> PreparedStage:
        if place > 0:
            return stage
        self._is_counted = True

        def counted(batch: Batch) -> Iterable[Batch]:
            rows = batch.rows
            yield from stage(batch)
            # Whoever asks for more after the last piece is through with all of them.
            self.took(rows)

        return counted

    def sink(
        self, run: Run, sink: PreparedSink[Any, Result], layouts: Layouts, compiled: int
    ) -> PreparedSink[Any, Result]:
        counts, self._is_counted = not self._is_counted, False
        return _CountedSink(sink, self, counts)

    def begin(self, work: Work) -> None:
        self.total = work.rows

    def end(self, run: Run, result: Result, work: Work) -> None:
        # Nothing is known of the next one until it begins.
        self.rows, self.total, self.is_finishing = 0, 0, False

    def took(self, rows: int) -> None:
        with self._lock:
            self.rows += rows


class _CountedSink(WatchedSink):
    def __init__(self, inner: PreparedSink[Any, Result], counter: _Counter, counts: bool) -> None:
        super().__init__(inner)
        self._counter = counter
        self._counts = counts

    def consume(self, local: Any, batch: Batch) -> None:
        rows = batch.rows
        super().consume(local, batch)
        if self._counts:
            self._counter.took(rows)

    def finish(self, locals: list[Any]) -> Result:
        self._counter.is_finishing = True
        return super().finish(locals)


class Watch(AbstractContextManager["Watch"]):
    """Tells how far one run is, from its second `after` on, and once more when it has ended, if it told of it before."""

    def __init__(self, tell: Callable[[Progress], None], after: float, interrupt: Interrupt, text: str | None) -> None:
        self.counter = _Counter()
        self._tell = tell
        self._after = after
        self._interrupt = interrupt
        self._text = text
        self._run = 0

    def look(self) -> None:
        """Called by who waits for the run, now and then."""
        if perf_counter() - self._interrupt.began >= self._after:
            self._run = self._run or next(_RUNS)
            self._say(is_done=False)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._run:
            self._say(is_done=True)

    def _say(self, is_done: bool) -> None:
        try:
            self._tell(self._now(is_done))
        except TqpError:
            raise
        except Exception as error:
            message = f"the function that is told of progress failed: {type(error).__name__}: {error}"
            raise ExecutionError(message) from error

    def _now(self, is_done: bool) -> Progress:
        seconds, counter, at = perf_counter() - self._interrupt.began, self.counter, self._interrupt.at
        if at is None:
            return Progress(self._run, self._text, seconds, 0, 0, "planning and reading", 0, 0, False, is_done)
        number, pipelines, pipeline = at
        return Progress(
            self._run, self._text, seconds, number, pipelines, pipeline.describe(), counter.rows, counter.total,
            counter.is_finishing, is_done,
        )  # fmt: skip


def watch(settings: Settings, interrupt: Interrupt, text: str | None) -> Watch | None:
    """What watches a run, if somebody wants to know."""
    tell = settings.progress_to
    return Watch(tell, settings.progress_after, interrupt, text) if settings.progress and tell is not None else None
