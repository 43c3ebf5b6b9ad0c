"""Aggregates that must see all rows of a group at once: values in order, the first row, text without a fixed dictionary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

import torch
from torch import Tensor

from tqp.data.column import Column, Layout, empty
from tqp.functions.aggregates import aggregate_of
from tqp.functions.aggregates.grouped import Grouped, Orders
from tqp.functions.align import concat
from tqp.ir.expr import AggregateCall, Literal
from tqp.ir.plan import Aggregate
from tqp.kernels import group
from tqp.kernels.reduce import count
from tqp.kernels.rows import select
from tqp.operators.batch import Batch
from tqp.operators.called import Rows, distinct_rows, rows_of_calls, rows_taking_part, taking_part
from tqp.operators.collect import Pieces, in_order
from tqp.operators.enough import COUNTED, Enough
from tqp.operators.evaluate import truth
from tqp.operators.failing import Failing
from tqp.operators.keys import group_rows, order_keys
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Run
from tqp.operators.partials import below
from tqp.operators.results import Relation
from tqp.operators.states import Arguments, filtered
from tqp.types import BIGINT, BOOLEAN

__all__ = ["Collected", "CollectedAggregation", "aggregate_groups"]


@dataclass(slots=True, eq=False)
class Collected:
    """What a worker collected, and what it keeps of batches."""

    enough: Enough
    pieces: Pieces = field(default_factory=list)


class CollectedAggregation:
    """All rows in the order of the source, or those that are enough (`way`, see `enough`), grouped once.

    What is the same for several calls is sorted once. Many rows are cut into pieces of whole groups, which workers take side by
    side.
    """

    def __init__(self, plan: Aggregate, arguments: Arguments, layouts: Layouts, run: Run, way: str) -> None:
        self._plan = plan
        self._arguments = arguments
        self._layouts = layouts
        self._run = run
        self._way = way
        self._counts = way is COUNTED

    def _columns(self, batch: Batch) -> list[Column]:
        """Keys, then for every call its arguments, whether a row passes its FILTER if it has one, and its ORDER BY keys."""
        columns = [batch.column(symbol).expand(batch.rows) for symbol in self._plan.keys]
        for args, passes, order in self._arguments.in_full(batch):
            columns += args
            if passes is not None:
                columns.append(Column(truth(passes), BOOLEAN))
            columns += order
        return columns

    def _no_rows(self) -> list[Column]:
        """The same columns, of no rows."""
        of, of_expr = self._layouts.of, self._layouts.of_expr
        layouts = [of(symbol) for symbol in self._plan.keys]
        for call in self._plan.aggregates:
            layouts += map(of_expr, call.args)
            if call.filter is not None:
                layouts.append(replace(of_expr(call.filter), is_nullable=False))
            layouts += [of_expr(key.expr) for key in call.order]
        if self._counts:
            layouts.append(Layout.of_type(BIGINT))
        return [empty(layout, self._arguments.device) for layout in layouts]

    def local(self) -> Collected:
        return Collected(Enough(self._way, self._plan.aggregates, self._run.limits))

    def consume(self, local: Collected, batch: Batch) -> None:
        columns = self._columns(batch)
        keys = len(self._plan.keys)
        kept, times = local.enough.rows(columns[:keys], columns[keys:], batch.rows)
        rows = batch.rows
        if kept is not None:
            rows, columns = kept.shape[0], [column.take(kept) for column in columns]
        if self._counts:
            one = torch.ones((), dtype=torch.int64, device=self._arguments.device)
            columns.append(Column(one.expand(rows) if times is None else times, BIGINT))
        local.pieces.append((batch.index, rows, columns))

    def finish(self, locals: list[Collected]) -> Relation:
        keys, rest, rows = self.rows(locals)
        ids, representatives, groups = self.grouped(keys, rows)
        columns = {symbol: key.take(representatives) for symbol, key in zip(self._plan.keys, keys, strict=True)}
        parts = self._run.side_by_side(self.tasks(rest, ids, groups))
        return Relation({**columns, **below(self._run, parts).columns}, groups)

    def grouped(self, keys: Sequence[Column], rows: int) -> tuple[Tensor, Tensor, int]:
        """Group ids (rows,) by some keys, the first row of each group, the number of groups; without keys one group of all rows."""
        if keys:
            return group_rows(keys, None)
        one = torch.zeros(1, dtype=torch.int64, device=self._arguments.device)
        return one.expand(rows), one, 1

    def tasks(self, rest: list[Column], ids: Tensor, groups: int) -> list[Callable[[], Relation]]:
        """What gives `results` for some of the groups each, one below the other: several of many rows, so that workers may share
        them."""
        least, rows = self._run.limits.window_rows, ids.shape[0]
        pieces = 1 if least is None else min(self._run.threads, rows // least, groups)
        found = group.cuts(ids, groups, pieces) if pieces > 1 else [0, groups]
        return [partial(self._part, rest, ids, *cut, groups) for cut in pairwise(found)]

    def _part(self, rest: list[Column], ids: Tensor, first: int, last: int, groups: int) -> Relation:
        """The aggregates of the groups from `first` up to `last`."""
        if first == 0 and last == groups:
            return Relation(self.results(rest, ids, groups), groups)
        mask = ids < last
        if first:
            mask = ids >= first if last == groups else mask & (ids >= first)
        chosen = select(mask)
        taken = [column.take(chosen) for column in rest]
        own = ids.index_select(0, chosen)
        return Relation(self.results(taken, own.sub_(first) if first else own, last - first), last - first)

    def rows(self, locals: list[Collected]) -> tuple[list[Column], list[Column], int]:
        """The key columns of all rows that were kept, the other columns that aggregates need, and the number of rows."""
        pieces = in_order([local.pieces for local in locals]) or [(0, 0, self._no_rows())]
        lengths = [rows for _, rows, _ in pieces]
        places = range(len(pieces[0][2]))
        columns = [concat([piece[2][place] for piece in pieces], lengths) for place in places]
        return columns[: len(self._plan.keys)], columns[len(self._plan.keys) :], sum(lengths)

    def results(self, rest: list[Column], ids: Tensor, groups: int) -> dict[str, Column]:
        """The aggregates (groups,) by symbol of rows in groups `ids`, from the columns that `rows` gives after the keys."""
        plan = self._plan
        result: dict[str, Column] = {}
        known: dict[object, Orders] = {}
        times = rest[-1].data if self._counts else None
        called = rows_of_calls(plan.aggregates, rest, ids, groups, times)
        for item, (call, rows) in zip(plan.fields, called, strict=True):
            same = _rows_of(call)
            result[item.symbol] = aggregate_groups(call, rows, self._arguments.device, known.setdefault(same, {}))
        return result


def _rows_of(call: AggregateCall) -> object:
    """Equal for calls that the same rows take part in, in the same order: constants leave none out, except for NULL."""
    nulls = aggregate_of(call).keeps_nulls
    others = [arg for arg in call.args[1:] if not isinstance(arg, Literal) or arg == Literal(None, arg.dtype)]
    return call.args[:1], nulls, () if nulls else tuple(others), call.filter, call.distinct, call.order


def aggregate_groups(call: AggregateCall, rows: Rows, device: torch.device, known: Orders | None = None) -> Column:
    """The call (groups,) over all rows at once. `known`: orders of these rows by the same argument, if some may be there."""
    with Failing(call):
        return _of_groups(call, rows, device, {} if known is None else known)


def _of_groups(call: AggregateCall, rows: Rows, device: torch.device, known: Orders) -> Column:
    function = aggregate_of(call)
    if function.collect is not None:
        in_sequence = rows.in_sequence and not call.distinct
        chosen = rows_taking_part(rows, function.keeps_nulls)
        rows = taking_part(rows, function.keeps_nulls, chosen)
        if call.distinct:
            rows = rows.take(distinct_rows(rows))
        keys = [part for key, spec in zip(rows.order, call.order, strict=True) for part in order_keys(key, spec)]
        return function.collect(
            Grouped(
                rows.args,
                rows.ids,
                rows.groups,
                call.dtype,
                keys,
                known,
                in_sequence,
                rows.times,
            )
        )
    if rows.passes is not None:
        rows = replace(rows, args=filtered(rows.args, rows.passes))
    if call.distinct and rows.args:
        rows = rows.take(distinct_rows(rows))
    accumulator = function.states(call.dtype, rows.groups, device)
    seen = torch.zeros(rows.groups, dtype=torch.int64, device=device)
    accumulator.update(rows.args, rows.ids, rows.ids.shape[0], seen)
    return accumulator.finish(seen + count(rows.ids, rows.groups))
