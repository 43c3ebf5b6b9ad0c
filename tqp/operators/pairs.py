"""Pairs of rows that may match, a bounded number at a time.

Probe row p may match the places starts[p] .. starts[p] + counts[p] - 1 of a build side. There may be more such pairs than
memory or patience allows, so nobody ever has them all: they come in pieces, and a search for one match a row stops
looking where it has one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels import waits
from tqp.kernels.rows import expand, pair_sizes, select
from tqp.limits import Limits

__all__ = ["Pairs"]

Matching = Callable[[Tensor, Tensor], Tensor]
"""From probe rows (m,) and places (m,) to the probe rows of those pairs that match."""


class Pairs:
    """The places `starts` (n,) .. `starts` + `counts` of n probe rows, both integers; `limits` of the device."""

    def __init__(self, starts: Tensor, counts: Tensor, limits: Limits) -> None:
        self._starts = starts
        self._counts = counts
        self._most, self._few = limits.pairs, limits.few_pairs

    def pieces(self, growing: bool = False) -> Iterator[tuple[Tensor, Tensor, bool]]:
        """(probe rows (m,), places (m,), whether it is the last piece), at least once, m at most about what the device takes.

        In the order of the probe rows; one row's places may be in several pieces. With `growing` the first pieces are
        small. Memory: the piece, and a number a row.
        """
        starts, counts = self._starts, self._counts
        total, most = pair_sizes(counts)
        size = self._few if growing else self._most
        if total <= size:
            yield *expand(starts, counts, (total, most)), True
            return
        ends = counts.cumsum(0, dtype=torch.int64)
        high = 0
        while high < total:
            checkpoint()
            low, high = high, min(high + size, total)
            size = min(2 * size, self._most)
            limits = torch.full((2,), low, dtype=torch.int64, device=ends.device)
            limits[1].fill_(high - 1)
            first, last = waits.numbers(torch.searchsorted(ends, limits, right=True), "where to cut the pairs")
            end = ends[first : last + 1].clamp(max=high)
            begin = torch.cat((ends.new_full((1,), low), end[:-1]))
            # How much of the first row's places earlier pieces had.
            skipped = low - (ends[first : first + 1] - counts[first : first + 1])
            own = starts[first : last + 1].clone()
            own[:1] += skipped
            owner, places = expand(own, end - begin, (high - low, most))
            yield owner.add_(first), places, high == total

    def some(self, matching: Matching, enough: Callable[[], bool]) -> Tensor:
        """(n,) bool: the probe rows for which some pair matches. Places after a row's first match may not be looked at.

        Every round looks at about as many places of every open row, so that rows with matches are settled soon. Where
        `enough()` becomes true the answer may lack some.
        """
        hit = torch.zeros(self._counts.shape[0], dtype=torch.bool, device=self._counts.device)
        starts, counts = self._starts, self._counts
        rows: Tensor | None = None
        while not enough():
            checkpoint()
            left, most = pair_sizes(counts)
            if left <= self._most:
                taken = counts
                owner, places = expand(starts, counts, (left, most))
            else:
                taken = counts.clamp(max=max(self._most // counts.shape[0], 1))
                owner, places = expand(starts, taken)
            found = matching(owner if rows is None else rows.index_select(0, owner), places)
            hit.index_fill_(0, found.long(), True)
            if left <= self._most:
                break
            opened = select((counts > taken) & ~(hit if rows is None else hit.index_select(0, rows)))
            rows = opened if rows is None else rows.index_select(0, opened)
            starts, counts = (part.index_select(0, opened) for part in (starts + taken, counts - taken))
        return hit
