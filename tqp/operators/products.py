"""Joins with the nearest rows by a distance that is a matrix product: the product says which pairs may be among the first.

Blocks of left rows times tiles of a batch of the right side. What the product finds near enough, its error and the function's
own counted, is computed by the function itself, row by row, and kept as in `nearest.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.device import Limits
from tqp.ir.expr import Expr, SortKey
from tqp.ir.visit import symbols
from tqp.kernels import measures, waits
from tqp.kernels.measures import Measure, Vectors
from tqp.kernels.reduce import count
from tqp.kernels.rows import select
from tqp.operators.batch import Batch
from tqp.operators.evaluate import truth
from tqp.operators.instructions import Writer
from tqp.operators.layouts import Layouts
from tqp.operators.nearest import Best, Nearest, NearestRows
from tqp.operators.operator import Expressions, PreparedStage, Run, Stage
from tqp.operators.results import Relation, Result, Slot
from tqp.types import DOUBLE

__all__ = ["AllStage", "Product", "ProductSink"]


@dataclass(frozen=True)
class Product:
    """`value` is a function of the vectors `ours` and `theirs`, of a side each, start + sign * measure.

    The first key of the order is `value` or its negative, with no more than `slack` added. `is_least`: so is the nearest one.
    """

    measure: Measure
    value: Expr
    ours: Expr
    theirs: Expr
    sign: int
    start: int
    slack: float
    is_least: bool


@dataclass(frozen=True, eq=False)
class AllStage(Stage):
    """Each row beside all left rows. Of their columns `symbols` a `ProductSink` takes what it needs: pairs come to be there."""

    left: Slot[Relation]
    symbols: tuple[str, ...]

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return (self.left,)

    def extend(self, run: Run, layouts: Layouts) -> None:
        columns = run.columns(self.left)
        layouts.join({symbol: columns[symbol] for symbol in self.symbols})

    def prepare(self, run: Run) -> PreparedStage:
        return lambda batch: (batch,)

    def write(self, writer: Writer) -> None:
        writer.add("beside", (self.left,), self.symbols, writer.size())

    def describe(self) -> str:
        return f"beside all rows of result {self.left}"


@dataclass(frozen=True, eq=False)
class ProductSink(NearestRows):
    """The pairs are those of all left rows and the rows that come, for which the `condition` is true."""

    product: Product
    condition: Expr | None

    @property
    def expressions(self) -> Expressions:
        exact = (self.product.value, *(key.expr for key in self.order))
        conditions = () if self.condition is None else (self.condition,)
        return ((self.product.ours,), (self.product.theirs,), exact, conditions)

    def prepare(self, run: Run, layouts: Layouts) -> _ByProduct:
        return _ByProduct(self, run, layouts)

    def write(self, writer: Writer) -> None:
        values = [value for group in self.expressions for value in writer.values(group)]
        self.wrote(writer, (*values, *writer.read(self.theirs)), "nearest by product")


class _Best(Best):
    """With the worst measure (n,) float64 among the first of each left row; infinity where there are too few of them.

    It is the last column before the values of the order.
    """

    def __init__(self, order: Sequence[SortKey], limit: int, rows: int, limits: Limits, device: torch.device) -> None:
        super().__init__(order, limit, rows, limits, device)
        self._at = -len(order) - 1
        self._wanted = limit
        self.worst = torch.full((rows,), torch.inf, dtype=torch.float64, device=device)

    def settle(self) -> None:
        super().settle()
        for pairs in self.taken():
            worst = torch.full_like(self.worst, -torch.inf)
            worst.scatter_reduce_(0, pairs.owner, pairs.columns[self._at].data, "amax")
            enough = count(pairs.owner, worst.shape[0]) >= self._wanted
            self.worst = torch.where(enough, worst, torch.inf)


class _ByProduct(Nearest):
    def __init__(self, sink: ProductSink, run: Run, layouts: Layouts) -> None:
        super().__init__(sink, run, layouts)
        self._by = sink
        ours, theirs, exact, conditions = sink.expressions
        self._theirs = run.evaluator.rows(theirs)
        self._exact = run.evaluator.rows(exact)
        self._condition = run.evaluator.prepare(conditions[0]) if conditions else None
        read = frozenset[str]().union(*map(symbols, (*exact, *conditions)))
        self._mine = sorted(read.intersection(self.left.columns))
        self._others = sorted(read.difference(self.left.columns))
        (column,) = run.evaluator.rows(ours)(Batch.of(self.left.columns, self.left.rows))
        measure = sink.product.measure
        self._center = None
        if measure == "euclidean" and self.left.rows:
            center = column.data.mean(0)
            if waits.truth(center.isfinite().all(), "whether vectors have a middle"):
                self._center = center
        vectors = measures.prepared(measure, column.data, self._center, column.valid)
        rows = torch.arange(self.left.rows, device=run.device)
        if column.valid is not None and sink.skips_null:
            rows = select(column.valid)
        self._size = column.data.shape[-1]
        self._lines = max(1, run.limits.few_pairs // 8)
        starts = range(0, rows.shape[0], self._lines)
        parts = [rows[start : start + self._lines] for start in starts]
        self._blocks = [(part, _taken(vectors, part)) for part in parts]

    def local(self) -> _Best:
        sink = self.sink
        return _Best(sink.order, sink.limit, self.left.rows, self.run.limits, self.run.device)

    def finish(self, locals: list[_Best]) -> Relation:
        return self.rows(locals)

    def consume(self, local: _Best, batch: Batch) -> None:
        if batch.rows == 0 or not self._blocks:
            return
        limits = self.run.limits
        (column,) = self._theirs(batch)
        lines = self._blocks[0][0].shape[0]
        tile = max(1, min(limits.pairs // lines, 2 * limits.pairs // self._size))
        for start in range(0, batch.rows, tile):
            there = column.slice(start, min(start + tile, batch.rows))
            rows = None
            if there.valid is not None and self._by.skips_null:
                rows = select(there.valid)
                there = there.take(rows).with_valid(None)
                if rows.shape[0] == 0:
                    continue
            vectors = measures.prepared(self._by.product.measure, there.data, self._center, there.valid)
            odd = select(vectors.odd)
            for owners, ours in self._blocks:
                self._tile(local, batch, owners, ours, vectors, odd, start, rows)

    def _tile(
        self,
        local: _Best,
        batch: Batch,
        owners: Tensor,
        ours: Vectors,
        theirs: Vectors,
        odd: Tensor,
        start: int,
        rows: Tensor | None,
    ) -> None:
        """The pairs of some left rows, and of the batch's rows from `start`, or of those of them that `rows` are."""
        product, width = self._by.product, theirs.data.shape[0]
        found = measures.scores(product.measure, product.is_least, ours, theirs)
        strange = select(ours.odd)
        if odd.shape[0]:
            found.index_fill_(1, odd, -torch.inf)
        if strange.shape[0]:
            found.index_fill_(0, strange, -torch.inf)
        wanted = self._by.limit

        def take(places: Tensor) -> None:
            owner = owners.index_select(0, places // width)
            there = places % width
            there = there if rows is None else rows.index_select(0, there)
            self._take(local, batch, owner, there + start)

        worst = local.worst.index_select(0, owners)
        if wanted < width and waits.truth((worst == torch.inf).any(), "rows that have too few so far"):
            first = torch.topk(found, wanted, dim=1, largest=False, sorted=False).indices
            lines = torch.arange(owners.shape[0], device=first.device).unsqueeze(1) * width
            take((first + lines).reshape(-1))
            found.scatter_(1, first, torch.inf)
            local.settle()
            worst = local.worst.index_select(0, owners)
        values = worst if product.is_least else -worst
        limit = measures.reach(product.measure, product.is_least, ours, theirs.lengths.max(), values, product.slack)
        near = found <= limit.to(found.dtype).unsqueeze(1)
        if wanted < width:
            near &= found < torch.inf
        take(select(near.reshape(-1)))
        if local.pending > self.run.limits.few_pairs:
            local.settle()

    def _take(self, local: _Best, batch: Batch, owner: Tensor, rows: Tensor) -> None:
        """Compute some pairs exactly."""
        size = max(1, 2 * self.run.limits.pairs // self._size)
        for part in range(0, owner.shape[0], size):
            chosen, there = owner[part : part + size], rows[part : part + size]
            columns = {symbol: self.left.columns[symbol].take(chosen) for symbol in self._mine}
            columns.update((symbol, batch.column(symbol).expand(batch.rows).take(there)) for symbol in self._others)
            pairs = Batch.of(columns, chosen.shape[0])
            if self._condition is not None:
                passed = select(truth(self._condition(pairs)).expand(pairs.rows))
                pairs, chosen, there = (
                    pairs.choose(passed),
                    chosen.index_select(0, passed),
                    there.index_select(0, passed),
                )
            value, *keys = self._exact(pairs)
            known = keys[0].valid if self._by.skips_null else None
            if known is not None:
                passed = select(known)
                chosen, there = chosen.index_select(0, passed), there.index_select(0, passed)
                value, keys = value.take(passed), [key.take(passed) for key in keys]
            payload = [batch.column(symbol).expand(batch.rows).take(there) for symbol in self._by.theirs]
            measure = Column(self._badness(value, keys[0]), DOUBLE)
            local.add(chosen, there + (batch.index << 40), [*payload, measure, *keys])

    def _badness(self, value: Column, key: Column) -> Tensor:
        """(n,) float64: the measure, negated where the greatest is the nearest; NaN and NULL where the order has them."""
        product, first = self._by.product, self._by.order[0]
        measure = (value.data.double() - product.start) * product.sign
        measure = measure if product.is_least else -measure
        measure = torch.where(measure.isnan(), -torch.inf if first.descending else torch.inf, measure)
        if key.valid is not None:
            measure = torch.where(key.valid, measure, -torch.inf if first.nulls_first else torch.inf)
        return measure


def _taken(vectors: Vectors, rows: Tensor) -> Vectors:
    parts = (part.index_select(0, rows) for part in (vectors.data, vectors.lengths, vectors.odd))
    return Vectors(*parts)
