"""The rows of a batch that are enough for aggregates that see all rows of a group.

Of the rows of a part of the source some aggregates need few: those that may be among the greatest ones, the first one in an order,
one of those that DISTINCT takes for the same. Others ask only how often which values come: of rows that are equal in all that is
read one is kept, with how many there are. What is left out is never copied, sorted or grouped again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.functions.aggregates import aggregate_of
from tqp.functions.aggregates.grouped import Grouped
from tqp.ir.expr import AggregateCall
from tqp.kernels.group import mark_
from tqp.kernels.reduce import count
from tqp.kernels.rows import select
from tqp.limits import Limits
from tqp.operators.called import Rows, distinct_rows, rows_of_calls, rows_taking_part, taking_part
from tqp.operators.keys import group_rows, order_keys

__all__ = ["ALL", "CHOSEN", "COUNTED", "Enough", "way_of"]

ALL: Final = "all rows are kept"
CHOSEN: Final = "of each batch the rows that a result may be of are kept"
COUNTED: Final = "of each batch the rows that differ are kept, and how many they are"


def way_of(calls: Sequence[AggregateCall]) -> str:
    """What is kept of batches for these calls."""
    if all(call.distinct or aggregate_of(call).enough is not None for call in calls):
        return CHOSEN
    return COUNTED if all(_is_counted(call) for call in calls) else ALL


def _is_counted(call: AggregateCall) -> bool:
    return aggregate_of(call).by_times and not call.order and not call.distinct


@dataclass(slots=True, eq=False)
class Enough:
    """What one worker keeps of its batches, by the `way` of its calls; all rows when a batch showed that most are kept."""

    way: str
    calls: Sequence[AggregateCall]
    limits: Limits
    pays: bool = True

    def rows(self, keys: Sequence[Column], rest: Sequence[Column], rows: int) -> tuple[Tensor | None, Tensor | None]:
        """The rows (m,) int64 of a batch to keep, ascending, and how many each stands for, (m,) int64; None: all, itself.

        `keys` (n,) are those of the groups, `rest` what calls read, as `rows_of_calls` has it.
        """
        if self.way is ALL or not self.pays or rows < self.limits.merged_at_once:
            return None, None
        kept, times = self._counted([*keys, *rest]) if self.way is COUNTED else (self._chosen(keys, rest, rows), None)
        if kept is None or kept.shape[0] >= self.limits.kept_below * rows:
            self.pays = False
            return None, None
        return kept, times

    def _counted(self, columns: Sequence[Column]) -> tuple[Tensor, Tensor]:
        ids, firsts, groups = group_rows(columns, None)
        firsts, order = firsts.sort()
        return firsts, count(ids, groups).index_select(0, order)

    def _chosen(self, keys: Sequence[Column], rest: Sequence[Column], rows: int) -> Tensor | None:
        """What each call needs; a row of each group, which says that it is there; None: all."""
        device = (*keys, *rest)[0].device
        if keys:
            ids, firsts, groups = group_rows(keys, None)
        else:
            ids, firsts, groups = torch.zeros(rows, dtype=torch.int64, device=device), None, 1
        marks = torch.zeros(rows, dtype=torch.bool, device=device)
        for call, given in rows_of_calls(self.calls, rest, ids, groups):
            chosen = rows_taking_part(given, aggregate_of(call).keeps_nulls)
            if not _mark(call, given, chosen, marks):
                return None
            if chosen is None:
                firsts = None  # it has marked a row of each group
        if firsts is not None:
            mark_(marks, firsts)
        return select(marks)


def _mark(call: AggregateCall, rows: Rows, chosen: Tensor | None, marks: Tensor) -> bool:
    """Mark those of the `chosen` rows (None: of all) that a call needs in `marks` (n,) bool; False where it needs all."""
    function = aggregate_of(call)
    rows = taking_part(rows, function.keeps_nulls, chosen)
    if not rows.ids.shape[0]:
        return True
    if call.distinct:
        found: Tensor | None = distinct_rows(rows)
    else:
        assert function.enough is not None
        order = [part for key, spec in zip(rows.order, call.order, strict=True) for part in order_keys(key, spec)]
        found = function.enough(Grouped(rows.args, rows.ids, rows.groups, call.dtype, order))
    if found is None:
        return False
    mark_(marks, found if chosen is None else chosen.index_select(0, found))
    return True
