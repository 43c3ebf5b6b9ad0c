"""The aggregate sink.

Without keys, every worker keeps one state. Where the packed keys have a small range, states lie in arrays indexed by the
key itself and nothing is sorted or hashed. Otherwise each batch is grouped by itself (in cache; cheap where equal keys lie
together), and the groups of all batches are grouped again at the end. Aggregates that must see all rows of a group at
once (DISTINCT) collect the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from tqp.column import Column, constant
from tqp.errors import InternalError
from tqp.functions.aggregates import Accumulator, Average, Sum, find_aggregate
from tqp.functions.align import concat
from tqp.interrupt import checkpoint
from tqp.ir.expr import AggregateCall
from tqp.ir.plan import Aggregate
from tqp.ir.show import show_call
from tqp.kernels import group, sort
from tqp.kernels.reduce import count, first
from tqp.kernels.rows import select
from tqp.physical.batch import Batch
from tqp.physical.evaluate import Evaluator, truth
from tqp.physical.keys import GroupLayout, digits, order_keys
from tqp.physical.pipeline import PreparedSink, Relation, Run
from tqp.types import BOOLEAN

__all__ = [
    "AggregateSink", "CollectedAggregation", "DirectAggregation", "Groups", "KeylessAggregation", "PartialAggregation", "States",
    "aggregate_groups", "arguments", "group_rows",
]  # fmt: skip

_DIRECT_GROUPS = 2**21
"""Largest key range for which states are kept in arrays indexed by the key: 16 MiB a state and worker."""


@dataclass(eq=False)
class AggregateSink:
    """Groups by the symbols of `plan.keys` and computes `plan.aggregates`.

    `source_rows` estimates the rows that arrive; arrays much larger than that do not pay.
    """

    plan: Aggregate
    source_rows: float

    def prepare(self, run: Run, sample: Batch) -> PreparedSink:
        plan = self.plan
        keys = [sample.column(symbol).expand(sample.rows) for symbol in plan.keys]
        args = [self._args(run.evaluator, call, sample) for call in plan.aggregates]
        if any(call.distinct or call.function == "first" for call in plan.aggregates):
            run.note(self, "rows collected and grouped at once: an aggregate is DISTINCT or asks for the first row")
            return CollectedAggregation(plan, run, sample)
        if not keys:
            run.note(self, "one group")
            return KeylessAggregation(plan, run)
        again = self._steady(run.evaluator, sample, keys, args)
        layout = GroupLayout(keys)
        if not again:
            run.note(self, "rows collected and sorted: a text column has no fixed dictionary")
            return CollectedAggregation(plan, run, sample)
        if layout.size is not None and layout.size <= max(1024, min(_DIRECT_GROUPS, 4 * self.source_rows)):
            run.note(self, f"arrays indexed by the key, {layout.size} slots")
            return DirectAggregation(plan, run, layout)
        run.note(self, "grouped batch by batch, then merged: the keys' range is too wide for arrays")
        return PartialAggregation(plan, run, layout)

    def _args(self, evaluator: Evaluator, call: AggregateCall, batch: Batch) -> tuple[Column, ...]:
        return tuple(evaluator.evaluate(arg, batch).expand(batch.rows) for arg in call.args)

    def _steady(self, evaluator: Evaluator, sample: Batch, keys: list[Column], args: list[tuple[Column, ...]]) -> bool:
        """Whether text keys and arguments have the same dictionary in every batch."""
        texts = [column for columns in (keys, *args) for column in columns if column.dictionary is not None]
        if not texts:
            return True
        sample.forget()
        again = [sample.column(symbol) for symbol in self.plan.keys]
        again += [c for call in self.plan.aggregates for c in self._args(evaluator, call, sample)]
        before = [column for columns in (keys, *args) for column in columns]
        return all(a.dictionary is b.dictionary for a, b in zip(again, before, strict=True))

    def describe(self) -> str:
        calls = ", ".join(
            f"{field.symbol} = {show_call(call)}"
            for field, call in zip(self.plan.fields, self.plan.aggregates, strict=True)
        )
        keys = ", ".join(self.plan.keys)
        return f"aggregate by {keys or 'nothing'}: {calls or 'distinct keys'}"


class States:
    """The accumulators of all aggregates for a number of groups, and how many rows each group has."""

    def __init__(self, plan: Aggregate, groups: int, evaluator: Evaluator) -> None:
        self.plan = plan
        self.evaluator = evaluator
        self.groups = groups
        self.rows = 0
        device = evaluator.device
        self.seen = torch.zeros(groups, dtype=torch.int64, device=device)
        self.accumulators: list[Accumulator] = []
        for call in plan.aggregates:
            function = find_aggregate(call.function)
            if function is None:
                raise InternalError(f"no aggregate {call.function}")
            self.accumulators.append(function.accumulator(call.dtype, groups, device))
        self.states = self._shared()

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
        for call, accumulator in self.states:
            checkpoint()
            args = arguments(self.evaluator, call, batch)
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


Groups = tuple[list[Column], States]
"""The key columns of groups, and the states of their aggregates."""


def arguments(evaluator: Evaluator, call: AggregateCall, batch: Batch) -> tuple[Column, ...]:
    """The argument columns (n,) of a call; rows that its FILTER leaves out are NULL (count_star gets one column then)."""
    args = tuple(evaluator.evaluate(arg, batch).expand(batch.rows) for arg in call.args)
    if call.filter is None:
        return args
    passed = truth(evaluator.evaluate(call.filter, batch)).expand(batch.rows)
    return tuple(arg.with_valid(passed if arg.valid is None else arg.valid & passed) for arg in args)


class KeylessAggregation:
    def __init__(self, plan: Aggregate, run: Run) -> None:
        self._plan = plan
        self._run = run

    def local(self) -> States:
        return States(self._plan, 1, self._run.evaluator)

    def consume(self, local: object, batch: Batch) -> None:
        assert isinstance(local, States)
        local.update(batch, None)

    def finish(self, locals: list[object]) -> Relation:
        return Relation(self.groups(locals)[1].finish(None), 1)

    def groups(self, locals: list[object]) -> Groups:
        """The key columns of all groups, and their states."""
        total = self.local()
        for local in locals:
            assert isinstance(local, States)
            total.merge(local, None)
        return [], total


class DirectAggregation:
    def __init__(self, plan: Aggregate, run: Run, layout: GroupLayout) -> None:
        assert layout.size is not None
        self._plan = plan
        self._run = run
        self.layout = layout
        self.size = layout.size

    def local(self) -> States:
        return States(self._plan, self.size, self._run.evaluator)

    def consume(self, local: object, batch: Batch) -> None:
        assert isinstance(local, States)
        keys = [batch.column(symbol).expand(batch.rows) for symbol in self._plan.keys]
        local.update(batch, self.layout.encode(keys))

    def finish(self, locals: list[object]) -> Relation:
        total = self._total(locals)
        present = select(total.seen > 0)
        keys = dict(zip(self._plan.keys, self.layout.decode(present), strict=True))
        return Relation({**keys, **total.finish(present)}, present.shape[0])

    def groups(self, locals: list[object]) -> Groups:
        """The key columns of all groups, and their states."""
        total = self._total(locals)
        present = select(total.seen > 0)
        return list(self.layout.decode(present)), total.pick(present)

    def _total(self, locals: list[object]) -> States:
        states = [local for local in locals if isinstance(local, States) and local.rows]
        total = states[0] if states else self.local()
        for other in states[1:]:
            total.merge(other, None)
        return total


def group_rows(keys: Sequence[Column], layout: GroupLayout | None) -> tuple[Tensor, Tensor, int]:
    """Group ids (n,) of the rows, the first row of each group, the number of groups."""
    if layout is not None and layout.size is not None:
        return group.group_ids(layout.encode(keys))
    return group.group_ids_multi([part for column in keys for part in _value_digits(column)])


class PartialAggregation:
    def __init__(self, plan: Aggregate, run: Run, layout: GroupLayout) -> None:
        self._plan = plan
        self._run = run
        self._layout = layout

    def local(self) -> list[tuple[int, list[Column], States]]:
        return []

    def consume(self, local: object, batch: Batch) -> None:
        assert isinstance(local, list)
        keys = [batch.column(symbol).expand(batch.rows) for symbol in self._plan.keys]
        ids, representatives, groups = group_rows(keys, self._layout)
        states = States(self._plan, groups, self._run.evaluator)
        states.update(batch, ids)
        local.append((batch.index, [key.take(representatives) for key in keys], states))

    def finish(self, locals: list[object]) -> Relation:
        keys, total = self.groups(locals)
        return Relation({**dict(zip(self._plan.keys, keys, strict=True)), **total.finish(None)}, total.groups)

    def groups(self, locals: list[object]) -> Groups:
        """The key columns of all groups, and their states."""
        pieces = sorted((piece for local in locals for piece in local), key=lambda piece: piece[0])  # type: ignore[attr-defined]
        if not pieces:
            return [column.expand(0) for column in self._layout.sample], States(self._plan, 0, self._run.evaluator)
        if len(pieces) == 1:
            return pieces[0][1], pieces[0][2]
        lengths = [states.groups for _, _, states in pieces]
        columns = [concat([piece[1][place] for piece in pieces], lengths) for place in range(len(self._plan.keys))]
        ids, representatives, groups = group_rows(columns, self._layout)
        total = States(self._plan, groups, self._run.evaluator)
        for (_, _, states), own in zip(pieces, torch.split(ids, lengths), strict=True):
            total.merge(states, own)
        return [column.take(representatives) for column in columns], total


class CollectedAggregation:
    """All rows in the order of the source, grouped once.

    For DISTINCT the first row of each (group, value) stands for its copies; `first` and ordered aggregates pick rows.
    """

    def __init__(self, plan: Aggregate, run: Run, sample: Batch) -> None:
        self._plan = plan
        self._run = run
        self._sample = self._columns(sample)

    def _columns(self, batch: Batch) -> list[Column]:
        """Keys, then for every call its arguments and its ORDER BY keys."""
        evaluator = self._run.evaluator
        columns = [batch.column(symbol).expand(batch.rows) for symbol in self._plan.keys]
        for call in self._plan.aggregates:
            if call.function == "first" and call.filter is not None:
                # `first` may be NULL, so what its FILTER leaves out cannot be marked by NULL.
                kept = truth(evaluator.evaluate(call.filter, batch)).expand(batch.rows)
                columns += [*arguments(evaluator, replace(call, filter=None), batch), Column(kept, BOOLEAN)]
            else:
                columns += arguments(evaluator, call, batch)
            columns += [evaluator.evaluate(key.expr, batch).expand(batch.rows) for key in call.order]
        return columns

    def local(self) -> list[tuple[int, int, list[Column]]]:
        return []

    def consume(self, local: object, batch: Batch) -> None:
        assert isinstance(local, list)
        local.append((batch.index, batch.rows, self._columns(batch)))

    def finish(self, locals: list[object]) -> Relation:
        keys, rest, rows = self.rows(locals)
        if keys:
            ids, representatives, groups = group_rows(keys, None)
        else:
            ids = torch.zeros(rows, dtype=torch.int64, device=self._run.device)
            representatives, groups = ids[:1], 1
        columns = {symbol: key.take(representatives) for symbol, key in zip(self._plan.keys, keys, strict=True)}
        return Relation({**columns, **self.results(rest, ids, groups)}, groups)

    def rows(self, locals: list[object]) -> tuple[list[Column], list[Column], int]:
        """The key columns of all rows, the other columns that aggregates need, and the number of rows."""
        pieces = sorted((piece for local in locals for piece in local), key=lambda piece: piece[0])  # type: ignore[attr-defined]
        pieces = pieces or [(0, 0, self._sample)]
        lengths = [rows for _, rows, _ in pieces]
        columns = [concat([piece[2][place] for piece in pieces], lengths) for place in range(len(self._sample))]
        return columns[: len(self._plan.keys)], columns[len(self._plan.keys) :], sum(lengths)

    def results(self, rest: list[Column], ids: Tensor, groups: int) -> dict[str, Column]:
        """The aggregates (groups,) by symbol of rows in groups `ids`, from the columns that `rows` gives after the keys."""
        plan = self._plan
        result: dict[str, Column] = {}
        for field, call in zip(plan.fields, plan.aggregates, strict=True):
            width = len(call.args) + (call.function == "first" and call.filter is not None)
            args, order = tuple(rest[:width]), rest[width : width + len(call.order)]
            rest = rest[width + len(call.order) :]
            if call.function == "first":
                result[field.symbol] = self._first(call, args, order, ids, groups)
            else:
                result[field.symbol] = aggregate_groups(call, args, ids, groups, self._run.device)
        return result

    def _first(
        self, call: AggregateCall, args: tuple[Column, ...], order: list[Column], ids: Tensor, groups: int
    ) -> Column:
        """The value, NULL or not, of each group's first row in the order asked for, else in the order of the source.

        With a FILTER `args` are the value and whether the row passed.
        """
        column = args[0]
        if call.filter is not None:
            passed = select(args[1].data)
            column, ids, order = column.take(passed), ids.index_select(0, passed), [key.take(passed) for key in order]
        rows = ids.shape[0]
        if rows == 0:
            return constant(None, call.dtype, ids.device).expand(groups)
        if order:
            keys = [ids, *(part for key, spec in zip(order, call.order, strict=True) for part in order_keys(key, spec))]
            sorted_rows = sort.argsort(keys)
            places = sorted_rows.index_select(0, first(ids.index_select(0, sorted_rows), groups).clamp(max=rows - 1))
        else:
            places = first(ids, groups).clamp(max=rows - 1)
        found = column.take(places)
        present = count(ids, groups) > 0
        return found.with_valid(present if found.valid is None else present & found.valid)


def aggregate_groups(
    call: AggregateCall, args: tuple[Column, ...], ids: Tensor, groups: int, device: torch.device
) -> Column:
    """The call (groups,) over all rows at once: its arguments (n,), NULL where its FILTER fails; `ids` (n,) int64."""
    function = find_aggregate(call.function)
    assert function is not None
    accumulator = function.accumulator(call.dtype, groups, device)
    if call.distinct and args and ids.shape[0]:
        parts = [part for arg in args for part in _value_digits(arg)]
        _, distinct, _ = group.group_ids_multi([ids, *parts])
        args = tuple(arg.take(distinct) for arg in args)
        ids = ids.index_select(0, distinct)
    seen = torch.zeros(groups, dtype=torch.int64, device=device)
    accumulator.update(args, ids, ids.shape[0], seen)
    return accumulator.finish(seen + count(ids, groups))


def _value_digits(column: Column) -> list[Tensor]:
    """Integer tensors that are equal together where the values are, or both are NULL."""
    if column.dtype.is_array:
        parts = [group.row_ids(column.data)]
    else:
        parts = [digit for digit, _ in digits(column.ranked())]
    if column.valid is None:
        return parts
    blank = [torch.where(column.valid, part, torch.zeros((), dtype=part.dtype, device=part.device)) for part in parts]
    return [*blank, column.valid.to(torch.int8)]
