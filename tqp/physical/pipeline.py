"""The parts of a tensor program: pipelines of source, stages and sink over batches.

A `Program` runs its pipelines in order. Each execution has one `Run`; a pipeline's result lies in `run.results` under
the pipeline's slot, where the sources and stages of later pipelines find it. Stages and sinks are descriptions; `prepare`
gives what works on batches in one run, with the algorithm chosen by what is known by then.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import torch

from tqp.column import Column
from tqp.config import Settings
from tqp.ir.plan import Schema
from tqp.physical.batch import Batch
from tqp.physical.evaluate import Evaluator

__all__ = [
    "LimitedSink",
    "Pipeline",
    "PreparedSink",
    "PreparedStage",
    "Program",
    "Relation",
    "Run",
    "Sink",
    "Source",
    "Stage",
    "Stream",
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


@dataclass(eq=False)
class Pipeline:
    """source → stages → sink; its result goes to `slot`. `fused` keeps its compiled form between runs."""

    slot: int
    source: Source
    stages: list[Stage]
    sink: Sink
    fused: object = None


@dataclass(eq=False)
class Stream:
    """Rows that flow: a source and the stages after it."""

    source: Source
    stages: list[Stage] = field(default_factory=list)

    def then(self, stage: Stage) -> Stream:
        return Stream(self.source, [*self.stages, stage])


@dataclass(eq=False)
class Program:
    """Pipelines in dependency order; the last one's result is a `Relation` with the symbols of `schema`."""

    pipelines: list[Pipeline] = field(default_factory=list)
    schema: Schema = ()

    def last_readers(self) -> dict[int, list[int]]:
        """By the place of a pipeline, the slots that no later one reads."""
        last: dict[int, int] = {}
        for place, pipeline in enumerate(self.pipelines):
            parts: list[Source | Stage] = [pipeline.source, *pipeline.stages]
            for slot in (pipeline.slot, *(slot for part in parts for slot in part.reads)):
                last[slot] = place
        del last[self.pipelines[-1].slot]
        done: dict[int, list[int]] = {}
        for slot, place in last.items():
            done.setdefault(place, []).append(slot)
        return done
