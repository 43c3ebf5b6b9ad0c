"""Who watches a run: the executor tells observers what it does, and knows none of them.

EXPLAIN ANALYZE, the listing of a program and the count of waits all attach here. A run that nobody watches calls
nothing here.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final

from tqp.operators.layouts import Layouts
from tqp.operators.operator import PreparedSink, PreparedStage, Run
from tqp.operators.results import Result
from tqp.physical.pipeline import Pipeline

__all__ = ["EVERYWHERE", "Consume", "Observer", "Work", "Worker"]

Worker = Callable[[], Any]
"""What a thread does for a pipeline; gives its local state of the sink."""

Consume = Callable[[Any], bool]
"""What a thread does for one batch, into its local state; False where there was none left."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a pipeline had to do: rows of its source, the batches that they came in, threads that might take some."""

    rows: int
    batches: int
    workers: int


class Observer:
    """Watches pipelines, one after the other; what it does not care for it leaves as it is.

    For each pipeline: `around` all of it, `stage` for every stage and `sink` when they are prepared, `begin` when it is known how
    much there is to do, `worker` and `consume` for what runs on the threads, and `end` when the result lies in its slot and
    nothing is let go yet. Of several observers the first is the outermost.
    """

    def around(self, pipeline: Pipeline, run: Run) -> AbstractContextManager[None]:
        """Around all that is done for the pipeline; errors pass through it."""
        return nullcontext()

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

    def begin(self, work: Work) -> None:
        """The first batch is about to be taken; of a pipeline that ends early not all rows will be."""

    def took(self, rows: int) -> None:
        """A compiled function has taken so many rows of the source; called by several threads."""

    def worker(self, work: Worker) -> Worker:
        """What each thread does in place of `work`."""
        return work

    def consume(self, consume: Consume) -> Consume:
        """What each thread does in place of `consume` for one batch."""
        return consume

    def end(self, run: Run, result: Result, work: Work) -> None:
        """The pipeline is done."""


EVERYWHERE: Final[list[Callable[[], Observer]]] = []
"""What makes an observer for every run there is. Empty, except for the tests of tqp."""
