"""Constants of a query, many at once: as a table of its own, and as what a list holds."""

from __future__ import annotations

import pyarrow as pa
import torch

from tqp.data.stored import StoredTable
from tqp.errors import TqpError
from tqp.functions.casts.cast import cast
from tqp.functions.exact import narrowed
from tqp.io.arrow import column_from_arrow
from tqp.io.readers import ArrowReader
from tqp.ir.elements import Members
from tqp.kernels import waits
from tqp.types import DType, Kind

__all__ = ["ConstantTable", "members"]

_WHY = "constants of a query"
_NUMBERS = frozenset({
    Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT, Kind.UTINYINT, Kind.USMALLINT, Kind.UINTEGER, Kind.UBIGINT,
    Kind.DECIMAL, Kind.DATE, Kind.TIME, Kind.TIMESTAMP,
})  # fmt: skip
"""Types whose values are stored as integers that mean the same in every session."""


class ConstantTable(StoredTable):
    """The rows of VALUES as a stored table that no name means. In a pickled plan it is itself, rows and all."""

    def __init__(self, rows: pa.Table, device: torch.device) -> None:
        super().__init__("VALUES", ArrowReader(rows), device)
        self._rows_given = rows

    def __reduce__(self) -> tuple[type[ConstantTable], tuple[object, ...]]:  # type: ignore[override]
        return ConstantTable, (self._rows_given, self.device)

    def unread(self) -> ConstantTable:
        return ConstantTable(self._rows_given, self.device)


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
