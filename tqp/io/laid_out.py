"""UNIONs as Parquet files hold them: as STRUCTs of the number of a member and all members."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from tqp.data.column import Column
from tqp.data.nested import of_fields
from tqp.data.table import Table
from tqp.data.unions import members, tag
from tqp.errors import UnsupportedError
from tqp.io.export import column_to_arrow
from tqp.types import UTINYINT, DType, Field, struct

__all__ = ["has_union", "in_structs", "laid_out", "with_structs"]

_TAG = "element1"
"""What DuckDB calls the number of the member."""


def has_union(dtype: DType) -> bool:
    """Whether the type is a UNION, or has one in it."""
    return dtype.is_union or any(map(has_union, dtype.children))


def laid_out(dtype: DType) -> DType:
    """The type with STRUCTs instead of the UNIONs in it; UnsupportedError where a member is called as its tag is there."""
    if dtype.is_union:
        try:
            return struct([(_TAG, UTINYINT), *[(one.name, laid_out(one.type)) for one in dtype.fields]])
        except ValueError:
            raise UnsupportedError(f"a UNION with a member {_TAG!r} cannot be written to Parquet") from None
    fields = tuple([Field(one.name, laid_out(one.type)) for one in dtype.fields])
    element = dtype.element if dtype.element is None else laid_out(dtype.element)
    return DType(dtype.kind, dtype.precision, dtype.scale, element, dtype.size, fields, dtype.labels)


def with_structs(table: Table, place: int) -> pa.Array | pa.ChunkedArray:
    """Column number `place` of a table on the host, for Arrow, with STRUCTs instead of UNIONs."""
    return column_to_arrow(in_structs(table.columns[place]), table.rows)


def in_structs(column: Column) -> Column:
    """A column with STRUCTs instead of the UNIONs in it. No value is copied."""
    dtype = laid_out(column.dtype)
    if column.is_constant and column.dtype.is_union:
        return in_structs(column.expand(1)).map(lambda tensor: tensor[0])
    if not column.dtype.is_union:
        return replace(column, dtype=dtype, children=tuple(map(in_structs, column.children)))
    numbers = tag(column)
    first = Column(numbers.data, UTINYINT, numbers.valid, bounds=numbers.bounds)
    parts = [in_structs(one) for one in members(column)]
    return of_fields([first, *parts], dtype, column.device).with_valid(column.valid)
