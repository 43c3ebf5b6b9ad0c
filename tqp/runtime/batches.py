"""How the rows of a source become batches, and who gets which."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from tqp.device import Limits
from tqp.operators.batch import Batch
from tqp.operators.operator import Run, Source
from tqp.operators.spans import Span, Spans
from tqp.physical.pipeline import Pipeline

__all__ = ["Batches", "batch_rows"]


def batch_rows(limits: Limits, threads: int, rows: int, pipeline: Pipeline) -> int:
    """Rows a batch: all of them, or such that there are a few batches of bounded size for every worker.

    Models that see all rows of a batch take time enough for small ones, which need less memory.
    """
    if limits.batch_rows is None:
        return max(rows, 1)
    share = -(-rows // (limits.batches_a_worker * threads))
    if pipeline.begins_with_models:
        share = limits.smallest_batch
    return min(limits.batch_rows, max(share, limits.smallest_batch))


class Batches:
    """Hands out the batches in order; stops early when the sink has enough or a worker failed.

    Where a sink may soon have enough, the first batches are small.
    """

    def __init__(self, source: Source, state: Run, spans: Spans, size: int) -> None:
        self._source = source
        self._state = state
        self._lock = threading.Lock()
        self._next = 0
        self._spans = spans.pieces(size)
        if state.limited is not None and state.limits.batch_rows is not None:
            self._spans = list(_growing(spans, size, min(state.limits.first_batch, size)))
        self.count = len(self._spans)
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
        start, stop = self._spans[index]
        return self._source.batch(self._state, start, stop, index)


def _growing(spans: Spans, size: int, step: int) -> Iterator[Span]:
    """Batches of which the first has `step` rows, where its range has so many; later ones grow to `size`."""
    for start, last in spans.ranges:
        while start < last:
            yield start, min(start + step, last)
            start += step
            step = min(2 * step, size)
