"""Tables from dicts of NumPy arrays and torch tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from tqp import types
from tqp.data.column import Column
from tqp.data.layout import ELEMENTS, Encoding, narrowest
from tqp.device import TYPES
from tqp.errors import SourceError, UnsupportedError
from tqp.io.arrow import column_from_arrow
from tqp.io.arrow_types import dtype_from_arrow, unsupported_reason, with_fixed_size
from tqp.io.intervals import with_days
from tqp.io.names import column_names
from tqp.io.values import HugeIntegers, array_of_objects
from tqp.kernels import waits
from tqp.types import DType, Kind, stored_range

__all__ = ["TensorColumn", "TensorReader", "is_tensor_dict", "plain_type", "without_values"]

_READ = "a column that was handed in is read"
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


@dataclass(frozen=True, slots=True, eq=False)
class TensorColumn:
    """A column of a result that is more than one tensor; see `Relation.torch` for which these are, and the layout of `data`.

    `valid` is None where no row is NULL, else (n,) bool, True where not NULL; `data` is arbitrary where it is False.
    `dictionary` holds the strings that the codes of a VARCHAR column point to. `children` are the elements of all lists,
    list by list, the entries of all maps, or the fields of structs (n,).
    """

    data: Tensor
    valid: Tensor | None
    dtype: DType
    dictionary: pa.Array | None
    children: tuple[TensorColumn, ...] = ()

    @classmethod
    def __torch_function__(
        cls, function: object, types: object, args: Sequence[object] = (), kwargs: object = None
    ) -> Tensor:
        """UnsupportedError: no function of torch knows NULLs, units or dictionaries."""
        raise next((one._no_tensor() for one in args if isinstance(one, cls)), _no_tensor("such a type"))

    def _computed(self, _: object) -> Tensor:
        raise self._no_tensor()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _computed
    __floordiv__ = __mod__ = __pow__ = __matmul__ = __lt__ = __le__ = __gt__ = __ge__ = _computed

    def _no_tensor(self) -> UnsupportedError:
        return _no_tensor(f"{self.dtype}, {'without' if self.valid is None else 'with'} NULLs,")

    def nested(self) -> Tensor:
        """The lists of numbers of a LIST column as one nested tensor of torch, of the layout `jagged`; a NULL list is empty.

        UnsupportedError for other types, and where an element is NULL.
        """
        child = self.children[0] if self.dtype.kind is Kind.LIST else None
        if child is None or child.children or child.dictionary is not None or child.data.ndim != 1:
            raise UnsupportedError(
                f"a nested tensor of {self.dtype} is not supported", hint="lists of numbers have one"
            )
        if child.valid is not None:
            raise UnsupportedError("a list has a NULL in it, which a nested tensor cannot hold", hint="coalesce it")
        return torch.nested.nested_tensor_from_jagged(child.data, offsets=self.data)


def _no_tensor(kind: str) -> UnsupportedError:
    hint = "take its .data, with .valid and .dictionary; or coalesce and cast in SQL, such as sum(x)::BIGINT"
    return UnsupportedError(f"a column of {kind} is more than a tensor, and cannot be computed with", hint=hint)


def plain_type(values: Tensor) -> DType | None:
    """The SQL type of a column that is this tensor and nothing else; None where there is none."""
    dtype = _TYPES.get(values.dtype)
    if dtype is None or values.ndim == 1:
        return dtype
    return (
        types.array(dtype, values.shape[1])
        if values.ndim == 2 and dtype in types.ARRAY_ELEMENTS and values.shape[1]
        else None
    )


def is_tensor_dict(value: object) -> bool:
    """A dict of arrays, tensors or lists by column name."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(
            isinstance(name, str) and isinstance(column, (np.ndarray, Tensor, TensorColumn, list, tuple))
            for name, column in value.items()
        )
    )


def without_values(values: Tensor) -> str | None:
    """Why the tensor holds no plain values that can be read; None where it does."""
    known = TYPES.get(values.device.type)
    plain = Tensor if known is None else known.tensors
    if (
        type(values).__torch_dispatch__ not in (Tensor.__torch_dispatch__, plain.__torch_dispatch__)
        and not values.is_nested
    ):
        return f"its class {type(values).__name__} computes in a way of its own"
    if values.is_nested:
        return "it is nested"
    if values.is_meta:
        return "it is on the device meta, without data"
    if values.is_quantized:
        return "it is quantized: use .dequantize()"
    return None if values.layout == torch.strided else f"its layout is {values.layout}: use .to_dense()"


class TensorReader:
    """1-D arrays or tensors of equal length by name; one of two dimensions (n, d) is a column of n arrays of d numbers.

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
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise SourceError(f"columns differ in length: {listed}", hint="all columns of a table have as many rows")
        self.rows = next(iter(lengths.values()))
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
            if values.ndim != 1 and values.dtype.kind in "fiu":
                return self._add_rows(name, values)
            if values.ndim != 1:
                raise UnsupportedError(f"it is an array of shape {values.shape} and dtype {values.dtype}")
            array = _from_numpy(values)
        else:
            array = array_of_objects(values)
        if isinstance(array, HugeIntegers):
            self._columns[name] = array
            return types.HUGEINT
        array = with_fixed_size(array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array]))
        dtype = dtype_from_arrow(array.type)
        if dtype is None:
            raise UnsupportedError(unsupported_reason(array.type) or "")
        self._columns[name] = array
        return dtype

    def _add_tensor(self, name: str, values: Tensor) -> DType:
        reason = without_values(values)
        if reason is not None:
            raise UnsupportedError(reason)
        dtype = _TYPES.get(values.dtype)
        if dtype is None:
            raise UnsupportedError(f"its dtype {values.dtype} has no SQL type")
        # A gradient, a lazy sign and a lazy conjugate are nothing that a query knows.
        self._columns[name] = values.detach().resolve_neg()
        if values.ndim == 1:
            return dtype
        _require_array(values, dtype)
        return types.array(dtype, values.shape[1])

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
        dtype = _TYPES.get(tensor.dtype)
        if dtype is None:
            raise UnsupportedError(f"its dtype {values.dtype} has no SQL type")
        _require_array(tensor, dtype)
        dtype = types.array(dtype, tensor.shape[1])
        self._columns[name] = tensor if valid is None else TensorColumn(tensor, valid, dtype, None)
        return dtype

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
            dtype = _TYPES[values.dtype]
            return _from_tensor(values, dtype if values.ndim == 1 else types.array(dtype, values.shape[1]))
        column = column_from_arrow(values, name)
        return with_days(column) if pa.types.is_duration(values.type) else column


def _length(name: str, values: Any) -> int:
    if isinstance(values, TensorColumn):
        if values.dtype.is_struct:
            return _length(name, values.children[0])
        return len(values.data) - values.dtype.is_list
    if isinstance(values, Tensor) and values.is_nested:
        return int(values.size(0))
    if isinstance(values, (np.ndarray, Tensor)) and values.ndim == 0:
        raise SourceError(f"column {name!r} is one value", hint="columns are 1-D arrays or tensors")
    return len(values)


def _require_array(values: Tensor, dtype: DType) -> None:
    """Raise UnsupportedError where a tensor that is not 1-D is no column of arrays."""
    if values.ndim > 2 or values.shape[1] == 0:
        shape = tuple(values.shape)
        raise UnsupportedError(f"its shape is {shape}, and columns have one dimension, or two for arrays of numbers")
    if dtype not in types.ARRAY_ELEMENTS:
        raise UnsupportedError(f"arrays of {dtype} are not supported")


def _from_numpy(values: np.ndarray[Any, Any]) -> pa.Array | pa.ChunkedArray | HugeIntegers:
    mask = None
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        values = values.data
    if values.dtype.kind in "cV" or values.dtype.char in "gG":
        raise UnsupportedError(f"its dtype {values.dtype} has no SQL type")
    if values.dtype.kind in "OUT":
        return array_of_objects(values.astype(object), mask)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    try:
        return pa.array(values, mask=mask)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise UnsupportedError(f"its dtype {values.dtype} cannot be read: {error}") from error


def _nested_from_result(name: str, values: TensorColumn) -> Column:
    """Lists and maps by their offsets (n + 1,), structs by their fields."""
    dtype, valid, offsets = values.dtype, values.valid, values.data.detach()
    children = tuple([_from_result(f"{name}[{place}]", child) for place, child in enumerate(values.children)])
    if tuple([child.dtype for child in children]) != dtype.children:
        raise SourceError(f"column {name!r} has children of other types than {dtype}")
    if dtype.is_struct:
        rows = len(children[0])
        data = torch.arange(rows, dtype=torch.int64, device=children[0].device)
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
            return column_from_arrow(pa.DictionaryArray.from_arrays(codes, values.dictionary), name)
        except (pa.ArrowException, TypeError) as error:
            raise SourceError(f"column {name!r} has codes that its dictionary does not have: {error}") from error
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
    low, high = waits.limits(values, _READ)
    width = narrowest(low, high)
    assert width is not None
    return Column(values.to(width, copy=True), dtype, None, None, (low, high))
