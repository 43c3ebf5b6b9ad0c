"""Recursive queries: the rows so far, the rows that came last, and the step that makes more of them.

The seed leaves a `Recursion`. The pipelines of the step read its working table; the last of them ends in a `StepSink`, which adds
what is new and makes it the next working table. The executor runs these pipelines again as long as that has rows
(`tqp.physical.pipeline.Pipeline.again`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from torch import Tensor

from tqp.data.column import Column, Layout
from tqp.functions.align import concat
from tqp.ir.plan import Schema
from tqp.ir.show import show_call
from tqp.ir.visit import expressions
from tqp.operators.batch import Batch
from tqp.operators.collect import Gathered, Pieces
from tqp.operators.instructions import Place, Writer
from tqp.operators.keyed import Fold, Folded, loosened
from tqp.operators.layouts import Layouts
from tqp.operators.novelty import Novelty
from tqp.operators.operator import Expressions, Run, Sink, Source
from tqp.operators.results import Part, Relation, Result, Slot, tensors

__all__ = ["FoundSink", "FoundSource", "Recursion", "SeedSink", "StepSink", "WorkingSource"]


class Recursion:
    """The rows so far, of columns `names` of these types; `working` are those that came last. For one thread at a time."""

    def __init__(self, fields: Schema, distinct: bool, folded: Folded | None = None) -> None:
        self.fields = fields
        self.working = Relation({}, 0)
        self.rows = 0
        self.folded = folded
        """What keeps the rows under USING KEY."""
        self._found: list[Relation] = []
        self.enough = False
        """Whether nobody needs the rows of another step."""
        self._pieces: list[Relation] = []
        self.novelty = Novelty([field.dtype for field in fields]) if distinct and folded is None else None
        """What tells which rows are new, where only these count."""

    @property
    def columns(self) -> Mapping[str, Column]:
        """All rows so far."""
        return self.whole.columns

    @property
    def whole(self) -> Relation:
        """All rows so far; put together when asked for."""
        if self.folded is not None:
            return self.folded.whole
        self._pieces = [_below(self._pieces)]
        return self._pieces[0]

    @property
    def found(self) -> Relation:
        """What was made of the rows as they came."""
        self._found = [_below(self._found)]
        return self._found[0]

    def find(self, rows: Relation, most: int) -> None:
        """Keep what was made of the rows that came last; there is no need for more than `most` of these rows."""
        if rows.rows or not self._found:
            self._found.append(rows)
        self.enough = sum(piece.rows for piece in self._found) >= most

    def parts(self) -> Iterator[tuple[str, Part]]:
        for piece in self._found:
            yield from tensors(piece)
        if self.folded is not None:
            yield from self.folded.parts()
        for piece in self._pieces:
            yield from piece.parts()
        if self.novelty is not None:
            yield from self.novelty.tensors()

    def add(self, found: Relation) -> None:
        """Take the rows of a step, or what is new among them; they are the next working table.

        Columns are called as the step calls them under USING KEY, else as `fields`.
        """
        if self.folded is not None:
            self.working = self.folded.add(found)
            self.rows = self.folded.rows
            return
        if self.novelty is not None and found.rows:
            found = _taken(found, self.novelty.new(found, lambda: self.whole if self._pieces else Relation({}, 0)))
        if found.rows or not self._pieces:
            self._pieces.append(found)
        self.rows += found.rows
        self.working = Relation({symbol: loosened(column) for symbol, column in found.columns.items()}, found.rows)

    def extend(self, steps: Relation, last: Relation) -> None:
        """Take the rows of several steps, all of them new, called as `add` has them; `last` is the next working table."""
        if self.folded is not None:
            self.folded.add(steps)
            self.rows = self.folded.rows
        else:
            self._pieces.append(steps)
            self.rows += steps.rows
        self.working = last


def _below(pieces: list[Relation]) -> Relation:
    """Relations of the same columns, one below the other."""
    if len(pieces) == 1:
        return pieces[0]
    lengths = [piece.rows for piece in pieces]
    names = pieces[0].columns
    return Relation({name: concat([piece.columns[name] for piece in pieces], lengths) for name in names}, sum(lengths))


def _taken(relation: Relation, rows: Tensor) -> Relation:
    return Relation({symbol: column.take(rows) for symbol, column in relation.columns.items()}, rows.shape[0])


def _layouts(fields: Schema) -> dict[str, Layout]:
    return {field.symbol: Layout.of_type(field.dtype) for field in fields}


@dataclass(frozen=True, eq=False)
class SeedSink(Sink[Recursion]):
    """Begins a recursion with the columns `symbols`, which are called as `fields` from then on."""

    symbols: tuple[str, ...]
    fields: Schema
    distinct: bool
    fold: Fold | None = None

    @property
    def into(self) -> tuple[str, ...]:
        """What the recursion calls the columns of seed and step."""
        return tuple([field.symbol for field in self.fields]) if self.fold is None else self.fold.symbols

    @property
    def expressions(self) -> Expressions:
        return () if self.fold is None else (expressions(self.fold.plan),)

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        return _layouts(self.fields)

    def prepare(self, run: Run, layouts: Layouts) -> _Seed:
        return _Seed(self, run, layouts)

    def write(self, writer: Writer) -> None:
        names = tuple([field.symbol for field in self.fields])
        fold = self.fold
        inputs: list[Place] = [*writer.read(self.symbols)]
        facts: dict[str, object] = {"distinct": self.distinct}
        if fold is not None:
            facts["key"] = tuple([self.fields[place].symbol for place in fold.key])
            facts["aggregates"] = tuple([show_call(call) for call in fold.plan.aggregates])
            inputs += writer.values(expressions(fold.plan))
        writer.add("seed", inputs, names, writer.size(), facts=facts)
        writer.leave("collect", names, names)

    def describe(self) -> str:
        return f"begin with {', '.join(self.symbols)}"


class _Seed(Gathered):
    def __init__(self, sink: SeedSink, run: Run, layouts: Layouts) -> None:
        super().__init__(sink.symbols, run, layouts)
        self._sink = sink
        self._run = run

    def finish(self, locals: list[Pieces]) -> Recursion:
        sink = self._sink
        folded = None if sink.fold is None else Folded(sink.fold, self._run)
        recursion = Recursion(sink.fields, sink.distinct, folded)
        recursion.add(_renamed(self.relation(locals), self.symbols, sink.into))
        return recursion


def _renamed(relation: Relation, symbols: tuple[str, ...], names: tuple[str, ...]) -> Relation:
    pairs = zip(names, symbols, strict=True)
    return Relation({name: relation.columns[symbol] for name, symbol in pairs}, relation.rows)


@dataclass(frozen=True, eq=False)
class StepSink(Sink[Relation]):
    """Adds the columns `symbols` to a recursion, and leaves as many rows, of no columns, as are new.

    `into`: what it calls them. `most`: nobody reads more rows of the recursion than this.
    """

    recursion: Slot[Recursion]
    symbols: tuple[str, ...]
    into: tuple[str, ...]
    most: int | None

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return (self.recursion,)

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        return {}

    def prepare(self, run: Run, layouts: Layouts) -> _Step:
        return _Step(self, run, layouts)

    def write(self, writer: Writer) -> None:
        inputs: tuple[Place, ...] = (self.recursion, *writer.read(self.symbols))
        writer.add("step", inputs, (), writer.size(), again="while it gives rows", most=self.most or False)
        writer.leave("collect", (), ())

    def describe(self) -> str:
        return f"add {', '.join(self.symbols)} to recursion {self.recursion}, again while some are new"


class _Step(Gathered):
    def __init__(self, sink: StepSink, run: Run, layouts: Layouts) -> None:
        super().__init__(sink.symbols, run, layouts)
        self._recursion = run.result(sink.recursion)
        self._sink = sink

    def finish(self, locals: list[Pieces]) -> Relation:
        recursion, most = self._recursion, self._sink.most
        recursion.add(_renamed(self.relation(locals), self.symbols, self._sink.into))
        enough = recursion.enough or most is not None and recursion.rows >= most
        return Relation({}, 0 if enough else recursion.working.rows)


@dataclass(frozen=True, eq=False)
class WorkingSource(Source):
    """Rows of a recursion: those that came last, or the `whole` of them so far. `columns` are (symbol here, symbol there)."""

    recursion: Slot[Recursion]
    columns: tuple[tuple[str, str], ...]
    fields: Schema
    whole: bool

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return (self.recursion,)

    def _relation(self, run: Run) -> Relation:
        recursion = run.result(self.recursion)
        return recursion.whole if self.whole else recursion.working

    def rows(self, run: Run) -> int:
        return self._relation(run).rows

    def inputs(self, run: Run) -> list[Relation]:
        found = self._relation(run)
        return [Relation(self._here(found), found.rows)]

    def _here(self, found: Relation) -> dict[str, Column]:
        return {symbol: found.columns[there] for symbol, there in self.columns}

    def form(self, run: Run) -> tuple[object, ...]:
        """What of the columns may be different in another round: the same for those of which the same is known."""
        columns = self._here(self._relation(run)).values()
        return tuple([(one.layout, one.children) for one in columns])

    def batch(self, run: Run, start: int, stop: int, index: int) -> Batch:
        columns = self._here(self._relation(run))
        cut = {symbol: column.slice(start, stop) for symbol, column in columns.items()}
        return Batch.of(cut, stop - start, index)

    def extend(self, run: Run, layouts: Layouts) -> None:
        if not self.whole:
            run.note(self, "numbers of the first round alone")  # observers see no other
        layouts.join(_layouts(self.fields) if run.announces else self._here(self._relation(run)))

    def write(self, writer: Writer) -> None:
        symbols = [symbol for symbol, _ in self.columns]
        writer.add("working", (self.recursion,), symbols, writer.size(), whole=self.whole)

    def describe(self) -> str:
        which = "all rows so far" if self.whole else "last rows"
        return f"{which} of recursion {self.recursion}({', '.join(symbol for symbol, _ in self.columns)})"


@dataclass(frozen=True, eq=False)
class FoundSink(Sink[Relation]):
    """Keeps the columns `symbols`, made of the rows of a recursion as they come, which ends when there are `most` of them."""

    recursion: Slot[Recursion]
    symbols: tuple[str, ...]
    most: int

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return (self.recursion,)

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        return {}

    def prepare(self, run: Run, layouts: Layouts) -> _Found:
        return _Found(self, run, layouts)

    def write(self, writer: Writer) -> None:
        inputs: tuple[Place, ...] = (self.recursion, *writer.read(self.symbols))
        writer.add("find", inputs, (), writer.size(), most=self.most)
        writer.leave("collect", (), ())

    def describe(self) -> str:
        return f"keep {', '.join(self.symbols)} of recursion {self.recursion}, which ends with {self.most}"


class _Found(Gathered):
    def __init__(self, sink: FoundSink, run: Run, layouts: Layouts) -> None:
        super().__init__(sink.symbols, run, layouts)
        self._recursion = run.result(sink.recursion)
        self._most = sink.most

    def finish(self, locals: list[Pieces]) -> Relation:
        self._recursion.find(self.relation(locals), self._most)
        return Relation({}, 0)


class FoundSource(WorkingSource):
    """What a `FoundSink` kept."""

    def _relation(self, run: Run) -> Relation:
        return run.result(self.recursion).found

    def write(self, writer: Writer) -> None:
        symbols = [symbol for symbol, _ in self.columns]
        writer.add("found", (self.recursion,), symbols, writer.size())

    def describe(self) -> str:
        return f"found in recursion {self.recursion}({', '.join(symbol for symbol, _ in self.columns)})"
