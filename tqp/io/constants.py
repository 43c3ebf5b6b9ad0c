"""Constants of a query, many at once: as a table of its own, and as what a list holds."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

import pyarrow as pa
import torch

from tqp.data.column import Column, constant
from tqp.data.layout import narrowest
from tqp.data.stored import Reader, StoredTable
from tqp.data.table import Table
from tqp.data.transfer import on_host
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
from tqp.types import BLOB, DOUBLE, VARCHAR, DType, Kind

__all__ = ["ConstantTable", "column_of", "has_members", "members", "members_of"]

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
    """The values as `dtype`, as `members_of`; None also where a value does not fit, or what it is depends on the session."""
    if dtype.kind not in _NUMBERS and dtype not in (VARCHAR, DOUBLE):
        return None
    try:
        return members_of(cast(column_from_arrow(array.drop_null()), dtype, safe=False))
    except TqpError:
        return None


def has_members(dtype: DType) -> bool:
    """Whether `members_of` knows such values."""
    return dtype.is_exact or dtype.is_float or dtype.is_temporal or dtype in (VARCHAR, BLOB)


def members_of(column: Column) -> Members | None:
    """The values of a column (n,) in stored form, ascending and each once, NULLs left out; None for NaN, for integers of more than
    64 bits, and for a type that has none."""
    (column,) = on_host([column])
    dtype = column.dtype
    if column.valid is not None:
        column = column.take(waits.places(column.valid, _WHY)).with_valid(None)
    if dtype in (VARCHAR, BLOB):
        assert column.dictionary is not None
        used = waits.array(waits.unique(column.data, _WHY), _WHY)
        return Members(tuple(sorted(set(column.dictionary.values.take(pa.array(used)).to_pylist()))))
    if dtype.is_float:
        found = waits.values(waits.unique(column.data, _WHY), _WHY)
        return None if any(map(isnan, found)) else Members(tuple(found))
    if not has_members(dtype):
        return None
    column = narrowed(column)
    if column.is_wide:
        return None
    return Members(tuple(waits.values(waits.unique(column.data.to(torch.int64), _WHY), _WHY)))
