"""Table functions: a source of their rows for constant arguments, and a stage that puts them beside rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column, Layout, empty
from tqp.errors import ExecutionError
from tqp.functions.tables import Generated, find_table_function
from tqp.ir.expr import Expr
from tqp.ir.plan import Generate, Schema
from tqp.kernels import waits
from tqp.kernels.rows import expand, select
from tqp.operators.batch import Batch
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
        raise ExecutionError(f"{function} gives {rows:,} rows", hint="ask for fewer: LIMIT comes after them")
    return rows


def _numbered(positions: Tensor) -> Column:
    return Column(positions + 1, BIGINT)


@dataclass(frozen=True, eq=False)
class GeneratedSource(Source):
    """The rows of a table function for constant arguments; no more than the first `most`."""

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
        positions = torch.arange(start, stop, dtype=torch.int64, device=run.device)
        return Batch.of(self._columns(run, positions), stop - start, index)

    def _columns(self, run: Run, positions: Tensor) -> dict[str, Column]:
        columns = self._opened(run).columns(None, positions)
        if self.numbered:
            columns.append(_numbered(positions))
        return dict(zip([field.symbol for field in self.fields], columns, strict=True))

    def extend(self, run: Run, layouts: Layouts) -> None:
        none = torch.empty(0, dtype=torch.int64, device=run.device)
        layouts.join(self._columns(run, none))

    def write(self, writer: Writer) -> None:
        symbols = [field.symbol for field in self.fields]
        writer.add(self.function, map(writer.value, self.args), symbols, writer.size(), numbered=self.numbered)

    def describe(self) -> str:
        return f"{self.function}({', '.join(field.symbol for field in self.fields)})"


@dataclass(frozen=True, eq=False)
class GenerateStage(Stage):
    """Repeats each row as often as a table function gives rows for it, with these beside it; see `tqp.ir.plan.Generate`."""

    plan: Generate

    @property
    def expressions(self) -> Expressions:
        return (self.plan.args,)

    def extend(self, run: Run, layouts: Layouts) -> None:
        device = torch.device("cpu")  # host: columns without rows
        args = [empty(layouts.of_expr(arg), device) for arg in self.plan.args]
        none = torch.empty(0, dtype=torch.int64, device=device)
        columns = find_table_function(self.plan.function).open(args, 0).columns(none, none)
        if self.plan.numbered:
            columns.append(_numbered(none))
        found = zip(self.plan.fields, columns, strict=True)
        # What lies in a column's children, or is made of its texts, is not known before they are there.
        unknown = any(arg.dtype.has_children or arg.dtype.is_coded for arg in args)
        made = {f.symbol: Layout.of_type(f.dtype) if unknown else column.layout for f, column in found}
        layouts.join(made, is_padded=self.plan.padded)

    def prepare(self, run: Run) -> Callable[[Batch], Iterator[Batch]]:
        return partial(self._generate, run.evaluator.rows(self.plan.args), run.limits.batch_rows)

    def _generate(self, evaluate: Callable[[Batch], list[Column]], most: int | None, batch: Batch) -> Iterator[Batch]:
        args = evaluate(batch)
        found = find_table_function(self.plan.function).open(args, batch.rows)
        counts = found.counts
        if isinstance(counts, int) or counts.shape[0] != batch.rows:
            device = args[0].device
            counts = torch.as_tensor(counts, device=device).reshape(-1).expand(batch.rows)
        given = counts.clamp(min=1) if self.plan.padded else counts
        ends = given.cumsum(0)
        total = _few(waits.number(ends[-1], _WHY), self.plan.function)
        step = total if most is None else most
        for start in range(0, total, max(step, 1)):
            yield self._piece(batch, found, counts, given, ends, start, min(start + step, total))

    def _piece(
        self, batch: Batch, found: Generated, counts: Tensor, given: Tensor, ends: Tensor, start: int, stop: int
    ) -> Batch:
        """Rows start..stop-1 of those that the batch becomes."""
        begins = ends - given
        low, high = (start - begins).clamp(min=0), (stop - begins).clamp(min=0)
        low, high = torch.minimum(low, given), torch.minimum(high, given)
        rows, positions = expand(low, high - low)
        rows = rows.long()
        places, matched = None, None
        mine, numbers = rows, positions
        if self.plan.padded:
            matched = positions < counts.index_select(0, rows)
            real = select(matched)
            mine, numbers = rows.index_select(0, real), positions.index_select(0, real)
            places = (matched.cumsum(0) - 1).clamp(min=0)
        columns = [column.expand(numbers.shape[0]) for column in found.columns(mine, numbers)]
        if self.plan.numbered:
            columns.append(_numbered(numbers))
        made = dict(zip([field.symbol for field in self.plan.fields], columns, strict=True))
        return batch.choose(rows).join(made, places, matched)

    def write(self, writer: Writer) -> None:
        symbols = [field.symbol for field in self.plan.fields]
        inputs = writer.values(self.plan.args)
        writer.add(
            self.plan.function, inputs, symbols, writer.size(), numbered=self.plan.numbered, padded=self.plan.padded
        )

    def describe(self) -> str:
        return f"rows of {self.plan.function} for each: {', '.join(field.symbol for field in self.plan.fields)}"
