"""Sources: resident columns of stored tables, results of earlier pipelines, literal rows; and the numbers of their rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeVar

import torch

from tqp.data.column import Column, Layout, constant
from tqp.functions.align import concat
from tqp.ir.expr import Expr
from tqp.ir.plan import Scan, Values
from tqp.operators.batch import Batch, Part
from tqp.operators.blocks import Blocks
from tqp.operators.instructions import Writer
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, Run, Source
from tqp.operators.results import Relation, Result, Slot
from tqp.types import BIGINT

__all__ = ["NumberedSource", "ResultSource", "TableSource", "ValuesSource"]


class _Columns(dict[str, Column]):
    """Columns by symbol, all read when the first is asked for."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[], Mapping[str, Column]]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, symbol: str) -> Column:
        self.update(self._read())
        return dict(self)[symbol]


def _stored(scan: Scan) -> dict[str, Column]:
    """The whole columns of a scan by symbol; those that are not on the device yet move there together."""
    symbols = [field.symbol for field in scan.fields]
    return dict(zip(symbols, scan.source.columns(scan.columns), strict=True))


Known = TypeVar("Known")


class _Window(dict[str, Column]):
    """Rows start..stop-1 of columns by symbol, each cut when it is first asked for."""

    __slots__ = ("_columns", "_start", "_stop")

    def __init__(self, columns: Mapping[str, Column], start: int, stop: int) -> None:
        super().__init__()
        self._columns = columns
        self._start = start
        self._stop = stop

    def __missing__(self, symbol: str) -> Column:
        self[symbol] = column = self._columns[symbol].slice(self._start, self._stop)
        return column


@dataclass(frozen=True, eq=False)
class TableSource(Source):
    """The columns of a Scan, as views of the resident columns."""

    scan: Scan

    def rows(self, run: Run) -> int:
        return self.scan.source.rows

    @cached_property
    def columns(self) -> dict[str, Column]:
        """Whole columns by symbol."""
        return {symbol: self._stored[symbol] for symbol in self._names}

    def inputs(self, run: Run) -> list[Relation]:
        return [Relation(self.columns, self.scan.source.rows)]

    def batch(self, run: Run, start: int, stop: int, index: int) -> Batch:
        columns: Mapping[str, Column] = self._stored
        if stop - start < self.scan.source.rows:
            columns = _Window(columns, start, stop)
        return Batch(dict.fromkeys(self._names, Part(columns, None, None, start)), stop - start, None, index)

    def blocks(self, run: Run) -> Blocks | None:
        limits, table = run.limits, self.scan.source
        if limits.zone_rows is None or table.rows < limits.zoned_rows:
            return None
        return Blocks(table, self._names, run.evaluator, limits.zone_rows, limits.gap_rows)

    def extend(self, run: Run, layouts: Layouts) -> None:
        layouts.join(self._stored, names=self._names)

    @cached_property
    def _stored(self) -> _Columns:
        """Whole columns by symbol, as soon as one of them was asked for."""
        return _Columns(partial(_stored, self.scan))

    @cached_property
    def _names(self) -> dict[str, str]:
        """The stored columns by symbol."""
        symbols = [field.symbol for field in self.scan.fields]
        return dict(zip(symbols, self.scan.columns, strict=True))

    def write(self, writer: Writer) -> None:
        symbols = [field.symbol for field in self.scan.fields]
        writer.add("scan", (), symbols, writer.size(), table=self.scan.source, columns=self.scan.columns)

    def describe(self) -> str:
        return f"scan {self.scan.name}({', '.join(self.scan.columns)})"


@dataclass(frozen=True, eq=False)
class ResultSource(Source):
    """The relation that an earlier pipeline left; `columns` are (symbol here, symbol there), None: all as they are.

    Renamed at once: two readers of one relation meet in a join, where the symbols there would be the same.
    """

    slot: Slot[Relation]
    columns: tuple[tuple[str, str], ...] | None = None

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return (self.slot,)

    def rows(self, run: Run) -> int:
        return run.result(self.slot).rows

    def inputs(self, run: Run) -> list[Relation]:
        found = run.result(self.slot)
        return [Relation(self._renamed(found.columns), found.rows)]

    def _renamed(self, found: Mapping[str, Known]) -> Mapping[str, Known]:
        return found if self.columns is None else {symbol: found[there] for symbol, there in self.columns}

    def batch(self, run: Run, start: int, stop: int, index: int) -> Batch:
        found = run.result(self.slot)
        columns = self._renamed(found.columns)
        part = Part(columns if stop - start == found.rows else _Window(columns, start, stop))
        return Batch(dict.fromkeys(columns, part), stop - start, None, index)

    def write(self, writer: Writer) -> None:
        left = writer.left(self.slot)
        pairs = tuple((symbol, symbol) for symbol in left.symbols) if self.columns is None else self.columns
        symbols = [symbol for symbol, _ in pairs]
        writer.add("read", (self.slot,), symbols, left.rows, columns=tuple(there for _, there in pairs))

    def extend(self, run: Run, layouts: Layouts) -> None:
        layouts.join(self._renamed(run.columns(self.slot)))

    def describe(self) -> str:
        read = "" if self.columns is None else f"({', '.join(symbol for symbol, _ in self.columns)})"
        return f"result of pipeline {self.slot}{read}"


@dataclass(frozen=True, eq=False)
class ValuesSource(Source):
    """Literal rows."""

    values: Values

    @property
    def expressions(self) -> Expressions:
        # As in DuckDB, a row is computed after the row before it: nextval draws in that order.
        return (self._cells,) if self._cells else ()

    @cached_property
    def _cells(self) -> tuple[Expr, ...]:
        return tuple([cell for row in self.values.rows for cell in row])

    def rows(self, run: Run) -> int:
        return len(self.values.rows)

    def _relation(self, run: Run) -> Relation:
        return run.once(self, partial(self._evaluated, run))

    def _evaluated(self, run: Run) -> Relation:
        if not self.values.rows:
            empty = {field.symbol: constant(None, field.dtype, run.device).expand(0) for field in self.values.fields}
            return Relation(empty, 0)
        cells, columns = run.evaluator.rows(self._cells)(Batch({}, 1)), {}
        width, rows = len(self.values.fields), len(self.values.rows)
        for place, field in enumerate(self.values.fields):
            columns[field.symbol] = concat(cells[place::width], [1] * rows)
        return Relation(columns, rows)

    def batch(self, run: Run, start: int, stop: int, index: int) -> Batch:
        relation = self._relation(run)
        columns = {symbol: column.slice(start, stop) for symbol, column in relation.columns.items()}
        return Batch.of(columns, stop - start, index)

    def write(self, writer: Writer) -> None:
        symbols = [field.symbol for field in self.values.fields]
        places = writer.values(self._cells)
        cells = [place for column in range(len(symbols)) for place in places[column :: len(symbols)]]
        writer.add("values", cells, symbols, len(self.values.rows), types=tuple(f.dtype for f in self.values.fields))

    def extend(self, run: Run, layouts: Layouts) -> None:
        # They are evaluated when somebody asks, which is often nobody.
        columns = _Columns(lambda: self._relation(run).columns)
        layouts.join(columns, names=[field.symbol for field in self.values.fields])

    def describe(self) -> str:
        count = len(self.values.rows)
        return f"values, {count:,} row{'' if count == 1 else 's'}"


@dataclass(frozen=True, eq=False)
class NumberedSource(Source):
    """The rows of another source, and the columns `symbols` with the number of each, from 1: BIGINT, never NULL.

    A number is the place in the source, so that it says the same of a row whichever blocks are left out.
    """

    source: Source
    symbols: tuple[str, ...]

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return self.source.reads

    @property
    def expressions(self) -> Expressions:
        return self.source.expressions

    def inputs(self, run: Run) -> Sequence[Result]:
        return self.source.inputs(run)

    def rows(self, run: Run) -> int:
        return self.source.rows(run)

    def blocks(self, run: Run) -> Blocks | None:
        return self.source.blocks(run)

    def batch(self, run: Run, start: int, stop: int, index: int) -> Batch:
        numbers = torch.arange(start + 1, stop + 1, dtype=torch.int64, device=run.device)
        return self.source.batch(run, start, stop, index).join(
            dict.fromkeys(self.symbols, Column(numbers, BIGINT)), None
        )

    def extend(self, run: Run, layouts: Layouts) -> None:
        self.source.extend(run, layouts)
        layouts.join(dict.fromkeys(self.symbols, replace(Layout.of_type(BIGINT), is_nullable=False)))

    def write(self, writer: Writer) -> None:
        self.source.write(writer)
        writer.add("number rows", (), self.symbols)

    def describe(self) -> str:
        return f"{self.source.describe()}, numbered as {', '.join(self.symbols)}"
