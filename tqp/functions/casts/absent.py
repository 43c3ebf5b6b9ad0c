"""Pairs of types without a cast: a value is an error when the query runs, as in DuckDB, and NULL stays NULL."""

from __future__ import annotations

from tqp.data.column import Column, constant
from tqp.errors import ExecutionError
from tqp.functions.casts.hints import NULL_INSTEAD
from tqp.kernels import waits
from tqp.types import DType

__all__ = ["no_cast"]


def no_cast(column: Column, to: DType, safe: bool) -> Column:
    """NULLs: no value of this type is one of `to`. ExecutionError where there is a value, unless `safe`."""
    some = column.is_constant or len(column) > 0
    if column.valid is not None:
        some = waits.truth(column.valid.any(), "a value without a cast is an error")
    if some and not safe:
        raise ExecutionError(f"there is no cast from {column.dtype} to {to}", hint=NULL_INSTEAD)
    null = constant(None, to, column.device)
    return null if column.is_constant else null.expand(len(column))
