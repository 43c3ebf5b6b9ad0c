"""A tensor program: pipelines in the order in which they run, and the steps of their expressions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch

from tqp.ir.expr import Expr, Literal
from tqp.ir.plan import Schema
from tqp.operators.results import Relation, Result, Slot
from tqp.operators.steps import Compiler
from tqp.physical.pipeline import Pipeline
from tqp.physical.target import Target
from tqp.physical.view import ProgramView, view

__all__ = ["Program"]


@dataclass(frozen=True, eq=False)
class Program:
    """Pipelines in dependency order; `result` is where the last one leaves a relation with the symbols of `schema`.

    `target` is what the algorithms were chosen for; `steps` are the expressions of all operators, compiled. Programs are equal
    that do the same: over the same tables, with the same algorithms, for the same target.
    """

    pipelines: tuple[Pipeline, ...]
    schema: Schema
    result: Slot[Relation]
    target: Target
    steps: Compiler

    @cached_property
    def view(self) -> ProgramView:
        """The program as data; made when first asked for."""
        return view(self.pipelines, self.steps)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Program):
            return NotImplemented
        return self._facts == other._facts and self.view == other.view

    def __hash__(self) -> int:
        return hash((self._facts, self.view))

    def with_inputs(self, literals: Sequence[Literal]) -> Program:
        """The same program for other inputs of the query, the literals by the numbers of these; nothing is planned anew.

        Its pipelines are the same ones, and so is what was compiled for them.
        """
        return replace(self, steps=self.steps.with_inputs(literals))

    @property
    def _facts(self) -> tuple[Schema, Slot[Relation], Target]:
        return self.schema, self.result, self.target

    @staticmethod
    def of(pipelines: Sequence[Pipeline], schema: Schema, result: Slot[Relation], target: Target) -> Program:
        """The program of these pipelines, each of which frees what no later one reads, with its expressions compiled."""
        frees: dict[Pipeline, list[Slot[Result]]] = {pipeline: [] for pipeline in pipelines}
        for slot, place in _last_readers(pipelines).items():
            if slot != result:
                frees[pipelines[place]].append(slot)
        steps = Compiler(torch.device(target.device), target.limits)
        for pipeline in pipelines:
            for exprs in _expressions(pipeline):
                steps.compile(exprs)
        steps.closed = True
        freeing = tuple(replace(one, frees=tuple(freed)) if freed else one for one, freed in frees.items())
        return Program(freeing, schema, result, target, steps)


def _last_readers(pipelines: Sequence[Pipeline]) -> dict[Slot[Result], int]:
    """For each slot the place of its last reader; where that runs again, but not who writes the slot, of the last that does."""
    last = {slot: place for place, one in enumerate(pipelines) for slot in (one.writes, *one.reads)}
    written = {one.writes: place for place, one in enumerate(pipelines)}
    for end, one in enumerate(pipelines):
        if one.again is not None:
            start = written[one.again]
            for slot, place in last.items():
                if written[slot] < start <= place <= end:
                    last[slot] = end
    return last


def _expressions(pipeline: Pipeline) -> Iterator[tuple[Expr, ...]]:
    """All expressions of the pipeline's operators, as they are compiled."""
    detour = () if pipeline.detour is None else pipeline.detour.operators
    for operator in (*pipeline.operators, *detour):
        yield from operator.expressions
