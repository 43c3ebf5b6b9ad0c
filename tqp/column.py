"""How values lie in tensors: `Column`, the `Dictionary` of a text column, and `Table`.

Layout of `Column.data` for n rows:

- exact numbers (integers, DECIMAL as scaled integers), DATE (days), TIME, TIMESTAMP, TIMESTAMPTZ
  (microseconds): `(n,)` of any signed integer dtype that holds the values; the *width is storage,
  not type*. Numbers that need more than 64 bits are *wide*: `(n, 2)` int64, most significant limb
  first (`[:, 0]` signed high half, `[:, 1]` the low half's 64 bits).
- BOOLEAN `(n,)` bool; FLOAT, DOUBLE `(n,)` float32, float64.
- VARCHAR `(n,)` integer codes into `dictionary`.
- INTERVAL `(n, 3)` int64: months, days, microseconds.
- ARRAY `(n, size)` of the element's dtype (`ELEMENTS`); no element is NULL, only the array as a whole.
- NULL-typed `(n,)` bool, all invalid.

A *constant* column holds one value for all rows and lacks the row dimension: `()`, wide `(2,)`,
interval `(3,)`, array `(size,)`. Where `valid` is False, `data` holds anything of the right dtype (codes stay in range).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch

from tqp import types
from tqp.errors import InternalError
from tqp.interrupt import checkpoint
from tqp.types import DType, Kind

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["ELEMENTS", "Bounds", "Column", "Dictionary", "Table", "clipped", "constant", "narrowest"]

Bounds = tuple[int, int]

ELEMENTS = {
    types.FLOAT: torch.float32,
    types.DOUBLE: torch.float64,
    types.TINYINT: torch.int8,
    types.SMALLINT: torch.int16,
    types.INTEGER: torch.int32,
    types.BIGINT: torch.int64,
    types.UTINYINT: torch.int16,
    types.USMALLINT: torch.int32,
    types.UINTEGER: torch.int64,
}
"""The dtypes of the elements of arrays."""


def narrowest(low: int, high: int) -> torch.dtype | None:
    """The narrowest signed integer dtype that holds low..high; None where 64 bits do not suffice."""
    for dtype, limit in ((torch.int8, 2**7), (torch.int16, 2**15), (torch.int32, 2**31), (torch.int64, 2**63)):
        if -limit <= low and high < limit:
            return dtype
    return None


def clipped(bounds: Bounds, allowed: Bounds) -> Bounds:
    """The part of `bounds` within `allowed`: the limits of values that were checked to lie there.

    Where there is no such part no value passed the check: all rows are NULL, or there are none. The nearest end of
    `allowed` is then as true as any, and keeps the limits in order.
    """
    low, high = max(bounds[0], allowed[0]), min(bounds[1], allowed[1])
    if low > high:
        low = high = allowed[0] if bounds[1] < allowed[0] else allowed[1]
    return low, high


class Dictionary:
    """The distinct (or, for near-unique text, simply all) strings that a text column's codes point to.

    `values` is a `large_string` Arrow array without NULLs, on the host. `is_sorted` says that it is
    strictly ascending in UTF-8 byte order: then codes compare as the strings do. An unsorted
    dictionary may repeat values; `ranked()` gives the sorted one. Immutable; equal only to itself.
    """

    __slots__ = ("__weakref__", "_ranked", "is_sorted", "values")

    def __init__(self, values: pa.Array, *, is_sorted: bool) -> None:
        self.values = values if pa.types.is_large_string(values.type) else values.cast(pa.large_string())
        self.is_sorted = is_sorted
        self._ranked: tuple[Dictionary, Tensor] | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def nbytes(self) -> int:
        """Bytes of the strings, and of the sorted dictionary that is remembered."""
        own = int(self.values.nbytes)
        if self._ranked is None:
            return own
        ordered, codes = self._ranked
        return own + ordered.nbytes + codes.nbytes

    @property
    def bounds(self) -> Bounds:
        """Limits of the codes; without strings those of the code 0, which rows that are NULL have all the same."""
        return 0, max(len(self.values) - 1, 0)

    def ranked(self) -> tuple[Dictionary, Tensor]:
        """The sorted dictionary of the same strings and the int32 CPU tensor (len,) old code → new code.

        Cost: one sort of the strings, remembered.
        """
        if self._ranked is None:
            encoded = self.values.dictionary_encode()
            order = pc.sort_indices(encoded.dictionary)
            ranks = np.empty(len(order), dtype=np.int32)
            ranks[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
            codes = ranks[encoded.indices.to_numpy(zero_copy_only=False)]
            ordered = Dictionary(encoded.dictionary.take(order), is_sorted=True)
            self._ranked = (ordered, torch.from_numpy(np.ascontiguousarray(codes)))
        return self._ranked

    def bytes_and_offsets(self) -> tuple[Tensor, Tensor]:
        """UTF-8 bytes (b,) uint8 and offsets (len + 1,) int64 on the CPU; views where Arrow allows."""
        offsets = np.frombuffer(self.values.buffers()[1], dtype=np.int64)
        offsets = offsets[self.values.offset : self.values.offset + len(self.values) + 1]
        buffer = self.values.buffers()[2]
        data = np.frombuffer(buffer, dtype=np.uint8) if buffer is not None else np.empty(0, dtype=np.uint8)
        return torch.from_numpy(data), torch.from_numpy(offsets)


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column of values on one device; see the module's text for the layout.

    `valid` is None (no NULL at all) or a bool tensor, True where not NULL ((n,), or () for a constant).
    `bounds` is None or proven inclusive limits (low, high) of the stored integers, NULLs aside; it holds for
    every subset of the rows, so kernels use it to choose widths and to prove that nothing overflows. Bounds of
    data that is not wide lie within int64, those of wide data do not. A non-NULL constant integer has bounds
    (value, value). Raises InternalError where the bounds cannot be those of such data.
    """

    data: Tensor
    dtype: DType
    valid: Tensor | None = None
    dictionary: Dictionary | None = None
    bounds: Bounds | None = None

    def __post_init__(self) -> None:
        bounds = self.bounds
        if bounds is None:
            return
        low, high = bounds
        if -(2**63) <= low and high < 2**63:
            wrong = self.data.ndim == 2 and self.dtype.is_exact
        else:
            wrong = not self.dtype.is_exact or self.data.ndim == 0 or self.data.shape[-1] != 2
        if wrong or low > high:
            shape = tuple(self.data.shape)
            raise InternalError(f"{self.dtype} values of shape {shape} cannot have the bounds {low} to {high}")

    @property
    def is_wide(self) -> bool:
        """Two 64-bit limbs a value."""
        return (
            self.dtype.is_exact
            and self.data.ndim >= 1
            and self.data.shape[-1] == 2
            and (self.data.ndim == 2 or self._wide_constant)
        )

    @property
    def _wide_constant(self) -> bool:
        # A (2,) tensor is a wide constant only where the bounds say that 64 bits do not suffice.
        return self.bounds is not None and narrowest(*self.bounds) is None

    @property
    def is_constant(self) -> bool:
        """One value for all rows: no row dimension."""
        if self.dtype.kind is Kind.INTERVAL or self.dtype.is_array:
            return self.data.ndim == 1
        return self.data.ndim == 0 or (self.data.ndim == 1 and self.is_wide)

    @property
    def device(self) -> torch.device:
        return self.data.device

    @property
    def nbytes(self) -> int:
        """Bytes of the tensors (a shared dictionary not counted)."""
        size = self.data.numel() * self.data.element_size()
        return size if self.valid is None else size + self.valid.numel()

    def __len__(self) -> int:
        return self.data.shape[0]

    def map(self, move: Callable[[Tensor], Tensor]) -> Column:
        """The same values elsewhere or a choice of rows: `move` is applied to data and valid."""
        valid = None if self.valid is None else move(self.valid)
        return replace(self, data=move(self.data), valid=valid)

    def take(self, rows: Tensor) -> Column:
        """The rows at `rows` ((m,) int32 or int64, in range); a constant stays as it is."""
        if self.is_constant:
            return self
        checkpoint()
        return self.map(lambda tensor: tensor.index_select(0, rows))

    def slice(self, start: int, stop: int) -> Column:
        """Rows start..stop-1 as views."""
        if self.is_constant:
            return self
        return self.map(lambda tensor: tensor[start:stop])

    def to(self, device: torch.device) -> Column:
        return self.map(lambda tensor: tensor.to(device))

    def expand(self, rows: int) -> Column:
        """A constant as a column of `rows` equal values (stride 0, no copy); others unchanged."""
        if not self.is_constant:
            return self
        data = self.data.expand(rows, *self.data.shape)
        valid = None if self.valid is None else self.valid.expand(rows)
        return replace(self, data=data, valid=valid)

    def with_valid(self, valid: Tensor | None) -> Column:
        return replace(self, valid=valid)

    def ranked(self) -> Column:
        """A text column whose codes order and compare as its strings do; other columns unchanged."""
        if self.dictionary is None or self.dictionary.is_sorted:
            return self
        dictionary, ranks = self.dictionary.ranked()
        lookup = ranks.to(self.device)
        if len(lookup) == 0:
            return replace(self, dictionary=dictionary, bounds=None)
        codes = lookup[self.data.long()] if self.is_constant else lookup.index_select(0, self.data.int())
        return replace(self, data=codes, dictionary=dictionary, bounds=dictionary.bounds)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Named columns of equal length on one device; names may repeat (as in `SELECT a, a`)."""

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: int

    def items(self) -> list[tuple[str, Column]]:
        return list(zip(self.names, self.columns, strict=True))

    @staticmethod
    def of(columns: Mapping[str, Column]) -> Table:
        """A table of at least one column."""
        rows = len(next(iter(columns.values())))
        return Table(tuple(columns), tuple(columns.values()), rows)


_FIXED = {
    Kind.BOOLEAN: torch.bool,
    Kind.NULL: torch.bool,
    Kind.FLOAT: torch.float32,
    Kind.DOUBLE: torch.float64,
    Kind.INTERVAL: torch.int64,
}


def constant(value: object, dtype: DType, device: torch.device) -> Column:
    """A constant column of one literal.

    `value` is in stored form (see `tqp.ir.expr.Literal`): None is NULL, DECIMAL a scaled int, DATE days,
    TIME and TIMESTAMP microseconds, INTERVAL (months, days, microseconds), VARCHAR str, ARRAY `Elements`.
    """
    null = value is None
    valid = torch.tensor(False, device=device) if null else None
    if dtype.is_text:
        text = "" if null else str(value)
        dictionary = Dictionary(pa.array([text], pa.large_string()), is_sorted=True)
        return Column(torch.tensor(0, dtype=torch.int32, device=device), dtype, valid, dictionary, (0, 0))
    if dtype.is_array:
        assert dtype.element is not None
        numbers = [0] * dtype.size if null else value.numbers  # type: ignore[attr-defined]
        return Column(torch.tensor(numbers, dtype=ELEMENTS[dtype.element], device=device), dtype, valid)
    if dtype.kind in _FIXED:
        filler: object = (0, 0, 0) if dtype.kind is Kind.INTERVAL else 0
        data = torch.tensor(filler if null else value, dtype=_FIXED[dtype.kind], device=device)
        return Column(data, dtype, valid)
    number = 0 if null else int(value)  # type: ignore[call-overload]
    width = narrowest(number, number)
    if width is None:
        low = number & (2**64 - 1)
        limbs = [number >> 64, low - 2**64 if low >= 2**63 else low]
        data = torch.tensor(limbs, dtype=torch.int64, device=device)
    else:
        data = torch.tensor(number, dtype=width, device=device)
    return Column(data, dtype, valid, None, None if null else (number, number))
