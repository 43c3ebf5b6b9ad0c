"""What calls of aggregates read of rows: their arguments, which rows take part, and in which groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from tqp.data.column import Column
from tqp.functions.order import value_digits
from tqp.ir.expr import AggregateCall
from tqp.kernels import group
from tqp.kernels.rows import select
from tqp.operators.keys import all_valid

__all__ = ["Rows", "distinct_rows", "rows_of_calls", "rows_taking_part", "taking_part"]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What a call reads of all rows at once: its arguments (n,), the keys of its ORDER BY, which rows pass its FILTER, the groups
    `ids` (n,) int64 of the rows, how many groups there are, and whether the rows of one lie after those of the other.

    `times` (n,) int64: how many equal rows each stands for; None: for itself.
    """

    args: tuple[Column, ...]
    ids: Tensor
    groups: int
    order: tuple[Column, ...] = ()
    passes: Tensor | None = None
    in_sequence: bool = False
    times: Tensor | None = None

    def take(self, rows: Tensor) -> Rows:
        """These rows (m,) int64."""
        return self.grouped(rows, self.ids.index_select(0, rows), self.groups)

    def grouped(self, rows: Tensor, ids: Tensor, groups: int) -> Rows:
        """These rows (m,) int64, in other groups."""
        passes = None if self.passes is None else self.passes.index_select(0, rows)
        times = None if self.times is None else self.times.index_select(0, rows)
        args, order = (tuple(column.take(rows) for column in columns) for columns in (self.args, self.order))
        return Rows(args, ids, groups, order, passes, times=times)


def rows_of_calls(
    calls: Sequence[AggregateCall], columns: Sequence[Column], ids: Tensor, groups: int, times: Tensor | None = None
) -> Iterator[tuple[AggregateCall, Rows]]:
    """Each call with its rows. `columns` (n,): of each its arguments, whether a row passes its FILTER, its ORDER BY keys."""
    rest = iter(columns)
    for call in calls:
        args = tuple([next(rest) for _ in call.args])
        passes = None if call.filter is None else next(rest).data
        order = tuple([next(rest) for _ in call.order])
        yield call, Rows(args, ids, groups, order, passes, times=times)


def rows_taking_part(rows: Rows, keeps_nulls: bool) -> Tensor | None:
    """The rows (m,) int64 that pass the FILTER and, unless NULLs are kept, have no NULL argument; None: all."""
    mask = rows.passes
    valid = None if keeps_nulls else all_valid(rows.args)
    if valid is not None:
        mask = valid if mask is None else mask & valid
    return None if mask is None else select(mask)


def taking_part(rows: Rows, keeps_nulls: bool, chosen: Tensor | None) -> Rows:
    """The rows that `rows_taking_part` gives; without NULL where it leaves those out."""
    if chosen is None:
        return rows
    taken = rows.take(chosen)
    return taken if keeps_nulls else replace(taken, args=tuple(arg.with_valid(None) for arg in taken.args))


def distinct_rows(rows: Rows) -> Tensor:
    """(m,) int64: the first row of each group with the same arguments."""
    if not rows.ids.shape[0]:
        return rows.ids
    return group.group_ids_multi([rows.ids, *_digits(rows.args)])[1]


def _digits(columns: Iterable[Column]) -> list[Tensor]:
    # Of a constant that was expanded all rows are equal.
    return [
        part for column in columns if column.data.stride(0) or column.valid is not None for part in value_digits(column)
    ]
