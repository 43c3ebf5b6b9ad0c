"""What computes a step of an expression from the values of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torch import Tensor

from tqp.data.column import Column
from tqp.functions.align import merge_rows
from tqp.functions.casts.cast import cast
from tqp.functions.registry import Kernel
from tqp.types import DType

if TYPE_CHECKING:
    from tqp.operators.batch import Batch, Key, Values

__all__ = ["Compute", "casting", "choosing", "free", "strict", "truth"]

Compute = Callable[["Batch", "Values"], Column]
"""From a batch, and what it knows by slots and symbols, to the values of a step."""


def strict(kernel: Kernel, keys: tuple[Key, ...], dtype: DType) -> Compute:
    """A function that is NULL where an argument is: its kernel need not know."""

    def compute(batch: Batch, values: Values) -> Column:
        args = tuple(map(values.__getitem__, keys))
        result = kernel(args, dtype)
        valid = result.valid
        for arg in args:
            known = arg.valid
            if known is not None:
                valid = known if valid is None else valid & known
        return result if valid is None else _with_valid(result, valid)

    return compute


def _with_valid(column: Column, valid: Tensor) -> Column:
    if valid.ndim == 1 and column.is_constant:
        column = column.expand(valid.shape[0])
    elif valid.ndim == 0 and not column.is_constant:
        valid = valid.expand(len(column))
    return column.with_valid(valid)


def free(kernel: Kernel, keys: tuple[Key, ...], dtype: DType) -> Compute:
    """A function that deals with NULL itself."""
    return lambda batch, values: kernel(tuple(map(values.__getitem__, keys)), dtype)


def casting(key: Key, dtype: DType, safe: bool) -> Compute:
    return lambda batch, values: cast(values[key], dtype, safe)


def choosing(keys: tuple[Key, ...]) -> Compute:
    """CASE: the keys of conditions, then of values, then of the default."""
    half = len(keys) // 2
    pairs = tuple(zip(keys[:half], keys[half:-1], strict=True))[::-1]

    def compute(batch: Batch, values: Values) -> Column:
        result = values[keys[-1]]
        for condition, value in pairs:
            result = merge_rows(truth(values[condition]), values[value], result)
        return result

    return compute


def truth(column: Column) -> Tensor:
    """A BOOLEAN column as a mask: True where it is true, False where false or NULL."""
    return column.data if column.valid is None else column.data & column.valid
