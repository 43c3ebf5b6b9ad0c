"""Pipelines: source, stages, sink, and ways around them that only a run chooses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Final

from tqp.data.column import Column
from tqp.functions.nested import LIST
from tqp.ir.expr import Call
from tqp.ir.show import printable
from tqp.ir.visit import walk
from tqp.operators.choice import Choice
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Operator, Run, Sink, Source, Stage
from tqp.operators.results import Relation, Result, Slot

__all__ = ["Detour", "Few", "Many", "Pipeline", "Stream"]


_SHOWN: Final = 50
"""Letters of an operator in a pipeline's line."""


@dataclass(frozen=True)
class Few:
    """A question that only a run answers: has an earlier pipeline left fewer than `rows` rows in `slot`?

    `chosen` is what is done if so, `other` what is done else, `what` what both are ways for.
    """

    slot: Slot[Relation]
    rows: float
    what: str
    chosen: str
    other: str

    def __str__(self) -> str:
        return f"fewer than {self.rows:,.0f} rows lie in {self.slot}"

    def holds(self, run: Run) -> bool:
        return run.result(self.slot).rows < self.rows

    def choice(self, run: Run) -> Choice:
        """What it comes to in this run."""
        chosen, other = (self.chosen, self.other) if self.holds(run) else (self.other, self.chosen)
        rows = run.result(self.slot).rows
        return Choice(self.what, chosen, (other,), f"{rows:,} rows came, and fewer than {self.rows:,.0f} are few")


@dataclass(frozen=True)
class Many:
    """The opposite question."""

    few: Few

    @property
    def slot(self) -> Slot[Relation]:
        """Where the rows lie."""
        return self.few.slot

    def __str__(self) -> str:
        return f"at least {self.few.rows:,.0f} rows lie in {self.slot}"

    def holds(self, run: Run) -> bool:
        return not self.few.holds(run)


@dataclass(frozen=True)
class Detour:
    """Another way to the same rows, taken if they are `few`."""

    few: Few
    source: Source
    stages: tuple[Stage, ...]

    @property
    def operators(self) -> tuple[Operator, ...]:
        """The source and the stages."""
        return (self.source, *self.stages)


@dataclass(frozen=True)
class Stream:
    """Rows that flow: a source and the stages after it, and what was chosen among for them."""

    source: Source
    stages: tuple[Stage, ...] = ()
    choices: tuple[Choice, ...] = ()
    detour: Detour | None = None

    def then(self, stage: Stage) -> Stream:
        detour = self.detour
        if detour is not None:
            detour = replace(detour, stages=(*detour.stages, stage))
        return Stream(self.source, (*self.stages, stage), self.choices, detour)

    def chose(self, *choices: Choice) -> Stream:
        """The same rows; these choices led to their stages."""
        return replace(self, choices=self.choices + choices)


@dataclass(frozen=True, eq=False)
class Pipeline:
    """source → stages → sink; its result goes to `writes`, and afterwards nobody reads the slots `frees`.

    `detour` is another way from a source to the sink; `unless` says when nobody will read the result. `again`: as long as the
    result has rows, the pipelines run again from the one on that writes this slot, and what they read is freed after the last time.
    """

    writes: Slot[Result]
    source: Source
    stages: tuple[Stage, ...]
    sink: Sink[Result]
    choices: tuple[Choice, ...] = ()
    detour: Detour | None = None
    unless: Few | Many | None = None
    frees: tuple[Slot[Result], ...] = ()
    again: Slot[Result] | None = None

    @property
    def operators(self) -> tuple[Operator, ...]:
        """From the source to the sink."""
        return (self.source, *self.stages, self.sink)

    def describe(self) -> str:
        """Its name, and where it begins and ends, in a line."""
        return f"pipeline {self.writes}: {_shortened(self.source)} … {_shortened(self.sink)}"

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        """The slots of earlier results that it needs, whichever way it takes."""
        slots = [slot for operator in self.operators for slot in operator.reads]
        if self.detour is not None:
            slots += [self.detour.few.slot, *(slot for operator in self.detour.operators for slot in operator.reads)]
        if self.unless is not None:
            slots.append(self.unless.slot)
        return tuple(dict.fromkeys(slots))

    @cached_property
    def begins_with_models(self) -> bool:
        """Whether its first stage runs models, on all rows of a batch."""
        return bool(self.stages) and self.stages[0].predicts

    @cached_property
    def lists_values(self) -> bool:
        """Whether lists are made of values of each row."""
        parts = (expr for one in (*self.stages, self.sink) for group in one.expressions for expr in group)
        return any(isinstance(part, Call) and part.function == LIST for expr in parts for part in walk(expr))

    @cached_property
    def growing(self) -> tuple[Stage, ...]:
        """The stages that may make many rows of one."""
        return tuple([stage for stage in self.stages if stage.may_grow])

    def grows_to(self, run: Run) -> int:
        """About how many rows its stages make of those of the source, as far as that is known; 0 where it is not."""
        columns: dict[str, Column] = {}
        for read in self.source.inputs(run):
            if isinstance(read, Relation):
                columns |= read.columns
        return max([stage.grows_to(columns) for stage in self.growing], default=0)

    def layouts(self, run: Run) -> Layouts:
        """The layouts of the columns of all batches as they reach the sink, by what earlier pipelines left in the run.

        Where it reads stored tables alone, a run that has not begun knows as much.
        """
        return Layouts(run.evaluator, partial(self._extend, run))

    def _extend(self, run: Run, layouts: Layouts) -> None:
        self.source.extend(run, layouts)
        for stage in self.stages:
            stage.extend(run, layouts)

    @property
    def on_detour(self) -> Pipeline:
        """The pipeline by its other way, if it has one."""
        detour = self.detour
        return self if detour is None else replace(self, source=detour.source, stages=detour.stages, detour=None)

    def in_run(self, run: Run) -> Pipeline | None:
        """The pipeline by the way that it takes in this run; None where nobody needs it."""
        if self.unless is not None and self.unless.holds(run):
            return None
        detour = self.detour
        if detour is None:
            return self
        choices = (*self.choices, detour.few.choice(run))
        if not detour.few.holds(run):
            return replace(self, choices=choices, detour=None)
        return replace(self.on_detour, choices=choices)


def _shortened(operator: Operator) -> str:
    text = printable(operator.describe())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
