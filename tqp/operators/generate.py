"""Table functions: a source of their rows for constant arguments, and a stage that puts them beside rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column, Layout, empty
from tqp.errors import ExecutionError
from tqp.functions.tables import Asked, Generated, find_table_function
from tqp.interrupt import checkpoint
from tqp.ir.expr import ColumnRef, Expr
from tqp.ir.plan import Generate, Schema
from tqp.kernels import repeats, waits
from tqp.kernels.rows import row_dtype, select
from tqp.operators.batch import Batch, Later
from tqp.operators.instructions import Writer
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, Run, Source, Stage, each
from tqp.types import BIGINT

__all__ = ["GenerateStage", "GeneratedSource"]

_MOST: Final = 2**36
"""Rows that no run comes to the end of."""
_WHY: Final = "how many rows a table function gives"


def _few(rows: int, function: str) -> int:
    if rows > _MOST:
        raise ExecutionError(f"{function} gives more than {_MOST:,} rows", hint="ask for fewer: LIMIT comes after them")
    return rows


def _numbered(positions: Tensor) -> Column:
    return Column(positions.long() + 1, BIGINT)


@dataclass(frozen=True, eq=False)
class GeneratedSource(Source):
    """The rows of a table function for constant arguments; no more than the first `most`.

    `fields` are all of its columns, or none where nobody reads any: then nothing is made but their number.
    """

    function: str
    args: tuple[Expr, ...]
    fields: Schema
    numbered: bool
    most: int | None = None

    @property
    def expressions(self) -> Expressions:
        return each(self.args)

    def _opened(self, run: Run) -> Generated:
        return run.once(self, partial(self._open, run))

    def _open(self, run: Run) -> Generated:
        args = [run.evaluator.evaluate(arg, Batch({}, 1)) for arg in self.args]
        # A value without a row is a constant.
        constants = [arg if arg.is_constant else arg.map(lambda tensor: tensor[0]) for arg in args]
        return find_table_function(self.function).open(constants, 1)

    def rows(self, run: Run) -> int:
        counts = self._opened(run).counts
        rows = counts if isinstance(counts, int) else waits.number(counts.sum(), _WHY)
        return _few(rows if self.most is None else min(rows, self.most), self.function)

    def batch(self, run: Run, start: int, stop: int, index: int) -> Batch:
        if not self.fields:
            return Batch.of({}, stop - start, index)
        positions = torch.arange(start, stop, dtype=torch.int64, device=run.device)
        return Batch.of(self._columns(run, positions), stop - start, index)

    def _columns(self, run: Run, positions: Tensor) -> dict[str, Column]:
        opened = self._opened(run)
        places = positions if opened.begins is None else positions + opened.begins
        columns = opened.columns(Asked(positions.shape[0], None, places))
        if self.numbered:
            columns.append(_numbered(positions))
        return dict(zip([field.symbol for field in self.fields], columns, strict=True))

    def extend(self, run: Run, layouts: Layouts) -> None:
        none = torch.empty(0, dtype=torch.int64, device=run.device)
        layouts.join(self._columns(run, none) if self.fields else {})

    def write(self, writer: Writer) -> None:
        symbols = [field.symbol for field in self.fields]
        writer.add(self.function, map(writer.value, self.args), symbols, writer.size(), numbered=self.numbered)

    def describe(self) -> str:
        return f"{self.function}({', '.join(field.symbol for field in self.fields)})"


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Some of the rows that the rows of a batch become, one behind the other.

    They are those numbered `start` and behind of all, `count` of them, and belong to the rows of the batch from number `first` on:
    of each `sizes` (p,), whose places begin at `begins` (p,), None: at 0. Of the first row `skipped` (), those before `start`, are
    not among them.
    """

    first: int
    start: int
    count: int
    sizes: Tensor
    begins: Tensor | None
    skipped: Tensor | None = None

    def owners(self) -> Tensor:
        """The row of the batch (m,) of each."""
        return repeats.owners(self.sizes, self.first, self.count)

    def places(self) -> Tensor:
        """Its place (m,)."""
        return self._behind(self.begins)

    def positions(self) -> Tensor:
        """Which of those of its row it is (m,), from 0."""
        return self._behind(None)

    def _behind(self, begins: Tensor | None) -> Tensor:
        origin = torch.zeros_like(self.sizes) if begins is None else begins
        if self.skipped is not None:
            origin = origin.clone()
            origin[:1] += self.skipped.to(origin.dtype)
        return repeats.places(origin, self.sizes.to(origin.dtype), self.count)

    def cut(self, ends: Tensor, most: int) -> Iterator[_Piece]:
        """These, which are all, in pieces of `most`; those of the rows of the batch end at `ends` (n,)."""
        starts = torch.arange(0, self.count, most, dtype=torch.int64, device=ends.device)
        stops = (starts + most).clamp(max=self.count)
        # Whose the first and the last of each piece are.
        marks = torch.cat((starts, stops - 1))
        rows = waits.numbers(torch.searchsorted(ends, marks, right=True), "where to cut what a table function gives")
        pieces = len(rows) // 2
        for number, (first, last) in enumerate(zip(rows[:pieces], rows[pieces:], strict=True)):
            start = number * most
            stop = min(start + most, self.count)
            end = ends[first : last + 1].clamp(max=stop)
            sizes = torch.diff(end, prepend=end.new_full((1,), start))
            skipped = start - (ends[first] - self.sizes[first])
            begins = None if self.begins is None else self.begins[first : last + 1]
            yield _Piece(first, start, stop - start, sizes.to(row_dtype(most)), begins, skipped)


@dataclass(frozen=True, eq=False)
class GenerateStage(Stage):
    """Repeats each row as often as a table function gives rows for it, with these beside it; see `tqp.ir.plan.Generate`."""

    plan: Generate

    @property
    def expressions(self) -> Expressions:
        return (self.plan.args,)

    @property
    def may_grow(self) -> bool:
        return True

    def grows_to(self, columns: Mapping[str, Column]) -> int:
        """The elements of lists among the arguments."""
        found = [columns[arg.symbol] for arg in self.plan.args if isinstance(arg, ColumnRef) and arg.symbol in columns]
        return max([len(column.children[0]) for column in found if column.dtype.is_list], default=0)

    def extend(self, run: Run, layouts: Layouts) -> None:
        device = torch.device("cpu")  # host: columns without rows
        args = [empty(layouts.of_expr(arg), device) for arg in self.plan.args]
        none = torch.empty(0, dtype=torch.int64, device=device)
        columns = find_table_function(self.plan.function).open(args, 0).columns(Asked(0, none, none))
        if self.plan.numbered:
            columns.append(_numbered(none))
        found = zip(self.plan.fields, columns, strict=True)
        # What lies in a column's children, or is made of its texts, is not known before they are there.
        unknown = any(arg.dtype.has_children or arg.dtype.is_coded for arg in args)
        made = {f.symbol: Layout.of_type(f.dtype) if unknown else column.layout for f, column in found}
        layouts.join(made, is_padded=self.plan.padded)

    def prepare(self, run: Run) -> Callable[[Batch], Iterator[Batch]]:
        return partial(self._generate, run.evaluator.rows(self.plan.args), run.limits.generated_rows)

    def _generate(self, evaluate: Callable[[Batch], list[Column]], most: int | None, batch: Batch) -> Iterator[Batch]:
        args = evaluate(batch)
        found = find_table_function(self.plan.function).open(args, batch.rows)
        counts = torch.as_tensor(found.counts, device=args[0].device).reshape(-1).expand(batch.rows)
        given = counts.clamp(min=1) if self.plan.padded else counts
        # What is too much for one row is no more for all of them, whose sum might leave 64 bits.
        ends = (given.clamp(max=_MOST + 1) if given.dtype is torch.int64 else given).cumsum(0, dtype=torch.int64)
        total = _few(waits.number(ends[-1], _WHY), self.plan.function) if batch.rows else 0
        begins = None if found.begins is None else found.begins.reshape(-1).expand(batch.rows)
        whole = _Piece(0, 0, total, given, begins)
        for piece in [whole] if most is None or total <= most else whole.cut(ends, most):
            checkpoint()
            yield self._padded(batch, found, piece, counts) if self.plan.padded else self._given(batch, found, piece)

    def _given(self, batch: Batch, found: Generated, piece: _Piece) -> Batch:
        owners = Later(piece.count, piece.owners)
        asked = Asked(piece.count, owners.rows, piece.places, piece.start)
        return batch.repeat(owners).join(self._made(found, asked, piece.positions), None)

    def _padded(self, batch: Batch, found: Generated, piece: _Piece, counts: Tensor) -> Batch:
        """A row without any is given once, matched by none."""
        rows = piece.owners()
        matched = counts.index_select(0, rows) > 0
        real = select(matched)
        asked = Asked(real.shape[0], rows.index_select(0, real), lambda: piece.places().index_select(0, real))
        made = self._made(found, asked, lambda: piece.positions().index_select(0, real))
        return batch.choose(rows).join(made, (matched.cumsum(0) - 1).clamp(min=0), matched)

    def _made(self, found: Generated, asked: Asked, positions: Callable[[], Tensor]) -> dict[str, Column]:
        columns = [column.expand(asked.count) for column in found.columns(asked)]
        if self.plan.numbered:
            columns.append(_numbered(positions()))
        return dict(zip([field.symbol for field in self.plan.fields], columns, strict=True))

    def write(self, writer: Writer) -> None:
        symbols = [field.symbol for field in self.plan.fields]
        inputs = writer.values(self.plan.args)
        writer.add(
            self.plan.function, inputs, symbols, writer.size(), numbered=self.plan.numbered, padded=self.plan.padded
        )

    def describe(self) -> str:
        return f"rows of {self.plan.function} for each: {', '.join(field.symbol for field in self.plan.fields)}"
