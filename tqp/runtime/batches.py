"""How the rows of a source become batches, and who gets which."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from tqp.limits import Limits
from tqp.operators.batch import Batch
from tqp.operators.operator import Run, Source
from tqp.operators.ranked import RankedBlocks
from tqp.operators.spans import Span, Spans
from tqp.physical.pipeline import Pipeline

__all__ = ["Batches", "batch_rows"]


def batch_rows(
    limits: Limits, threads: int, rows: int, pipeline: Pipeline, *, scattered: bool = False, grow_to: int = 0
) -> int:
    """Rows a batch: all of them, or such that there are a few batches of bounded size for every worker.

    Models that see all rows of a batch take time enough for small ones, which need less memory, as do lists of values of each row.
    `scattered` rows, which an index has, take more time than those of a scan. Where many rows are made of few, `grow_to` of all,
    batches are as large by those.
    """
    if limits.batch_rows is None:
        return max(rows, 1)
    if grow_to > rows:
        size = batch_rows(limits, threads, grow_to, pipeline, scattered=scattered)
        return max(size * rows // grow_to, 1)
    share = -(-rows // (limits.batches_a_worker * threads))
    if pipeline.begins_with_models:
        share = limits.smallest_batch
    most = min(limits.batch_rows, limits.listed_batch) if pipeline.lists_values else limits.batch_rows
    return min(most, max(share, limits.scattered_batch if scattered else limits.smallest_batch))


class Batches:
    """Hands out the batches in order; stops early when the sink has enough or a worker failed.

    Where a sink may soon have enough, the first batches are small. With `ranked` blocks it says which come, and their numbers are
    those of their first rows.
    """

    def __init__(self, source: Source, state: Run, spans: Spans, size: int, ranked: RankedBlocks | None = None) -> None:
        self._source = source
        self._state = state
        self._lock = threading.Lock()
        self._next = 0
        self._ranked = ranked
        self._size = size
        self._step = min(state.limits.first_batch, size)
        self._spans = spans.pieces(size) if ranked is None else []
        if state.limited is not None and state.limits.batch_rows is not None:
            self._spans = list(_growing(spans, size, self._step))
        self.most = len(self._spans) if ranked is None else ranked.left
        """How many there are at most."""
        self.count = self.most
        """How many there are; where that is found out on the way, how many were handed out."""
        self.are_left = self.most > 0
        """Whether it is worth while to ask for another one."""

    def stop(self) -> None:
        """Hand out no more."""
        self.are_left = False

    def claim(self) -> Batch | None:
        """The next batch, if there is one that somebody needs."""
        if self._ranked is not None:
            return self._next_of(self._ranked)
        limited = self._state.limited
        with self._lock:
            index = self._next
            if not self.are_left or (limited is not None and limited.has_enough(index)):
                return None
            self._next = following = index + 1
            if following == self.most:
                self.are_left = False
        start, stop = self._spans[index]
        return self._source.batch(self._state, start, stop, index)

    def _next_of(self, ranked: RankedBlocks) -> Batch | None:
        with self._lock:
            span = ranked.take(self._step) if self.are_left else None
            self._step = min(2 * self._step, self._size)
            self.count = ranked.ranges
            if span is None:
                self.are_left = False
                return None
        return self._source.batch(self._state, *span, span[0])


def _growing(spans: Spans, size: int, step: int) -> Iterator[Span]:
    """Batches of which the first has `step` rows, where its range has so many; later ones grow to `size`."""
    for start, last in spans.ranges:
        while start < last:
            yield start, min(start + step, last)
            start += step
            step = min(2 * step, size)
