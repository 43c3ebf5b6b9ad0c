"""The aggregate sink.

Without keys, every worker keeps one state. Where the packed keys have a small range, states lie in arrays indexed by the
key itself and nothing is sorted or hashed. Otherwise each batch is grouped by itself (in cache; cheap where equal keys lie
together), and the groups of all batches are grouped again at the end. Aggregates that must see all rows of a group at
once (DISTINCT) collect the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol, TypeVar

import torch

from tqp.data.column import Column, Layout, empty
from tqp.data.layout import Encoding
from tqp.functions.aggregates import aggregate_of
from tqp.functions.align import concat
from tqp.ir.expr import Expr
from tqp.ir.plan import Aggregate
from tqp.ir.show import show_call
from tqp.ir.visit import expressions
from tqp.kernels.rows import select
from tqp.operators.batch import Batch
from tqp.operators.choice import Choice
from tqp.operators.collected import CollectedAggregation
from tqp.operators.instructions import Writer
from tqp.operators.keys import GroupLayout, group_rows
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, PreparedSink, Run, Sink
from tqp.operators.results import Relation
from tqp.operators.states import Arguments, States, call_layouts, write_calls

__all__ = [
    "AggregateSink",
    "DirectAggregation",
    "Grouping",
    "Groups",
    "KeylessAggregation",
    "PartialAggregation",
    "ways",
]

_WAYS: Final = ("one state", "arrays indexed by the key", "groups of each batch, merged", "rows collected")
_OTHERS: Final = {chosen: tuple([way for way in _WAYS if way != chosen]) for chosen in _WAYS}


@dataclass(frozen=True, eq=False)
class AggregateSink(Sink[Relation]):
    """Groups by the symbols of `plan.keys` and computes `plan.aggregates`.

    `source_rows` estimates the rows that arrive; arrays much larger than that do not pay.
    """

    plan: Aggregate
    source_rows: float

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        keys = {symbol: layouts.of(symbol, settled=True).grouped() for symbol in self.plan.keys}
        return keys | call_layouts(layouts, self.plan.fields, self.plan.aggregates)

    def prepare(self, run: Run, layouts: Layouts) -> Aggregation:
        plan = self.plan
        arguments = Arguments(run.evaluator, plan)
        if self._needs_rows:
            run.note(self, _choice("rows collected", "an aggregate is DISTINCT or asks for the first row"))
            return CollectedAggregation(plan, arguments, layouts)
        if not plan.keys:
            run.note(self, _choice("one state", "there are no keys"))
            return KeylessAggregation(plan, arguments)
        keys = [layouts.of(symbol, settled=True) for symbol in plan.keys]
        args = [layouts.of_expr(arg, settled=True) for arg in self._texts]
        if any(text.encoding is Encoding.CODES and text.dictionary is None for text in (*keys, *args)):
            run.note(self, _choice("rows collected", "a text column has no fixed dictionary"))
            return CollectedAggregation(plan, arguments, layouts)
        layout = GroupLayout(keys)
        limits = run.limits
        most = int(max(limits.few_groups, min(limits.direct_groups, limits.group_slots * self.source_rows)))
        if layout.size is not None and layout.size <= most:
            run.note(self, _choice("arrays indexed by the key", f"{layout.size:,} slots, {most:,} allowed"))
            return DirectAggregation(plan, arguments, layout)
        found = "the keys have no known range" if layout.size is None else f"{layout.size:,} slots would be needed"
        run.note(self, _choice("groups of each batch, merged", f"{found}, {most:,} allowed"))
        return PartialAggregation(plan, arguments, layout)

    @cached_property
    def _needs_rows(self) -> bool:
        return any(call.distinct or aggregate_of(call).picks_row for call in self.plan.aggregates)

    @cached_property
    def _texts(self) -> tuple[Expr, ...]:
        """The arguments that are text."""
        return tuple([arg for call in self.plan.aggregates for arg in call.args if arg.dtype.is_text])

    @property
    def expressions(self) -> Expressions:
        return (expressions(self.plan),)

    def write(self, writer: Writer) -> None:
        plan = self.plan
        writer.read(plan.keys)
        places = writer.values(expressions(plan))
        groups = writer.size("g") if plan.keys else 1
        writer.add("group", plan.keys, (), groups, ways(plan), source_rows=self.source_rows)
        write_calls(writer, plan.fields, plan.aggregates, places)
        symbols = (*plan.keys, *(field.symbol for field in plan.fields))
        writer.leave("collect", symbols, symbols)

    def describe(self) -> str:
        calls = ", ".join(
            f"{field.symbol} = {show_call(call)}"
            for field, call in zip(self.plan.fields, self.plan.aggregates, strict=True)
        )
        keys = ", ".join(self.plan.keys)
        return f"aggregate by {keys or 'nothing'}: {calls or 'distinct keys'}"


def ways(plan: Aggregate) -> tuple[str, ...]:
    """Among what a run chooses when it knows the keys."""
    if any(call.distinct or aggregate_of(call).picks_row for call in plan.aggregates):
        return ()
    return _WAYS[1:] if plan.keys else ()


def _choice(chosen: str, reason: str) -> Choice:
    return Choice("aggregation", chosen, _OTHERS[chosen], reason)


Groups = tuple[list[Column], States]
"""The key columns of groups, and the states of their aggregates."""

Partials = list[tuple[int, list[Column], States]]
"""What a worker grouped: (number of the batch, key columns of its groups, their states) of every batch that it consumed."""


Local = TypeVar("Local")


class Grouping(PreparedSink[Local, Relation], Protocol[Local]):
    """An aggregation that keeps states, from which coarser groupings can be made."""

    def groups(self, locals: list[Local]) -> Groups:
        """The key columns of all groups, and their states."""
        ...


class KeylessAggregation:
    """One group of all rows; a state a worker."""

    def __init__(self, plan: Aggregate, arguments: Arguments) -> None:
        self._plan = plan
        self._arguments = arguments

    def local(self) -> States:
        return States(self._plan, 1, self._arguments)

    def consume(self, local: States, batch: Batch) -> None:
        local.update(batch, None)

    def finish(self, locals: list[States]) -> Relation:
        return Relation(self.groups(locals)[1].finish(None), 1)

    def groups(self, locals: list[States]) -> Groups:
        """The key columns of all groups, and their states."""
        total = self.local()
        for local in locals:
            total.merge(local, None)
        return [], total


class DirectAggregation:
    """Groups whose packed key is the place of their state; arrays of states a worker."""

    def __init__(self, plan: Aggregate, arguments: Arguments, layout: GroupLayout) -> None:
        assert layout.size is not None
        self._plan = plan
        self._arguments = arguments
        self.layout = layout
        self.size = layout.size

    def local(self) -> States:
        return States(self._plan, self.size, self._arguments)

    def consume(self, local: States, batch: Batch) -> None:
        keys = [batch.column(symbol).expand(batch.rows) for symbol in self._plan.keys]
        local.update(batch, self.layout.encode(keys).long())

    def finish(self, locals: list[States]) -> Relation:
        total = self._total(locals)
        present = select(total.seen > 0)
        keys = dict(zip(self._plan.keys, self.layout.decode(present), strict=True))
        return Relation({**keys, **total.finish(present)}, present.shape[0])

    def groups(self, locals: list[States]) -> Groups:
        """The key columns of all groups, and their states."""
        total = self._total(locals)
        present = select(total.seen > 0)
        return list(self.layout.decode(present)), total.pick(present)

    def _total(self, locals: list[States]) -> States:
        states = [local for local in locals if local.rows]
        total = states[0] if states else self.local()
        for other in states[1:]:
            total.merge(other, None)
        return total


class PartialAggregation:
    """Each batch grouped by itself, and the groups of all batches grouped again at the end."""

    def __init__(self, plan: Aggregate, arguments: Arguments, layout: GroupLayout) -> None:
        self._plan = plan
        self._arguments = arguments
        self._layout = layout

    def local(self) -> Partials:
        return []

    def consume(self, local: Partials, batch: Batch) -> None:
        keys = [batch.column(symbol).expand(batch.rows) for symbol in self._plan.keys]
        ids, representatives, groups = group_rows(keys, self._layout)
        states = States(self._plan, groups, self._arguments)
        states.update(batch, ids)
        local.append((batch.index, [key.take(representatives) for key in keys], states))

    def finish(self, locals: list[Partials]) -> Relation:
        keys, total = self.groups(locals)
        return Relation({**dict(zip(self._plan.keys, keys, strict=True)), **total.finish(None)}, total.groups)

    def groups(self, locals: list[Partials]) -> Groups:
        """The key columns of all groups, and their states."""
        pieces = sorted((piece for local in locals for piece in local), key=lambda piece: piece[0])
        if not pieces:
            device = self._arguments.device
            return [empty(layout, device) for layout in self._layout.layouts], States(self._plan, 0, self._arguments)
        if len(pieces) == 1:
            return pieces[0][1], pieces[0][2]
        lengths = [states.groups for _, _, states in pieces]
        columns = [concat([piece[1][place] for piece in pieces], lengths) for place in range(len(self._plan.keys))]
        ids, representatives, groups = group_rows(columns, self._layout)
        total = States(self._plan, groups, self._arguments)
        for (_, _, states), own in zip(pieces, torch.split(ids, lengths), strict=True):
            total.merge(states, own)
        return [column.take(representatives) for column in columns], total


Aggregation = KeylessAggregation | DirectAggregation | PartialAggregation | CollectedAggregation
