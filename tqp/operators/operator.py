"""What an operator is: a source of batches, a stage that batches pass, or a sink where they end.

Each execution has one `Run`; a pipeline's result lies there in the pipeline's slot, where the operators of later pipelines
find it. Operators are descriptions and keep nothing of a run; `prepare` gives what works on batches in one run, with the
algorithm chosen by what is known by then.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

import torch
from torch import Tensor

from tqp.config import Settings
from tqp.data.column import Column, Layout
from tqp.data.indexes import Answer
from tqp.device import type_of
from tqp.interrupt import current
from tqp.ir.expr import ColumnRef, Expr
from tqp.ir.source import Source as ScanSource
from tqp.limits import Limits
from tqp.operators.batch import Batch
from tqp.operators.blocks import Blocks
from tqp.operators.choice import Choice
from tqp.operators.evaluate import Evaluator, Spread
from tqp.operators.instructions import Writer
from tqp.operators.layouts import Layouts
from tqp.operators.ranked import RankedBlocks
from tqp.operators.results import R, R_co, Result, Slot, nbytes
from tqp.operators.spans import Spans
from tqp.operators.steps import Compiler

__all__ = [
    "Expressions",
    "LimitedSink",
    "Operator",
    "PreparedSink",
    "PreparedStage",
    "RankingSink",
    "Run",
    "Sink",
    "Source",
    "Stage",
    "each",
    "index_budget",
]

Local = TypeVar("Local")
Made = TypeVar("Made")

Expressions = tuple[tuple[Expr, ...], ...]
"""Expressions, in groups that are evaluated at once."""


def each(exprs: Iterable[Expr]) -> Expressions:
    """Expressions of which each is evaluated by itself; those that are columns need no step."""
    return tuple([(expr,) for expr in exprs if not isinstance(expr, ColumnRef)])


class Run:
    """One execution of a program: its settings, the results so far, what was chosen, and what evaluation remembers.

    `limits` are those of the device that the program was made for, `compiler` holds its expressions as steps; without one they
    are compiled for this run. `announces`: nothing runs, what pipelines leave is announced. `interrupt` is what may stop it,
    `limited` the sink of the pipeline that runs, if few rows may be enough for it, `spans` the rows of its source that it
    reads; None: all.

    `threads` workers may take part (`use`). `side_by_side` is how a sink's `finish` uses them.
    """

    def __init__(
        self,
        settings: Settings,
        limits: Limits | None = None,
        compiler: Compiler | None = None,
        announces: bool = False,
    ) -> None:
        self.announces = announces
        self.settings = settings
        self.device = torch.device(settings.device)
        self.limits = limits or type_of(self.device).limits
        self.interrupt = current()
        self.evaluator = Evaluator(settings, compiler)
        self._notes: dict[int, list[Choice | str]] = {}
        self.limited: LimitedSink | None = None
        self.spans: Spans | None = None
        self.threads = 1
        self._results: dict[int, Any] = {}
        self._announced: dict[int, Mapping[str, Layout]] = {}
        self._made: dict[int, Any] = {}
        self.lent: dict[tuple[ScanSource, str], Answer] = {}
        """What the run was told when it asked for the value index of a table's column, which it asks for once."""
        self.few: dict[Source, Tensor] = {}
        """The rows (m,), ascending, that sources read in place of all, by indexes."""
        self.answered: frozenset[Expr] = frozenset()
        """Conditions that are true of all rows which the source of the pipeline that runs reads."""

    def once(self, owner: Operator, make: Callable[[], Made]) -> Made:
        """What `make` gives, which is made once a run for `owner`."""
        found: Made | None = self._made.get(id(owner))
        if found is None:
            found = self._made[id(owner)] = make()
        return found

    def forget(self, operators: Iterable[Operator]) -> None:
        """Let go of what was made for these: they run again, on other rows."""
        for operator in operators:
            self._made.pop(id(operator), None)
            if isinstance(operator, Source):
                self.few.pop(operator, None)

    def side_by_side(self, tasks: Sequence[Callable[[], Made]]) -> list[Made]:
        """What each of the tasks gives, in their order. Workers take one after the other; some thousands of rows each pay."""
        spread = self.evaluator.spread
        found: list[Made] = [task() for task in tasks] if spread is None else spread(tasks)
        return found

    def use(self, threads: int, spread: Spread | None) -> None:
        """Let so many workers take part; `spread` does several tasks by them. One does without."""
        self.threads = threads
        self.evaluator.spread = spread if threads > 1 else None

    def has_enough(self, index: int) -> bool:
        """Whether the pipeline that runs needs no more rows of batch number `index` and of those after it."""
        return self.limited is not None and self.limited.has_enough(index)

    def result(self, slot: Slot[R]) -> R:
        """What an earlier pipeline left in the slot."""
        # Of that kind, as the slot was made for the pipeline's sink.
        found: R = self._results[slot.number]
        return found

    def columns(self, slot: Slot[Result]) -> Mapping[str, Column | Layout]:
        """The columns that an earlier pipeline left, or their layouts where that is only announced."""
        if self.announces:
            return self._announced[slot.number]
        found: Mapping[str, Column | Layout] = self._results[slot.number].columns
        return found

    def announce(self, slot: Slot[Result], layouts: Mapping[str, Layout]) -> None:
        """Say what columns a pipeline will leave."""
        self._announced[slot.number] = layouts

    def keep(self, slot: Slot[R], result: R) -> None:
        """Leave a pipeline's result for later ones."""
        self._results[slot.number] = result

    def free(self, slot: Slot[Result]) -> None:
        """Let a result go, if the run came to it."""
        self._results.pop(slot.number, None)

    @property
    def slots(self) -> list[Slot[Result]]:
        """Where results lie that were not let go."""
        return list(map(Slot, self._results))

    @property
    def held(self) -> int:
        """Bytes of all results that were not let go."""
        return sum(map(nbytes, self._results.values()))

    def note(self, owner: Operator, *notes: Choice | str) -> None:
        """Record what `owner` chose and why, or what else it found, in place of what it noted before."""
        self._notes[id(owner)] = list(notes)

    def note_also(self, owner: Operator, *notes: Choice | str) -> None:
        """Record more of `owner`."""
        self._notes.setdefault(id(owner), []).extend(notes)

    def notes(self, owner: Operator) -> list[Choice | str]:
        """What an operator noted in this run."""
        return self._notes.get(id(owner), [])


def index_budget(run: Run) -> int:
    """Bytes that indexes which go where room is needed may take together."""
    memory = run.settings.memory_limit
    return run.limits.index_bytes if memory is None else min(run.limits.index_bytes, memory)


class Operator(ABC):
    """What sources, stages and sinks have in common."""

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        """The slots of earlier results that it needs."""
        return ()

    @property
    def expressions(self) -> Expressions:
        """What it evaluates: all of it is compiled with the program."""
        return ()

    def inputs(self, run: Run) -> Sequence[Result]:
        """What it reads in this run, under the names that it reads it by: results, and stored columns as if they were."""
        return [run.result(slot) for slot in self.reads]

    @abstractmethod
    def write(self, writer: Writer) -> None:
        """Its part of the program as data."""

    @abstractmethod
    def describe(self) -> str:
        """One line for EXPLAIN."""


class Source(Operator):
    """Where a pipeline's batches come from: `rows` rows, any range of which can be asked for, by several threads."""

    @abstractmethod
    def rows(self, run: Run) -> int: ...

    @abstractmethod
    def batch(self, run: Run, start: int, stop: int, index: int) -> Batch:
        """Rows start..stop-1 as batch number `index`."""

    def blocks(self, run: Run) -> Blocks | None:
        """The blocks of its rows that stages may leave out; None where there are none to speak of."""
        return None

    @abstractmethod
    def extend(self, run: Run, layouts: Layouts) -> None:
        """Say the columns that all batches have; reads no row."""


class PreparedStage(Protocol):
    """From a batch to the batches that become of it; of several each is computed when it is asked for.

    Called by several threads.
    """

    def __call__(self, batch: Batch) -> Iterable[Batch]: ...


class Stage(Operator):
    """A step between source and sink that turns a batch into batches: a filter, a projection, a probe."""

    @property
    def predicts(self) -> bool:
        """Whether it runs models, on all rows of a batch."""
        return False

    @property
    def may_grow(self) -> bool:
        """Whether it may make many rows of one."""
        return False

    def grows_to(self, columns: Mapping[str, Column]) -> int:
        """About how many rows it makes of all rows of a source with these columns, as far as they tell; 0 where they do not."""
        return 0

    def extend(self, run: Run, layouts: Layouts) -> None:
        """Add the columns that the stage adds to those that its batches have before."""
        return None

    def narrow(self, run: Run, blocks: Blocks) -> None:
        """Leave out blocks of the source of which no row passes, as far as is known before the first batch."""
        return None

    @abstractmethod
    def prepare(self, run: Run) -> PreparedStage:
        """What works on the batches of this run; the results that it reads are there."""


class PreparedSink(Protocol[Local, R_co]):
    """Where the batches of one run end. Each worker consumes into a local state of its own; `finish` gets all of them."""

    def local(self) -> Local: ...
    def consume(self, local: Local, batch: Batch) -> None: ...
    def finish(self, locals: list[Local]) -> R_co: ...


class LimitedSink:
    """A prepared sink for which the first rows may be enough."""

    # No protocol and no abstract class: to ask whether a sink is one of these takes longer than preparing a stage.
    def has_enough(self, index: int) -> bool:
        """Whether batches up to number `index`, as far as they have come, hold all rows that are needed."""
        raise NotImplementedError


class RankingSink:
    """A prepared sink that wants some rows before others, and tells as it goes of which it needs no more."""

    def rank(self, blocks: Blocks) -> RankedBlocks | None:
        """The blocks of the source in the order in which it wants them; None where all are alike."""
        raise NotImplementedError


class Sink(Operator, Generic[R_co]):
    """What sees all rows of a pipeline before anybody reads the first of its result."""

    def kept(self, run: Run) -> R_co | None:
        """What an earlier query left of the same rows: then the pipeline need not run."""
        return None

    @abstractmethod
    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        """The layouts of the columns of its result, where its batches have `layouts`. Reads no row of a result."""

    @abstractmethod
    def prepare(self, run: Run, layouts: Layouts) -> PreparedSink[Any, R_co]:
        """What consumes the batches of this run, whose columns have these layouts."""
