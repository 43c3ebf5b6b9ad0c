"""Lists of the rows of each group: rows are put in the order of their groups batch by batch, and copied to their places at the end.

Each worker sorts its batches by counting, in cache, where keys have a small range. Then every batch has a range of rows for each
group, of which the lists are made: no number of a row or a group is kept, and all workers copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.functions.aggregates import aggregate_of
from tqp.functions.aggregates.grouped import Framed
from tqp.functions.align import align
from tqp.interrupt import checkpoint
from tqp.ir.expr import AggregateCall
from tqp.ir.plan import Aggregate
from tqp.kernels.join import csr_direct
from tqp.kernels.repeats import put_
from tqp.kernels.rows import select
from tqp.limits import Limits
from tqp.operators.batch import Batch
from tqp.operators.collected import CollectedAggregation
from tqp.operators.failing import Failing
from tqp.operators.keys import GroupLayout
from tqp.operators.operator import Run
from tqp.operators.results import Relation
from tqp.operators.states import Arguments

__all__ = ["SEQUENCED", "SequencedAggregation", "may_be_sequenced", "sequenced_slots"]

SEQUENCED = "each batch is put in the order of its groups"

Piece = tuple[int, Tensor, list[Column]]
"""The number of a batch, how many rows it has of each slot (s,) int32 or int64, and the arguments of all calls, slot by slot."""


def may_be_sequenced(calls: Sequence[AggregateCall]) -> bool:
    """Whether all calls list the rows of groups in the order of the source."""
    plain = (not (call.distinct or call.order or call.filter) for call in calls)
    return bool(calls) and all(plain) and all(aggregate_of(call).lists_rows for call in calls)


def sequenced_slots(limits: Limits, rows: float) -> float:
    """How many slots keys may have whose rows, about so many, are sequenced."""
    return limits.sequenced_slots * (rows if limits.batch_rows is None else min(rows, limits.batch_rows))


class SequencedAggregation:
    """Lists by keys whose packed code is a slot. `otherwise` says what there is without rows."""

    def __init__(
        self, plan: Aggregate, arguments: Arguments, layout: GroupLayout, run: Run, otherwise: CollectedAggregation
    ) -> None:
        assert layout.size is not None
        self._plan = plan
        self._arguments = arguments
        self._layout = layout
        self._size = layout.size
        self._run = run
        self._otherwise = otherwise

    def local(self) -> list[Piece]:
        return []

    def consume(self, local: list[Piece], batch: Batch) -> None:
        keys = [batch.column(symbol).expand(batch.rows) for symbol in self._plan.keys]
        found = csr_direct(self._layout.encode(keys, narrow=True), 0, self._size - 1)
        columns = [arg for args, _, _ in self._arguments.in_full(batch) for arg in args]
        if found.order is not None:
            columns = [column.take(found.order) for column in columns]
        local.append((batch.index, torch.diff(found.starts[: self._size + 1]), columns))

    def finish(self, locals: list[list[Piece]]) -> Relation:
        pieces = sorted([piece for local in locals for piece in local], key=lambda piece: piece[0])
        if not pieces:
            return self._otherwise.finish([])
        counts = torch.stack([piece[1] for piece in pieces])
        totals = counts.sum(0, dtype=torch.int64)
        ends = totals.cumsum(0)
        # A batch's rows of a slot lie behind those of the batches before it.
        targets = (ends - totals) + counts.cumsum(0, dtype=torch.int64) - counts
        slots = select(totals > 0)
        lows, highs = (bound.index_select(0, slots) for bound in (ends - totals, ends))
        args = [self._joined(parts, counts, targets) for parts in zip(*[piece[2] for piece in pieces], strict=True)]
        columns = dict(zip(self._plan.keys, self._layout.decode(slots), strict=True))
        for field, call, arg in zip(self._plan.fields, self._plan.aggregates, args, strict=True):
            function = aggregate_of(call).collect
            assert function is not None
            ids = torch.zeros((), dtype=torch.int64, device=arg.device).expand(len(arg))
            rows = Framed((arg,), ids, slots.shape[0], call.type, ranges=[(lows, highs)])
            with Failing(call):
                columns[field.symbol] = function(rows)
        return Relation(columns, slots.shape[0])

    def _joined(self, parts: Sequence[Column], counts: Tensor, targets: Tensor) -> Column:
        """The parts (p) of a column as one, with counts[p] rows of each slot from targets[p] on: both (p, s)."""
        if len(parts) == 1:
            return parts[0].expand(len(parts[0]))
        aligned = align(parts)
        data = self._put([part.data for part in aligned], counts, targets)
        valid = None
        if any(part.valid is not None for part in aligned):
            true = torch.ones((), dtype=torch.bool, device=data.device)
            masks = [true.expand(len(part)) if part.valid is None else part.valid for part in aligned]
            valid = self._put(masks, counts, targets)
        return replace(aligned[0], data=data, valid=valid)

    def _put(self, parts: Sequence[Tensor], counts: Tensor, targets: Tensor) -> Tensor:
        rows = sum([part.shape[0] for part in parts])
        found = torch.empty((rows, *parts[0].shape[1:]), dtype=parts[0].dtype, device=parts[0].device)
        triples = zip(parts, counts, targets, strict=True)
        self._run.side_by_side([partial(_put_part, found, *one) for one in triples])
        return found


def _put_part(found: Tensor, values: Tensor, counts: Tensor, targets: Tensor) -> None:
    checkpoint()
    put_(found, values, counts, targets)
