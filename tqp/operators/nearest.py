"""Joins with the nearest rows: of the pairs of a row and the rows that it may have, the first few of each row.

The left side's rows lie in a slot and have numbers; the right side's come in batches, already paired with them.
Each worker keeps the first rows of each left row so far; what is no better than those is left out by one comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Literal

import torch
from torch import Tensor

from tqp.data.column import Column, Layout, empty
from tqp.functions.align import concat
from tqp.ir.expr import SortKey
from tqp.ir.show import show_expr
from tqp.kernels import sort
from tqp.kernels.group import float_key
from tqp.kernels.rows import select
from tqp.limits import Limits
from tqp.operators.batch import Batch
from tqp.operators.batch import Part as Origin
from tqp.operators.collect import whole
from tqp.operators.instructions import Place, Writer
from tqp.operators.keys import order_keys
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, Run, Sink
from tqp.operators.results import Relation, Result, Slot
from tqp.operators.states import orders

__all__ = ["Best", "Nearest", "NearestRows", "NearestSink", "Pairs"]

_LAST: Final = torch.iinfo(torch.int64).max


@dataclass(frozen=True, eq=False)
class Pairs:
    """The number of the left row, the place of the right one among all, and columns of the latter."""

    owner: Tensor
    place: Tensor
    columns: list[Column]

    @property
    def rows(self) -> int:
        return self.owner.shape[0]

    def take(self, rows: Tensor) -> Pairs:
        return Pairs(
            self.owner.index_select(0, rows),
            self.place.index_select(0, rows),
            [column.take(rows) for column in self.columns],
        )


def _together(pieces: Sequence[Pairs]) -> Pairs:
    if len(pieces) == 1:
        return pieces[0]
    lengths = [piece.rows for piece in pieces]
    columns = [concat(list(parts), lengths) for parts in zip(*(piece.columns for piece in pieces), strict=True)]
    return Pairs(torch.cat([p.owner for p in pieces]), torch.cat([p.place for p in pieces]), columns)


class Best:
    """The first `limit` pairs of each of `rows` left rows, by `order`, whose values are the last columns of what comes.

    Of equal ones the first by their place.
    """

    def __init__(self, order: Sequence[SortKey], limit: int, rows: int, limits: Limits, device: torch.device) -> None:
        self._order = order
        self._limit = limit
        self._rows = rows
        self._limits = limits
        self._bound = torch.full((rows,), _LAST, dtype=torch.int64, device=device)
        """What the first key of a pair must not be above."""
        self._pieces: list[Pairs] = []
        self._kept = 0
        self._settled = 0

    def candidates(self, owner: Tensor, key: Column) -> Tensor | None:
        """Rows (m,) of pairs that may be among the first, by the values (n,) of their first key; None: all."""
        image = _image(key, self._order[0])
        if image is None:
            return None
        chosen = select(image <= self._bound.index_select(0, owner))
        if chosen.shape[0] <= self._limit or self._rows * self._limit > self._limits.direct_groups:
            return chosen
        owner, image = owner.index_select(0, chosen), image.index_select(0, chosen)
        return chosen.index_select(0, sort.first_of_groups(image, owner, self._rows, self._limit))

    def add(self, owner: Tensor, place: Tensor, columns: list[Column]) -> None:
        """Take more pairs, each of which is new."""
        if owner.shape[0] == 0:
            return
        piece = self._first(Pairs(owner, place, columns))
        self._pieces.append(piece)
        self._kept += piece.rows
        if self._kept > 2 * self._settled + self._limits.smallest_batch:
            self.settle()

    def settle(self) -> None:
        """Let go of what is not among the first of all that came."""
        if len(self._pieces) > 1:
            self._pieces = [self._first(_together(self._pieces))]
        self._kept = self._settled = sum(piece.rows for piece in self._pieces)

    @property
    def pending(self) -> int:
        """How many pairs came since they were looked through."""
        return self._kept - self._settled

    def taken(self) -> list[Pairs]:
        """What there is."""
        return self._pieces

    def first(self, pieces: Sequence[Pairs]) -> Pairs | None:
        """The first of all pairs, those of each left row together and in their order; None where there are none."""
        return self._first(_together(pieces)) if pieces else None

    def _first(self, pairs: Pairs) -> Pairs:
        values = pairs.columns[-len(self._order) :]
        digits = [digit for key, value in zip(self._order, values, strict=True) for digit in order_keys(value, key)]
        order = sort.argsort([pairs.owner, *digits, pairs.place])
        owner = pairs.owner.index_select(0, order)
        rank = _ranks(owner)
        chosen = order.index_select(0, select(rank < self._limit))
        found = pairs.take(chosen)
        image = _image(found.columns[-len(self._order)], self._order[0])
        if image is not None:
            last = select(_ranks(found.owner) == self._limit - 1)
            rows = found.owner.index_select(0, last)
            bound = torch.minimum(self._bound.index_select(0, rows), image.index_select(0, last))
            self._bound.index_copy_(0, rows, bound)
        return found


def _ranks(owner: Tensor) -> Tensor:
    """The place (n,) int64 of each entry of ascending numbers (n,) among equal ones, from 0."""
    places = torch.arange(owner.shape[0], device=owner.device)
    return places - torch.searchsorted(owner, owner)


def _image(column: Column, key: SortKey) -> Tensor | None:
    """The values (n,) as int64 in the order of the key, which say the same of all columns; None where there are none."""
    if column.data.ndim != 1 or column.dictionary is not None or column.dtype.has_children or column.dtype.is_nested:
        return None
    data = column.data
    image = float_key(data).long() if data.dtype.is_floating_point else data.long()
    if key.descending:
        image = ~image
    if column.valid is not None:
        image = torch.where(column.valid, image, -_LAST - 1 if key.nulls_first else _LAST)
    return image


@dataclass(frozen=True, eq=False)
class NearestRows(Sink[Relation]):
    """Of pairs of left and right rows the first `limit` of each left row by `order`; see `tqp.ir.plan.NearestJoin`.

    `left` has the left rows, whose columns `ours` are put beside the right ones `theirs`.
    """

    kind: Literal["inner", "left"]
    left: Slot[Relation]
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    order: tuple[SortKey, ...]
    limit: int
    skips_null: bool

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return (self.left,)

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        found = run.columns(self.left)
        made: dict[str, Layout] = {}
        for symbol in self.ours:
            column = found[symbol]
            made[symbol] = (column if isinstance(column, Layout) else column.layout).whole()
        for symbol, layout in whole(layouts, self.theirs).items():
            made[symbol] = replace(layout, is_nullable=True) if self.kind == "left" else layout
        return made

    def describe(self) -> str:
        keys = ", ".join(show_expr(key.expr) + (" DESC" if key.descending else "") for key in self.order)
        return f"first {self.limit} of each row of result {self.left} ({self.kind}) by {keys}"

    def wrote(self, writer: Writer, inputs: Sequence[Place], operation: str) -> None:
        """Its instruction, and what it leaves."""
        made, by = (*self.ours, *self.theirs), orders(self.order)
        told = {"kind": self.kind, "by": by, "limit": self.limit, "known": self.skips_null}
        writer.add(operation, (self.left, *inputs), made, writer.size(), facts=told)
        writer.leave("collect", made, made)


@dataclass(frozen=True, eq=False)
class NearestSink(NearestRows):
    """The pairs come as rows, with the left row's number, from 1, in the column `number`."""

    number: str

    @property
    def expressions(self) -> Expressions:
        return (tuple(key.expr for key in self.order),)

    def prepare(self, run: Run, layouts: Layouts) -> _OfPairs:
        return _OfPairs(self, run, layouts)

    def write(self, writer: Writer) -> None:
        values = writer.values(tuple(key.expr for key in self.order))
        self.wrote(writer, (*values, *writer.read((self.number, *self.theirs))), "nearest")


class Nearest:
    """What the sinks of one run have in common: how the first of all pairs become rows."""

    def __init__(self, sink: NearestRows, run: Run, layouts: Layouts) -> None:
        self.sink = sink
        self.run = run
        self.left = run.result(sink.left)
        self._layouts = layouts

    def best(self) -> Best:
        """Nothing so far."""
        sink = self.sink
        return Best(sink.order, sink.limit, self.left.rows, self.run.limits, self.run.device)

    def rows(self, bests: Sequence[Best]) -> Relation:
        """The rows of the join, by what each worker found."""
        sink, left = self.sink, self.left
        found = self.best().first([piece for best in bests for piece in best.taken()])
        if found is None:
            device = self.run.device
            none = torch.zeros(0, dtype=torch.int64, device=device)
            columns = [empty(self._layouts.of(symbol, settled=True), device) for symbol in sink.theirs]
            found = Pairs(none, none, columns)
        theirs = dict(zip(sink.theirs, found.columns, strict=False))
        ours = {symbol: left.columns[symbol] for symbol in sink.ours}
        owner, rows, matched = found.owner, None, None
        if sink.kind == "left":
            alone = torch.ones(left.rows, dtype=torch.bool, device=owner.device)
            lonely = select(alone.index_fill_(0, owner, False))
            if lonely.shape[0]:
                owner = torch.cat((owner, lonely))
                order = sort.argsort([owner])
                owner = owner.index_select(0, order)
                matched = order < found.rows
                rows = order.clamp(max=max(found.rows - 1, 0))
        sides = (Origin(ours, owner), Origin(theirs, rows, matched))
        tasks = [partial(side.column, symbol) for side in sides for symbol in side.columns]
        made = self.run.side_by_side(tasks)
        return Relation(dict(zip((*ours, *theirs), made, strict=True)), owner.shape[0])


@dataclass(eq=False)
class _Local:
    """What one worker found, and how many pairs came to it."""

    best: Best
    came: dict[int, int] = field(default_factory=dict)

    def places(self, index: int, rows: int, device: torch.device) -> Tensor:
        """The places (n,) int64 of the next pairs of batch number `index`."""
        start = self.came.get(index, 0)
        self.came = {index: start + rows}
        return torch.arange(start, start + rows, device=device) + (index << 40)


class _OfPairs(Nearest):
    def __init__(self, sink: NearestSink, run: Run, layouts: Layouts) -> None:
        super().__init__(sink, run, layouts)
        (keys,) = sink.expressions
        self._number = sink.number
        self._keys = run.evaluator.rows(keys)

    def local(self) -> _Local:
        return _Local(self.best())

    def consume(self, local: _Local, batch: Batch) -> None:
        if batch.rows == 0:
            return
        sink = self.sink
        owner = batch.column(self._number).expand(batch.rows).data.long() - 1
        place = local.places(batch.index, batch.rows, self.run.device)
        keys = self._keys(batch)
        valid = keys[0].valid if sink.skips_null else None
        chosen = None if valid is None else select(valid)
        if chosen is not None:
            owner, keys = owner.index_select(0, chosen), [key.take(chosen) for key in keys]
        rows = local.best.candidates(owner, keys[0]) if owner.shape[0] else None
        if rows is not None:
            owner, keys = owner.index_select(0, rows), [key.take(rows) for key in keys]
            chosen = rows if chosen is None else chosen.index_select(0, rows)
        if chosen is not None:
            place, batch = place.index_select(0, chosen), batch.choose(chosen)
        columns = [batch.column(symbol).expand(batch.rows) for symbol in sink.theirs]
        local.best.add(owner, place, [*columns, *keys])

    def finish(self, locals: list[_Local]) -> Relation:
        return self.rows([local.best for local in locals])
