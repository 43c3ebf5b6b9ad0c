"""Who watches a run: the executor tells observers what it does, and knows none of them.

Memory limits, EXPLAIN ANALYZE, the listing of a program and the count of waits all attach here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Final

from tqp.operators.layouts import Layouts
from tqp.operators.operator import PreparedSink, PreparedStage, Run
from tqp.operators.results import Result
from tqp.physical.pipeline import Pipeline

__all__ = ["EVERYWHERE", "Observer", "Observers", "Work"]

_NOTHING: AbstractContextManager[None] = nullcontext()


@dataclass(frozen=True, slots=True)
class Work:
    """What a pipeline had to do: rows of its source, the batches that they came in, threads that might take some."""

    rows: int
    batches: int
    workers: int


class Observer:
    """Watches pipelines, one after the other; what it does not care for it leaves as it is.

    For each pipeline: `around` all of it, `stage` for every stage and `sink` when they are prepared, `worker` and `batch` on
    the threads that work, and `end` when the result lies in its slot and nothing is let go yet.
    """

    def around(self, pipeline: Pipeline, run: Run) -> AbstractContextManager[None]:
        """Around all that is done for the pipeline; errors pass through it."""
        return _NOTHING

    def stage(self, place: int, stage: PreparedStage) -> PreparedStage:
        """What runs in place of the stage number `place`."""
        return stage

    def sink(
        self, run: Run, sink: PreparedSink[Any, Result], layouts: Layouts, compiled: int
    ) -> PreparedSink[Any, Result]:
        """What runs in place of the sink, to which batches with these layouts come.

        `compiled` rows do not pass it, as a compiled function takes them.
        """
        return sink

    def worker(self) -> AbstractContextManager[None]:
        """Around what one thread does."""
        return _NOTHING

    def batch(self) -> AbstractContextManager[None]:
        """Around what one thread does with one batch, if there is another."""
        return _NOTHING

    def end(self, run: Run, result: Result, work: Work) -> None:
        """The pipeline is done."""


EVERYWHERE: Final[list[Callable[[], Observer]]] = []
"""What makes an observer for every run there is. Empty, but for the tests of tqp."""


class Observers(Observer):
    """Several observers as one: the first is the outermost."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = observers
        self._at_workers = [one for one in observers if type(one).worker is not Observer.worker]
        self._at_batches = [one for one in observers if type(one).batch is not Observer.batch]

    def around(self, pipeline: Pipeline, run: Run) -> AbstractContextManager[None]:
        return _all([observer.around(pipeline, run) for observer in self._observers])

    def stage(self, place: int, stage: PreparedStage) -> PreparedStage:
        for observer in reversed(self._observers):
            stage = observer.stage(place, stage)
        return stage

    def sink(
        self, run: Run, sink: PreparedSink[Any, Result], layouts: Layouts, compiled: int
    ) -> PreparedSink[Any, Result]:
        for observer in reversed(self._observers):
            sink = observer.sink(run, sink, layouts, compiled)
        return sink

    def worker(self) -> AbstractContextManager[None]:
        return _all([observer.worker() for observer in self._at_workers]) if self._at_workers else _NOTHING

    def batch(self) -> AbstractContextManager[None]:
        return _all([observer.batch() for observer in self._at_batches]) if self._at_batches else _NOTHING

    def end(self, run: Run, result: Result, work: Work) -> None:
        for observer in self._observers:
            observer.end(run, result, work)


def _all(contexts: Sequence[AbstractContextManager[None]]) -> AbstractContextManager[None]:
    """The contexts inside one another; most do nothing."""
    busy = [context for context in contexts if context is not _NOTHING]
    if len(busy) > 1:
        return _nested(busy)
    return busy[0] if busy else _NOTHING


@contextmanager
def _nested(contexts: Sequence[AbstractContextManager[None]]) -> Iterator[None]:
    with ExitStack() as stack:
        for context in contexts:
            stack.enter_context(context)
        yield
