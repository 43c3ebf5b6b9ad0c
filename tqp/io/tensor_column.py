"""Columns of results that are more than one tensor, and which columns one tensor is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import torch
from torch import Tensor

from tqp import types
from tqp.device import TYPES
from tqp.errors import UnsupportedError
from tqp.types import DType, Kind

__all__ = ["SQL_TYPES", "TensorColumn", "plain_type", "without_values"]

SQL_TYPES: Final[dict[torch.dtype, DType]] = {
    torch.bool: types.BOOLEAN,
    torch.int8: types.TINYINT,
    torch.int16: types.SMALLINT,
    torch.int32: types.INTEGER,
    torch.int64: types.BIGINT,
    torch.uint8: types.UTINYINT,
    torch.uint16: types.USMALLINT,
    torch.uint32: types.UINTEGER,
    torch.uint64: types.UBIGINT,
    torch.float16: types.FLOAT,
    torch.bfloat16: types.FLOAT,
    torch.float32: types.FLOAT,
    torch.float64: types.DOUBLE,
}

_SHOWN: Final = 6
"""So many strings of a dictionary are shown."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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

    def __len__(self) -> int:
        """The number of rows."""
        has_offsets = bool(self.children) and not self.dtype.is_record
        return len(self.data) - 1 if has_offsets else len(self.data)

    def __repr__(self) -> str:
        parts = [str(self.dtype), f"data={self.data}"]
        if self.valid is not None:
            parts.append(f"valid={self.valid}")
        if self.dictionary is not None:
            shown = ", ".join(map(repr, self.dictionary[:_SHOWN].to_pylist()))
            more = f", … {len(self.dictionary) - _SHOWN} more" if len(self.dictionary) > _SHOWN else ""
            parts.append(f"dictionary=[{shown}{more}]")
        if self.children:
            parts.append(f"children={self.children}")
        return f"TensorColumn({', '.join(parts)})"

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
    dtype = SQL_TYPES.get(values.dtype)
    if dtype is None or values.ndim == 1:
        return dtype
    return (
        types.array(dtype, values.shape[1])
        if values.ndim == 2 and dtype in types.ARRAY_ELEMENTS and values.shape[1]
        else None
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
