"""Constants of a query, many at once: as a table of its own, and as what a list holds."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import torch

from tqp.data.column import Column, constant
from tqp.data.layout import narrowest
from tqp.data.stored import Reader, StoredTable
from tqp.data.table import Table
from tqp.errors import TqpError
from tqp.functions.align import concat
from tqp.functions.casts.cast import cast
from tqp.functions.exact import narrowed
from tqp.io.arrow import column_from_arrow
from tqp.io.readers import ArrowReader
from tqp.io.rows import Rows, as_stored
from tqp.ir.elements import Members
from tqp.ir.expr import Value
from tqp.kernels import waits
from tqp.types import DOUBLE, VARCHAR, DType, Kind

__all__ = ["ConstantTable", "column_of", "members"]

_WHY = "constants of a query"
_NUMBERS = frozenset({
    Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT, Kind.UTINYINT, Kind.USMALLINT, Kind.UINTEGER, Kind.UBIGINT,
    Kind.DECIMAL, Kind.DATE, Kind.TIME, Kind.TIMESTAMP,
})  # fmt: skip
"""Types whose values are stored as integers that mean the same in every session."""


class ConstantTable(StoredTable):
    """The rows of VALUES as a stored table that no name means. In a pickled plan it is itself, rows and all."""

    def __init__(self, reader: Reader, device: torch.device) -> None:
        super().__init__("VALUES", reader, device)

    @classmethod
    def of_arrow(cls, rows: pa.Table, device: torch.device) -> ConstantTable:
        return cls(ArrowReader(rows), device)

    @classmethod
    def of_columns(cls, table: Table, device: torch.device) -> ConstantTable:
        """The table of columns of distinct names, which may be constant."""
        schema = tuple((name, column.dtype) for name, column in table.items())
        return cls(Rows(schema, [as_stored(table, schema)], device), device)

    def __reduce__(self) -> tuple[type[ConstantTable], tuple[object, ...]]:  # type: ignore[override]
        return ConstantTable, (self.reader, self.device)

    def unread(self) -> ConstantTable:
        return ConstantTable(self.reader, self.device)


def column_of(values: Sequence[Value], dtype: DType, device: torch.device) -> Column:
    """At least one value of literals, in their stored form, None for NULL, as a column (n,)."""
    if dtype == VARCHAR:
        return column_from_arrow(pa.array(values, pa.large_string())).to(device)
    is_known = None not in values
    if dtype == DOUBLE and is_known:
        return Column(torch.tensor(values, dtype=torch.float64, device=device), dtype)
    if dtype.kind in _NUMBERS and is_known:
        low, high = min(values), max(values)  # type: ignore[type-var]
        width = narrowest(low, high)  # type: ignore[arg-type]
        if width is not None:
            return Column(torch.tensor(values, dtype=width, device=device), dtype, bounds=(low, high))  # type: ignore[arg-type]
    return concat([constant(value, dtype, device) for value in values], [1] * len(values))


def members(array: pa.Array, dtype: DType) -> Members | None:
    """The values as `dtype`, in stored form, ascending and each once, NULLs left out; None for a type of other values than
    numbers and texts, and where a value does not fit."""
    try:
        column = cast(column_from_arrow(array.drop_null()), dtype, safe=False)
    except TqpError:
        return None
    if dtype.kind is Kind.VARCHAR:
        dictionary = column.dictionary
        assert dictionary is not None
        return Members(tuple(sorted(set(dictionary.values.to_pylist()))))
    if dtype.kind is Kind.DOUBLE:
        return Members(tuple(waits.unique(column.data, _WHY).tolist()))  # host: constants live there
    if dtype.kind not in _NUMBERS:
        return None
    column = narrowed(column)
    if column.is_wide:
        return None
    return Members(tuple(waits.unique(column.data.to(torch.int64), _WHY).tolist()))  # host: constants live there
