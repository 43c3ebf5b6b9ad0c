"""The sink of a PIVOT: rows of a group side by side, by the places that they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from tqp.data.column import Column, Layout
from tqp.functions.align import concat
from tqp.ir.plan import Pivot
from tqp.kernels.rows import select
from tqp.operators.batch import Batch
from tqp.operators.collect import Gathered, Pieces, whole
from tqp.operators.instructions import Writer
from tqp.operators.keys import group_rows
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, Run, Sink
from tqp.operators.results import Relation

__all__ = ["PivotSink"]


@dataclass(frozen=True, eq=False)
class PivotSink(Sink[Relation]):
    """Collects what the plan reads of its input, and leaves its rows.

    All cells are taken at once, place by place, so that a field is a range of them: a column more costs some microseconds.
    """

    plan: Pivot

    @property
    def expressions(self) -> Expressions:
        return (self.plan.fills,) if self.plan.fills else ()

    @property
    def _symbols(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.plan.keys, self.plan.place, *self.plan.values)))

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        plan = self.plan
        found = dict(whole(layouts, plan.keys))
        values = whole(layouts, plan.values)
        cells = [
            Layout.together([values[value], layouts.of_expr(fill).whole()])
            for value, fill in zip(plan.values, plan.fills, strict=True)
        ]
        found.update({field.symbol: cells[number] for field, (_, number) in zip(plan.fields, plan.cells, strict=True)})
        return found

    def prepare(self, run: Run, layouts: Layouts) -> _Pivot:
        return _Pivot(self.plan, self._symbols, run, layouts)

    def write(self, writer: Writer) -> None:
        plan = self.plan
        made = tuple(field.symbol for field in plan.schema)
        inputs = (*writer.values(plan.fills), *writer.read(self._symbols))
        facts = {"keys": plan.keys, "place": plan.place, "values": plan.values, "cells": plan.cells}
        writer.add("pivot", inputs, made, writer.size(), facts=facts)
        writer.leave("collect", made, made)

    def describe(self) -> str:
        return f"pivot {', '.join(self.plan.values)} by {self.plan.place}, {len(self.plan.fields):,} columns"


class _Pivot(Gathered):
    def __init__(self, plan: Pivot, symbols: tuple[str, ...], run: Run, layouts: Layouts) -> None:
        super().__init__(symbols, run, layouts)
        self._plan = plan
        self._fill = run.evaluator.rows(plan.fills) if plan.fills else None

    def finish(self, locals: list[Pieces]) -> Relation:
        plan, given = self._plan, self.relation(locals)
        keys = [given.columns[key] for key in plan.keys]
        groups, ids = 1, torch.zeros(given.rows, dtype=torch.int64, device=self._device)
        columns: dict[str, Column] = {}
        if plan.keys:
            groups = 0
            if given.rows:
                ids, firsts, groups = group_rows(keys, None)
                keys = [column.take(firsts) for column in keys]
            columns = dict(zip(plan.keys, keys, strict=True))
        places = sorted({place for place, _ in plan.cells})
        rows = self._rows_of_cells(given.columns[plan.place], ids.long(), groups, places, given.rows)
        starts = {place: at * groups for at, place in enumerate(places)}
        cells = self._cells(given, rows)
        for field, (place, number) in zip(plan.fields, plan.cells, strict=True):
            columns[field.symbol] = cells[number].slice(starts[place], starts[place] + groups)
        return Relation(columns, groups)

    def _rows_of_cells(self, place: Column, ids: Tensor, groups: int, places: Sequence[int], rows: int) -> Tensor:
        """The row of each cell, place by place and in it group by group; where there is none the number behind the last row."""
        found = torch.full((len(places) * groups,), rows, dtype=torch.int64, device=self._device)
        if not rows or not places:
            return found
        # The last is for the places of no cell.
        order = torch.full((places[-1] + 2,), -1, dtype=torch.int64, device=self._device)
        order[torch.tensor(places, dtype=torch.int64, device=self._device)] = torch.arange(
            len(places), dtype=torch.int64, device=self._device
        )
        at = order.index_select(0, place.data.long().clamp(max=places[-1] + 1))
        known = at >= 0 if place.valid is None else (at >= 0) & place.valid
        chosen = select(known)
        cells = at.index_select(0, chosen) * groups + ids.index_select(0, chosen)
        return found.index_copy_(0, cells, chosen.long())

    def _cells(self, given: Relation, rows: Tensor) -> list[Column]:
        """Of each value the cells of all places."""
        if self._fill is None:
            return []
        fills = self._fill(Batch({}, 1))
        values = [given.columns[value] for value in self._plan.values]
        pairs = zip(values, fills, strict=True)
        return [concat([value, fill.expand(1)], [given.rows, 1]).take(rows) for value, fill in pairs]
