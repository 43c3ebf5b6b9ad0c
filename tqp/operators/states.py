"""What aggregates remember of each group while rows arrive."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from tqp.data.column import Column, Layout
from tqp.functions.aggregates import Accumulator, aggregate_of
from tqp.functions.aggregates.sums import Average, Sum
from tqp.interrupt import checkpoint
from tqp.ir.expr import AggregateCall, SortKey
from tqp.ir.plan import Aggregate, Schema
from tqp.ir.visit import call_expressions, expressions
from tqp.kernels.reduce import add_at_, count
from tqp.operators.batch import Batch
from tqp.operators.evaluate import Evaluator, truth
from tqp.operators.failing import Failing
from tqp.operators.instructions import Place, Writer
from tqp.operators.layouts import Layouts

__all__ = [
    "Arguments",
    "Groups",
    "States",
    "call_facts",
    "call_layout",
    "call_layouts",
    "filtered",
    "orders",
    "write_calls",
]


class States:
    """The accumulators of all aggregates for a number of groups, and how many rows each group has.

    `arguments` are those of the plan's aggregates.
    """

    def __init__(self, plan: Aggregate, groups: int, arguments: Arguments) -> None:
        self.plan = plan
        self.arguments = arguments
        self.groups = groups
        self.rows = 0
        self.device = device = arguments.device
        self.seen = torch.zeros(groups, dtype=torch.int64, device=device)
        self.accumulators: list[Accumulator] = [make.states(dtype, groups, device) for make, dtype in arguments.makers]
        for place, summed in arguments.shared.items():
            average, total = self.accumulators[place], self.accumulators[summed]
            assert isinstance(average, Average) and isinstance(total, Sum)
            average.share(plan.aggregates[place].args[0].dtype, total)
        self.states = [self.accumulators[place] for place in arguments.own]

    def update(self, batch: Batch, ids: Tensor | None) -> None:
        """Add the rows of a batch, row i to the group ids[i] ((rows,) integers; None: there is one group)."""
        for args, accumulator, call in zip(
            self.arguments.filtered(batch), self.states, self.arguments.calls, strict=True
        ):
            checkpoint()
            with Failing(call):
                accumulator.update(args, ids, batch.rows, self.seen)
        self.rows += batch.rows
        if ids is None:
            self.seen += batch.rows
        else:
            self.seen += count(ids, self.groups)

    def merge(self, other: States, ids: Tensor | None) -> None:
        for mine, theirs, call in zip(self.states, other.states, self.arguments.calls, strict=True):
            checkpoint()
            with Failing(call):
                mine.merge(theirs, ids, self.seen, other.seen)
        self.rows += other.rows
        if ids is None:
            self.seen += other.seen
        else:
            add_at_(self.seen, ids, other.seen)

    def pick(self, rows: Tensor) -> States:
        """The states of the groups `rows` as states of their own; one may come many times."""
        picked = States(self.plan, rows.shape[0], self.arguments)
        for mine, theirs in zip(picked.states, self.states, strict=True):
            mine.pick(theirs, rows)
        picked.seen, picked.rows = self.seen.index_select(0, rows), self.rows
        return picked

    def finish(self, rows: Tensor | None) -> dict[str, Column]:
        """Result columns by symbol, of the groups `rows` or all."""
        columns = {}
        checkpoint()
        for field, accumulator, call in zip(self.plan.fields, self.accumulators, self.plan.aggregates, strict=True):
            with Failing(call):
                column = accumulator.finish(self.seen)
            columns[field.symbol] = column if rows is None else column.take(rows)
        return columns


Groups = tuple[list[Column], States]
"""The key columns of groups, and the states of their aggregates."""


class Arguments:
    """The columns (n,) that the aggregates of a plan read of a batch; what several of them read is computed once.

    `makers` make the accumulators of the plan's aggregates, each with its type. `shared`: the place of an average whose sum is
    that of the aggregate at another place. `own`: the places of the others, which take rows; `calls` are these.
    """

    def __init__(self, evaluator: Evaluator, plan: Aggregate) -> None:
        self.device = evaluator.device
        self.columns = evaluator.rows(expressions(plan))
        """All of them: of each call the arguments, its FILTER if it has one, the keys of its ORDER BY."""
        self._places: list[tuple[slice, int | None, slice]] = []
        start = 0
        for call in plan.aggregates:
            stop = start + len(call.args)
            keys = stop + (call.filter is not None)
            end = keys + len(call.order)
            self._places.append((slice(start, stop), stop if keys > stop else None, slice(keys, end)))
            start = end
        self.makers = [(aggregate_of(call), call.dtype) for call in plan.aggregates]
        self.shared = _shared([make.accumulator for make, _ in self.makers], plan.aggregates)
        self.own = [place for place in range(len(self.makers)) if place not in self.shared]
        self.calls = [plan.aggregates[place] for place in self.own]

    def filtered(self, batch: Batch) -> list[tuple[Column, ...]]:
        """The arguments of the calls that take rows; rows that a FILTER leaves out are NULL."""
        columns = self.columns(batch)
        found: list[tuple[Column, ...]] = []
        for place in self.own:
            args, passes, _ = self._places[place]
            chosen_args = tuple(columns[args])
            found.append(chosen_args if passes is None else filtered(chosen_args, truth(columns[passes])))
        return found

    def in_full(self, batch: Batch) -> list[tuple[list[Column], Column | None, list[Column]]]:
        """Of each call its arguments, its FILTER if it has one, and the keys of its ORDER BY."""
        columns = self.columns(batch)
        return [
            (columns[args], None if passes is None else columns[passes], columns[order])
            for args, passes, order in self._places
        ]


def _shared(makers: Sequence[object], calls: Sequence[AggregateCall]) -> dict[int, int]:
    """Of each average the place of the sum of the same argument, where there is one."""
    averages = [place for place, make in enumerate(makers) if make is Average]
    if not averages:
        return {}
    sums: dict[object, int] = {}
    for place, (make, call) in enumerate(zip(makers, calls, strict=True)):
        if make is Sum:
            sums.setdefault((call.args, call.filter), place)
    keys = {place: (calls[place].args, calls[place].filter) for place in averages}
    return {place: sums[key] for place, key in keys.items() if key in sums}


def filtered(args: Iterable[Column], passed: Tensor) -> tuple[Column, ...]:
    """Arguments (n,) that are NULL where `passed` (n,) bool is false."""
    return tuple(arg.with_valid(passed if arg.valid is None else arg.valid & passed) for arg in args)


def write_calls(writer: Writer, fields: Schema, calls: Sequence[AggregateCall], places: Sequence[Place]) -> None:
    """The calls of an aggregation as data; `places` are those of its expressions."""
    rest = iter(places)
    for field, call in zip(fields, calls, strict=True):
        inputs = [next(rest) for _ in call_expressions(call)]
        writer.add(call.function, inputs, (field.symbol,), facts=call_facts(call))


def call_layouts(layouts: Layouts, fields: Schema, calls: Sequence[AggregateCall]) -> dict[str, Layout]:
    """The layouts of the results of aggregates, by symbol."""
    return {item.symbol: call_layout(layouts, call) for item, call in zip(fields, calls, strict=True)}


def call_layout(layouts: Layouts, call: AggregateCall) -> Layout:
    """The layout of an aggregate's results: that of its argument where it is one of its values, else what its type has room for."""
    function = aggregate_of(call)
    if function.passes_on:
        return layouts.of_expr(call.args[0]).picked()
    return replace(Layout.of_type(call.dtype), is_nullable=function.empty is None)


def call_facts(call: AggregateCall) -> dict[str, object]:
    """What an aggregate is told beside its arguments. Those come first among its inputs, then its FILTER, then its ORDER BY."""
    facts: dict[str, object] = {"type": call.type}
    if call.distinct:
        facts["distinct"] = True
    if call.filter is not None:
        facts["filtered"] = True
    if call.order:
        facts["orders"] = orders(call.order)
    return facts


def orders(keys: Sequence[SortKey]) -> tuple[tuple[bool, bool], ...]:
    """Of each key whether it descends, and whether NULLs come first."""
    return tuple([(key.descending, key.nulls_first) for key in keys])
