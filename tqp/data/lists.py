"""Inverted lists of a column of vectors: its rows by the center that each is nearest to.

The rows nearest to a vector lie in the lists of the centers nearest to it, mostly. In how many of these is measured when the lists
are made: of some rows the nearest others are computed exactly, and in which list of each they lie is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import isqrt
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.interrupt import checkpoint
from tqp.kernels import clusters, measures, waits
from tqp.kernels.clusters import Spread
from tqp.kernels.measures import Measure, Vectors
from tqp.kernels.rows import count_true, row_dtype, select, stable_order

__all__ = ["InvertedLists"]

_TAUGHT: Final = 64
"""Vectors for each center that it is found by."""
_ROUNDS: Final = 8
_ASKED: Final = 256
"""Rows whose nearest others are found exactly, _KNOWN of each."""
_KNOWN: Final = 128
_ODD: Final = 64
"""No lists are made where more than one row of so many has a vector that no product ranks, such as one of length 0."""


@dataclass(frozen=True, slots=True, eq=False)
class InvertedLists:
    """The rows of each of `count` lists, and as one more list those that are always looked at; NULLs lie in none.

    `middle` (d,) and `centers` (count, d) float32, these less the middle. `order` (n,) has the rows list by list, `starts`
    (count + 2,) int64 where each list begins in it. `places` (m, _KNOWN) int16: of a sample of rows and each of the other rows
    nearest to it, in which place the list of this one stands among the centers nearest to the first.
    """

    measure: Measure
    middle: Tensor
    centers: Tensor
    order: Tensor
    starts: Tensor
    places: Tensor

    @property
    def count(self) -> int:
        """How many lists there are."""
        return self.centers.shape[0]

    @property
    def nbytes(self) -> int:
        """Bytes beside those of the column."""
        return sum(part.nbytes for part in (self.middle, self.centers, self.order, self.starts, self.places))

    @staticmethod
    def lists(rows: int) -> int:
        """How many lists so many rows are worth: to compare with all centers takes about as long as to read a list."""
        return max(1, min(isqrt(rows), 2**14))

    @staticmethod
    def size(column: Column) -> int:
        """The most bytes that those of a column take."""
        rows, width = column.data.shape
        count = InvertedLists.lists(rows)
        return rows * row_dtype(rows).itemsize + 4 * (count + 1) * width + 8 * (count + 2) + 2 * _ASKED * _KNOWN

    @staticmethod
    def of(column: Column, measure: Measure, at_once: int, spread: Spread) -> InvertedLists | None:
        """Those of a column of arrays, whose order is that of the `measure`; None where it has hardly a vector to rank.

        `at_once` pairs of vectors are compared together. The same for the same column. About _TAUGHT * _ROUNDS / 2 passes over
        sqrt(n) of n rows, and n * sqrt(n) comparisons.
        """
        rows, width = column.data.shape
        size = max(1, at_once // width)

        def known(start: int, stop: int) -> Vectors:
            valid = None if column.valid is None else column.valid[start:stop]
            return measures.prepared(measure, column.data[start:stop].float(), None, valid)

        odd = torch.cat([known(*piece).odd for piece in clusters.pieces(rows, size)])
        usable = select(~odd)
        count = InvertedLists.lists(usable.shape[0])
        strange = odd if column.valid is None else odd & column.valid
        if usable.shape[0] <= _KNOWN or count_true(strange) * _ODD > rows:
            return None

        def taken(chosen: Tensor) -> Tensor:
            vectors = column.data.index_select(0, chosen).float()
            return measures.prepared(measure, vectors, None, None).data

        mixed = torch.randperm(usable.shape[0], generator=torch.Generator("cpu").manual_seed(0), device="cpu")
        mixed = usable.index_select(0, mixed[: _TAUGHT * count].to(usable.device))
        sample = taken(mixed)
        middle = sample.mean(0)
        found = clusters.centers(sample.sub_(middle), count, _ROUNDS, at_once, spread)
        nearest = clusters.members(
            lambda start, stop: taken(usable[start:stop]) - middle, usable.shape[0], found, at_once, spread
        )
        lists = torch.where(odd, count + 1, count)
        lists.index_copy_(0, usable, nearest)
        lists.masked_fill_(strange, count)
        there = rows if column.valid is None else count_true(column.valid)
        order = stable_order(lists, 0, count + 1)[:there].to(row_dtype(rows))
        starts = torch.zeros(count + 2, dtype=torch.int64, device=lists.device)
        starts[1:] = torch.bincount(lists, minlength=count + 2)[: count + 1].cumsum(0)
        made = InvertedLists(measure, middle, found, order, starts, starts.new_zeros(0).to(torch.int16))
        asked = mixed[:_ASKED]
        others = _nearest(column, measure, asked, at_once, spread)
        places = made.ranks(taken(asked)).gather(1, lists.index_select(0, others.reshape(-1)).view_as(others))
        return InvertedLists(measure, middle, found, order, starts, places.to(torch.int16))

    def distances(self, vectors: Tensor) -> Tensor:
        """(n, count): the least of vectors (n, d), as the measure's product takes them, for the lists to look at first."""
        if self.measure == "inner":
            return -(vectors @ self.centers.T)
        return torch.addmm(self.centers.square().sum(1), vectors - self.middle, self.centers.T, alpha=-2)

    def ranks(self, vectors: Tensor) -> Tensor:
        """(n, count) int64: in which place each list stands for each vector."""
        order = self.distances(vectors).argsort(dim=1, stable=True)
        places = torch.arange(self.count, device=order.device).expand_as(order)
        return torch.empty_like(order).scatter_(1, order, places)

    def probes(self, first: int, recall: float) -> int | None:
        """In how many lists so large a share of the `first` nearest rows lies; None where it is not known."""
        if first > _KNOWN:
            return None
        places = self.places[:, :first].reshape(-1).sort().values
        at = min(places.shape[0] - 1, int(recall * places.shape[0]))
        return waits.number(places[at], "in how many lists near rows lie") + 1

    def recall(self, first: int, probes: int) -> float:
        """Which share of the `first` nearest rows, no more than are known, lies in so many lists."""
        there = self.places[:, :first] < probes
        return waits.real(there.double().mean(), "which share of near rows is found")


def _nearest(column: Column, measure: Measure, asked: Tensor, at_once: int, spread: Spread) -> Tensor:
    """(n, _KNOWN) int64: the other rows nearest to each of the rows `asked` (n,)."""
    is_least = measure == "euclidean"
    center = column.data.index_select(0, asked).float().mean(0) if is_least else None
    ours = measures.prepared(measure, column.data.index_select(0, asked).float(), center, None)
    rows, size = column.data.shape[0], max(1, at_once // asked.shape[0])

    def best(pieces: list[tuple[int, int]]) -> Tensor:
        """(2, n, _KNOWN) float64: scores and rows."""
        found = torch.empty((2, asked.shape[0], 0), dtype=torch.float64, device=asked.device)
        for start, stop in pieces:
            checkpoint()
            valid = None if column.valid is None else column.valid[start:stop]
            theirs = measures.prepared(measure, column.data[start:stop].float(), center, valid)
            scores = measures.scores(measure, is_least, ours, theirs)
            scores.index_fill_(1, select(theirs.odd), torch.inf)
            inside = select((asked >= start) & (asked < stop))
            scores[inside, asked.index_select(0, inside) - start] = torch.inf
            values, places = scores.topk(min(_KNOWN, stop - start), dim=1, largest=False)
            found = _first(torch.cat((found, torch.stack((values.double(), (places + start).double()))), 2))
        return found

    every = list(clusters.pieces(rows, size))
    shares = [every[start::8] for start in range(min(8, len(every)))]
    found = _first(torch.cat(spread([partial(best, share) for share in shares]), 2))
    return found[1].long()


def _first(found: Tensor) -> Tensor:
    """The least _KNOWN, or all, of scores and rows (2, n, m)."""
    chosen = found[0].topk(min(_KNOWN, found.shape[2]), dim=1, largest=False).indices
    return found.gather(2, chosen.expand(2, -1, -1))
