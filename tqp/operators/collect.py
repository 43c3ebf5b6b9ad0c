"""The collect sink: all rows of a pipeline as one relation, in the order of the source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter

from tqp.data.column import Column, Layout, empty
from tqp.functions.align import concat
from tqp.ir.expr import Expr
from tqp.operators.batch import Batch
from tqp.operators.instructions import Writer
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Run, Sink
from tqp.operators.results import Relation

__all__ = ["CollectSink", "Gathered", "Pieces", "in_order", "whole"]

Pieces = list[tuple[int, int, list[Column]]]
"""What a worker collected: (number of the batch, rows, columns) of every batch that it consumed, in their order."""


def in_order(locals: list[Pieces]) -> Pieces:
    """The pieces of all workers in the order of their batches."""
    if len(locals) == 1:
        # A worker takes its batches in order.
        return locals[0]
    return sorted([piece for local in locals for piece in local], key=itemgetter(0))


def whole(layouts: Layouts, symbols: Iterable[str]) -> dict[str, Layout]:
    """The layouts of these columns of batches, put together."""
    return {symbol: layouts.of(symbol, settled=True).whole() for symbol in symbols}


class Gathered:
    """Columns of batches, put together in the order of their batches: what sinks that need all rows begin with.

    Beside the columns of `symbols` the values of the expressions `keys`.
    """

    def __init__(self, symbols: tuple[str, ...], run: Run, layouts: Layouts, keys: tuple[Expr, ...] = ()) -> None:
        self.symbols = symbols
        self._device = run.device
        self._layouts = layouts
        self._keys = keys
        self._evaluate = run.evaluator.rows(keys) if keys else None

    def local(self) -> Pieces:
        return []

    def consume(self, local: Pieces, batch: Batch) -> None:
        columns = list(map(batch.column, self.symbols))
        if self._evaluate is not None:
            columns += self._evaluate(batch)
        local.append((batch.index, batch.rows, columns))

    def relation(self, locals: list[Pieces]) -> Relation:
        """All rows. Takes the columns out of the pieces, so that each is let go once it is copied."""
        return self.gathered(locals)[0]

    def gathered(self, locals: list[Pieces]) -> tuple[Relation, list[Column]]:
        """`relation`, and the columns of the keys."""
        pieces = in_order(locals)
        if not pieces:
            rows, columns = 0, self._no_rows()
        elif len(pieces) == 1:
            # One batch, as of most small tables.
            _, rows, columns = pieces[0]
            columns = [column.expand(rows) if column.is_constant else column for column in columns]
        else:
            lengths, parts = [rows for _, rows, _ in pieces], [columns for _, _, columns in pieces]
            rows = sum(lengths)
            columns = [concat([part.pop() for part in parts], lengths) for _ in range(len(parts[0]))][::-1]
        relation = Relation(dict(zip(self.symbols, columns, strict=False)), rows)
        return relation, columns[len(self.symbols) :]

    def _no_rows(self) -> list[Column]:
        layouts = [*map(self._layouts.of, self.symbols), *map(self._layouts.of_expr, self._keys)]
        return [empty(layout, self._device) for layout in layouts]


@dataclass(frozen=True, eq=False)
class CollectSink(Sink[Relation]):
    """The columns `symbols` as they come."""

    symbols: tuple[str, ...]

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        return whole(layouts, self.symbols)

    def prepare(self, run: Run, layouts: Layouts) -> _Collector:
        return _Collector(self.symbols, run, layouts)

    def write(self, writer: Writer) -> None:
        writer.leave("collect", writer.read(self.symbols), self.symbols)

    def describe(self) -> str:
        return f"collect {', '.join(self.symbols)}"


class _Collector(Gathered):
    def finish(self, locals: list[Pieces]) -> Relation:
        return self.relation(locals)
