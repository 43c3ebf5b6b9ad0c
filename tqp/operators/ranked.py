"""The blocks of a table in the order in which a top-n query wants them, as long as it needs them."""

from __future__ import annotations

from typing import Final

import torch

from tqp.ir.expr import SortKey
from tqp.ir.show import show_expr
from tqp.kernels import sort, waits
from tqp.kernels.rows import select
from tqp.kernels.zones import places
from tqp.operators.blocks import Blocks
from tqp.operators.bound import Bound, FirstKeyBound
from tqp.operators.choice import Choice
from tqp.operators.keys import order_keys
from tqp.operators.spans import Span

__all__ = ["RankedBlocks"]

_IN_ORDER: Final = 32
"""After so many ranges the others come in the order of rows: few of them make large ranges then."""
_ORDER: Final = "in which order blocks of a stored table are read"


class RankedBlocks:
    """Hands out ranges of rows: those first whose first key may come first, and none that lie behind enough rows.

    A range is of blocks that follow each other in that order and lie side by side in the table. Rows as far behind as the
    bound are needed: other keys, or their places, decide among them. For one thread at a time.
    """

    def __init__(self, blocks: Blocks, key: SortKey, bound: FirstKeyBound) -> None:
        """`blocks` have the ends of the key, which is that of a stored column."""
        ends, nulls = blocks.ends(key.expr), blocks.nulls(key.expr)
        assert ends is not None
        self._blocks = blocks
        self._key = key
        self._bound = bound
        self._end = ends[1 if key.descending else 0].expand(blocks.count)
        self._nulls = nulls if key.nulls_first else None
        ranks = order_keys(self._end, key)
        if self._nulls is not None:
            ranks = [(~self._nulls).to(torch.int8), *ranks]
        order = sort.argsort(ranks)
        if blocks.left is not None:
            order = order.index_select(0, select(blocks.left.index_select(0, order)))
        self._order = waits.numbers(order, _ORDER)[::-1]
        self._known: Bound | None = None
        self.rows = 0
        """How many rows were handed out, in so many `ranges`."""
        self.ranges = 0

    def choice(self) -> Choice:
        """What became of them."""
        reason = f"in the order of {show_expr(self._key.expr)} no other block can hold a row that is wanted"
        return Choice("rows read", f"{self.rows:,} of {self._blocks.rows:,}", ("all",), reason)

    @property
    def left(self) -> int:
        """How many blocks were not handed out, as far as is known whether they are needed."""
        return len(self._order)

    def take(self, rows: int) -> Span | None:
        """The next range, of about so many rows at most, at least a block; None: no more is needed."""
        self._narrow()
        if not self._order:
            return None
        if self.ranges == _IN_ORDER:
            self._order.sort(reverse=True)
        first = last = self._order.pop()
        most = max(rows // self._blocks.block, 1)
        while self._order and last - first + 1 < most and self._order[-1] in (first - 1, last + 1):
            place = self._order.pop()
            first, last = min(first, place), max(last, place)
        start, stop = first * self._blocks.block, min((last + 1) * self._blocks.block, self._blocks.rows)
        self.rows += stop - start
        self.ranges += 1
        return start, stop

    def _narrow(self) -> None:
        """Leave out the blocks that lie behind the bound that is known now."""
        bound = self._bound.known
        if bound is None or bound is self._known or bound.dictionary is not self._end.dictionary:
            return
        self._known, key = bound, self._key
        needed = sort.not_behind(self._end.data, self._end.valid, bound.value, key.descending, key.nulls_first)
        if self._nulls is not None:
            needed = needed | self._nulls
        kept = set(places(needed))
        self._order = [place for place in self._order if place in kept]
