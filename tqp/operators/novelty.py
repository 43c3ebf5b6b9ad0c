"""Which rows of a recursion are new: those that did not come before, each once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.functions.align import concat
from tqp.functions.compared import told_apart
from tqp.kernels import waits
from tqp.kernels.rows import select
from tqp.operators.keys import group_rows
from tqp.operators.marks import Marks, can_mark
from tqp.operators.results import Relation
from tqp.types import VARCHAR, DType

__all__ = ["Novelty", "Row", "stored"]

Row = tuple[object, ...]
"""The values of a row as Python has them: stored numbers, of text the strings, None of a NULL."""

_FEW: Final = 256
"""Rows of a step that are looked up one by one."""
_MOST_MET: Final = 100_000
_WHY: Final = "rows of a recursion that did not come before"


class Novelty:
    """The rows that came, of columns of these types. For one thread at a time.

    Integers of one column are marked where their range allows; few rows at a time are looked up one by one, as to look at all rows
    so far would take longer with each step; else rows are grouped with all before them.
    """

    def __init__(self, types: Sequence[DType]) -> None:
        self._marks = Marks() if len(types) == 1 and can_mark(types[0]) else None
        self._met: set[Row] | None = None
        if self._marks is None and all(can_mark(one) or one == VARCHAR for one in types):
            self._met = set()

    def tensors(self) -> Iterator[tuple[str, Tensor]]:
        """What it is made of."""
        if self._marks is not None:
            yield from self._marks.tensors()

    def new(self, found: Relation, before: Callable[[], Relation]) -> Tensor:
        """The rows (m,) int64 of `found` that are new, which then are not; `before` has all rows that came."""
        columns = list(found.columns.values())
        if self._marks is not None:
            chosen = self._marks.new(columns[0])
            if chosen is not None:
                return chosen
            self._marks = None
        chosen = self._unmet(columns, found.rows)
        return _grouped(found, before()) if chosen is None else chosen

    def new_ones(self, rows: Sequence[Row]) -> list[int] | None:
        """The same of a few rows, as their places; None where they cannot be looked up one by one, and then nothing is changed."""
        if self._marks is not None:
            return self._marks.new_ones([row[0] for row in rows])
        met = self._met
        if met is None or len(met) > _MOST_MET:
            return None
        chosen = []
        for place, row in enumerate(rows):
            if row not in met:
                met.add(row)
                chosen.append(place)
        return chosen

    def _unmet(self, columns: Sequence[Column], rows: int) -> Tensor | None:
        """As `new`; None where some step gave many rows, or numbers that are wide."""
        chosen = None
        if self._met is not None and rows <= _FEW and not any(one.is_wide for one in columns):
            chosen = self.new_ones(_as_rows(columns, rows))
        if chosen is None:
            self._met = None
            return None
        return torch.tensor(chosen, dtype=torch.int64, device=columns[0].device)


def _grouped(found: Relation, before: Relation) -> Tensor:
    keys = list(found.columns.values())
    if before.rows:
        lengths = [before.rows, found.rows]
        keys = [concat([before.columns[symbol], column], lengths) for symbol, column in found.columns.items()]
    # As in DuckDB, variants of another type are other values.
    _, firsts, _ = group_rows(list(map(told_apart, keys)), None)
    firsts = firsts.long()
    return firsts.index_select(0, select(firsts >= before.rows)) - before.rows


def _as_rows(columns: Sequence[Column], rows: int) -> list[Row]:
    """Columns of so few rows that each is read, none of them wide or nested."""
    return list(zip(*[_values(column.expand(rows)) for column in columns], strict=True))


def _values(column: Column) -> list[object]:
    numbers = stored(column, _WHY)
    if column.dictionary is None:
        return numbers
    strings = column.dictionary.values
    return [strings[code].as_py() if code is not None and len(strings) else None for code in numbers]


def stored(column: Column, why: str) -> list[Any]:
    """The stored numbers of a column (n,), of text codes; None of a NULL. Waits for them."""
    numbers: list[Any] = waits.values(column.data, why)
    if column.valid is None:
        return numbers
    valid = waits.values(column.valid, why)
    return [number if there else None for number, there in zip(numbers, valid, strict=True)]
