"""What aggregates remember of each group while rows arrive."""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.device import type_of
from tqp.functions.aggregates import Accumulator, aggregate_of
from tqp.functions.aggregates.sums import Average, Sum
from tqp.interrupt import checkpoint
from tqp.ir.expr import AggregateCall, Expr
from tqp.ir.plan import Aggregate
from tqp.kernels.reduce import count
from tqp.operators.batch import Batch
from tqp.operators.evaluate import Evaluator, truth

__all__ = ["Arguments", "States", "arguments"]

_CONTENDING_ROWS = 2**15
"""Fewer rows wait for each other less than it takes to spread them."""
_MOST_LANES = 256


class States:
    """The accumulators of all aggregates for a number of groups, and how many rows each group has."""

    def __init__(self, plan: Aggregate, groups: int, evaluator: Evaluator) -> None:
        self.plan = plan
        self.evaluator = evaluator
        self.groups = groups
        self.rows = 0
        device = evaluator.device
        self.seen = torch.zeros(groups, dtype=torch.int64, device=device)
        self.accumulators: list[Accumulator] = [
            aggregate_of(call).accumulator(call.dtype, groups, device) for call in plan.aggregates
        ]
        self.states = self._shared()
        self._arguments: Arguments | None = None

    def _shared(self) -> list[tuple[AggregateCall, Accumulator]]:
        """The accumulators to update: an average uses the sum of the same argument where there is one."""
        sums: dict[tuple[object, ...], Sum] = {}
        for call, accumulator in zip(self.plan.aggregates, self.accumulators, strict=True):
            if isinstance(accumulator, Sum):
                sums.setdefault((call.args, call.filter), accumulator)
        own: list[tuple[AggregateCall, Accumulator]] = []
        for call, accumulator in zip(self.plan.aggregates, self.accumulators, strict=True):
            found = sums.get((call.args, call.filter))
            if isinstance(accumulator, Average) and found is not None:
                accumulator.share(call.args[0].dtype, found)
            else:
                own.append((call, accumulator))
        return own

    def update(self, batch: Batch, ids: Tensor | None) -> None:
        """Add the rows of a batch, row i to the group ids[i] ((rows,) integers; None: there is one group)."""
        lanes = self._lanes(batch.rows) if ids is not None else 1
        if ids is None or lanes == 1:
            self._add(batch, ids)
            return
        # Rows next to each other, which run at the same time, go to different addresses.
        lane = torch.arange(batch.rows, device=ids.device) & (lanes - 1)
        spread = States(self.plan, self.groups * lanes, self.evaluator)
        spread._add(batch, ids.long() * lanes + lane)
        self.merge(spread, torch.arange(spread.groups, device=ids.device) // lanes)

    def _lanes(self, rows: int) -> int:
        """Over how many addresses each group's sums are spread, a power of two; 1 where that does not pay."""
        if rows < _CONTENDING_ROWS:
            return 1
        share = type_of(self.evaluator.device).slots // max(self.groups, 1)
        return 1 if share < 2 else min(_MOST_LANES, 1 << (share.bit_length() - 1))

    def _add(self, batch: Batch, ids: Tensor | None) -> None:
        if self._arguments is None:
            self._arguments = Arguments(self.evaluator, tuple([call for call, _ in self.states]))
        for args, (_, accumulator) in zip(self._arguments(batch), self.states, strict=True):
            checkpoint()
            accumulator.update(args, ids, batch.rows, self.seen)
        self.rows += batch.rows
        if ids is None:
            self.seen += batch.rows
        else:
            self.seen += count(ids, self.groups)

    def merge(self, other: States, ids: Tensor | None) -> None:
        for (_, mine), (_, theirs) in zip(self.states, other.states, strict=True):
            checkpoint()
            mine.merge(theirs, ids, self.seen, other.seen)
        self.rows += other.rows
        if ids is None:
            self.seen += other.seen
        else:
            self.seen.scatter_add_(0, ids, other.seen)

    def pick(self, rows: Tensor) -> States:
        """The states of the groups `rows` as states of their own; one may come many times."""
        picked = States(self.plan, rows.shape[0], self.evaluator)
        for (_, mine), (_, theirs) in zip(picked.states, self.states, strict=True):
            mine.pick(theirs, rows)
        picked.seen, picked.rows = self.seen.index_select(0, rows), self.rows
        return picked

    def finish(self, rows: Tensor | None) -> dict[str, Column]:
        """Result columns by symbol, of the groups `rows` or all."""
        columns = {}
        for field, accumulator in zip(self.plan.fields, self.accumulators, strict=True):
            checkpoint()
            column = accumulator.finish(self.seen)
            columns[field.symbol] = column if rows is None else column.take(rows)
        return columns


class Arguments:
    """The arguments of aggregates, compiled together: what they share is computed once.

    Those of a call are columns (n,); rows that its FILTER leaves out are NULL (count_star gets one column then).
    """

    def __init__(self, evaluator: Evaluator, calls: tuple[AggregateCall, ...]) -> None:
        exprs: list[Expr] = []
        self._places: list[tuple[slice, int | None]] = []
        for call in calls:
            start = len(exprs)
            exprs += call.args
            stop = len(exprs)
            if call.filter is not None:
                exprs.append(call.filter)
            self._places.append((slice(start, stop), None if call.filter is None else stop))
        self._columns = evaluator.rows(tuple(exprs))

    def __call__(self, batch: Batch) -> list[tuple[Column, ...]]:
        columns = self._columns(batch)
        found: list[tuple[Column, ...]] = []
        for places, passes in self._places:
            args = tuple(columns[places])
            found.append(args if passes is None else _filtered(args, truth(columns[passes])))
        return found


def _filtered(args: tuple[Column, ...], passed: Tensor) -> tuple[Column, ...]:
    return tuple(arg.with_valid(passed if arg.valid is None else arg.valid & passed) for arg in args)


def arguments(evaluator: Evaluator, call: AggregateCall, batch: Batch) -> tuple[Column, ...]:
    """The arguments of one call; see `Arguments`."""
    return Arguments(evaluator, (call,))(batch)[0]
