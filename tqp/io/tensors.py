"""Tables from dicts of NumPy arrays and torch tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from tqp import types
from tqp.column import Column, narrowest
from tqp.errors import SourceError, UnsupportedError
from tqp.io.arrow import column_from_arrow, dtype_from_arrow
from tqp.io.readers import require_distinct
from tqp.types import DType

__all__ = ["TensorReader", "is_tensor_dict"]

_TYPES: dict[torch.dtype, DType] = {
    torch.bool: types.BOOLEAN,
    torch.int8: types.TINYINT,
    torch.int16: types.SMALLINT,
    torch.int32: types.INTEGER,
    torch.int64: types.BIGINT,
    torch.uint8: types.UTINYINT,
    torch.uint16: types.USMALLINT,
    torch.uint32: types.UINTEGER,
    torch.float16: types.FLOAT,
    torch.bfloat16: types.FLOAT,
    torch.float32: types.FLOAT,
    torch.float64: types.DOUBLE,
}


def is_tensor_dict(value: object) -> bool:
    """A dict of arrays, tensors or lists by column name."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(
            isinstance(name, str) and isinstance(column, (np.ndarray, Tensor, list, tuple))
            for name, column in value.items()
        )
    )


class TensorReader:
    """1-D arrays or tensors of equal length by name.

    A masked NumPy array has NULLs where masked; NaN stays NaN, NaT is NULL. Tensors stay on their device if it is the
    one asked for, and float columns share their memory: what is changed in place later shows in later queries.
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        require_distinct(list(columns))
        lengths: dict[str, int] = {}
        self.unsupported: dict[str, str] = {}
        self._columns: dict[str, Tensor | pa.Array] = {}
        schema: list[tuple[str, DType]] = []
        for name, values in columns.items():
            if isinstance(values, (list, tuple)):
                values = _from_list(name, values)
            if isinstance(values, (np.ndarray, Tensor)) and values.ndim == 0:
                raise SourceError(f"column {name!r} is one value", hint="columns are 1-D arrays or tensors")
            lengths[name] = len(values)
            dtype, reason = self._add(name, values)
            schema.append((name, dtype))
            if reason:
                self.unsupported[name] = reason
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise SourceError(f"columns differ in length: {listed}", hint="all columns of a table have as many rows")
        self.rows = next(iter(lengths.values()))
        self.schema = tuple(schema)

    def _add(self, name: str, values: Any) -> tuple[DType, str | None]:
        """Keep the values; their type, and why they are unsupported, if so."""
        if isinstance(values, Tensor):
            dtype = _TYPES.get(values.dtype)
            if values.ndim != 1:
                return types.NULL, f"it is a tensor of shape {tuple(values.shape)}, and columns are 1-D so far"
            if dtype is None:
                return types.NULL, f"its dtype {values.dtype} has no SQL type"
            self._columns[name] = values
            return dtype, None
        if isinstance(values, np.ndarray):
            if values.ndim != 1:
                return types.NULL, f"it is an array of shape {values.shape}, and columns are 1-D so far"
            if values.dtype.kind in "cV":
                return types.NULL, f"its dtype {values.dtype} has no SQL type"
            values = _from_numpy(name, values)
        dtype = dtype_from_arrow(values.type)
        if dtype is None:
            return types.NULL, f"its Arrow type {values.type} has no tensor layout yet"
        self._columns[name] = values
        return dtype, None

    def column(self, name: str, device: torch.device) -> Column:
        if name in self.unsupported:
            raise UnsupportedError(
                f"column {name!r} cannot be read: {self.unsupported[name]}",
                hint="leave the column out of the query, or pass 1-D real values",
            )
        values = self._columns[name]
        if isinstance(values, Tensor):
            return _from_tensor(values, _TYPES[values.dtype], device)
        return column_from_arrow(values, device, name)


def _from_list(name: str, values: list[Any] | tuple[Any, ...]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise SourceError(f"column {name!r} is not a list of values of one type: {error}") from error


def _from_numpy(name: str, values: np.ndarray[Any, Any]) -> pa.Array:
    mask = None
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        values = values.data
    if values.dtype.kind == "U":
        values = values.astype(object)
    elif not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    try:
        array = pa.array(values, mask=mask)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise SourceError(f"column {name!r} (dtype {values.dtype}) cannot be read: {error}") from error
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _from_tensor(values: Tensor, dtype: DType, device: torch.device) -> Column:
    values = values.to(device)
    if dtype.is_float:
        return Column(values.to(torch.float64 if dtype == types.DOUBLE else torch.float32), dtype)
    if dtype == types.BOOLEAN:
        return Column(values, dtype)
    if values.dtype in (torch.uint8, torch.uint16, torch.uint32):
        values = values.to(torch.int64)
    if values.shape[0] == 0:
        return Column(values.to(torch.int8), dtype, None, None, (0, 0))
    low, high = (int(limit) for limit in values.aminmax())  # sync: once per column handed in
    width = narrowest(low, high)
    assert width is not None
    return Column(values.to(width), dtype, None, None, (low, high))
