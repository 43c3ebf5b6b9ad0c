"""Aggregates of DISTINCT values beside others: copies are left out batch by batch.

The other aggregates are grouped as if they were alone. Of each DISTINCT one a worker keeps the pairs of a group and a value that
it met: as marks, a byte for each pair that there may be, where these are few; else as rows, those of a batch without copies.
At the end workers leave out the copies of share by share, and the aggregate is computed over what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import torch
from torch import Tensor

from tqp.data.column import Column, Layout, empty
from tqp.functions.aggregates import aggregate_of
from tqp.functions.aggregates.registry import Totals
from tqp.functions.align import concat
from tqp.ir.expr import AggregateCall
from tqp.ir.plan import Aggregate, Field
from tqp.kernels.group import mark_
from tqp.kernels.reduce import count
from tqp.kernels.rows import select
from tqp.operators.batch import Batch
from tqp.operators.called import Rows
from tqp.operators.collected import aggregate_groups
from tqp.operators.evaluate import truth
from tqp.operators.keys import GroupLayout, group_rows
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Operator, Run
from tqp.operators.partials import Grouped, PartialAggregation, below
from tqp.operators.records import Divided, Dividing, Records
from tqp.operators.results import Relation
from tqp.operators.shares import aligned, number_of_shares, shares_of
from tqp.operators.slots import DirectAggregation, KeylessAggregation
from tqp.operators.states import Arguments, States
from tqp.types import BIGINT

__all__ = ["PAIRS", "DistinctAggregation", "apart"]

PAIRS: Final = ("marks", "rows without copies", "marks and rows without copies")
"""How pairs of a group and a value are kept."""


def apart(plan: Aggregate) -> Aggregate:
    """The aggregation without its DISTINCT aggregates."""
    kept = [(item, call) for item, call in zip(plan.fields, plan.aggregates, strict=True) if not call.distinct]
    return replace(plan, fields=tuple([item for item, _ in kept]), aggregates=tuple([call for _, call in kept]))


Piece = tuple[int, list[Column]]
"""The number of a batch, and the keys of its pairs (group, value), then the values."""


@dataclass(slots=True, eq=False)
class _Met:
    """The pairs of one kind of values that a worker met."""

    grouped: Grouped
    marks: Tensor | None = None
    pieces: list[Piece] = field(default_factory=list)
    divided: list[Divided] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Local:
    """What a worker keeps: the state of the other aggregates, and the pairs for each kind of values."""

    inner: Any
    met: list[_Met]


class _Values:
    """One kind of DISTINCT values: the arguments of some calls that have the same ones, and the same FILTER."""

    def __init__(self, place: int, call: AggregateCall, layouts: Layouts) -> None:
        self.place = place
        self.calls: list[tuple[Field, AggregateCall]] = []
        self.layouts = [layouts.of_expr(arg, settled=True) for arg in call.args]
        self.range = GroupLayout(self.layouts)

    @property
    def is_counted(self) -> bool:
        """Whether nothing but the number of values is asked for."""
        return all(aggregate_of(call).totals is Totals.COUNTS for _, call in self.calls)

    def counted(self, records: Records, divided: Sequence[Divided], groups: int) -> dict[str, Column]:
        """The calls (groups,) that count, of pairs as records: of the pairs that differ no more is needed than the slots."""
        found = records.distinct(divided, records.width - len(self.layouts))
        slots = [columns[0].data for _, columns in found if columns]
        device = divided[0].records.device
        if slots:
            total = count(torch.cat(slots), groups)
        else:
            total = torch.full((groups,), sum(pairs for pairs, _ in found), dtype=torch.int64, device=device)
        return {item.symbol: Column(total, call.dtype) for item, call in self.calls}


class DistinctAggregation:
    """The aggregates of `inner`, an aggregation of the plan's others, and DISTINCT ones.

    `most` marks are kept for a kind of values. About so many `rows` come; `owner` notes what is done with pairs that hardly repeat.
    """

    def __init__(
        self,
        plan: Aggregate,
        arguments: Arguments,
        layouts: Layouts,
        run: Run,
        inner: KeylessAggregation | DirectAggregation | PartialAggregation,
        most: int,
        rows: float,
        owner: Operator,
    ) -> None:
        self._arguments = arguments
        self._run = run
        self._inner = inner
        self._values = _kinds(plan, layouts)
        slots = inner.size if isinstance(inner, DirectAggregation) else 1
        self._marked = [
            not isinstance(inner, PartialAggregation) and one.range.size is not None and one.range.size * slots <= most
            for one in self._values
        ]
        self._slots = slots
        keys: list[Layout] = []
        if isinstance(inner, PartialAggregation):
            keys = inner.layout.layouts
        elif isinstance(inner, DirectAggregation):
            keys = [replace(_SLOT, bounds=(0, slots - 1))]
        self._pairs = [GroupLayout([*keys, *one.layouts]) for one in self._values]
        self._dividing: list[Dividing[Records]] = []
        for pairs in self._pairs:
            # Pairs of groups that are merged themselves go into the shares of these.
            by_slots = not isinstance(inner, PartialAggregation)
            records = Records.of_keys(pairs, run, rows) if by_slots else None
            self._dividing.append(Dividing("pairs of a group and a value", run, owner, pairs, records))

    @property
    def ways(self) -> str:
        """How pairs are kept, for EXPLAIN."""
        marked = sum(self._marked)
        if marked == len(self._marked):
            return PAIRS[0]
        return PAIRS[1] if marked == 0 else PAIRS[2]

    def local(self) -> _Local:
        met = [_Met(Grouped(self._run.limits)) for _ in self._values]
        for one, own, marked in zip(self._values, met, self._marked, strict=True):
            if marked:
                places = self._slots * (one.range.size or 0)
                own.marks = torch.zeros(places, dtype=torch.bool, device=self._arguments.device)
        return _Local(self._inner.local(), met)

    def consume(self, local: _Local, batch: Batch) -> None:
        inner = self._inner
        columns = self._arguments.in_full(batch)
        if isinstance(inner, PartialAggregation):
            keys = inner.keys(batch)
            inner.consume(local.inner, batch)
        elif isinstance(inner, DirectAggregation):
            slots = inner.slots(batch)
            keys = [_slot(slots)]
            inner.add(local.inner, batch, slots)
        else:
            keys = []
            inner.consume(local.inner, batch)
        for one, met, pairs, dividing in zip(self._values, local.met, self._pairs, self._dividing, strict=True):
            args, passes, _ = columns[one.place]
            own = [*keys, *args]
            kept = _kept(args, passes)
            if kept is not None:
                rows = select(kept)
                own = [column.take(rows) for column in own]
            self._add(one, met, pairs, dividing, own, batch.index)

    def _add(
        self,
        one: _Values,
        met: _Met,
        pairs: GroupLayout,
        dividing: Dividing[Records],
        columns: list[Column],
        index: int,
    ) -> None:
        rows = len(columns[0])
        if met.marks is not None:
            width = len(columns) - len(one.layouts)
            codes = one.range.encode(columns[width:]).long()
            mark_(met.marks, codes + columns[0].data * (one.range.size or 0) if width else codes)
        elif rows and (records := dividing.by(columns, rows)) is not None:
            met.divided.append(records.divided(index, columns, (), rows))
        elif rows:
            ids, distinct, _ = met.grouped.rows(columns, pairs, rows)
            met.pieces.append((index, columns if distinct is ids else _rows(columns, distinct)))

    def finish(self, locals: list[_Local]) -> Relation:
        if isinstance(self._inner, PartialAggregation):
            return self._by_keys(self._inner, locals)
        states = self._inner.total([local.inner for local in locals])
        columns = states.finish(None)
        for place, one in enumerate(self._values):
            met, dividing = [local.met[place] for local in locals], self._dividing[place]
            divided = [piece for each in met for piece in each.divided]
            if dividing.records is not None and divided and one.is_counted:
                columns |= one.counted(dividing.records, divided, states.groups)
                continue
            ids, args = self._by_slots(one, met, self._pairs[place], dividing)
            columns |= self._results(one, args, ids, states.groups)
        return self._inner.present(states, columns)

    def _results(self, one: _Values, args: Sequence[Column], ids: Tensor, groups: int) -> dict[str, Column]:
        """The calls (groups,) of values without copies, which belong to groups `ids`."""
        device = self._arguments.device
        return {
            item.symbol: aggregate_groups(replace(call, distinct=False), Rows(tuple(args), ids, groups), device)
            for item, call in one.calls
        }

    def _by_slots(
        self, one: _Values, met: list[_Met], pairs: GroupLayout, dividing: Dividing[Records]
    ) -> tuple[Tensor, list[Column]]:
        """The slots (n,) int64 and values (n,) of all pairs without copies."""
        marks = [each.marks for each in met if each.marks is not None]
        if marks:
            total = marks[0]
            for other in marks[1:]:
                total |= other
            places = select(total)
            size = one.range.size or 1
            return places // size, one.range.decode(places % size)
        pieces = _in_order(met)
        divided = [piece for each in met for piece in each.divided]
        if dividing.records is not None and divided:
            columns = _joined([columns for _, columns in dividing.records.distinct(divided)])
        elif not pieces:
            columns = [empty(layout, self._arguments.device) for layout in pairs.layouts]
        elif len(pieces) == 1:
            columns = pieces[0]
        else:
            columns = _joined(self._without_copies(pieces, pairs))
        if len(columns) == len(one.layouts):
            return torch.zeros(len(columns[0]), dtype=torch.int64, device=self._arguments.device), columns
        return columns[0].data, columns[1:]

    def _without_copies(self, pieces: list[list[Column]], pairs: GroupLayout) -> list[list[Column]]:
        shares = number_of_shares(self._run, sum(len(piece[0]) for piece in pieces))
        pieces = aligned(pieces)
        if shares == 1:
            return [_distinct(pieces, pairs)]
        rows = shares_of(self._run, pieces, shares)
        tasks = [partial(_distinct, _taken(pieces, rows, share), pairs) for share in range(shares)]
        return self._run.side_by_side(tasks)

    def _by_keys(self, inner: PartialAggregation, locals: list[_Local]) -> Relation:
        """Groups and pairs in the same shares, by the keys."""
        own = inner.pieces([local.inner for local in locals])
        met = [_in_order([local.met[place] for local in locals]) for place in range(len(self._values))]
        width = len(inner.plan.keys)
        groups = [keys for keys, _ in own]
        keys = aligned([*groups, *(piece[:width] for pieces in met for piece in pieces)])
        rest = iter(keys[len(own) :])
        pairs = [[[*next(rest), *piece[width:]] for piece in pieces] for pieces in met]
        states = [one for _, one in own]
        shares = number_of_shares(self._run, sum(len(piece[0]) for piece in keys))
        if shares == 1:
            return self._share(inner, keys[: len(own)], states, pairs)
        rows = shares_of(self._run, keys, shares)

        def share(number: int) -> Relation:
            places = iter([own[number] for own in rows])
            taken = [_rows(piece, next(places)) for piece in keys[: len(own)]]
            picked = [one.pick(by[number]) for one, by in zip(states, rows, strict=False)]
            return self._share(
                inner, taken, picked, [[_rows(piece, next(places)) for piece in pieces] for pieces in pairs]
            )

        return below(self._run, self._run.side_by_side([partial(share, number) for number in range(shares)]))

    def _share(
        self,
        inner: PartialAggregation,
        groups: list[list[Column]],
        states: list[States],
        pairs: list[list[list[Column]]],
    ) -> Relation:
        """The groups of a share: `pairs` are pieces of keys and values, for each kind of values."""
        width = len(inner.plan.keys)
        distinct, ids = inner.numbered([*groups, *(piece[:width] for pieces in pairs for piece in pieces)])
        _, total = inner.merged(distinct, ids, states)
        columns = dict(zip(inner.plan.keys, distinct, strict=True)) | total.finish(None)
        rest = iter(ids[len(states) :])
        for one, pieces in zip(self._values, pairs, strict=True):
            own = [[_slot(next(rest)), *piece[width:]] for piece in pieces]
            args = (
                _distinct(aligned(own), None)
                if own
                else [empty(one, self._arguments.device) for one in [_SLOT, *one.layouts]]
            )
            columns |= self._results(one, args[1:], args[0].data, total.groups)
        return Relation(columns, total.groups)


_SLOT = replace(Layout.of_type(BIGINT), is_nullable=False)
"""What numbers of groups are written in."""


def _slot(numbers: Tensor) -> Column:
    return Column(numbers, BIGINT)


def _kinds(plan: Aggregate, layouts: Layouts) -> list[_Values]:
    found: dict[object, _Values] = {}
    for place, (item, call) in enumerate(zip(plan.fields, plan.aggregates, strict=True)):
        if call.distinct:
            key = call.args, call.filter
            if key not in found:
                found[key] = _Values(place, call, layouts)
            found[key].calls.append((item, call))
    return list(found.values())


def _kept(args: Sequence[Column], passes: Column | None) -> Tensor | None:
    """Which rows (n,) count: those that pass the FILTER, and of a single argument those that are not NULL. None: all."""
    passed = None if passes is None else truth(passes)
    valid = args[0].valid if len(args) == 1 else None
    if passed is None or valid is None:
        return valid if passed is None else passed
    return passed & valid


def _in_order(met: Sequence[_Met]) -> list[list[Column]]:
    return [
        columns for _, columns in sorted((piece for one in met for piece in one.pieces), key=lambda piece: piece[0])
    ]


def _joined(pieces: Sequence[Sequence[Column]]) -> list[Column]:
    """The same columns of all pieces, one below the other."""
    return [concat(list(parts), [len(part) for part in parts]) for parts in zip(*pieces, strict=True)]


def _rows(columns: Sequence[Column], rows: Tensor) -> list[Column]:
    return [column.take(rows) for column in columns]


def _taken(pieces: list[list[Column]], rows: list[list[Tensor]], share: int) -> list[list[Column]]:
    return [_rows(piece, own[share]) for piece, own in zip(pieces, rows, strict=True)]


def _distinct(pieces: Sequence[Sequence[Column]], layout: GroupLayout | None) -> list[Column]:
    """The rows of the pieces without copies."""
    lengths = [len(piece[0]) for piece in pieces]
    columns = [concat(list(parts), lengths) for parts in zip(*pieces, strict=True)]
    if sum(lengths) == 0:
        return columns
    return _rows(columns, group_rows(columns, layout)[1])
