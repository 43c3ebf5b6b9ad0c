"""The aggregate sink.

Without keys, every worker keeps one state. Where the packed keys have a small range, states lie in arrays indexed by the
key itself and nothing is sorted or hashed (`slots`). Otherwise each batch is grouped by itself, and the groups of all batches are
grouped again at the end (`partials`). Of the values of DISTINCT aggregates copies are left out batch by batch (`distinct`).
Aggregates that must see all rows of a group at once, as the first row of all, collect the rows (`collected`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol, TypeVar

from tqp.data.column import Layout
from tqp.data.layout import Encoding
from tqp.functions.aggregates import aggregate_of
from tqp.ir.expr import Expr
from tqp.ir.plan import Aggregate
from tqp.ir.show import show_call
from tqp.ir.visit import expressions
from tqp.operators.choice import Choice
from tqp.operators.collected import CollectedAggregation
from tqp.operators.distinct import PAIRS, DistinctAggregation, apart
from tqp.operators.enough import way_of
from tqp.operators.instructions import Writer
from tqp.operators.keys import GroupLayout
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, Operator, PreparedSink, Run, Sink
from tqp.operators.partials import PartialAggregation
from tqp.operators.records import RecordGroups
from tqp.operators.results import Relation
from tqp.operators.sequenced import SEQUENCED, SequencedAggregation, may_be_sequenced, sequenced_slots
from tqp.operators.slots import DirectAggregation, KeylessAggregation, most_slots
from tqp.operators.states import Arguments, Groups, call_layouts, write_calls

__all__ = ["AggregateSink", "Grouping", "ways"]

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
        layouts.expect(self.source_rows)
        keys = {symbol: layouts.of(symbol, settled=True).grouped() for symbol in self.plan.keys}
        return keys | call_layouts(layouts, self.plan.fields, self.plan.aggregates)

    def prepare(self, run: Run, layouts: Layouts) -> Aggregation:
        plan = self.plan
        unmerged = self.unmerged(layouts)
        if unmerged is not None:
            collected = self.collected(run, layouts, unmerged)
            return self._sequenced(run, layouts, unmerged, collected) or collected
        if not any(call.distinct for call in plan.aggregates):
            return self.merging(run, layouts, plan)
        inner = self.merging(run, layouts, apart(plan), divides=False)
        most = int(max(run.limits.few_groups, min(run.limits.bitmap_keys, run.limits.marked_slots * self.source_rows)))
        made = DistinctAggregation(
            plan, Arguments(run.evaluator, plan), layouts, run, inner, most, self.source_rows, self
        )
        others = tuple([way for way in PAIRS if way != made.ways])
        reason = f"up to {most:,} pairs of a group and a value are marked"
        run.note(self, *run.notes(self), Choice("distinct values", made.ways, others, reason))
        return made

    def unmerged(self, layouts: Layouts) -> str | None:
        """Why the states of batches cannot be merged, if so."""
        layouts.expect(self.source_rows)
        if any(aggregate_of(call).collect is not None for call in self.plan.aggregates):
            return "an aggregate asks for all rows of a group at once"
        keys = [layouts.of(symbol, settled=True) for symbol in self.plan.keys]
        args = [layouts.of_expr(arg, settled=True) for arg in self._texts]
        if any(text.encoding is Encoding.CODES and text.dictionary is None for text in (*keys, *args)):
            return "a text column has no fixed dictionary"
        return None

    def collected(self, run: Run, layouts: Layouts, reason: str) -> CollectedAggregation:
        """The way that collects all rows."""
        way = way_of(self.plan.aggregates)
        run.note(self, _choice("rows collected", f"{reason}; {way}"))
        return CollectedAggregation(self.plan, Arguments(run.evaluator, self.plan), layouts, run, way)

    def _sequenced(
        self, run: Run, layouts: Layouts, reason: str, otherwise: CollectedAggregation
    ) -> SequencedAggregation | None:
        """The way that puts rows in order batch by batch, where calls and keys allow it."""
        plan = self.plan
        if not (plan.keys and may_be_sequenced(plan.aggregates)):
            return None
        layout = GroupLayout([layouts.of(symbol, settled=True) for symbol in plan.keys])
        if layout.size is None or layout.size > sequenced_slots(run.limits, self.source_rows):
            return None
        run.note(self, _choice("rows collected", f"{reason}; {SEQUENCED}"))
        return SequencedAggregation(plan, Arguments(run.evaluator, plan), layout, run, otherwise)

    def merging(
        self, run: Run, layouts: Layouts, plan: Aggregate, owner: Operator | None = None, divides: bool = True
    ) -> KeylessAggregation | DirectAggregation | PartialAggregation:
        """An aggregation whose states merge, of the sink `owner`; `divides`: rows of many keys may be divided by them."""
        arguments = Arguments(run.evaluator, plan)
        if not plan.keys:
            run.note(self, _choice("one state", "there are no keys"))
            return KeylessAggregation(plan, arguments)
        layout = GroupLayout([layouts.of(symbol, settled=True) for symbol in plan.keys])
        most = most_slots(run.limits, self.source_rows)
        if layout.size is not None and layout.size <= most:
            run.note(self, _choice("arrays indexed by the key", f"{layout.size:,} slots, {most:,} allowed"))
            return DirectAggregation(plan, arguments, layout)
        found = "the keys have no known range" if layout.size is None else f"{layout.size:,} slots would be needed"
        run.note(self, _choice("groups of each batch, merged", f"{found}, {most:,} allowed"))
        records = RecordGroups.of(plan, arguments, layout, layouts, run, self.source_rows) if divides else None
        return PartialAggregation(plan, arguments, layout, run, owner or self, records)

    @cached_property
    def _texts(self) -> tuple[Expr, ...]:
        return _texts(self.plan)

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


def _texts(plan: Aggregate) -> tuple[Expr, ...]:
    """The arguments that are text."""
    return tuple([arg for call in plan.aggregates for arg in call.args if arg.dtype.is_coded])


def ways(plan: Aggregate) -> tuple[str, ...]:
    """Among what a run chooses when it knows the keys."""
    if any(aggregate_of(call).collect is not None for call in plan.aggregates):
        return ()
    of_groups = _WAYS[1:] if plan.keys else ()
    if not any(call.distinct for call in plan.aggregates):
        return of_groups
    of_all = (_WAYS[0], _WAYS[-1]) if _texts(plan) else _WAYS[:1]
    return (*(of_groups or of_all), *PAIRS)


def _choice(chosen: str, reason: str) -> Choice:
    return Choice("aggregation", chosen, _OTHERS[chosen], reason)


Local = TypeVar("Local")


class Grouping(PreparedSink[Local, Relation], Protocol[Local]):
    """An aggregation that keeps states, from which coarser groupings can be made."""

    def groups(self, locals: list[Local]) -> list[Groups]:
        """The key columns of all groups, and their states, in parts that have no group in common."""
        ...


Aggregation = (
    KeylessAggregation
    | DirectAggregation
    | PartialAggregation
    | DistinctAggregation
    | CollectedAggregation
    | SequencedAggregation
)
