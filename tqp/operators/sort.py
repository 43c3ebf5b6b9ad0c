"""Sinks that order or cut rows: sort, top-n, limit."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from tqp.data.column import Layout
from tqp.ir.expr import SortKey
from tqp.ir.show import show_expr
from tqp.kernels import sort
from tqp.operators.batch import Batch
from tqp.operators.blocks import Blocks
from tqp.operators.bound import FirstKeyBound
from tqp.operators.collect import Gathered, Pieces, whole
from tqp.operators.instructions import Writer
from tqp.operators.keys import order_keys
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, LimitedSink, RankingSink, Run, Sink
from tqp.operators.ranked import RankedBlocks
from tqp.operators.results import Relation
from tqp.operators.states import orders

__all__ = ["LimitSink", "Limiter", "SortSink"]


@dataclass(frozen=True, eq=False)
class SortSink(Sink[Relation]):
    """All rows by `keys`, stable; rows offset..offset+limit-1 of them where `limit` is given.

    With a limit every batch is cut to its own first rows before any column is gathered, so that what is kept is small; what lies
    behind enough rows of batches before is left out by the first key alone.
    """

    keys: tuple[SortKey, ...]
    symbols: tuple[str, ...]
    limit: int | None = None
    offset: int = 0

    @property
    def expressions(self) -> Expressions:
        keys = tuple([key.expr for key in self.keys])
        return (keys,) if self.limit is None else (keys, keys[:1])

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        return whole(layouts, self.symbols)

    def prepare(self, run: Run, layouts: Layouts) -> _Sorter:
        return _Sorter(self, run, layouts)

    def write(self, writer: Writer) -> None:
        keys = writer.values(tuple([key.expr for key in self.keys]))
        writer.read(self.symbols)
        by = orders(self.keys)
        if self.limit is None:
            writer.add("sort", (*keys, *self.symbols), self.symbols, by=by)
        else:
            inputs = (*keys, *self.symbols)
            rows = writer.size()
            writer.add("top", inputs, self.symbols, rows, by=by, limit=self.limit, offset=self.offset)
        writer.leave("collect", self.symbols, self.symbols)

    def describe(self) -> str:
        keys = ", ".join(show_expr(key.expr) + (" DESC" if key.descending else "") for key in self.keys)
        return (
            f"sort by {keys}"
            if self.limit is None
            else f"top {self.limit + self.offset} of each batch, then of all, by {keys}"
        )


class _Sorter(RankingSink):
    """Collects batches, cut to their first rows where there is a limit, and orders them together."""

    def __init__(self, sink: SortSink, run: Run, layouts: Layouts) -> None:
        self._sink = sink
        self._run = run
        keys, *first = sink.expressions
        self._values = run.evaluator.rows(keys)
        self._gathered = Gathered(sink.symbols, run, layouts)
        self._wanted = None if sink.limit is None else sink.limit + sink.offset
        self._first = run.evaluator.rows(*first) if first else None
        self._bound = FirstKeyBound(sink.keys[0], self._wanted) if self._wanted and sink.keys else None

    def rank(self, blocks: Blocks) -> RankedBlocks | None:
        bound = self._bound
        if bound is None or not blocks.can_rank(self._sink.keys[0].expr):
            return None
        return RankedBlocks(blocks, self._sink.keys[0], bound)

    def local(self) -> Pieces:
        return self._gathered.local()

    def consume(self, local: Pieces, batch: Batch) -> None:
        if self._wanted is not None:
            index = batch.index
            if batch.rows > self._wanted:
                batch = self._cut(batch, self._wanted)
                batch.index = index
            bound, first = self._bound, self._first
            if bound is not None and first is not None and self._run.limits.batch_rows is not None:
                bound.learn(*first(batch))  # else no batch follows
        self._gathered.consume(local, batch)

    def _cut(self, batch: Batch, wanted: int) -> Batch:
        """The first rows of a batch. The other keys are made of rows alone that the first one does not leave out."""
        bound, first = self._bound, self._first
        if bound is None or first is None:
            return batch.choose(sort.top_k(self._keys(batch), wanted))
        chosen = bound.candidates(*first(batch))
        if chosen is not None:
            batch = batch.choose(chosen)
        return batch.choose(sort.top_k(self._keys(batch), wanted)) if batch.rows > wanted else batch

    def _keys(self, batch: Batch) -> list[Tensor]:
        keys: list[Tensor] = []
        for key, column in zip(self._sink.keys, self._values(batch), strict=True):
            keys += order_keys(column, key)
        return keys

    def finish(self, locals: list[Pieces]) -> Relation:
        relation = self._gathered.relation(locals)
        sink = self._sink
        if relation.rows == 0:
            return relation
        keys = self._keys(Batch.of(relation.columns, relation.rows))
        if sink.limit is None:
            order = sort.argsort(keys) if keys else torch.arange(relation.rows, device=self._run.device)
        else:
            wanted = min(sink.limit + sink.offset, relation.rows)
            order = sort.top_k(keys, wanted)[sink.offset :]
        takes = [partial(column.take, order) for column in relation.columns.values()]
        columns = dict(zip(relation.columns, self._run.side_by_side(takes), strict=True))
        return Relation(columns, order.shape[0])


@dataclass(frozen=True, eq=False)
class LimitSink(Sink[Relation]):
    """The first rows in the order of the source."""

    limit: int | None
    offset: int
    symbols: tuple[str, ...]

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        return whole(layouts, self.symbols)

    def prepare(self, run: Run, layouts: Layouts) -> Limiter:
        return Limiter(self, run, layouts)

    def write(self, writer: Writer) -> None:
        symbols = writer.read(self.symbols)
        writer.add("limit", symbols, symbols, writer.size(), limit=self.limit, offset=self.offset)
        writer.leave("collect", symbols, symbols)

    def describe(self) -> str:
        return f"limit {'all' if self.limit is None else self.limit} offset {self.offset}"


class Limiter(LimitedSink):
    """The rows of a limit, batch by batch."""

    def __init__(self, sink: LimitSink, run: Run, layouts: Layouts) -> None:
        self._sink = sink
        self._gathered = Gathered(sink.symbols, run, layouts)
        self._lock = threading.Lock()
        self._found: dict[int, int] = {}
        self._enough: int | None = None
        if sink.limit is not None and sink.limit == 0:
            self._enough = -1

    def has_enough(self, index: int) -> bool:
        """Whether the batches up to that one hold enough rows: what comes after them is cut off."""
        return self._enough is not None and index >= self._enough

    def local(self) -> Pieces:
        return self._gathered.local()

    def consume(self, local: Pieces, batch: Batch) -> None:
        self._gathered.consume(local, batch)
        if self._sink.limit is None:
            return
        with self._lock:
            self._found[batch.index] = self._found.get(batch.index, 0) + batch.rows
            left = self._sink.limit + self._sink.offset
            for index in sorted(self._found):
                left -= self._found[index]
                if left <= 0:
                    self._enough = index
                    return

    def finish(self, locals: list[Pieces]) -> Relation:
        relation = self._gathered.relation(locals)
        start = min(self._sink.offset, relation.rows)
        stop = relation.rows if self._sink.limit is None else min(start + self._sink.limit, relation.rows)
        return Relation({symbol: c.slice(start, stop) for symbol, c in relation.columns.items()}, stop - start)
