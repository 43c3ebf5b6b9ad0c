"""Aggregates that must see all rows of a group at once: DISTINCT, the first row, text without a fixed dictionary."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from tqp.data.column import Column, constant, empty
from tqp.functions.aggregates import aggregate_of
from tqp.functions.align import concat
from tqp.ir.expr import AggregateCall
from tqp.ir.plan import Aggregate
from tqp.kernels import group, sort
from tqp.kernels.reduce import count, first
from tqp.kernels.rows import select
from tqp.operators.batch import Batch
from tqp.operators.collect import Pieces, in_order
from tqp.operators.evaluate import truth
from tqp.operators.keys import group_rows, order_keys, value_digits
from tqp.operators.layouts import Layouts
from tqp.operators.results import Relation
from tqp.operators.states import Arguments, filtered
from tqp.types import BOOLEAN

__all__ = ["CollectedAggregation", "aggregate_groups"]


class CollectedAggregation:
    """All rows in the order of the source, grouped once.

    For DISTINCT the first row of each (group, value) stands for its copies; `first` and ordered aggregates pick rows.
    """

    def __init__(self, plan: Aggregate, arguments: Arguments, layouts: Layouts) -> None:
        self._plan = plan
        self._arguments = arguments
        self._layouts = layouts

    def _columns(self, batch: Batch) -> list[Column]:
        """Keys, then for every call its arguments and its ORDER BY keys."""
        columns = [batch.column(symbol).expand(batch.rows) for symbol in self._plan.keys]
        for call, (args, passes, order) in zip(self._plan.aggregates, self._arguments.in_full(batch), strict=True):
            if passes is None:
                columns += args
            elif aggregate_of(call).picks_row:
                # The row's value may be NULL, so what its FILTER leaves out cannot be marked by NULL.
                columns += [*args, Column(truth(passes), BOOLEAN)]
            else:
                columns += filtered(args, truth(passes))
            columns += order
        return columns

    def _no_rows(self) -> list[Column]:
        """The same columns, of no rows."""
        of, of_expr = self._layouts.of, self._layouts.of_expr
        layouts = [of(symbol) for symbol in self._plan.keys]
        for call in self._plan.aggregates:
            layouts += map(of_expr, call.args)
            if call.filter is not None and aggregate_of(call).picks_row:
                layouts.append(replace(of_expr(call.filter), is_nullable=False))
            layouts += [of_expr(key.expr) for key in call.order]
        return [empty(layout, self._arguments.device) for layout in layouts]

    def local(self) -> Pieces:
        return []

    def consume(self, local: Pieces, batch: Batch) -> None:
        local.append((batch.index, batch.rows, self._columns(batch)))

    def finish(self, locals: list[Pieces]) -> Relation:
        keys, rest, rows = self.rows(locals)
        if keys:
            ids, representatives, groups = group_rows(keys, None)
        else:
            ids = torch.zeros(rows, dtype=torch.int64, device=self._arguments.device)
            representatives, groups = ids[:1], 1
        columns = {symbol: key.take(representatives) for symbol, key in zip(self._plan.keys, keys, strict=True)}
        return Relation({**columns, **self.results(rest, ids, groups)}, groups)

    def rows(self, locals: list[Pieces]) -> tuple[list[Column], list[Column], int]:
        """The key columns of all rows, the other columns that aggregates need, and the number of rows."""
        pieces = in_order(locals) or [(0, 0, self._no_rows())]
        lengths = [rows for _, rows, _ in pieces]
        places = range(len(pieces[0][2]))
        columns = [concat([piece[2][place] for piece in pieces], lengths) for place in places]
        return columns[: len(self._plan.keys)], columns[len(self._plan.keys) :], sum(lengths)

    def results(self, rest: list[Column], ids: Tensor, groups: int) -> dict[str, Column]:
        """The aggregates (groups,) by symbol of rows in groups `ids`, from the columns that `rows` gives after the keys."""
        plan = self._plan
        result: dict[str, Column] = {}
        for field, call in zip(plan.fields, plan.aggregates, strict=True):
            picks = aggregate_of(call).picks_row
            width = len(call.args) + (picks and call.filter is not None)
            args, order = tuple(rest[:width]), rest[width : width + len(call.order)]
            rest = rest[width + len(call.order) :]
            if picks:
                result[field.symbol] = self._first(call, args, order, ids, groups)
            else:
                result[field.symbol] = aggregate_groups(call, args, ids, groups, self._arguments.device)
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
    accumulator = aggregate_of(call).accumulator(call.dtype, groups, device)
    if call.distinct and args and ids.shape[0]:
        parts = [part for arg in args for part in value_digits(arg)]
        _, distinct, _ = group.group_ids_multi([ids, *parts])
        args = tuple(arg.take(distinct) for arg in args)
        ids = ids.index_select(0, distinct)
    seen = torch.zeros(groups, dtype=torch.int64, device=device)
    accumulator.update(args, ids, ids.shape[0], seen)
    return accumulator.finish(seen + count(ids, groups))
