"""Rows that statements made: columns of results, in pieces, as the reader of a stored table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import torch

from tqp.data.column import Column, Layout, empty
from tqp.data.layout import narrowest
from tqp.data.table import Table
from tqp.functions.align import concat
from tqp.functions.casts.cast import cast
from tqp.functions.exact import narrowed
from tqp.kernels import waits
from tqp.types import BIGINT, DType

__all__ = ["Rows", "as_stored"]

ROW_ID: Final = "rowid"
_WIDTH: Final = "the width of a stored column"


class Rows:
    """The rows of one version of a table, in the order in which they came. Immutable: `appended` makes the next version.

    `pieces` are tables of the same columns, whose names are distinct. A new version has the pieces of the last one and a new
    one, and puts small ones together with their neighbours: a row is copied some log(rows) times in all. A column is put
    together when it is first read.

    Unless a column has the name, `rowid` is a hidden one: the number of the row, from 0. `*` leaves it out.
    """

    def __init__(self, schema: Sequence[tuple[str, DType]], pieces: Sequence[Table], device: torch.device) -> None:
        self.schema = tuple(schema)
        self._device = device
        self.pieces = tuple(pieces)
        self.rows = sum(piece.rows for piece in self.pieces)
        self.unsupported: Mapping[str, str] = {}
        is_free = ROW_ID not in (name.lower() for name, _ in self.schema)
        self.hidden: tuple[tuple[str, DType], ...] = ((ROW_ID, BIGINT),) if is_free else ()

    @property
    def nbytes(self) -> int:
        """Bytes of the columns, dictionaries aside."""
        return sum(column.nbytes for piece in self.pieces for column in piece.columns)

    def appended(self, table: Table) -> Rows:
        """The rows with those of a result below them, whose columns are in the order of these."""
        if not table.rows:
            return self
        pieces = [*self.pieces, as_stored(table, self.schema)]
        while len(pieces) > 1 and pieces[-2].rows <= pieces[-1].rows:
            pieces[-2:] = [_together(pieces[-2:])]
        return Rows(self.schema, pieces, self._device)

    def column(self, name: str) -> Column:
        if (name, BIGINT) in self.hidden:
            return self._numbers()
        place = [own for own, _ in self.schema].index(name)
        if not self.pieces:
            return _stored(empty(Layout.of_type(self.schema[place][1]), self._device).with_valid(None))
        return _whole([piece.columns[place] for piece in self.pieces], [piece.rows for piece in self.pieces])

    def _numbers(self) -> Column:
        last = max(self.rows - 1, 0)
        width = narrowest(0, last)
        assert width is not None
        return Column(torch.arange(self.rows, dtype=width, device=self._device), BIGINT, bounds=(0, last))


def as_stored(table: Table, schema: Sequence[tuple[str, DType]]) -> Table:
    """A result as a stored table holds its columns: in the narrowest width of their values, text by the order of its strings."""
    columns = []
    for column, (_, dtype) in zip(table.columns, schema, strict=True):
        typed = column if column.dtype == dtype else cast(column, dtype, False)
        columns.append(_stored(typed.expand(table.rows)))
    return Table(tuple(name for name, _ in schema), tuple(columns), table.rows)


def _stored(column: Column) -> Column:
    if column.dictionary is not None:
        ordered = column.in_order()
        assert ordered.dictionary is not None
        width = narrowest(*ordered.dictionary.bounds)
        assert width is not None
        return replace(ordered, data=ordered.data.to(width).contiguous(), bounds=ordered.dictionary.bounds)
    if column.dtype.is_exact or column.dtype.is_temporal:
        column = narrowed(column)
        if not column.is_wide:
            return _narrow(column)
    return column.map(torch.Tensor.contiguous)


def _narrow(column: Column) -> Column:
    """Integers in the width of their values; rows that are NULL take a value that there is, so that the bounds are theirs, too."""
    data, valid = column.data, column.valid
    if valid is not None:
        known = waits.masked(data, valid, _WIDTH)
        data = torch.where(valid, data, known[0] if known.shape[0] else torch.zeros_like(data))
    low, high = waits.limits(data, _WIDTH) if data.shape[0] else (0, 0)
    width = narrowest(low, high)
    assert width is not None
    return replace(column, data=data.to(width).contiguous(), bounds=(low, high))


def _together(pieces: Sequence[Table]) -> Table:
    lengths = [piece.rows for piece in pieces]
    several = [[piece.columns[place] for piece in pieces] for place in range(len(pieces[0].columns))]
    columns = tuple(_whole(columns, lengths) for columns in several)
    return Table(pieces[0].names, columns, sum(lengths))


def _whole(columns: Sequence[Column], lengths: Sequence[int]) -> Column:
    # Two dictionaries may have come together in any order.
    return columns[0] if len(columns) == 1 else _stored(concat(columns, lengths))
