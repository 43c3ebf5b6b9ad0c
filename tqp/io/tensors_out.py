"""Columns of results as tensors: the way back is `tensors.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.nested import elements, field, lengths
from tqp.data.table import Table
from tqp.io.tensor_column import TensorColumn, plain_type
from tqp.kernels import waits
from tqp.types import DType, Kind

__all__ = ["table_to_tensors"]

_WIDTHS: Final = {
    Kind.TINYINT: torch.int8,
    Kind.SMALLINT: torch.int16,
    Kind.INTEGER: torch.int32,
    Kind.UTINYINT: torch.uint8,
    Kind.USMALLINT: torch.int32,
    Kind.DATE: torch.int32,
    Kind.VARCHAR: torch.int32,
    Kind.JSON: torch.int32,
    Kind.BLOB: torch.int32,
    Kind.BIT: torch.int32,
    Kind.BIGNUM: torch.int32,
    Kind.VARIANT: torch.int32,
    Kind.BOOLEAN: torch.bool,
    Kind.NULL: torch.bool,
    Kind.FLOAT: torch.float32,
    Kind.DOUBLE: torch.float64,
}


def table_to_tensors(
    table: Table, names: Sequence[str], dtypes: Sequence[DType], *, copy: bool
) -> dict[str, Tensor | TensorColumn]:
    """The columns by these names, as `Relation.torch` says; whether they have NULLs is asked of the device at once.

    Without `copy` a tensor may be that of the table.
    """
    columns = _without_masks(table.columns, "whether a column of the result has NULLs")
    pairs = zip(names, columns, dtypes, strict=True)
    return {name: _whole(_tensors(column.expand(table.rows), dtype, copy=copy)) for name, column, dtype in pairs}


def _whole(column: TensorColumn) -> Tensor | TensorColumn:
    """The tensor alone where a table takes it for a column of the same type; of arrays of arrays one of more dimensions."""
    if column.dtype.is_list and column.dtype.size and column.valid is None:
        child = _whole(column.children[0])
        shape = (len(column), column.dtype.size)
        return child.reshape(*shape, *child.shape[1:]) if isinstance(child, Tensor) else column
    is_plain = column.valid is None and column.dictionary is None and not column.dtype.has_children
    return column.data if is_plain and plain_type(column.data) == column.dtype else column


def _without_masks(columns: Sequence[Column], why: str) -> list[Column]:
    """The columns, without a mask where it masks nothing."""
    masks = [column.valid.all() for column in columns if column.valid is not None]
    complete = iter(waits.several(masks, why) if masks else ())
    return [column.with_valid(None) if column.valid is not None and next(complete) else column for column in columns]


def _nested_tensors(column: Column, dtype: DType, *, copy: bool) -> TensorColumn:
    """Offsets and elements of lists and maps, the fields of structs."""
    valid = column.valid.clone() if copy and column.valid is not None else column.valid
    if dtype.is_record:
        parts = [field(column, place) for place in range(len(column.children))]
        data = torch.arange(len(column), dtype=torch.int64, device=column.device)
    else:
        counts = lengths(column)
        data, parts = torch.cat([counts.new_zeros(1), torch.cumsum(counts, 0)]), [elements(column)[1]]
    parts = _without_masks(parts, "whether nested values have NULLs")
    children = [_tensors(part, kind, copy=copy) for part, kind in zip(parts, dtype.children, strict=True)]
    return TensorColumn(data, valid, dtype, None, tuple(children))


def _tensors(column: Column, dtype: DType, *, copy: bool) -> TensorColumn:
    if dtype.has_children:
        return _nested_tensors(column, dtype, copy=copy)
    width = torch.int64 if column.is_wide else _WIDTHS.get(dtype.kind, torch.int64)
    if dtype.element is not None:
        width = _WIDTHS.get(dtype.element.kind, torch.int64)
    valid = column.valid.clone() if copy and column.valid is not None else column.valid
    dictionary = None if column.dictionary is None else column.dictionary.values
    if dtype.kind is Kind.ENUM:
        dictionary = pa.array(dtype.labels, pa.large_string())
    return TensorColumn(column.data.to(width, copy=copy), valid, dtype, dictionary)
