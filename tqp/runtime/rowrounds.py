"""The rounds of a recursion whose step gives few rows, computed row by row as numbers of Python.

A call of torch costs as much on one row as on a thousand. Where a step is one pipeline of filters, projections and joins, what it
does to a row is traced once (`tqp.runtime.rowtrace`), written as nested loops, a loop for each join, and run from then on until a
step gives many rows, or a row is unusual: then tensors take over again. The joins look into what the build sides have as it lies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import torch
from torch import Tensor

from tqp.data.column import Column, Layout
from tqp.data.layout import Encoding
from tqp.functions.registry import find
from tqp.interrupt import checkpoint
from tqp.ir.expr import Call, LambdaCall, Predict
from tqp.ir.visit import walk
from tqp.kernels import waits
from tqp.kernels.join import CsrLookup, DenseLookup, DirectLookup, Lookup, UniqueLookup
from tqp.kernels.operation import NotTraceable, tracing
from tqp.kernels.rows import expand
from tqp.operators.batch import Batch
from tqp.operators.evaluate import truth
from tqp.operators.filter import FilterStage, ProjectStage
from tqp.operators.keyed import loosened
from tqp.operators.keyed_rows import KeyedRows, ways_of
from tqp.operators.novelty import Row, stored
from tqp.operators.operator import Run
from tqp.operators.probe import ProbeStage
from tqp.operators.recursion import Recursion, StepSink, WorkingSource
from tqp.operators.results import Relation
from tqp.physical.pipeline import Pipeline
from tqp.runtime.rowtrace import RowTrace, Unusual
from tqp.runtime.sides import side_of

__all__ = ["RowRounds"]

_PRIMES: Final = (101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157)
_MOST_PARTNERS: Final = 256
"""More partners of a row are better found by tensors."""
_MOST_KEYED: Final = 2**14
"""Under USING KEY no more rows are read again each time that tensors gave some."""
_KEPT: Final = 2**14
"""Rows of Python's numbers that are kept before they become tensors."""
_WHY: Final = "rows of a step that are computed one by one"

Partners = Callable[[int], Sequence[int]]
"""From the code of a key to the build rows that have it."""


class RowRounds:
    """A step of a recursion, written row by row for the columns that its rows have now. NotTraceable where it cannot be."""

    def __init__(self, pipeline: Pipeline, run: Run) -> None:
        source, sink = pipeline.source, pipeline.sink
        assert isinstance(source, WorkingSource) and isinstance(sink, StepSink)
        self._recursion = run.result(source.recursion)
        self._most = sink.most
        working = self._recursion.working
        self._layouts = _layouts(working)
        for column in working.columns.values():
            if column.children or column.encoding not in (Encoding.FLAT, Encoding.CODES) or column.is_constant:
                raise NotTraceable(f"{column.dtype} values are no numbers of Python")
        self._into = sink.into
        folded = self._recursion.folded
        if folded is not None and self._most is not None:
            raise NotTraceable("rows of USING KEY are not counted as they come")
        self._changes = folded is not None and folded.fold.changes
        self._ways = None if folded is None else ways_of(folded.fold)
        if self._changes and self._ways is None:
            raise NotTraceable("an aggregate of USING KEY needs more than a row and the one before")
        self._strings: list[dict[int, object]] = [{} for _ in self._layouts]
        text = _Text(pipeline, run, self._recursion, self._layouts)
        names: dict[str, Any] = {"Unusual": Unusual, **text.names}
        exec(compile(text.whole, "<a step of a recursion>", "exec"), names)
        self._step: Callable[[list[Row], list[Row]], None] = names["step"]

    def run(self, most: int) -> int:
        """Run rounds as long as they give rows, no more than `most`, and none that is unusual; gives how many it ran.

        What the last one gave is the working table then.
        """
        recursion, step = self._recursion, self._step
        if _layouts(recursion.working) != self._layouts:
            return 0  # a round of tensors gave columns of another form
        keyed = self._keyed()
        if self._changes and keyed is None:
            return 0
        rows = _rows(recursion.working)
        kept: list[Row] = []
        rounds = 0
        while 0 < len(rows) <= most and not self._has_enough(len(kept)):
            checkpoint()
            found: list[Row] = []
            try:
                step(rows, found)
            except (Unusual, ArithmeticError, LookupError, ValueError):
                break
            if recursion.novelty is not None:
                places = recursion.novelty.new_ones(self._values(found))
                if places is None:
                    break
                found = [found[place] for place in places]
            rounds += 1
            kept += found
            rows = found if keyed is None else keyed.add(found)
            if len(kept) >= _KEPT:
                recursion.extend(self._relation(kept, self._into), self._relation(rows, self._layouts))
                kept = []
        if rounds:
            recursion.extend(self._relation(kept, self._into), self._relation(rows, self._layouts))
        return rounds

    def _keyed(self) -> KeyedRows | None:
        """The rows so far under USING KEY, where a step reads what the last one changed of them.

        None without that, and where they are many, or of another form than the last ones.
        """
        folded = self._recursion.folded
        if folded is None or self._ways is None or not self._changes or folded.rows > _MOST_KEYED:
            return None
        layouts = _layouts(folded.whole)
        for symbol, layout in self._layouts.items():
            whole = layouts[symbol]
            if whole.dictionary is not layout.dictionary or (whole.is_nullable and not layout.is_nullable):
                return None
        return KeyedRows(folded.fold, self._ways, _rows(folded.whole))

    @property
    def left(self) -> int:
        """How many rows the next round has to take; none where there are enough."""
        return 0 if self._has_enough(0) else self._recursion.working.rows

    def _has_enough(self, more: int) -> bool:
        return self._recursion.enough or (self._most is not None and self._recursion.rows + more >= self._most)

    def _values(self, rows: list[Row]) -> list[Row]:
        """The rows with the strings of texts in place of their codes."""
        if not any(layout.dictionary is not None for layout in self._layouts.values()):
            return rows
        columns = zip(*rows, strict=True)
        found = [
            map(partial(_string, layout, known), column) if layout.dictionary is not None else column
            for column, layout, known in zip(columns, self._layouts.values(), self._strings, strict=bool(rows))
        ]
        return list(zip(*found, strict=True))

    def _relation(self, rows: list[Row], names: Iterable[str]) -> Relation:
        """The rows as columns that are called so."""
        columns = zip(*rows, strict=True) if rows else ((),) * len(self._layouts)
        found = map(_column, columns, self._layouts.values())
        return Relation(dict(zip(names, found, strict=True)), len(rows))


def _layouts(relation: Relation) -> dict[str, Layout]:
    return {symbol: column.layout for symbol, column in relation.columns.items()}


def _string(layout: Layout, known: dict[int, object], code: Any) -> object:
    if code is None:
        return None
    if code not in known:
        assert layout.dictionary is not None
        known[code] = layout.dictionary.values[code].as_py()
    return known[code]


def _rows(relation: Relation) -> list[Row]:
    """The numbers of each row, None of a NULL, codes of texts."""
    return list(zip(*[stored(column, _WHY) for column in relation.columns.values()], strict=True))


def _column(values: Sequence[Any], layout: Layout) -> Column:
    device = torch.device("cpu")
    valid = None
    if layout.is_nullable:
        valid = torch.tensor([value is not None for value in values], dtype=torch.bool, device=device)
        values = [0 if value is None else value for value in values]
    data = torch.tensor(values, dtype=layout.width, device=device)
    return Column(data, layout.dtype, valid, layout.dictionary, layout.bounds, layout.encoding)


class _Text:
    """The text of a function `step(rows, found)`, and the `names` that it reads beside its arguments."""

    def __init__(self, pipeline: Pipeline, run: Run, recursion: Recursion, layouts: Mapping[str, Layout]) -> None:
        if any(map(_differs_by_row, (part for one in pipeline.stages for part in one.expressions))):
            raise NotTraceable("a function is computed for each row")
        self.names: dict[str, Any] = {}
        self._run = run
        self._evaluator = run.evaluator
        self._recursion = recursion
        self._layouts = layouts
        self._pipeline = pipeline
        self._done: set[str] = set()
        self._lines: list[str] = []
        self._steps = 2
        self._count = _length(pipeline, run)
        self._trace = RowTrace(self._count)
        self._assumed: list[Tensor] = []
        with self._trace, tracing(self._assumed.append):
            self._add(self._traced())
        self.names |= self._trace.tables
        entries = ", ".join([f"r{place}" for place, _ in enumerate(layouts)])
        self.whole = "\n".join(["def step(rows, found):", f"    for {entries}, in rows:", *self._lines, ""])

    def _traced(self) -> list[Column]:
        """Take rows through the stages, and write what becomes of each as it is known; gives the columns of the step."""
        source, sink = self._pipeline.source, self._pipeline.sink
        assert isinstance(source, WorkingSource) and isinstance(sink, StepSink)
        batch = Batch.of(self._columns(source), self._count)
        for stage in self._pipeline.stages:
            if isinstance(stage, ProjectStage):
                batch = batch.define(stage.definitions(self._evaluator))
            elif isinstance(stage, FilterStage):
                for condition in stage.conditions:
                    self._require(truth(self._evaluator.evaluate(condition, batch)))
            elif isinstance(stage, ProbeStage) and stage.kind == "inner":
                batch = self._joined(stage, batch)
            else:
                batch, masks = side_of(stage, self._run).passed(batch, self._evaluator)
                for mask in masks:
                    self._require(mask)
        columns = [loosened(batch.column(symbol).expand(self._count)) for symbol in sink.symbols]
        self._assume()
        for column, layout in zip(columns, self._layouts.values(), strict=True):
            if column.children or column.layout != layout:
                raise NotTraceable("a step gives columns of another form than it reads")
        return columns

    def _columns(self, source: WorkingSource) -> dict[str, Column]:
        """The columns of the rows that came last, as the step calls them: its first row many times."""
        working = self._recursion.working.columns
        first = torch.zeros(self._count, dtype=torch.int64, device=self._run.device)
        places = {there: place for place, there in enumerate(self._layouts)}
        columns = {}
        for symbol, there in source.columns:
            place = places[there]
            columns[symbol] = column = working[there].take(first)
            # NULLs are true of the rows that stand for all; of the others it says so itself.
            if column.valid is None:
                self._trace.given(column.data, f"r{place}")
            else:
                self._trace.given(column.data, f"(0 if r{place} is None else r{place})")
                self._trace.given(column.valid, f"(r{place} is not None)")
        return columns

    def _joined(self, stage: ProbeStage, batch: Batch) -> Batch:
        """The batch with a partner of each row; a loop over the partners."""
        built = stage.build.get(self._run)
        if built.rows == 0 or built.bands is not None or stage.track:
            raise NotTraceable("a join finds its rows otherwise")
        partner = torch.zeros(self._count, dtype=torch.int64, device=self._run.device)
        name = f"partner_{len(self.names)}"
        digits: list[Tensor] = []
        if built.lookup is None:
            found = f"range({built.rows})"
            if built.rows > _MOST_PARTNERS:
                raise NotTraceable("a row has many partners")
        else:
            assert built.codec is not None
            codes, valid, digits = built.codec.encode(self._evaluator.rows(stage.values)(batch))
            if valid is not None:
                self._require(valid)
            self._assume()
            self.names[f"{name}_of"] = _partners(built.lookup)
            self._need([codes])
            found = f"{name}_of({self._trace.text(codes)})"
        self._write(f"for {name} in {found}:")
        self._steps += 1
        self._trace.given(partner, name)
        batch = batch.join(built.columns, partner)
        checks = [] if built.codec is None else built.codec.checks
        for digit, check in zip(digits, checks, strict=True):
            self._require(check.index_select(0, partner) == digit)
        if built.alive is not None:
            self._require(built.alive.index_select(0, partner))
        if stage.residual is not None:
            self._require(truth(self._evaluator.evaluate(stage.residual, batch)))
        return batch

    def _require(self, mask: Tensor) -> None:
        """Go on with the rows for which the mask is true."""
        self._assume()
        self._need([mask])
        self._write(f"if not {self._trace.text(mask)}:", "    continue")

    def _assume(self) -> None:
        """A row for which something that was assumed does not hold is unusual."""
        for holds in self._assumed:
            self._need([holds])
            self._write(f"if not {self._trace.text(holds)}:", "    raise Unusual")
        self._assumed.clear()

    def _add(self, columns: Sequence[Column]) -> None:
        """Add a row of these columns to those that were found."""
        values = []
        for column in columns:
            self._need([column.data] if column.valid is None else [column.data, column.valid])
            value = self._trace.text(column.data)
            values.append(value if column.valid is None else f"({value} if {self._trace.text(column.valid)} else None)")
        self._write(f"found.append(({', '.join(values)},))")

    def _need(self, tensors: Sequence[Tensor]) -> None:
        self._write(*self._trace.needs(tensors, self._done))

    def _write(self, *lines: str) -> None:
        self._lines += ["    " * self._steps + line for line in lines]


def _differs_by_row(exprs: Sequence[Any]) -> bool:
    """Whether what is computed for a row may be more than its values tell."""
    return any(
        isinstance(part, Predict | LambdaCall) or (isinstance(part, Call) and find(part.function).each_row)
        for expr in exprs
        for part in walk(expr)
    )


def _length(pipeline: Pipeline, run: Run) -> int:
    """How many rows stand for all: of no tensor that the step looks into."""
    sizes = {built.rows for stage in pipeline.stages if isinstance(stage, ProbeStage) for built in stage.inputs(run)}
    return next(one for one in _PRIMES if one not in sizes)


def _partners(lookup: Lookup) -> Partners:
    """What finds the rows of a key in a lookup; those of the last keys that took a search are remembered."""
    if isinstance(lookup, DenseLookup):
        return partial(_by_place, lookup.minimum, lookup.rows)
    if isinstance(lookup, DirectLookup):
        return partial(_by_table, lookup.minimum, lookup.table.shape[0] - 1, lookup.table.numpy().data)
    if isinstance(lookup, CsrLookup):
        starts = lookup.starts.numpy().data
        order = None if lookup.order is None else lookup.order.numpy().data
        return partial(_by_range, lookup.minimum, len(starts) - 2, starts, order)
    return _Searched(lookup)


def _by_place(minimum: int, size: int, code: int) -> Sequence[int]:
    place = code - minimum
    return (place,) if 0 <= place < size else ()


def _by_table(minimum: int, size: int, table: memoryview, code: int) -> Sequence[int]:
    place = code - minimum
    if not 0 <= place < size:
        return ()
    row = table[place]
    return (row,) if row >= 0 else ()


def _by_range(minimum: int, size: int, starts: memoryview, order: memoryview | None, code: int) -> Sequence[int]:
    place = code - minimum
    if not 0 <= place < size:
        return ()
    start, stop = starts[place], starts[place + 1]
    if stop - start > _MOST_PARTNERS:
        raise Unusual
    return range(start, stop) if order is None else order[start:stop]


class _Searched:
    """Rows of keys that a kernel looks up, one at a time, each once."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._found: dict[int, Sequence[int]] = {}

    def __call__(self, code: int) -> Sequence[int]:
        found = self._found.get(code)
        if found is None:
            found = self._found[code] = tuple(self._search(code))
        return found

    def _search(self, code: int) -> list[int]:
        lookup = self._lookup
        key = torch.tensor([code], dtype=torch.int64, device="cpu")
        if isinstance(lookup, UniqueLookup):
            return [row for row in waits.numbers(lookup.probe(key, None), _WHY) if row >= 0]
        starts, counts = lookup.probe(key, None)
        if waits.number(counts[0], _WHY) > _MOST_PARTNERS:
            raise Unusual
        _, rows = expand(starts, counts)
        return waits.numbers(rows if lookup.order is None else lookup.order.index_select(0, rows), _WHY)
