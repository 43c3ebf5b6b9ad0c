"""The collect sink: all rows of a pipeline as one relation, in the order of the source."""

from __future__ import annotations

from dataclasses import dataclass

from tqp.data.column import Column
from tqp.functions.align import concat
from tqp.operators.batch import Batch
from tqp.operators.operator import Relation, Run

__all__ = ["CollectSink", "Gathered"]


class Gathered:
    """Columns of batches, put together in the order of their batches.

    A worker's local state is a list of (batch number, rows, columns).
    """

    def __init__(self, symbols: tuple[str, ...], sample: Batch) -> None:
        self.symbols = symbols
        self.sample = [sample.column(symbol) for symbol in symbols]

    def local(self) -> list[tuple[int, int, list[Column]]]:
        return []

    def consume(self, local: object, batch: Batch) -> None:
        assert isinstance(local, list)
        local.append((batch.index, batch.rows, [batch.column(symbol) for symbol in self.symbols]))

    def relation(self, locals: list[object]) -> Relation:
        pieces = sorted((piece for local in locals for piece in local), key=lambda piece: piece[0])  # type: ignore[attr-defined]
        if not pieces:
            return Relation({s: c.expand(0) for s, c in zip(self.symbols, self.sample, strict=True)}, 0)
        lengths = [rows for _, rows, _ in pieces]
        columns = {}
        for place, symbol in enumerate(self.symbols):
            columns[symbol] = concat([piece[2][place] for piece in pieces], lengths)
            for piece in pieces:
                piece[2][place] = None
        return Relation(columns, sum(lengths))


@dataclass(eq=False)
class CollectSink:
    symbols: tuple[str, ...]

    def prepare(self, run: Run, sample: Batch) -> Collector:
        return Collector(self.symbols, sample)

    def describe(self) -> str:
        return f"collect {', '.join(self.symbols)}"


class Collector(Gathered):
    def finish(self, locals: list[object]) -> Relation:
        return self.relation(locals)
