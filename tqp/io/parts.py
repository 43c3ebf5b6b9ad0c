"""Columns that are made part by part: rows of fixed size go straight into the tensor that they will have.

A part is measured as it is filled. What the file says of a column's limits only chooses the
width that it is made with: bounds are of the values that were there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch

from tqp.data.column import Column
from tqp.data.layout import Bounds, narrowest
from tqp.errors import TqpError
from tqp.io.arrow import chunk_valid, fixed_values
from tqp.io.arrow_types import dtype_from_arrow
from tqp.io.limits import require_range
from tqp.types import DType

__all__ = ["LONGEST_DECIMAL", "FixedColumn", "Part", "has_fixed_size"]

_SIGNED: Final = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
LONGEST_DECIMAL: Final = 18
"""Digits that 64 bits hold."""


class Part(NamedTuple):
    """What filling some rows of a column told of them: limits, NULLs aside, and which rows are NULL."""

    bounds: Bounds | None
    valid: tuple[tuple[int, npt.NDArray[np.bool_]], ...]
    """First rows and flags of those stretches that have NULLs."""


def has_fixed_size(kind: pa.DataType) -> bool:
    """Whether `FixedColumn` makes columns of the type: numbers of at most 64 bits with sign, dates, times, booleans."""
    if dtype_from_arrow(kind) is None:
        return False
    if pa.types.is_decimal(kind):
        return bool(kind.precision <= LONGEST_DECIMAL)
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        return kind.unit in ("us", "ms") or (pa.types.is_timestamp(kind) and kind.tz is None)
    if pa.types.is_floating(kind):
        return bool(kind.bit_width >= 32)
    is_integer = pa.types.is_integer(kind) and not pa.types.is_uint64(kind)
    return is_integer or pa.types.is_boolean(kind) or pa.types.is_date32(kind)


class FixedColumn:
    """A column of `rows` values of an Arrow type that `has_fixed_size`. Parts may be filled side by side.

    `expected` are the limits that its values should have; without them its type tells the width that parts are made with.
    """

    def __init__(self, kind: pa.DataType, rows: int, name: str, expected: Bounds | None) -> None:
        dtype = dtype_from_arrow(kind)
        assert dtype is not None
        self._dtype: DType = dtype
        self._name = name
        self._data = torch.empty(rows, dtype=_first_width(kind, dtype, expected), device="cpu")
        self._is_exact = not (self._data.dtype.is_floating_point or self._data.dtype is torch.bool)

    def fill(self, start: int, chunks: Sequence[pa.Array]) -> Part | None:
        """Put the chunks' values in place from row `start` on; None where one does not fit, or is no value of the type."""
        target = self._data.numpy()
        limits: list[Bounds] = []
        flags: list[tuple[int, npt.NDArray[np.bool_]]] = []
        for chunk in chunks:
            stop = start + len(chunk)
            valid = chunk_valid(chunk)
            try:
                numbers = fixed_values(chunk, self._name, start)
                if self._is_exact and len(chunk):
                    known = numbers if valid is None else numbers[valid]
                    if len(known):
                        limits.append(self._limits(known, numbers, valid, start))
            except TqpError:
                return None
            if limits and not self._fits(limits[-1]):
                return None
            np.copyto(target[start:stop], numbers, casting="unsafe")
            if valid is not None:
                flags.append((start, valid))
            start = stop
        return Part(_together(limits), tuple(flags))

    def column(self, parts: Sequence[Part | None]) -> Column | None:
        """The column of the parts that were filled, in the narrowest width; None where one was not."""
        filled = [part for part in parts if part is not None]
        if len(filled) < len(parts):
            return None
        valid = self._valid(filled)
        bounds: Bounds | None = None
        low = 0
        data = self._data
        if self._is_exact:
            bounds = _together([part.bounds for part in filled if part.bounds is not None]) or (0, 0)
            low = bounds[0]
            width = narrowest(*bounds)
            assert width is not None
            data = data.to(width)
        if valid is not None:
            data[~valid] = low
        return Column(data, self._dtype, valid, None, bounds)

    def _limits(
        self, known: npt.NDArray[Any], numbers: npt.NDArray[Any], valid: npt.NDArray[np.bool_] | None, start: int
    ) -> Bounds:
        found = int(known.min()), int(known.max())  # host: NumPy
        require_range(numbers, valid, found, self._dtype, self._name, start)
        return found

    def _fits(self, bounds: Bounds) -> bool:
        holds = torch.iinfo(self._data.dtype)
        return holds.min <= bounds[0] and bounds[1] <= holds.max

    def _valid(self, parts: Sequence[Part]) -> torch.Tensor | None:
        flags = [flag for part in parts for flag in part.valid]
        if not flags:
            return None
        valid = torch.ones(len(self._data), dtype=torch.bool, device="cpu")
        target = valid.numpy()
        for start, known in flags:
            target[start : start + len(known)] = known
        return valid


def _first_width(kind: pa.DataType, dtype: DType, expected: Bounds | None) -> torch.dtype:
    if pa.types.is_boolean(kind):
        return torch.bool
    if dtype.is_float:
        return torch.float32 if kind.bit_width == 32 else torch.float64
    if expected is not None:
        return narrowest(*expected) or torch.int64
    if pa.types.is_integer(kind) and not pa.types.is_unsigned_integer(kind):
        return _SIGNED[kind.bit_width // 8]
    return torch.int32 if pa.types.is_date32(kind) else torch.int64


def _together(limits: Sequence[Bounds]) -> Bounds | None:
    return (min(low for low, _ in limits), max(high for _, high in limits)) if limits else None
