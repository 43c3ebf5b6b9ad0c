"""A tensor program: pipelines of source, stages and sink, in the order in which they run."""

from __future__ import annotations

from dataclasses import dataclass, field

from tqp.ir.plan import Schema
from tqp.operators.operator import Sink, Source, Stage

__all__ = ["Pipeline", "Program", "Stream"]


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
