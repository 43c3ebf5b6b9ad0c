"""Filter, project and aggregate of a pipeline on whole columns: a straight-line function, which can be compiled.

Masks instead of compaction, one masked reduction a group and aggregate. Sums run block by block, so that those of small
numbers stay in 32 bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column, Layout
from tqp.data.layout import Encoding
from tqp.functions.aggregates import Totals, aggregate_of
from tqp.functions.aggregates.counts import Count
from tqp.functions.aggregates.extremes import Extreme
from tqp.functions.aggregates.moments import Spread
from tqp.functions.aggregates.sums import Average, Sum
from tqp.kernels.operation import NotTraceable
from tqp.kernels.reduce import carried
from tqp.operators.batch import Batch
from tqp.operators.evaluate import Evaluator, truth
from tqp.operators.filter import FilterStage, ProjectStage
from tqp.operators.grouping_sets import rows_by
from tqp.operators.slots import DirectAggregation, KeylessAggregation
from tqp.operators.states import Arguments, States
from tqp.physical.pipeline import Pipeline
from tqp.runtime.sides import Side

__all__ = ["FewGroups", "Masked", "Shape", "Values", "extreme_layout", "size_of"]

_INT64_MAX: Final = 2**63 - 1

FewGroups = KeylessAggregation | DirectAggregation
"""The aggregations of which all groups are known ahead."""


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Of the rows of a batch: which pass each filter and join, their keys, and the arguments of each aggregate; all (n,).

    Rows that do not pass a mask count no more: what later masks and the rest say of them is nothing.
    """

    masks: list[Tensor]
    keys: list[Column]
    args: list[tuple[Column, ...]]


class Masked:
    """The pipeline's computation on a whole batch with masks in place of row choices.

    Blocks of so many rows are summed by themselves. `sides` are what the stages that join look rows up in, in their order.
    """

    def __init__(
        self, pipeline: Pipeline, eager: FewGroups, evaluator: Evaluator, block: int, sides: Iterable[Side] = ()
    ) -> None:
        plan = rows_by(pipeline.sink)
        assert plan is not None
        self._stages = pipeline.stages
        self._sides = list(sides)
        self._plan = plan
        self._arguments = Arguments(evaluator, self._plan)
        self._layout = eager.layout if isinstance(eager, DirectAggregation) else None
        self._groups = eager.size if isinstance(eager, DirectAggregation) else 1
        self._evaluator = evaluator
        self._block = block

    @property
    def own(self) -> Sequence[int]:
        """The places of the aggregates that have states of their own, in the order of `Values.args`."""
        return self._arguments.own

    def values(self, columns: Mapping[str, Column], rows: int) -> Values:
        """All that is computed row by row."""
        batch = Batch.of(columns, rows)
        masks: list[Tensor] = []
        sides = iter(self._sides)
        for stage in self._stages:
            if isinstance(stage, ProjectStage):
                batch = batch.define(stage.definitions(self._evaluator))
            elif isinstance(stage, FilterStage):
                masks += [truth(self._evaluator.evaluate(one, batch)).expand(rows) for one in stage.conditions]
            else:
                batch, found = next(sides).passed(batch, self._evaluator)
                masks += found
        keys = [batch.column(symbol).expand(rows) for symbol in self._plan.keys]
        return Values(masks, keys, self._arguments.filtered(batch))

    def partials(self, columns: Mapping[str, Column], rows: int) -> tuple[list[Tensor], Shape]:
        """(groups,) each: the rows of every group; then, an aggregate after the other, counts if NULLs are about, and sums."""
        values = self.values(columns, rows)
        masks = values.masks or [torch.ones(rows, dtype=torch.bool, device=self._evaluator.device)]
        members = [reduce(and_, masks)]
        if self._layout is not None:
            codes = self._layout.encode(values.keys).to(torch.int32)
            members = [members[0] & (codes == number) for number in range(self._groups)]
        results = [self._sums(members, 1)]
        shape = Shape()
        for place, args in zip(self._arguments.own, values.args, strict=True):
            nullable, limit = False, 0
            if args:
                (column,) = args
                chosen = members
                if column.valid is not None:
                    nullable = True
                    chosen = [member & column.valid for member in members]
                    results.append(self._sums(chosen, 1))
                if aggregate_of(self._plan.aggregates[place]).totals is Totals.SUMS:
                    size = size_of(column, rows)
                    limit = 0 if size is None else size * rows
                    # Once, ahead of the masks: else every masked reduction would convert for itself.
                    widened = column.data.to(self._sum_dtype(size))
                    results.append(self._sums([torch.where(member, widened, 0) for member in chosen], size))
            shape.add(nullable, limit)
        return results, shape

    def _sum_dtype(self, size: int | None) -> torch.dtype:
        """The dtype in which a block of values of that magnitude is summed; None: of floats."""
        if size is None:
            return torch.float64
        return torch.int32 if size * self._block < 2**31 else torch.int64

    def _sums(self, members: Sequence[Tensor], size: int | None) -> Tensor:
        """Sums (groups,) of the values (n,) of each group, 0 for other rows; block by block."""
        dtype = self._sum_dtype(size)
        sums = [member.view(-1, self._block).sum(1, dtype=dtype) for member in members]
        return torch.stack([part.to(torch.float64 if size is None else torch.int64) for part in sums]).sum(1)


class Shape:
    """What the partial results of a batch are, an aggregate after the other."""

    def __init__(self) -> None:
        self._parts: list[tuple[bool, int, Layout | None, int]] = []

    def add(self, nullable: bool, limit: int, layout: Layout | None = None, sums: int = 1) -> None:
        """One more aggregate: whether its values are counted; the largest magnitude that its sum may have, or the layout of values
        of which it keeps one; of how many results it is made beside the count."""
        self._parts.append((nullable, limit, layout, sums))

    def put(self, states: States, results: Sequence[Tensor], rows: int) -> None:
        """Let fresh states be what the partial results of one batch stand for."""
        parts = iter(results)
        states.seen = next(parts)
        states.rows = rows
        for place, accumulator, part in zip(states.arguments.own, states.states, self._parts, strict=True):
            nullable, limit, layout, sums = part
            count = next(parts) if nullable else None
            if isinstance(accumulator, Extreme) and layout is not None:
                accumulator.put(next(parts), count, layout)
            elif isinstance(accumulator, Average | Sum):
                # Two are of the low 32 bits and of the rest.
                total = next(parts) if sums == 1 else carried([next(parts), next(parts)])[0]
                if isinstance(accumulator, Sum):
                    accumulator.put(total, count, limit)
                else:
                    accumulator.put(states.plan.aggregates[place].args[0].dtype, total, count, limit)
            elif isinstance(accumulator, Spread):
                accumulator.put(states.seen if count is None else count, next(parts), next(parts), next(parts))
            elif isinstance(accumulator, Count):
                accumulator.put(None, count, limit)


def size_of(column: Column, rows: int) -> int | None:
    """The largest magnitude of an exact column (n,), whose sum over so many rows fits 64 bits; None of floats."""
    if column.dtype.is_float:
        return None
    if column.bounds is None or column.is_wide:
        raise NotTraceable("numbers without bounds are summed")
    size = max(map(abs, column.bounds))
    if size * rows > _INT64_MAX:
        raise NotTraceable("a sum may leave 64 bits")
    return size


def extreme_layout(column: Column) -> Layout:
    """The layout of a column (n,) of floats, or of integers that order as its values do; NotTraceable of others."""
    is_ranked = column.dictionary is None or column.dictionary.is_sorted
    if column.encoding not in (Encoding.FLAT, Encoding.CODES) or not is_ranked:
        raise NotTraceable("the least or greatest of other than numbers is not compiled")
    if column.data.dtype is torch.bool:
        raise NotTraceable("the least or greatest truth value is not compiled")
    return column.layout
