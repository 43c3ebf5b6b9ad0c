"""What a program says of its columns before it runs: the layout of what each instruction makes, and of every result.

Found pipeline by pipeline from the layouts of the stored columns that it reads: what one leaves is announced to the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tqp.config import Settings
from tqp.data.column import Layout
from tqp.ir.visit import symbols
from tqp.operators.instructions import Instruction, Place, Value
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Operator, Run
from tqp.physical.program import Program
from tqp.physical.view import Announced

__all__ = ["announce"]


def announce(program: Program, settings: Settings) -> tuple[Announced, ...]:
    """The layouts of each pipeline of the program. Reads the stored columns that it needs, as a run does; no row of a result."""
    run = Run(settings, program.target.limits, program.steps, announces=True)
    found = []
    for pipeline, view in zip(program.pipelines, program.view.pipelines, strict=True):
        layouts = pipeline.layouts(run)
        result = pipeline.sink.leaves(run, layouts)
        another = pipeline.on_detour
        others = another.layouts(run)
        if another is not pipeline:
            left = pipeline.sink.leaves(run, others)
            result = {symbol: Layout.together([layout, left[symbol]]) for symbol, layout in result.items()}
        made = (
            *_made(view.instructions, layouts, pipeline.operators, result),
            *_made(view.detour, others, another.operators, result),
        )
        run.announce(pipeline.writes, result)
        found.append(Announced(made, result))
    return tuple(found)


def _made(
    instructions: Sequence[Instruction], layouts: Layouts, operators: Sequence[Operator], result: Mapping[str, Layout]
) -> Iterator[Mapping[Place, Layout]]:
    """The layouts of the columns and values that each instruction is the first to make; the last one leaves the result."""
    for operator in operators if instructions else ():
        for exprs in operator.expressions:
            for expr in exprs:
                # Not what is asked of both sides of a semi join, whose batches have one of them.
                if all(symbol in layouts for symbol in symbols(expr)):
                    layouts.of_expr(expr, settled=True)
    shown: set[Place] = set()
    for instruction in instructions[:-1]:
        new = [place for place in instruction.outputs if place not in shown]
        shown.update(new)
        found = {place: _layout(place, layouts, result) for place in new}
        yield {place: layout for place, layout in found.items() if layout is not None}
    if instructions:
        yield dict(result.items())


def _layout(place: Place, layouts: Layouts, result: Mapping[str, Layout]) -> Layout | None:
    match place:
        case Value():
            return layouts.of_step(place.slot)
        case str():
            return layouts.of(place, settled=True) if place in layouts else result.get(place)
        case _:
            return None
