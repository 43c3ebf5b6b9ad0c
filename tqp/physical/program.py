"""A tensor program: pipelines of source, stages and sink, in the order in which they run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tqp.ir.plan import Schema
from tqp.operators.choice import Choice
from tqp.operators.operator import Operator, Sink, Source, Stage
from tqp.operators.results import Relation, Result, Slot
from tqp.physical.target import Target

__all__ = ["Pipeline", "Program", "Stream"]


@dataclass(frozen=True)
class Stream:
    """Rows that flow: a source and the stages after it, and what was chosen among for them."""

    source: Source
    stages: tuple[Stage, ...] = ()
    choices: tuple[Choice, ...] = ()

    def then(self, stage: Stage) -> Stream:
        return Stream(self.source, (*self.stages, stage), self.choices)

    def chose(self, *choices: Choice) -> Stream:
        """The same rows; these choices led to their stages."""
        return Stream(self.source, self.stages, self.choices + choices)


@dataclass(frozen=True, eq=False)
class Pipeline:
    """source → stages → sink; its result goes to `writes`, and afterwards nobody reads the slots `frees`."""

    writes: Slot[Result]
    source: Source
    stages: tuple[Stage, ...]
    sink: Sink[Result]
    choices: tuple[Choice, ...] = ()
    frees: tuple[Slot[Result], ...] = ()

    @property
    def operators(self) -> tuple[Operator, ...]:
        """From the source to the sink."""
        return (self.source, *self.stages, self.sink)

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        """The slots of earlier results that it needs."""
        return tuple(dict.fromkeys(slot for operator in self.operators for slot in operator.reads))


@dataclass(frozen=True, eq=False)
class Program:
    """Pipelines in dependency order; `result` is where the last one leaves a relation with the symbols of `schema`.

    `target` is what the algorithms were chosen for.
    """

    pipelines: tuple[Pipeline, ...]
    schema: Schema
    result: Slot[Relation]
    target: Target

    @staticmethod
    def of(pipelines: Sequence[Pipeline], schema: Schema, result: Slot[Relation], target: Target) -> Program:
        """The program of these pipelines, each of which frees what no later one reads."""
        last = {slot: pipeline for pipeline in pipelines for slot in (pipeline.writes, *pipeline.reads)}
        frees: dict[Pipeline, list[Slot[Result]]] = {pipeline: [] for pipeline in pipelines}
        for slot, pipeline in last.items():
            if slot != result:
                frees[pipeline].append(slot)
        return Program(tuple(replace(one, frees=tuple(freed)) for one, freed in frees.items()), schema, result, target)
