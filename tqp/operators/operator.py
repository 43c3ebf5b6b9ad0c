"""What an operator is: a source of batches, a stage that batches pass, or a sink where they end.

Each execution has one `Run`; a pipeline's result lies in `run.results` under the pipeline's slot, where the operators of
later pipelines find it. Stages and sinks are descriptions; `prepare` gives what works on batches in one run, with the
algorithm chosen by what is known by then.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import torch

from tqp.config import Settings
from tqp.data.column import Column
from tqp.operators.batch import Batch
from tqp.operators.evaluate import Evaluator

__all__ = [
    "LimitedSink",
    "PreparedSink",
    "PreparedStage",
    "Relation",
    "Run",
    "Sink",
    "Source",
    "Stage",
]


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """A materialised result: whole columns by symbol."""

    columns: Mapping[str, Column]
    rows: int

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self.columns.values())


class Run:
    """One execution of a program: its settings, the results so far, and what evaluation remembers.

    `limited` is the sink of the pipeline that runs, if few rows may be enough for it.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.device = torch.device(settings.device)
        self.evaluator = Evaluator(settings)
        self.results: dict[int, object] = {}
        self.combined: dict[int, Relation] = {}
        self.notes: dict[int, str] = {}
        self.lock = threading.Lock()
        self.limited: LimitedSink | None = None

    def has_enough(self, index: int) -> bool:
        """Whether the pipeline that runs needs no more rows of batch number `index` and of those after it."""
        return self.limited is not None and self.limited.has_enough(index)

    def relation(self, slot: int) -> Relation:
        result = self.results[slot]
        assert isinstance(result, Relation)
        return result

    def note(self, owner: object, text: str) -> None:
        """Record which algorithm `owner` (a stage or sink) chose and why, for EXPLAIN ANALYZE."""
        self.notes[id(owner)] = text


class Source(Protocol):
    """Where a pipeline's batches come from; `reads` are the slots of earlier results that it needs."""

    @property
    def reads(self) -> tuple[int, ...]: ...
    def rows(self, run: Run) -> int: ...
    def batch(self, run: Run, start: int, stop: int, index: int) -> Batch:
        """Rows start..stop-1; start == stop gives a batch without rows that shows types, bounds, dictionaries."""
        ...

    def describe(self) -> str: ...


class PreparedStage(Protocol):
    def __call__(self, batch: Batch) -> Iterator[Batch]: ...


class Stage(Protocol):
    """A step that turns a batch into batches; `reads` are the slots of earlier results that it needs."""

    @property
    def reads(self) -> tuple[int, ...]: ...
    def prepare(self, run: Run) -> PreparedStage: ...
    def describe(self) -> str: ...


class PreparedSink(Protocol):
    """Where batches end. Each worker consumes into a local state of its own; `finish` gets all of them."""

    def local(self) -> object: ...
    def consume(self, local: object, batch: Batch) -> None: ...
    def finish(self, locals: list[object]) -> object: ...


class LimitedSink(PreparedSink, Protocol):
    """A sink for which the first rows may be enough."""

    def has_enough(self, index: int) -> bool:
        """Whether batches up to number `index`, as far as they have come, hold all rows that are needed."""
        ...


class Sink(Protocol):
    def prepare(self, run: Run, sample: Batch) -> PreparedSink:
        """`sample` is an empty batch as the stages leave it: types, bounds and dictionaries hold for all."""
        ...

    def describe(self) -> str: ...
