"""Aggregates that must see all rows of a group at once: values in order, the first row, text without a fixed dictionary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import torch
from torch import Tensor

from tqp.data.column import Column, empty
from tqp.functions.aggregates import aggregate_of
from tqp.functions.aggregates.grouped import Grouped, Orders
from tqp.functions.align import concat
from tqp.functions.order import value_digits
from tqp.ir.expr import AggregateCall, Literal
from tqp.ir.plan import Aggregate
from tqp.kernels import group
from tqp.kernels.reduce import count
from tqp.kernels.rows import select
from tqp.operators.batch import Batch
from tqp.operators.collect import Pieces, in_order
from tqp.operators.evaluate import truth
from tqp.operators.keys import all_valid, group_rows, order_keys
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Run
from tqp.operators.partials import below
from tqp.operators.results import Relation
from tqp.operators.states import Arguments, filtered
from tqp.types import BOOLEAN

__all__ = ["CollectedAggregation", "Rows", "aggregate_groups"]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What a call reads of all rows at once: its arguments (n,), the keys of its ORDER BY, which rows pass its FILTER, the groups
    `ids` (n,) int64 of the rows, how many groups there are, and whether the rows of one lie after those of the other."""

    args: tuple[Column, ...]
    ids: Tensor
    groups: int
    order: tuple[Column, ...] = ()
    passes: Tensor | None = None
    in_sequence: bool = False

    def take(self, rows: Tensor) -> Rows:
        """These rows (m,) int64."""
        return self.grouped(rows, self.ids.index_select(0, rows), self.groups)

    def grouped(self, rows: Tensor, ids: Tensor, groups: int) -> Rows:
        """These rows (m,) int64, in other groups."""
        passes = None if self.passes is None else self.passes.index_select(0, rows)
        args, order = (tuple(column.take(rows) for column in columns) for columns in (self.args, self.order))
        return Rows(args, ids, groups, order, passes)


class CollectedAggregation:
    """All rows in the order of the source, grouped once.

    What is the same for several calls is sorted once. Many rows are cut into pieces of whole groups, which workers take side by
    side.
    """

    def __init__(self, plan: Aggregate, arguments: Arguments, layouts: Layouts, run: Run) -> None:
        self._plan = plan
        self._arguments = arguments
        self._layouts = layouts
        self._run = run

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
        return [empty(layout, self._arguments.device) for layout in layouts]

    def local(self) -> Pieces:
        return []

    def consume(self, local: Pieces, batch: Batch) -> None:
        local.append((batch.index, batch.rows, self._columns(batch)))

    def finish(self, locals: list[Pieces]) -> Relation:
        keys, rest, rows = self.rows(locals)
        if not keys:
            ids = torch.zeros(rows, dtype=torch.int64, device=self._arguments.device)
            return Relation(self.results(rest, ids, 1), 1)
        ids, representatives, groups = group_rows(keys, None)
        columns = {symbol: key.take(representatives) for symbol, key in zip(self._plan.keys, keys, strict=True)}
        least = self._run.limits.window_rows
        pieces = 1 if least is None else min(self._run.threads, rows // least, groups)
        found = group.cuts(ids, groups, pieces) if pieces > 1 else [0, groups]
        parts = self._run.side_by_side([partial(self._part, rest, ids, *cut, groups) for cut in pairwise(found)])
        return Relation({**columns, **below(self._run, parts).columns}, groups)

    def _part(self, rest: list[Column], ids: Tensor, first: int, last: int, groups: int) -> Relation:
        """The aggregates of the groups from `first` up to `last`."""
        if first == 0 and last == groups:
            return Relation(self.results(rest, ids, groups), groups)
        chosen = select((ids >= first) & (ids < last))
        taken = [column.take(chosen) for column in rest]
        return Relation(self.results(taken, ids.index_select(0, chosen) - first, last - first), last - first)

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
        known: dict[object, Orders] = {}
        for item, call in zip(plan.fields, plan.aggregates, strict=True):
            width = len(call.args)
            args, passes = tuple(rest[:width]), None
            if call.filter is not None:
                passes, width = rest[width].data, width + 1
            rows = Rows(args, ids, groups, tuple(rest[width : width + len(call.order)]), passes)
            rest = rest[width + len(call.order) :]
            same = _rows_of(call)
            result[item.symbol] = aggregate_groups(call, rows, self._arguments.device, known.setdefault(same, {}))
        return result


def _rows_of(call: AggregateCall) -> object:
    """Equal for calls that the same rows take part in, in the same order: constants leave none out, but for NULL."""
    nulls = aggregate_of(call).keeps_nulls
    others = [arg for arg in call.args[1:] if not isinstance(arg, Literal) or arg == Literal(None, arg.dtype)]
    return call.args[:1], nulls, () if nulls else tuple(others), call.filter, call.distinct, call.order


def aggregate_groups(call: AggregateCall, rows: Rows, device: torch.device, known: Orders | None = None) -> Column:
    """The call (groups,) over all rows at once. `known`: orders of these rows by the same argument, if some may be there."""
    function = aggregate_of(call)
    if function.collect is not None:
        in_sequence = rows.in_sequence and not call.distinct
        rows = _taking_part(rows, function.keeps_nulls)
        if call.distinct:
            rows = _distinct(rows)
        keys = [part for key, spec in zip(rows.order, call.order, strict=True) for part in order_keys(key, spec)]
        return function.collect(
            Grouped(rows.args, rows.ids, rows.groups, call.dtype, keys, {} if known is None else known, in_sequence)
        )
    if rows.passes is not None:
        rows = replace(rows, args=filtered(rows.args, rows.passes))
    if call.distinct and rows.args:
        rows = _distinct(rows)
    accumulator = function.states(call.dtype, rows.groups, device)
    seen = torch.zeros(rows.groups, dtype=torch.int64, device=device)
    accumulator.update(rows.args, rows.ids, rows.ids.shape[0], seen)
    return accumulator.finish(seen + count(rows.ids, rows.groups))


def _taking_part(rows: Rows, keeps_nulls: bool) -> Rows:
    """The rows that pass the FILTER and, unless NULLs are kept, have no NULL argument."""
    mask = rows.passes
    valid = None if keeps_nulls else all_valid(rows.args)
    if valid is not None:
        mask = valid if mask is None else mask & valid
    if mask is None:
        return rows
    taken = rows.take(select(mask))
    return taken if keeps_nulls else replace(taken, args=tuple(arg.with_valid(None) for arg in taken.args))


def _distinct(rows: Rows) -> Rows:
    """The first row of each group with the same arguments."""
    if not rows.ids.shape[0]:
        return rows
    _, firsts, _ = group.group_ids_multi([rows.ids, *_digits(rows.args)])
    return rows.take(firsts)


def _digits(columns: Iterable[Column]) -> list[Tensor]:
    return [part for column in columns for part in value_digits(column)]
