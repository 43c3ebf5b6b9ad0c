"""A program as data that can be walked, compared and hashed: what `Program.view` gives.

Slots of steps and sizes are numbered in the order of the program. So two programs that do the same are equal, whoever lowered
them, and another literal is another constant and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tqp.data.column import Layout
from tqp.ir.expr import Literal
from tqp.ir.show import printable, show_expr
from tqp.operators.choice import Choice
from tqp.operators.instructions import Instruction, Numbers, Place, Value, Writer
from tqp.operators.operator import Operator
from tqp.operators.results import Result, Slot
from tqp.operators.steps import Compiler
from tqp.physical.pipeline import Few, Many, Pipeline

__all__ = ["Announced", "Constant", "PipelineView", "ProgramView", "view"]


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that no row changes, and where it lies."""

    place: Value
    literal: Literal

    def __str__(self) -> str:
        return printable(f"{self.place} = {show_expr(self.literal)}  -- {self.literal.dtype}")


@dataclass(frozen=True, slots=True)
class Announced:
    """Of one pipeline the layouts of what each of its instructions makes, those of its detour last, and of its result's columns."""

    made: tuple[Mapping[Place, Layout], ...]
    result: Mapping[str, Layout]


@dataclass(frozen=True, slots=True)
class PipelineView:
    """One pipeline: its instructions in order, where its result lies, what it reads and frees, what was chosen for it.

    `few` is a question that the run answers; if its answer is yes, `detour` runs in place of `instructions`. `unless`: such a
    question, after which nobody needs the pipeline.
    """

    writes: Slot[Result]
    reads: tuple[Slot[Result], ...]
    frees: tuple[Slot[Result], ...]
    instructions: tuple[Instruction, ...]
    choices: tuple[Choice, ...]
    few: Few | None
    detour: tuple[Instruction, ...]
    unless: Few | Many | None

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, announced: Announced | None = None) -> Iterator[str]:
        """The pipeline as text; with what was `announced` of it below each instruction."""
        frees = f", frees {', '.join(map(str, self.frees))}" if self.frees else ""
        yield f"pipeline {self.writes}{frees}"
        if self.unless is not None:
            yield f"  not if {self.unless}"
        yield from (printable(f"  -- {choice.in_full()}") for choice in self.choices)
        made = iter(announced.made if announced is not None else ())
        yield from _lines(self.instructions, made, "  ")
        if self.few is not None:
            yield f"  if {self.few} instead"
            yield from _lines(self.detour, made, "    ")


def _lines(instructions: Sequence[Instruction], made: Iterator[Mapping[Place, Layout]], indent: str) -> Iterator[str]:
    for instruction in instructions:
        yield f"{indent}{instruction}"
        layouts = next(made, {})
        if layouts:
            yield printable(f"{indent}  -- {'; '.join(f'{place} {layout}' for place, layout in layouts.items())}")


@dataclass(frozen=True, slots=True)
class ProgramView:
    """A whole program: the constants that its steps read, and its pipelines in order."""

    constants: tuple[Constant, ...]
    pipelines: tuple[PipelineView, ...]

    @property
    def instructions(self) -> Iterator[Instruction]:
        """All of them, in order; those of detours after the others of their pipeline."""
        for pipeline in self.pipelines:
            yield from pipeline.instructions
            yield from pipeline.detour

    def readers(self, place: Place) -> list[Instruction]:
        """The instructions that read what lies there."""
        return [instruction for instruction in self.instructions if place in instruction.inputs]

    def __str__(self) -> str:
        return "\n".join(map(str, (*self.constants, *self.pipelines)))

    def text(self, announced: Sequence[Announced]) -> str:
        """The program as text, with the layouts that were announced of each pipeline."""
        lines = [line for pair in zip(self.pipelines, announced, strict=True) for line in pair[0].lines(pair[1])]
        return "\n".join([*map(str, self.constants), *lines])


def view(pipelines: Sequence[Pipeline], steps: Compiler) -> ProgramView:
    """The pipelines of a program, whose expressions were compiled into `steps`, as data."""
    numbers = Numbers()
    views = tuple([_pipeline(pipeline, steps, numbers) for pipeline in pipelines])
    constants = tuple([Constant(Value(slot), literal) for slot, literal in steps.constants])
    return ProgramView(constants, views)


def _pipeline(pipeline: Pipeline, steps: Compiler, numbers: Numbers) -> PipelineView:
    detour = pipeline.detour
    instructions = _written(pipeline.operators, pipeline, steps, numbers)
    another: tuple[Instruction, ...] = ()
    if detour is not None:
        another = _written((*detour.operators, pipeline.sink), pipeline, steps, numbers)
        # As many rows as came, whichever way they took.
        slot = pipeline.writes.number
        numbers.left[slot] = replace(numbers.left[slot], rows=numbers.size())
    return PipelineView(
        writes=pipeline.writes,
        reads=pipeline.reads,
        frees=pipeline.frees,
        instructions=instructions,
        choices=pipeline.choices,
        few=None if detour is None else detour.few,
        detour=another,
        unless=pipeline.unless,
    )


def _written(
    operators: Sequence[Operator], pipeline: Pipeline, steps: Compiler, numbers: Numbers
) -> tuple[Instruction, ...]:
    writer = Writer(steps, pipeline.writes, numbers)
    for operator in operators:
        operator.write(writer)
    return tuple(writer.instructions)
