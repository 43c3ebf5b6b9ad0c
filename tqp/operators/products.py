"""Joins with the nearest rows by a distance that is a matrix product: the product says which pairs may be among the first.

Blocks of left rows times tiles of a batch of the right side. What the product finds near enough, its error and the function's
own counted, is computed by the function itself, row by row, and kept as in `nearest.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.ir.expr import Expr, SortKey
from tqp.ir.visit import symbols
from tqp.kernels import measures, waits
from tqp.kernels.measures import Measure, Vectors
from tqp.kernels.reduce import count
from tqp.kernels.rows import select
from tqp.limits import Limits
from tqp.operators.batch import Batch
from tqp.operators.evaluate import truth
from tqp.operators.instructions import Writer
from tqp.operators.layouts import Layouts
from tqp.operators.nearest import Best, Nearest, NearestRows
from tqp.operators.operator import Expressions, PreparedStage, Run, Stage
from tqp.operators.results import Relation, Result, Slot
from tqp.types import DOUBLE

__all__ = ["AllStage", "ByProduct", "Product", "ProductSink", "WorstKnown", "taken"]


Near = tuple[Tensor, Tensor]
"""Pairs, as left rows (n,) and right ones (n,)."""


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

    def prepare(self, run: Run, layouts: Layouts) -> ByProduct:
        return ByProduct(self, run, layouts)

    def write(self, writer: Writer) -> None:
        values = [value for group in self.expressions for value in writer.values(group)]
        self.wrote(writer, (*values, *writer.read(self.theirs)), "nearest by product")


class WorstKnown(Best):
    """With what the worst measure among the first of each left row does not exceed, (n,) float64; infinity where too few came.

    The measure is the last column before the values of the order.
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
            self.worst = torch.minimum(self.worst, torch.where(enough, worst, torch.inf))


class ByProduct(Nearest):
    """What a run of a `ProductSink` does."""

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
        self._vectors = vectors = measures.prepared(measure, column.data, self._center, column.valid)
        rows = torch.arange(self.left.rows, device=run.device)
        if column.valid is not None and sink.skips_null:
            rows = select(column.valid)
        self._size = column.data.shape[-1]
        self._lines = max(1, run.limits.few_pairs // 8)
        starts = range(0, rows.shape[0], self._lines)
        parts = [rows[start : start + self._lines] for start in starts]
        self._blocks = [(part, taken(vectors, part)) for part in parts]

    def local(self) -> WorstKnown:
        sink = self.sink
        return WorstKnown(sink.order, sink.limit, self.left.rows, self.run.limits, self.run.device)

    def finish(self, locals: list[WorstKnown]) -> Relation:
        return self.rows(locals)

    def consume(self, local: WorstKnown, batch: Batch) -> None:
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
            take = partial(self._take_of, local, batch, start, rows)
            first = None if self._condition is None else take
            for owners, ours in self._blocks:
                take(self._near(local, owners, ours, vectors, odd, first))

    def _take_of(self, local: WorstKnown, batch: Batch, start: int, rows: Tensor | None, pairs: Near) -> None:
        """Compute some pairs of the batch's rows from `start`, or of those of them that `rows` are."""
        owner, there = pairs
        there = there if rows is None else rows.index_select(0, there)
        self._take(local, batch, owner, there + start)

    def _near(
        self,
        local: WorstKnown,
        owners: Tensor,
        ours: Vectors,
        theirs: Vectors,
        odd: Tensor,
        take: Callable[[Near], None] | None,
    ) -> Near:
        """Of the pairs of left rows and some of a batch those that may be among the first.

        `take`, where there is a condition: what computes others, so that it is known how near a pair must be.
        """
        product, width, wanted = self._by.product, theirs.data.shape[0], self._by.limit
        found = measures.scores(product.measure, product.is_least, ours, theirs)
        strange = select(ours.odd)

        def fill(value: float) -> None:
            if odd.shape[0]:
                found.index_fill_(1, odd, value)
            if strange.shape[0]:
                found.index_fill_(0, strange, value)

        def pairs(places: Tensor) -> Near:
            return owners.index_select(0, places // width), places % width

        longest = theirs.lengths.max()
        worst = local.worst.index_select(0, owners)
        is_short = wanted < width and waits.truth((worst == torch.inf).any(), "rows that have too few so far")
        if is_short and take is None:
            # So many are as near, so that of all others only those nearer still may be among the first.
            fill(torch.inf)
            last = torch.topk(found, wanted, dim=1, largest=False, sorted=False).values.amax(1)
            worst = torch.minimum(worst, measures.worst(product.measure, product.is_least, ours, longest, last))
            local.worst.index_copy_(0, owners, worst)
        fill(-torch.inf)
        if is_short and take is not None:
            first = torch.topk(found, wanted, dim=1, largest=False, sorted=False).indices
            lines = torch.arange(owners.shape[0], device=found.device).unsqueeze(1) * width
            take(pairs((first + lines).reshape(-1)))
            found.scatter_(1, first, torch.inf)
            local.settle()
            worst = local.worst.index_select(0, owners)
        values = worst if product.is_least else -worst
        limit = measures.reach(product.measure, product.is_least, ours, longest, values, product.slack)
        near = found <= limit.to(found.dtype).unsqueeze(1)
        if take is not None:
            near &= found < torch.inf
        return pairs(select(near.reshape(-1)))

    def _take(self, local: WorstKnown, batch: Batch, owner: Tensor, rows: Tensor) -> None:
        """Compute some pairs exactly, and look through all if many came."""
        place = self._places(batch)
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
            local.add(chosen, place(there), [*payload, measure, *keys])
        if local.pending > self.run.limits.few_pairs:
            local.settle()

    def _places(self, batch: Batch) -> Callable[[Tensor], Tensor]:
        """From rows of a batch to their places among all rows of the right side."""
        return lambda there: there + (batch.index << 40)

    def _badness(self, value: Column, key: Column) -> Tensor:
        """(n,) float64: the measure, negated where the greatest is the nearest; NaN and NULL where the order has them."""
        product, first = self._by.product, self._by.order[0]
        measure = (value.data.double() - product.start) * product.sign
        measure = measure if product.is_least else -measure
        measure = torch.where(measure.isnan(), -torch.inf if first.descending else torch.inf, measure)
        if key.valid is not None:
            measure = torch.where(key.valid, measure, -torch.inf if first.nulls_first else torch.inf)
        return measure


def taken(vectors: Vectors, rows: Tensor) -> Vectors:
    """Some of the vectors, by their places (m,)."""
    parts = (part.index_select(0, rows) for part in (vectors.data, vectors.lengths, vectors.odd))
    return Vectors(*parts)
