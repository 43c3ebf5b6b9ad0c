"""The rows of a window's partitions, their order, and how many partitions are shared out among workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.ir.expr import AggregateCall, Expr, SortKey
from tqp.ir.plan import Window
from tqp.kernels import group, rows, sort, window
from tqp.operators.batch import Batch
from tqp.operators.evaluate import truth
from tqp.operators.keys import group_rows, order_keys
from tqp.operators.operator import Run
from tqp.operators.states import filtered

__all__ = ["Order", "Partitions", "Piece", "begins_with"]


@dataclass(eq=False)
class Partitions:
    """The rows, which of the `groups` partitions each belongs to (`ids` (n,) int64), and values by expression."""

    run: Run
    batch: Batch
    ids: Tensor
    groups: int
    _codes: dict[SortKey, list[Tensor]] = field(default_factory=dict)

    @staticmethod
    def of(run: Run, plan: Window, batch: Batch) -> Partitions:
        keys = [run.evaluator.evaluate(expr, batch).expand(batch.rows) for expr in plan.partition_by]
        if not keys:
            return Partitions(run, batch, torch.zeros(batch.rows, dtype=torch.int64, device=run.device), 1)
        ids, _, groups = group_rows(keys, None)
        return Partitions(run, batch, ids, groups)

    def first(self, keys: tuple[SortKey, ...], most: int) -> Tensor | None:
        """Ascending rows (m,) int64 among which the first `most` of each partition are, by the key and others behind it.

        Without a key that is the order of the rows.

        None where that may be half the rows.
        """
        if 2 * self.groups * most > self.batch.rows:
            return None
        if not keys:
            places = torch.arange(self.batch.rows, device=self.run.device)
            return sort.first_of_groups(places, self.ids, self.groups, most)
        return sort.first_of_groups(self.codes(keys[0])[0], self.ids, self.groups, most)

    def choose(self, chosen: Tensor) -> Partitions:
        """Some rows (m,) int64, at least one of each partition."""
        return Partitions(self.run, self.batch.choose(chosen), self.ids.index_select(0, chosen), self.groups)

    def pieces(self) -> list[Piece]:
        """All rows, in pieces of whole partitions: one for each worker, if that is worth while."""
        run, least = self.run, self.run.limits.window_rows
        count = 1 if least is None else min(run.threads, self.batch.rows // least, self.groups)
        found = group.cuts(self.ids, self.groups, count) if count > 1 else []
        return (
            [partial(self._piece, first, last) for first, last in pairwise(found)] if len(found) > 2 else [self.whole]
        )

    def whole(self) -> tuple[Tensor | None, Partitions]:
        """All rows, as one piece."""
        return None, self

    def _piece(self, first: int, last: int) -> tuple[Tensor, Partitions]:
        mask = self.ids >= first if first else self.ids < last
        chosen = rows.select(mask if first == 0 or last == self.groups else mask & (self.ids < last))
        ids = self.ids.index_select(0, chosen).sub_(first)
        return chosen, Partitions(self.run, self.batch.choose(chosen), ids, last - first)

    def column(self, expr: Expr) -> Column:
        """The expression (n,), in the order of the input."""
        return self.run.evaluator.evaluate(expr, self.batch).expand(self.batch.rows)

    def codes(self, key: SortKey) -> list[Tensor]:
        """Integers (n,), in the order of the input, whose ascending order is the key's."""
        if key not in self._codes:
            self._codes[key] = order_keys(self.column(key.expr), key)
        return self._codes[key]

    def arguments(self, call: AggregateCall) -> tuple[Column, ...]:
        """The arguments (n,) of a call, NULL in rows that its FILTER leaves out."""
        args = tuple(map(self.column, call.args))
        return args if call.filter is None else filtered(args, truth(self.column(call.filter)))


Piece = Callable[[], tuple[Tensor | None, Partitions]]
"""Gives the rows (m,) int64 of some partitions, None: all, and these partitions."""


class Order:
    """The rows sorted by partition and then by `keys`; made when first needed."""

    def __init__(self, partitions: Partitions, keys: tuple[SortKey, ...]) -> None:
        self._partitions = partitions
        self._keys = keys
        self._rows: Tensor | None = None
        self._starts: Tensor | None = None
        self._runs: window.Runs | None = None

    @property
    def rows(self) -> Tensor:
        """(n,) int64: the row at each sorted position."""
        if self._rows is None:
            codes = [code for key in self._keys for code in self._partitions.codes(key)]
            if self._partitions.groups > 1:
                codes = [self._partitions.ids, *codes]
            count = self._partitions.batch.rows
            device = self._partitions.run.device
            self._rows = sort.argsort(codes) if codes else torch.arange(count, device=device)
        return self._rows

    @property
    def starts(self) -> Tensor:
        """(n,) bool: where, in sorted order, a partition begins after the first."""
        if self._starts is None:
            self._starts = group.run_starts(self._partitions.ids.index_select(0, self.rows))
        return self._starts

    @property
    def partitions(self) -> window.Runs:
        if self._runs is None:
            self._runs = window.runs(self.starts)
        return self._runs

    def peers(self, keys: tuple[SortKey, ...]) -> window.Runs:
        """The runs of rows equal by `keys`, which these begin with."""
        starts = self.starts
        for key in keys:
            for code in self._partitions.codes(key):
                starts = starts | group.run_starts(code.index_select(0, self.rows))
        return window.runs(starts)


def begins_with(order: tuple[SortKey, ...], keys: tuple[SortKey, ...]) -> bool:
    """Whether rows in that order are in the order of `keys`, too. Without ORDER BY rows keep the input's order."""
    return order[: len(keys)] == keys and bool(keys) == bool(order)
