"""Joins with near rows of a stored table: only those in the inverted lists that each left row looks at.

Of the rows in them the nearest are found as in `products.py`. Where there are no lists, or a row would look at most of them,
all rows are read.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import ceil

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.lists import InvertedLists
from tqp.ir.expr import Expr
from tqp.ir.plan import Scan
from tqp.kernels import clusters, measures, waits
from tqp.kernels.measures import Measure, Vectors
from tqp.kernels.rows import count_true, expand, select
from tqp.operators.batch import Batch, Part
from tqp.operators.choice import Choice
from tqp.operators.instructions import Writer
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, Run, Source, index_budget
from tqp.operators.products import ByProduct, ProductSink, WorstKnown, taken
from tqp.operators.results import Alive, Relation, Result, Slot
from tqp.operators.scan import TableSource
from tqp.types import BIGINT

__all__ = ["ListedSink", "ListedSource"]

_ALL = "all rows"


@dataclass(frozen=True, eq=False)
class _Looked:
    """The rows (n,) of a table that are read; None: all. `ends`: where each list that is looked at ends among them.

    List i is looked at by the left rows `owners[starts[i]:starts[i + 1]]`. There are no lists where all left rows look at all rows.
    """

    rows: Tensor | None = None
    ends: Sequence[int] = ()
    owners: Tensor | None = None
    starts: Sequence[int] = ()


@dataclass(frozen=True, eq=False)
class ListedSource(Source):
    """The rows of a stored table that pass a filter, those of a list after those of another; of lists that a left row looks at.

    `column` has the vectors, `ours` those of the `left` rows, each of which wants the `limit` nearest. `alive` is the slot of the
    filter's mask. The symbol `place` has the number of each row in the table.
    """

    scan: Scan
    column: str
    left: Slot[Relation]
    ours: Expr
    measure: Measure
    limit: int
    place: str
    alive: Slot[Alive] | None

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return (self.left,) if self.alive is None else (self.left, self.alive)

    @property
    def expressions(self) -> Expressions:
        return ((self.ours,),)

    def inputs(self, run: Run) -> list[Relation]:
        return self._table.inputs(run)

    def rows(self, run: Run) -> int:
        rows = self.looked(run).rows
        return self.scan.source.rows if rows is None else rows.shape[0]

    def batch(self, run: Run, start: int, stop: int, index: int) -> Batch:
        rows = self.looked(run).rows
        if rows is None:
            numbers = Column(torch.arange(start, stop, device=run.device), BIGINT)
            return self._table.batch(run, start, stop, index).join({self.place: numbers}, None)
        chosen = rows[start:stop]
        part = Part(self._table.columns, chosen)
        places = Part({self.place: Column(chosen.long(), BIGINT)}, None, None, start)
        symbols = (field.symbol for field in self.scan.fields)
        return Batch({**dict.fromkeys(symbols, part), self.place: places}, stop - start, None, index)

    def extend(self, run: Run, layouts: Layouts) -> None:
        self._table.extend(run, layouts)
        layouts.join({self.place: Column(torch.zeros(0, dtype=torch.int64, device=run.device), BIGINT).layout})

    def looked(self, run: Run) -> _Looked:
        """What is read in this run, found once."""
        return run.once(self, lambda: self._look(run))

    @cached_property
    def _table(self) -> TableSource:
        return TableSource(self.scan)

    def _look(self, run: Run) -> _Looked:
        alive = None if self.alive is None else run.result(self.alive).mask
        found, lists, reason = self._lists(run, alive)
        if found is None:
            run.note_also(self, Choice("near rows", _ALL, (lists,), f"{lists}: {reason}"))
            return _Looked(None if alive is None else select(alive))
        run.note_also(self, Choice("near rows", lists, (_ALL,), reason))
        return found

    def _lists(self, run: Run, alive: Tensor | None) -> tuple[_Looked | None, str, str]:
        """The rows of the lists that the left rows look at; None where all are read. What lists there are, and why."""
        limits, table, left = run.limits, self.scan.source, run.result(self.left)
        stored, name = table.column(self.column), f"inverted lists of {table.name}.{self.column}"
        share = 1.0 if alive is None else count_true(alive) / table.rows
        (column,) = run.evaluator.rows((self.ours,))(Batch.of(left.columns, left.rows))
        asking = torch.arange(left.rows, device=run.device) if column.valid is None else select(column.valid)
        if not asking.shape[0] or share * table.rows <= self.limit:
            return None, f"no {name}", "no more rows are there than are asked for"
        asks = 1 if left.rows >= InvertedLists.lists(table.rows) else limits.index_asks
        index, why = table.indexes.lists(
            self.column, self.measure, stored, asks, index_budget(run), limits.pairs, run.side_by_side
        )
        if index is None:
            return None, f"no {name}", why
        name, first = f"{index.count:,} {name}", ceil(self.limit / share)
        probes = index.probes(first, limits.near_recall)
        if probes is None:
            return None, name, f"how many to look at for the first {first:,} is not known"
        recall = f"{probes:,} that have {index.recall(first, probes):.1%} of the first {first:,} of a sample of rows"
        if probes > limits.listed_share * index.count:
            return None, name, f"{recall}, and to read all rows is as cheap"
        vectors = measures.prepared(self.measure, column.data.float(), None, column.valid)
        sizes = _sizes(index, alive)
        wanted = [
            partial(_wanted, index, vectors.data.index_select(0, asking[start:stop]), sizes, probes, self.limit)
            for start, stop in clusters.pieces(asking.shape[0], max(1, limits.pairs // index.count))
        ]
        looked = torch.cat(run.side_by_side(wanted))
        return _found(index, asking, looked, sizes, alive), name, f"each row looks at {recall}; {why}"

    def write(self, writer: Writer) -> None:
        symbols = [*(field.symbol for field in self.scan.fields), self.place]
        facts = {"table": self.scan.source, "columns": self.scan.columns}
        writer.add("scan near", self.reads, symbols, writer.size(), (_ALL, f"lists of {self.column}"), facts)

    def describe(self) -> str:
        return f"{self._table.describe()} near rows of result {self.left}"


def _sizes(index: InvertedLists, alive: Tensor | None) -> Tensor:
    """(count + 1,) int64: the rows of each list that count."""
    if alive is None:
        return index.starts.diff()
    there = alive.index_select(0, index.order).long()
    ends = torch.cat((there.new_zeros(1), there.cumsum(0)))
    return ends.index_select(0, index.starts).diff()


def _wanted(index: InvertedLists, vectors: Tensor, sizes: Tensor, probes: int, limit: int) -> Tensor:
    """(n, count) bool: the lists that each of the vectors (n, d) looks at: the first `probes`, and as many as have `limit` rows."""
    distances = index.distances(vectors).nan_to_num(nan=torch.inf)
    order = torch.argsort(distances, dim=1, stable=True)
    before = sizes.index_select(0, order.reshape(-1)).view_as(order)
    before = before.cumsum(1) - before
    looked = before < limit
    looked[:, :probes] = True
    return torch.zeros_like(looked).scatter_(1, order, looked)


def _found(index: InvertedLists, asking: Tensor, looked: Tensor, sizes: Tensor, alive: Tensor | None) -> _Looked:
    """What is read where the left rows `asking` (n,) look at the lists `looked` (n, count) bool, and all at the last one."""
    looked = torch.cat((looked, torch.ones_like(looked[:, :1])), 1)
    lists = select(looked.any(0) & (sizes > 0))
    taken = looked.index_select(1, lists).T.contiguous()
    askers = taken.sum(1)
    owners = asking.index_select(0, select(taken.reshape(-1)) % asking.shape[0])
    _, places = expand(index.starts.index_select(0, lists), index.starts.diff().index_select(0, lists))
    rows = index.order.index_select(0, places)
    if alive is not None:
        rows = rows.index_select(0, select(alive.index_select(0, rows)))
    counts = torch.stack((sizes.index_select(0, lists).cumsum(0), askers.cumsum(0)))
    ends, stops = waits.values(counts, "where the lists lie that are looked at")
    return _Looked(rows, ends, owners, (0, *stops))


@dataclass(frozen=True, eq=False)
class ListedSink(ProductSink):
    """The pairs are those of the rows of a list and the left rows that look at it, where its source reads lists."""

    source: ListedSource

    def prepare(self, run: Run, layouts: Layouts) -> _ByLists:
        return _ByLists(self, run, layouts)

    def write(self, writer: Writer) -> None:
        values = [value for group in self.expressions for value in writer.values(group)]
        self.wrote(writer, (*values, *writer.read((self.source.place, *self.theirs))), "nearest by product")


class _ByLists(ByProduct):
    def __init__(self, sink: ListedSink, run: Run, layouts: Layouts) -> None:
        super().__init__(sink, run, layouts)
        self._place = sink.source.place
        self._no_rows = torch.zeros(0, dtype=torch.int64, device=run.device)
        self._looked = sink.source.looked(run)

    def consume(self, local: WorstKnown, batch: Batch) -> None:
        looked, owners = self._looked, self._looked.owners
        if owners is None:
            super().consume(local, batch)
            return
        part = batch.origin(self._place)
        assert part is not None
        size = max(1, 2 * self.run.limits.pairs // self._size)
        for start, stop in clusters.pieces(batch.rows, size):
            rows = torch.arange(start, stop, device=self.run.device)
            piece = batch.choose(rows)
            self._piece(local, piece, part.offset + start, looked, owners)

    def _piece(self, local: WorstKnown, batch: Batch, first: int, looked: _Looked, owners: Tensor) -> None:
        """Rows that begin at `first` among all."""
        (column,) = self._theirs(batch)
        vectors = measures.prepared(self._by.product.measure, column.data, self._center, None)
        has_odd = waits.truth(vectors.odd.any(), "vectors that no product ranks")
        near = []
        for at, start, stop in _lists_within(looked.ends, first, first + batch.rows):
            start, stop = start - first, stop - first
            theirs = Vectors(*(part[start:stop] for part in (vectors.data, vectors.lengths, vectors.odd)))
            odd = select(theirs.odd) if has_odd else self._no_rows
            mine = owners[looked.starts[at] : looked.starts[at + 1]]
            lines = max(1, self.run.limits.pairs // (stop - start))
            for low, high in clusters.pieces(mine.shape[0], lines):
                some = mine[low:high]
                owner, there = self._near(local, some, taken(self._vectors, some), theirs, odd, None)
                near.append((owner, there + start))
        owner, there = (torch.cat(parts) for parts in zip(*near, strict=True))
        self._take(local, batch, owner, there)

    def _places(self, batch: Batch) -> Callable[[Tensor], Tensor]:
        numbers = batch.column(self._place).expand(batch.rows).data
        return partial(numbers.index_select, 0)


def _lists_within(ends: Sequence[int], start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """Of the lists that end at `ends` those with rows from `start` to stop - 1: which it is, and from where to where they go."""
    at = bisect_right(ends, start)
    while start < stop:
        yield at, start, min(ends[at], stop)
        start = ends[at]
        at += 1
