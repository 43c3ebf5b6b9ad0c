"""Rows that statements made: columns of results, in pieces, as the reader of a stored table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column, Layout, constant, empty
from tqp.data.layout import narrowest
from tqp.data.nested import compacted
from tqp.data.table import Table
from tqp.functions.align import concat
from tqp.functions.casts.cast import cast
from tqp.functions.exact import narrowed
from tqp.kernels import waits
from tqp.kernels.rows import select
from tqp.types import BIGINT, DType

__all__ = ["Rows", "as_stored"]

ROW_ID: Final = "rowid"
_WIDTH: Final = "the width of a stored column"
_TOUCHED: Final = "which pieces of a table a statement changes"


class Rows:
    """The rows of one version of a table, in the order in which they came. Immutable: `appended` makes the next version.

    `pieces` are tables of the same columns, whose names are distinct. A new version has the pieces of the last one and a new
    one, and puts small ones together with their neighbours: a row is copied some log(rows) times in all. A column is put
    together when it is first read.

    A hidden column, which `*` leaves out, has the number of each row, from 0: `rowid`, unless one of the others is called so.
    """

    def __init__(self, schema: Sequence[tuple[str, DType]], pieces: Sequence[Table], device: torch.device) -> None:
        self.schema = tuple(schema)
        self._device = device
        self.pieces = tuple(pieces)
        self.rows = sum(piece.rows for piece in self.pieces)
        self.unsupported: Mapping[str, str] = {}
        self.hidden: tuple[tuple[str, DType], ...] = ((_free_name([name for name, _ in self.schema]), BIGINT),)

    @property
    def nbytes(self) -> int:
        """Bytes of the columns, dictionaries aside."""
        return sum(column.nbytes for piece in self.pieces for column in piece.columns)

    def appended(self, table: Table) -> Rows:
        """The rows with those of a result below them, whose columns are in the order of these."""
        if not table.rows:
            return self
        return Rows(self.schema, _merged([*self.pieces, as_stored(table, self.schema)]), self._device)

    def below(self, above: Rows) -> Rows:
        """The rows below those of another version of the table."""
        return Rows(self.schema, _merged([*above.pieces, *self.pieces]), self._device)

    def without(self, numbers: Tensor) -> Rows:
        """The rows but those of these numbers (int64, in any order, some maybe twice). Pieces that lose none are shared."""
        gone = self.marked(numbers)
        pieces = []
        for piece, start, is_touched in self._touched(gone):
            if is_touched:
                piece = _chosen(piece, select(~gone[start : start + piece.rows]))
            if piece.rows:
                pieces.append(piece)
        return Rows(self.schema, pieces, self._device)

    def replaced(self, numbers: Tensor, columns: Mapping[int, Column]) -> Rows:
        """The rows with other values in those of these numbers (int64, in any order): `columns` has them by places of columns.

        A number that stands several times takes the last of its values. Other columns, and pieces without such rows, are shared.
        """
        count = numbers.shape[0]
        if not count:
            return self
        source = torch.arange(self.rows, device=self._device)
        given = torch.arange(self.rows, self.rows + count, device=self._device)
        source = source.scatter_reduce(0, numbers, given, "amax")
        pieces = []
        for piece, start, is_touched in self._touched(source >= self.rows):
            if is_touched:
                own = source[start : start + piece.rows]
                taken = torch.where(own < self.rows, own - start, own - (self.rows - piece.rows))
                changed = list(piece.columns)
                for place, column in columns.items():
                    typed = _typed(column, self.schema[place][1]).expand(count)
                    whole = concat([piece.columns[place], typed], [piece.rows, count])
                    changed[place] = _stored(compacted(whole.take(taken)))
                piece = replace(piece, columns=tuple(changed))
            pieces.append(piece)
        return Rows(self.schema, pieces, self._device)

    def with_column(self, place: int, name: str, dtype: DType, instead: bool = False) -> Rows:
        """The rows with one more column of NULLs at that place, or one `instead` of that which is there."""
        schema = [*self.schema[:place], (name, dtype), *self.schema[place + instead :]]
        none = constant(None, dtype, self._device)
        pieces = []
        for piece in self.pieces:
            columns = (*piece.columns[:place], _stored(none.expand(piece.rows)), *piece.columns[place + instead :])
            pieces.append(Table(tuple(own for own, _ in schema), columns, piece.rows))
        return Rows(schema, pieces, self._device)

    def without_column(self, place: int) -> Rows:
        """The rows without the column at that place."""
        names = tuple(name for number, (name, _) in enumerate(self.schema) if number != place)
        pieces = [
            Table(names, (*piece.columns[:place], *piece.columns[place + 1 :]), piece.rows) for piece in self.pieces
        ]
        return Rows([*self.schema[:place], *self.schema[place + 1 :]], pieces, self._device)

    def renamed(self, place: int, name: str) -> Rows:
        """The rows with another name for the column at that place."""
        schema = [*self.schema]
        schema[place] = (name, schema[place][1])
        return Rows(schema, self.pieces, self._device)

    def chosen(self, numbers: Tensor, changed: Mapping[int, Column] | None = None) -> Table:
        """The rows of these numbers (int64), in their order; columns that `changed` has by their places are those."""
        given = changed or {}
        columns = tuple(
            given[place] if place in given else self.column(name).take(numbers)
            for place, (name, _) in enumerate(self.schema)
        )
        return Table(tuple(name for name, _ in self.schema), columns, numbers.shape[0])

    def numbered(self) -> tuple[Rows, str]:
        """The rows with their numbers as one more column, and what that is called."""
        ((name, dtype),) = self.hidden
        columns = [self.column(own) for own, _ in (*self.schema, *self.hidden)]
        schema = [*self.schema, (name, dtype)]
        return Rows(schema, [Table(tuple(own for own, _ in schema), tuple(columns), self.rows)], self._device), name

    def marked(self, numbers: Tensor) -> Tensor:
        """A bool for each row: whether its number is one of these (int64)."""
        found = torch.zeros(self.rows, dtype=torch.bool, device=self._device)
        found[numbers] = True
        return found

    def _touched(self, mask: Tensor) -> Iterator[tuple[Table, int, bool]]:
        """Each piece, the number of its first row, and whether the mask (a bool for each row) is true in one of its rows."""
        starts = [0, *accumulate(piece.rows for piece in self.pieces)]
        if len(self.pieces) < 2:
            found = [1] * len(self.pieces)
        else:
            found = waits.numbers(torch.stack([mask[a:b].any() for a, b in pairwise(starts)]).long(), _TOUCHED)
        for piece, start, touched in zip(self.pieces, starts, found, strict=False):
            yield piece, start, bool(touched)

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


def _free_name(names: Sequence[str]) -> str:
    """What the numbers of rows are called beside columns of these names."""
    taken, name = {one.lower() for one in names}, ROW_ID
    while name in taken:
        # No text means it by accident.
        name += " "
    return name


def as_stored(table: Table, schema: Sequence[tuple[str, DType]]) -> Table:
    """A result as a stored table holds its columns: in the narrowest width of their values, text by the order of its strings."""
    columns = []
    for column, (_, dtype) in zip(table.columns, schema, strict=True):
        columns.append(_stored(_typed(column, dtype).expand(table.rows)))
    return Table(tuple(name for name, _ in schema), tuple(columns), table.rows)


def _typed(column: Column, dtype: DType) -> Column:
    return column if column.dtype == dtype else cast(column, dtype, False)


def _chosen(piece: Table, rows: Tensor) -> Table:
    return Table(piece.names, tuple(_stored(compacted(column.take(rows))) for column in piece.columns), rows.shape[0])


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


def _merged(pieces: Sequence[Table]) -> list[Table]:
    """The pieces, the last of them put together with those before it that are as small."""
    found = list(pieces)
    while len(found) > 1 and found[-2].rows <= found[-1].rows:
        found[-2:] = [_together(found[-2:])]
    return found


def _together(pieces: Sequence[Table]) -> Table:
    lengths = [piece.rows for piece in pieces]
    several = [[piece.columns[place] for piece in pieces] for place in range(len(pieces[0].columns))]
    columns = tuple(_whole(columns, lengths) for columns in several)
    return Table(pieces[0].names, columns, sum(lengths))


def _whole(columns: Sequence[Column], lengths: Sequence[int]) -> Column:
    # Two dictionaries may have come together in any order.
    return columns[0] if len(columns) == 1 else _stored(concat(columns, lengths))
