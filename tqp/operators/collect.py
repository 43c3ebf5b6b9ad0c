"""The collect sink: all rows of a pipeline as one relation, in the order of the source."""

from __future__ import annotations

from dataclasses import dataclass

from tqp.data.column import Column, empty
from tqp.functions.align import concat
from tqp.operators.batch import Batch
from tqp.operators.instructions import Writer
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Run, Sink
from tqp.operators.results import Relation

__all__ = ["CollectSink", "Gathered", "Pieces", "in_order"]

Pieces = list[tuple[int, int, list[Column]]]
"""What a worker collected: (number of the batch, rows, columns) of every batch that it consumed."""


def in_order(locals: list[Pieces]) -> Pieces:
    """The pieces of all workers in the order of their batches."""
    return sorted((piece for local in locals for piece in local), key=lambda piece: piece[0])


class Gathered:
    """Columns of batches, put together in the order of their batches: what sinks that need all rows begin with."""

    def __init__(self, symbols: tuple[str, ...], run: Run, layouts: Layouts) -> None:
        self.symbols = symbols
        self._device = run.device
        self._layouts = layouts

    def local(self) -> Pieces:
        return []

    def consume(self, local: Pieces, batch: Batch) -> None:
        local.append((batch.index, batch.rows, [batch.column(symbol) for symbol in self.symbols]))

    def relation(self, locals: list[Pieces]) -> Relation:
        """All rows. Takes the columns out of the pieces, so that each is let go once it is copied."""
        pieces = in_order(locals)
        if not pieces:
            return Relation({symbol: empty(self._layouts.of(symbol), self._device) for symbol in self.symbols}, 0)
        lengths = [rows for _, rows, _ in pieces]
        columns = [concat([columns.pop() for _, _, columns in pieces], lengths) for _ in self.symbols]
        return Relation(dict(zip(self.symbols, reversed(columns), strict=True)), sum(lengths))


@dataclass(frozen=True, eq=False)
class CollectSink(Sink[Relation]):
    """The columns `symbols` as they come."""

    symbols: tuple[str, ...]

    def prepare(self, run: Run, layouts: Layouts) -> _Collector:
        return _Collector(self.symbols, run, layouts)

    def write(self, writer: Writer) -> None:
        writer.leave("collect", writer.read(self.symbols), self.symbols)

    def describe(self) -> str:
        return f"collect {', '.join(self.symbols)}"


class _Collector(Gathered):
    def finish(self, locals: list[Pieces]) -> Relation:
        return self.relation(locals)
