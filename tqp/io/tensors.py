"""Tables from dicts of NumPy arrays and torch tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from tqp import types
from tqp.data.column import Column
from tqp.data.layout import ELEMENTS, Encoding, narrowest
from tqp.errors import SourceError, UnsupportedError
from tqp.io.arrow import column_from_arrow
from tqp.io.arrow_types import dtype_from_arrow, unsupported_reason, with_fixed_size
from tqp.io.intervals import with_days
from tqp.io.names import column_names, require_one_length
from tqp.io.tensor_column import SQL_TYPES, TensorColumn, without_values
from tqp.io.values import HugeIntegers, array_of_objects, with_narrow_integers
from tqp.kernels import waits
from tqp.types import DType, Kind, stored_range

__all__ = ["TensorReader"]

_READ = "a column that was handed in is read"
_SHORTER: Final = {
    "M": {"Y": "D", "M": "D", "W": "D", "h": "s", "m": "s"},
    "m": {"W": "s", "D": "s", "h": "s", "m": "s"},
}
"""Of datetime64 and timedelta64; how long a year or a month is depends on which it is."""
_CURES: Final = {
    "c": ": take .real and .imag",
    "V": ": take its fields, array['name'], or hand the array in as the table",
    "f": ": use .astype('float64')",
}


def _no_type(values: Tensor) -> str:
    cure = _CURES["c"] if values.is_complex() else ": use .float()" if values.is_floating_point() else ""
    return f"its dtype {values.dtype} has no SQL type{cure}"


class TensorReader:
    """1-D arrays or tensors of equal length by name; one of more dimensions (n, d) is a column of n arrays of d numbers.

    A masked NumPy array has NULLs where masked; NaN stays NaN, NaT is NULL. A column that was read has memory of its
    own: what is changed in place before then is seen, and later is not.
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        names = column_names(columns, "C")
        lengths: dict[str, int] = {}
        self.unsupported: dict[str, str] = {}
        self._columns: dict[str, Tensor | TensorColumn | HugeIntegers | pa.ChunkedArray] = {}
        schema: list[tuple[str, DType]] = []
        for name, values in zip(names, columns.values(), strict=True):
            lengths[name] = _length(name, values)
            try:
                dtype = self._add(name, values)
            except UnsupportedError as error:
                dtype, self.unsupported[name] = types.NULL, error.message
            schema.append((name, dtype))
        self.rows = require_one_length(lengths)
        self.schema = tuple(schema)

    def _add(self, name: str, values: Any) -> DType:
        """Keep the values; their type. UnsupportedError, whose message is the reason, where they have none."""
        if isinstance(values, TensorColumn):
            self._columns[name] = values
            return values.dtype
        if isinstance(values, Tensor):
            return self._add_tensor(name, values)
        if isinstance(values, np.ndarray):
            # Of subclasses only masks mean something.
            values = values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
            if values.ndim != 1 and values.dtype.kind in "fiub":
                return self._add_rows(name, values)
            if values.ndim != 1:
                raise UnsupportedError(f"it is an array of shape {values.shape} and dtype {values.dtype}")
            array = _from_numpy(values)
        else:
            array = array_of_objects(values)
        if isinstance(array, HugeIntegers):
            self._columns[name] = array
            return types.HUGEINT
        if isinstance(values, np.ndarray) and values.dtype == object:
            array = with_narrow_integers(array)
        array = with_fixed_size(array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array]))
        dtype = dtype_from_arrow(array.type)
        if dtype is None:
            raise UnsupportedError(unsupported_reason(array.type) or "")
        self._columns[name] = array
        return dtype

    def _add_tensor(self, name: str, values: Tensor) -> DType:
        if values.is_nested:
            lists = _lists(values)
            self._columns[name] = lists
            return lists.dtype
        reason = without_values(values)
        if reason is not None:
            raise UnsupportedError(reason)
        dtype = SQL_TYPES.get(values.dtype)
        if dtype is None:
            raise UnsupportedError(_no_type(values))
        # A gradient, a lazy sign and a lazy conjugate are nothing that a query knows.
        values = values.detach().resolve_neg()
        column = values if values.ndim == 1 else _rows_of(values)
        self._columns[name] = column
        return dtype if isinstance(column, Tensor) else column.dtype

    def _add_rows(self, name: str, values: np.ndarray[Any, Any]) -> DType:
        """Keep the rows of an array (n, d); where it is masked, a row is NULL as a whole."""
        valid = None
        if isinstance(values, np.ma.MaskedArray):
            masked = np.ma.getmaskarray(values).reshape(len(values), -1)
            if (masked.any(axis=1) & ~masked.all(axis=1)).any():
                raise UnsupportedError("in some rows only a part is masked, and elements of arrays cannot be NULL")
            valid = torch.from_numpy(~masked.all(axis=1))
            values = values.filled(0)
        plain = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
        try:
            tensor = torch.from_numpy(plain)
        except TypeError as error:
            raise UnsupportedError(f"its dtype {values.dtype} has no SQL type") from error
        column = _rows_of(tensor)
        self._columns[name] = replace(column, valid=valid)
        return column.dtype

    def column(self, name: str) -> Column:
        if name in self.unsupported:
            raise UnsupportedError(
                f"column {name!r} cannot be read: {self.unsupported[name]}",
                hint="leave the column out of the query, or pass real values in one or two dimensions",
            )
        values = self._columns[name]
        if isinstance(values, HugeIntegers):
            return values.column()
        if isinstance(values, TensorColumn):
            return _from_result(name, values)
        if isinstance(values, Tensor):
            return _from_tensor(values, SQL_TYPES[values.dtype])
        column = column_from_arrow(values, name)
        return with_days(column) if pa.types.is_duration(values.type) else column


def _length(name: str, values: Any) -> int:
    if isinstance(values, TensorColumn):
        if values.dtype.is_record and values.children:
            return _length(name, values.children[0])
        return len(values.data) - values.dtype.is_list
    if isinstance(values, Tensor) and values.is_nested:
        return int(values.size(0))
    if isinstance(values, (np.ndarray, Tensor)) and values.ndim == 0:
        raise SourceError(f"column {name!r} is one value", hint="columns are 1-D arrays or tensors")
    return len(values)


def _lists(values: Tensor) -> TensorColumn:
    """The rows of a nested tensor (n, *) or (n, *, d) as lists of numbers, or of arrays of d numbers."""
    if values.dim() not in (2, 3):
        raise UnsupportedError(f"it is a nested tensor of {values.dtype} in {values.dim()} dimensions")
    if values.layout is torch.jagged:
        whole: Any = values.detach().contiguous()
        data, offsets = whole.values(), whole.offsets()
    else:
        rows = values.detach().unbind()
        if len({row.shape[1:] for row in rows}) > 1:
            raise UnsupportedError("it is a nested tensor whose rows differ in more than their first dimension")
        lengths = torch.tensor([0, *(len(row) for row in rows)], device=values.device)
        data, offsets = torch.cat(rows), lengths.cumsum(0)
    child = _rows_of(data)
    return TensorColumn(offsets, None, types.list_of(child.dtype), None, (child,))


def _rows_of(values: Tensor) -> TensorColumn:
    """A tensor (n, d) as n arrays of d numbers, one of more dimensions as arrays of arrays."""
    dtype = SQL_TYPES.get(values.dtype)
    if dtype is None:
        raise UnsupportedError(_no_type(values))
    if values.ndim == 1:
        return TensorColumn(values, None, dtype, None)
    rows, size = values.shape[:2]
    if size == 0:
        raise UnsupportedError(f"its shape is {tuple(values.shape)}, and arrays have an element or more")
    if values.ndim == 2 and dtype in types.ARRAY_ELEMENTS:
        return TensorColumn(values, None, types.array(dtype, size), None)
    child = _rows_of(values.reshape(rows * size, *values.shape[2:]))
    offsets = torch.arange(0, rows * size + 1, size, device=values.device)
    return TensorColumn(offsets, None, types.array(child.dtype, size), None, (child,))


def _from_numpy(values: np.ndarray[Any, Any]) -> pa.Array | pa.ChunkedArray | HugeIntegers:
    mask = None
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        values = values.data
    if values.dtype.kind in "cV" or values.dtype.char in "gG":
        raise UnsupportedError(f"its dtype {values.dtype} has no SQL type{_CURES.get(values.dtype.kind, '')}")
    if values.dtype.kind in "OUT":
        return array_of_objects(values.astype(object), mask)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if values.dtype.kind in "mM":
        values = _in_known_unit(values)
    try:
        return pa.array(values, mask=mask)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        cure = ": use a unit from days to nanoseconds" if values.dtype.kind in "mM" else f": {error}"
        raise UnsupportedError(f"its dtype {values.dtype} cannot be read{cure}") from error


def _in_known_unit(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Times in the next shorter unit that Arrow has; as they are where that would lose some, or there is none."""
    unit, step = np.datetime_data(values.dtype)
    shorter = _SHORTER[values.dtype.kind].get(unit)
    if shorter is None or step != 1:
        return values
    found = values.astype(f"{values.dtype.kind}8[{shorter}]")
    same = np.array_equal(found.astype(values.dtype), values, equal_nan=True)
    return found if same else values


def _nested_from_result(name: str, values: TensorColumn) -> Column:
    """Lists and maps by their offsets (n + 1,), structs by their fields."""
    dtype, valid, offsets = values.dtype, values.valid, values.data.detach()
    children = tuple([_from_result(f"{name}[{place}]", child) for place, child in enumerate(values.children)])
    if tuple([child.dtype for child in children]) != dtype.children:
        raise SourceError(f"column {name!r} has children of other types than {dtype}")
    if dtype.is_record:
        # What a struct without fields has is its rows alone.
        rows = len(children[0]) if children else len(values.data)
        data = torch.arange(rows, dtype=torch.int64, device=children[0].device if children else values.data.device)
        is_whole = all(len(child) == rows for child in children)
    else:
        rows, offsets = len(offsets) - 1, offsets.long()
        data = torch.stack([offsets[:-1], offsets.diff()], 1) if rows >= 0 else offsets
        ends = waits.several((offsets[0], offsets[-1], (offsets.diff() >= 0).all()), _READ) if rows >= 0 else (1, 0, 0)
        is_whole = ends[0] == 0 and ends[1] == len(children[0]) and bool(ends[2])
    if not is_whole or (valid is not None and (valid.dtype is not torch.bool or valid.shape != (rows,))):
        raise SourceError(f"column {name!r} has offsets, fields or a mask that do not fit each other")
    return Column(data, dtype, None if valid is None else valid.clone(), children=children)


def _from_result(name: str, values: TensorColumn) -> Column:
    """The column of which `values` are the tensors; SourceError where they do not fit the type."""
    if values.dtype.has_children:
        return _nested_from_result(name, values)
    data, valid, dtype = values.data.detach(), values.valid, values.dtype
    if valid is not None:
        if valid.dtype is not torch.bool or valid.shape != data.shape[:1]:
            raise SourceError(f"column {name!r}: valid is no tensor of {len(data)} truth values")
        valid = valid.to(data.device, copy=True)
    if dtype.is_coded:
        mask = None if valid is None else ~waits.array(valid, _READ)
        codes = pa.array(waits.array(data, _READ), mask=mask)
        try:
            found = column_from_arrow(pa.DictionaryArray.from_arrays(codes, values.dictionary), name)
        except (pa.ArrowException, TypeError) as error:
            raise SourceError(f"column {name!r} has codes that its dictionary does not have: {error}") from error
        if not found.dtype.is_coded or found.dtype.is_binary != dtype.is_binary:
            raise SourceError(f"column {name!r} has a dictionary of {found.dtype}, which is not that of {dtype}")
        return replace(found, dtype=dtype)
    if dtype.element is not None:
        if data.ndim != 2 or data.shape[1] != dtype.size:
            raise SourceError(f"column {name!r} has the shape {tuple(data.shape)}, which is not that of {dtype}")
        return Column(data.to(ELEMENTS[dtype.element], copy=True), dtype, valid)
    if data.ndim == 2 and dtype.is_ordinal:
        return Column(data.clone(), dtype, valid, encoding=Encoding.WIDE)
    if dtype.kind in (Kind.BOOLEAN, Kind.NULL, Kind.INTERVAL) or dtype.is_float:
        return Column(data.clone(), dtype, valid)
    if valid is not None:
        # NULL rows take a value that occurs, so that the bounds are true of them too.
        known = waits.masked(data, valid, _READ)
        data = torch.where(valid, data, known[0] if known.shape[0] else torch.zeros_like(data))
    column = replace(_from_tensor(data, dtype), valid=valid)
    if dtype.is_ordinal and column.bounds is not None:
        low, high = stored_range(dtype)
        if column.bounds[0] < low or column.bounds[1] > high:
            raise SourceError(f"column {name!r} has values that {dtype} cannot hold")
    return column


def _from_tensor(values: Tensor, dtype: DType) -> Column:
    """The column in memory of its own: what its owner does to the tensor later changes no answer and no bounds."""
    if dtype.element is not None:
        return Column(values.to(ELEMENTS[dtype.element], copy=True), dtype)
    if dtype.is_float:
        return Column(values.to(torch.float64 if dtype == types.DOUBLE else torch.float32, copy=True), dtype)
    if dtype == types.BOOLEAN:
        return Column(values.clone(), dtype)
    if values.dtype in (torch.uint8, torch.uint16, torch.uint32):
        values = values.to(torch.int64)
    if values.shape[0] == 0:
        return Column(values.to(torch.int8), dtype, None, None, (0, 0))
    if values.dtype is torch.uint64:
        values = values.view(torch.int64)
        if waits.limits(values, _READ)[0] < 0:
            # What has the highest bit set is a low limb, below a high one of 0.
            return Column(torch.stack([torch.zeros_like(values), values], 1), dtype, encoding=Encoding.WIDE)
    low, high = waits.limits(values, _READ)
    width = narrowest(low, high)
    assert width is not None
    return Column(values.to(width, copy=True), dtype, None, None, (low, high))
