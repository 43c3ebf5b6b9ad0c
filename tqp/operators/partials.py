"""Groups of each batch, merged at the end: aggregation by keys of no small range.

Each batch is grouped by itself, in cache; cheap where equal keys lie together. At the end the groups of all batches are put into
shares by their keys, and workers merge the shares side by side; where keys ascend from batch to batch, groups are merged only where
batches meet (`meeting`). Where most rows differ, that is in vain: then rows are divided as
records (`records`), as some rows of the first batch say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import torch
from torch import Tensor

from tqp.data.column import Column, empty
from tqp.functions.align import concat
from tqp.ir.plan import Aggregate
from tqp.limits import Limits
from tqp.operators.batch import Batch
from tqp.operators.choice import Choice
from tqp.operators.keys import GroupLayout, group_rows
from tqp.operators.meeting import meeting
from tqp.operators.operator import Operator, Run
from tqp.operators.records import Divided, Dividing, RecordGroups
from tqp.operators.results import Relation
from tqp.operators.shares import aligned, number_of_shares, shares_of
from tqp.operators.states import Arguments, Groups, States

__all__ = ["Grouped", "PartialAggregation", "Partials", "below"]

Made = TypeVar("Made")


@dataclass(slots=True, eq=False)
class Grouped:
    """Whether rows that repeat are worth being looked for in a worker's next batch, as far as the last ones say."""

    limits: Limits
    pays: bool = True

    def rows(self, keys: Sequence[Column], layout: GroupLayout | None, rows: int) -> tuple[Tensor, Tensor, int]:
        """`group_rows`, or each of the rows as a group of its own."""
        if not self.pays:
            each = torch.arange(rows, dtype=torch.int64, device=keys[0].device)
            return each, each, rows
        found = group_rows(keys, layout)
        self.pays = rows < self.limits.merged_at_once or found[2] < self.limits.grouped_below * rows
        return found


@dataclass(slots=True, eq=False)
class Partials:
    """What a worker grouped: (number of the batch, key columns of its groups, their states) of every batch that it consumed.

    Batches whose numbers are in `ungrouped` have a group for each row.
    """

    grouped: Grouped
    ungrouped: set[int] = field(default_factory=set)
    pieces: list[tuple[int, list[Column], States]] = field(default_factory=list)
    divided: list[Divided] = field(default_factory=list)


class PartialAggregation:
    """Each batch grouped by itself, and the groups of all batches grouped again at the end; or rows divided by `records`, as
    `owner` notes.
    """

    def __init__(
        self,
        plan: Aggregate,
        arguments: Arguments,
        layout: GroupLayout,
        run: Run,
        owner: Operator,
        records: RecordGroups | None,
    ) -> None:
        self.plan = plan
        self.layout = layout
        self._arguments = arguments
        self._run = run
        self._owner = owner
        self._dividing = Dividing("grouping", run, owner, layout, records)

    def local(self) -> Partials:
        return Partials(Grouped(self._run.limits))

    def keys(self, batch: Batch) -> list[Column]:
        """The key columns (rows,) of a batch."""
        return [batch.column(symbol).expand(batch.rows) for symbol in self.plan.keys]

    def consume(self, local: Partials, batch: Batch) -> None:
        keys = self.keys(batch)
        records = self._dividing.by(keys, batch.rows)
        if records is not None:
            local.divided.append(records.divided(batch.index, keys, self._arguments.filtered(batch), batch.rows))
            return
        ids, representatives, groups = local.grouped.rows(keys, self.layout, batch.rows)
        states = States(self.plan, groups, self._arguments)
        states.update(batch, ids)
        if representatives is ids:
            local.ungrouped.add(batch.index)
        else:
            keys = [key.take(representatives) for key in keys]
        local.pieces.append((batch.index, keys, states))

    def finish(self, locals: list[Partials]) -> Relation:
        return below(self._run, self._made(locals, self._finished))

    def _made(self, locals: list[Partials], then: Callable[[Groups], Made]) -> list[Made]:
        """What `then` gives for the groups of each share."""
        divided = [piece for local in locals for piece in local.divided]
        if self._dividing.records is not None and divided:
            return self._dividing.records.grouped(divided, then)
        pieces = self.pieces(locals)
        if len(pieces) == 1:
            return [then(pieces[0])]
        return self._meeting(locals, pieces, then) or self.shares(pieces, then)

    def _finished(self, groups: Groups) -> Relation:
        keys, states = groups
        return Relation({**dict(zip(self.plan.keys, keys, strict=True)), **states.finish(None)}, states.groups)

    def groups(self, locals: list[Partials]) -> list[Groups]:
        """The key columns of all groups, and their states, in parts that have no group in common."""
        return self._made(locals, lambda groups: groups)

    def pieces(self, locals: list[Partials]) -> list[tuple[list[Column], States]]:
        """Keys and states of all batches in the order of these; one without groups where there was none."""
        pieces = sorted((piece for local in locals for piece in local.pieces), key=lambda piece: piece[0])
        if not pieces:
            device = self._arguments.device
            return [([empty(layout, device) for layout in self.layout.layouts], States(self.plan, 0, self._arguments))]
        return [(keys, states) for _, keys, states in pieces]

    def _meeting(
        self, locals: list[Partials], pieces: list[tuple[list[Column], States]], then: Callable[[Groups], Made]
    ) -> list[Made]:
        """What `then` gives for the groups of each batch, and for those at the ends of batches; nothing where others go on."""
        keys, states = [keys for keys, _ in pieces], [states for _, states in pieces]
        most = self._run.limits.meeting_share
        met = meeting(keys) if most and all(one.groups for one in states) else None
        if met is None or met.share > most:
            return []
        reason = f"keys ascend from batch to batch, and {met.share:.1%} of the groups lie where two meet"
        self._run.note_also(self._owner, Choice("merging", "where batches meet", ("by key",), reason))
        numbers = sorted(index for local in locals for index, *_ in local.pieces)
        ungrouped = set[int]().union(*(local.ungrouped for local in locals))
        tasks = [
            partial(self._within, piece, *cut, number in ungrouped, then)
            for piece, cut, number in zip(pieces, met.within, numbers, strict=True)
        ]
        return self._run.side_by_side([*tasks, partial(self._share, keys, states, met.ends, then)])

    def _within(self, piece: Groups, first: int, last: int, repeats: bool, then: Callable[[Groups], Made]) -> Made:
        """What `then` gives for the groups of a piece from `first` up to `last`, none of which is in another piece."""
        keys, states = piece
        rows = torch.arange(first, last, dtype=torch.int64, device=self._arguments.device)
        if repeats:
            return self._share([keys], [states], [rows], then)
        return then(([key.slice(first, last) for key in keys], states.pick(rows)))

    def shares(self, pieces: list[tuple[list[Column], States]], then: Callable[[Groups], Made]) -> list[Made]:
        """What `then` gives for the groups of each share, made of pieces in which keys may repeat."""
        shares = number_of_shares(self._run, sum(states.groups for _, states in pieces))
        if shares == 1:
            return [then(self.merged(*self.numbered([keys for keys, _ in pieces]), [states for _, states in pieces]))]
        keys = aligned([keys for keys, _ in pieces])
        rows = shares_of(self._run, keys, shares)
        states = [states for _, states in pieces]
        tasks = [partial(self._share, keys, states, [own[share] for own in rows], then) for share in range(shares)]
        return self._run.side_by_side(tasks)

    def _share(
        self, keys: list[list[Column]], states: list[States], rows: list[Tensor], then: Callable[[Groups], Made]
    ) -> Made:
        taken = [[key.take(own) for key in piece] for piece, own in zip(keys, rows, strict=True)]
        picked = (one.pick(own) for one, own in zip(states, rows, strict=True))
        return then(self.merged(*self.numbered(taken), picked))

    def numbered(self, pieces: Sequence[Sequence[Column]]) -> tuple[list[Column], list[Tensor]]:
        """The distinct keys (groups,) of some pieces, and the group ids of each piece's rows."""
        lengths = [len(keys[0]) for keys in pieces]
        columns = [concat(list(parts), lengths) for parts in zip(*pieces, strict=True)]
        ids, representatives, _ = group_rows(columns, self.layout)
        return [column.take(representatives) for column in columns], list(torch.split(ids, lengths))

    def merged(self, keys: list[Column], ids: Sequence[Tensor], pieces: Iterable[States]) -> Groups:
        """The keys, and the states of their groups, to which those of pieces belong by `ids`."""
        total = States(self.plan, len(keys[0]), self._arguments)
        for states, own in zip(pieces, ids, strict=False):
            total.merge(states, own)
        return keys, total


def below(run: Run, relations: Sequence[Relation]) -> Relation:
    """Relations of the same columns, one below the other; workers copy the columns side by side."""
    if len(relations) == 1:
        return relations[0]
    lengths = [relation.rows for relation in relations]
    symbols = list(relations[0].columns)
    tasks = [partial(concat, [relation.columns[symbol] for relation in relations], lengths) for symbol in symbols]
    return Relation(dict(zip(symbols, run.side_by_side(tasks), strict=True)), sum(lengths))
