"""The sink of grouping sets: the finest grouping over the rows, all others over its groups.

The input is aggregated once by all keys. Each set's groups are made of these, whose states merge: so are many sets at once,
as if every finest group were written once for each set, with the keys that it lacks left out. Aggregates that must see all
rows of a group at once (DISTINCT, `first`) do the same with rows instead of states.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

import torch
from torch import Tensor

from tqp.data.column import Column, Layout, constant
from tqp.functions.align import concat
from tqp.ir.plan import Aggregate, GroupingSets
from tqp.ir.show import show_call
from tqp.ir.visit import expressions
from tqp.kernels import group
from tqp.operators.aggregate import AggregateSink, Grouping
from tqp.operators.choice import Choice
from tqp.operators.collect import Pieces
from tqp.operators.collected import CollectedAggregation
from tqp.operators.instructions import Writer
from tqp.operators.keys import group_rows
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, PreparedSink, Run, Sink
from tqp.operators.results import Relation
from tqp.operators.states import States, call_layouts, write_calls
from tqp.types import BIGINT

__all__ = ["GroupingSetsSink"]

_OVER_GROUPS: Final = "coarser sets over the groups by all keys"
_OVER_ROWS: Final = "every set over the rows"
_INT64_MAX: Final = 2**63 - 1

Local = TypeVar("Local")


@dataclass(frozen=True, eq=False)
class GroupingSetsSink(Sink[Relation]):
    """Groups by every set of `plan`; `source_rows` as for `AggregateSink`."""

    plan: GroupingSets
    source_rows: float

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        plan = self.plan
        layouts.expect(self.source_rows)
        keys = {item.symbol: layouts.of(key).picked() for key, item in zip(plan.keys, plan.key_fields, strict=True)}
        marks = {item.symbol: replace(Layout.of_type(BIGINT), is_nullable=False) for item in plan.mark_fields}
        return keys | marks | call_layouts(layouts, plan.aggregate_fields, plan.aggregates)

    def prepare(self, run: Run, layouts: Layouts) -> PreparedSink[Any, Relation]:
        plan = self.plan
        keys = tuple(dict.fromkeys(plan.keys))
        finest = AggregateSink(Aggregate(plan.input, keys, plan.aggregate_fields, plan.aggregates), self.source_rows)
        unmerged = finest.unmerged(layouts)
        if unmerged is None and any(call.distinct for call in plan.aggregates):
            unmerged = "an aggregate is DISTINCT"
        if unmerged is not None:
            collected = finest.collected(run, layouts, unmerged)
            run.note(self, *run.notes(finest), _choice(_OVER_ROWS, _OVER_GROUPS, "states cannot be merged"))
            return _OverRows(plan, finest.plan, collected, run)
        grouping: Grouping[Any] = finest.merging(run, layouts, finest.plan, self)
        run.note(self, *run.notes(finest), _choice(_OVER_GROUPS, _OVER_ROWS, "states are merged"))
        return _OverStates(plan, finest.plan, grouping, run)

    @property
    def expressions(self) -> Expressions:
        return (expressions(self.plan),)

    def write(self, writer: Writer) -> None:
        plan = self.plan
        writer.read(plan.keys)
        places = writer.values(expressions(plan))
        made = tuple([field.symbol for field in (*plan.key_fields, *plan.mark_fields)])
        facts = {"sets": plan.sets, "marked": plan.marked, "source_rows": self.source_rows}
        writer.add("group by sets", plan.keys, made, writer.size("g"), (_OVER_GROUPS, _OVER_ROWS), facts)
        write_calls(writer, plan.aggregate_fields, plan.aggregates, places)
        symbols = tuple([field.symbol for field in plan.fields])
        writer.leave("collect", symbols, symbols)

    def describe(self) -> str:
        named = zip(self.plan.aggregate_fields, self.plan.aggregates, strict=True)
        calls = ", ".join(f"{field.symbol} = {show_call(call)}" for field, call in named)
        return f"aggregate by {len(self.plan.sets)} sets of {', '.join(self.plan.keys) or 'nothing'}: {calls or 'distinct keys'}"


def _choice(chosen: str, other: str, reason: str) -> Choice:
    return Choice("grouping sets", chosen, (other,), reason)


class _Prepared(ABC, Generic[Local]):
    """The finest grouping, consumed by `inner`, and the other sets made of it."""

    def __init__(self, plan: GroupingSets, finest: Aggregate, inner: PreparedSink[Local, Relation], run: Run) -> None:
        self._plan = plan
        self._finest = finest
        self._run = run
        self.local = inner.local
        self.consume = inner.consume

    @abstractmethod
    def _sets(self, locals: list[Local]) -> Iterator[tuple[dict[str, Column], int]]:
        """Columns and number of the groups, some sets at a time."""

    def finish(self, locals: list[Local]) -> Relation:
        pieces = list(self._sets(locals))
        lengths = [rows for _, rows in pieces]
        columns = {f.symbol: concat([piece[f.symbol] for piece, _ in pieces], lengths) for f in self._plan.fields}
        return Relation(columns, sum(lengths))

    def _expanded(self, keys: Sequence[Column], entries: int) -> Iterator[_Expanded]:
        """The groups of all sets, so many sets at a time that what they are made of stays of a bounded size."""
        plan, device = self._plan, self._run.device
        by_symbol = dict(zip(self._finest.keys, keys, strict=True))
        columns = [by_symbol[key] for key in plan.keys]
        codes = [group_rows([column], None)[::2] for column in columns] if entries else []
        sets = plan.sets if entries else tuple(one for one in plan.sets if not one)
        step = max(self._run.limits.grouped_at_once // max(entries, 1), 1)
        # Without rows only empty sets have groups, and none may: then no set at all stands for the types.
        for start in range(0, max(len(sets), 1), step):
            yield _expand(plan, columns, codes, sets[start : start + step], entries, device)


class _OverRows(_Prepared[Pieces]):
    """Every set is made of the rows."""

    def __init__(self, plan: GroupingSets, finest: Aggregate, inner: CollectedAggregation, run: Run) -> None:
        super().__init__(plan, finest, inner, run)
        self._inner = inner

    def _sets(self, locals: list[Pieces]) -> Iterator[tuple[dict[str, Column], int]]:
        keys, rest, rows = self._inner.rows(locals)
        for one in self._expanded(keys, rows):
            taken = [column.take(one.index) for column in rest]
            yield {**one.columns, **self._inner.results(taken, one.ids, one.groups)}, one.groups


class _OverStates(_Prepared[Local]):
    """Coarser sets are made of the states of the finest groups."""

    def __init__(self, plan: GroupingSets, finest: Aggregate, inner: Grouping[Local], run: Run) -> None:
        super().__init__(plan, finest, inner, run)
        self._inner = inner

    def _sets(self, locals: list[Local]) -> Iterator[tuple[dict[str, Column], int]]:
        keys, states = self._inner.groups(locals)
        for one in self._expanded(keys, states.groups):
            total = States(self._finest, one.groups, states.arguments)
            if one.index.shape[0]:
                total.merge(states.pick(one.index), one.ids)
            yield {**one.columns, **total.finish(None)}, one.groups


@dataclass(frozen=True, slots=True, eq=False)
class _Expanded:
    """Entries written once for each of some sets: entry `index` (n,) belongs to group `ids` (n,) of `groups`.

    `columns`: the keys and marks of the groups, by symbol.
    """

    index: Tensor
    ids: Tensor
    groups: int
    columns: dict[str, Column]


def _expand(
    plan: GroupingSets,
    keys: Sequence[Column],
    codes: Sequence[tuple[Tensor, int]],
    sets: tuple[tuple[int, ...], ...],
    entries: int,
    device: torch.device,
) -> _Expanded:
    chosen = [[place in one for place in range(len(keys))] for one in sets]
    present = torch.tensor(chosen, dtype=torch.bool, device=device).reshape(len(sets), len(keys))
    index = torch.arange(entries, dtype=torch.int64, device=device).repeat(len(sets))
    if entries and sets:
        ids, representatives, groups = _grouped(codes, present, entries)
        of_set, of_entry = representatives // entries, representatives % entries
    else:
        ids, groups = index, len(sets)
        of_set = of_entry = torch.arange(groups, dtype=torch.int64, device=device)
    columns: dict[str, Column] = {}
    for place, (field, key) in enumerate(zip(plan.key_fields, keys, strict=True)):
        if not entries:
            columns[field.symbol] = constant(None, field.dtype, device).expand(groups)
            continue
        taken, shown = key.take(of_entry), present[:, place].index_select(0, of_set)
        columns[field.symbol] = taken.with_valid(shown if taken.valid is None else taken.valid & shown)
    for field, places in zip(plan.mark_fields, plan.marked, strict=True):
        bits = [plan.mark(one, places) for one in sets]
        marks = torch.tensor(bits, dtype=torch.int64, device=device).index_select(0, of_set)
        columns[field.symbol] = Column(marks, BIGINT)
    return _Expanded(index, ids, groups, columns)


def _grouped(codes: Sequence[tuple[Tensor, int]], present: Tensor, entries: int) -> tuple[Tensor, Tensor, int]:
    """Group ids of (set, entry) pairs, set after set: equal where the set is, and the codes of the keys that it has."""
    sets = present.shape[0]
    number = torch.arange(sets, dtype=torch.int64, device=present.device).unsqueeze(1).expand(sets, entries)
    values, size = [number], sets
    for place, (code, codes_of_key) in enumerate(codes):
        # 0 stands for a key that the set does not have.
        digit = (code.unsqueeze(0) + 1) * present[:, place].unsqueeze(1)
        if size * (codes_of_key + 1) <= _INT64_MAX:
            values[-1] = values[-1] * (codes_of_key + 1) + digit
            size *= codes_of_key + 1
        else:
            values.append(digit)
            size = codes_of_key + 1
    if len(values) == 1:
        return group.group_ids(values[0].reshape(-1))
    return group.group_ids_multi([value.reshape(-1) for value in values])
