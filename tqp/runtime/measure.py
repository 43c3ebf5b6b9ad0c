"""What share of a table's rows a filter keeps, counted as it runs, for later plans to estimate by."""

from __future__ import annotations

from collections.abc import Iterable

from tqp.operators.batch import Batch
from tqp.operators.filter import Expected, FilterStage
from tqp.operators.operator import PreparedStage, Run
from tqp.physical.pipeline import Pipeline

__all__ = ["Measured", "measured"]


class Measured:
    """The first stage of a pipeline, a filter on a table, with its rows counted."""

    def __init__(self, expected: Expected, stage: PreparedStage) -> None:
        self._expected = expected
        self._stage = stage
        self._counts: list[tuple[int, int]] = []

    def __call__(self, batch: Batch) -> Iterable[Batch]:
        found = list(self._stage(batch))
        self._counts.append((batch.rows, sum([one.rows for one in found])))
        return found

    def learn(self) -> None:
        """Remember the share with the table, if all of its rows came."""
        seen, kept = (sum(counts) for counts in zip(*self._counts, strict=True)) if self._counts else (0, 0)
        rows = self._expected.table.rows
        if seen == rows:
            self._expected.table.selectivities.learn(self._expected.condition, self._expected.share, kept / rows)


def measured(pipeline: Pipeline, state: Run, stage: PreparedStage) -> Measured | None:
    """The first stage of a pipeline that reads all rows of its source, counting, if what it keeps is worth remembering.

    Of a program's own constants alone: what was expected was so for them.
    """
    first = pipeline.stages[0]
    if not isinstance(first, FilterStage) or first.expected is None or not state.evaluator.compiler.is_first:
        return None
    return None if state.announces or state.answered else Measured(first.expected, stage)
