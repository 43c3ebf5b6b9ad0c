"""From columns to NumPy arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tqp.data.column import Column
from tqp.data.nested import elements, lengths
from tqp.data.table import Table
from tqp.data.transfer import on_host
from tqp.errors import ExecutionError
from tqp.io.export import arrow_type, table_to_arrow
from tqp.io.intervals import interval_microseconds
from tqp.io.python import column_to_python
from tqp.kernels.calendar import INFINITE_DAY
from tqp.types import UNITS_A_SECOND, DType, Kind

__all__ = ["column_to_numpy", "instants"]

_LAST_DAY = 106_751_990
"""The days of which the microseconds fit 64 bits."""


def column_to_numpy(name: str, column: Column, dtype: DType, rows: int) -> np.ndarray[Any, Any]:
    """The column as an array of its own memory, a masked one where there are NULLs; see docs/types.md for its dtype.

    Raises ExecutionError, which says `name`, for an INTERVAL beyond 64 bits of microseconds.
    """
    (column,) = on_host([column.expand(rows)])
    valid = (
        None if column.valid is None or bool(column.valid.all()) else column.valid.numpy()
    )  # host: the result has left
    mask = None if valid is None else ~valid
    match dtype.kind:
        case (
            Kind.DECIMAL
            | Kind.HUGEINT
            | Kind.UHUGEINT
            | Kind.UUID
            | Kind.ENUM
            | Kind.VARCHAR
            | Kind.JSON
            | Kind.BIT
            | Kind.BIGNUM
            | Kind.VARIANT
            | Kind.TIME
            | Kind.TIME_NS
            | Kind.TIMETZ
            | Kind.NULL
        ):
            values = np.empty(rows, object)
            values[:] = column_to_python(column, rows)
        case Kind.LIST | Kind.STRUCT | Kind.MAP | Kind.UNION:
            values = _objects(column, rows)
        case Kind.ARRAY:
            values = column.data.numpy().astype(arrow_type(dtype).value_type.to_pandas_dtype())
            mask = None if mask is None else np.repeat(mask[:, None], dtype.size, axis=1)
        case Kind.DATE:
            days = _known(column).astype(np.int64)
            if len(days) and np.abs(days).max() >= INFINITE_DAY:
                raise ExecutionError(
                    f"column {name!r} has an infinite DATE, which NumPy has not",
                    hint="cast it to TIMESTAMP or VARCHAR, or use fetchall()",
                )
            values = days.astype("datetime64[D]")
        case _ if dtype.kind in UNITS_A_SECOND:
            values = _known(column).astype(np.int64).astype(f"datetime64[{arrow_type(dtype).unit}]")
        case Kind.INTERVAL:
            values = interval_microseconds(column, name).astype("timedelta64[us]")
        case _:
            known = replace(column, valid=None)
            values = np.array(table_to_arrow(Table(("",), (known,), rows), [dtype]).column(0).to_numpy())
    return values if mask is None else np.ma.MaskedArray(values, mask)


def _objects(column: Column, rows: int) -> np.ndarray[Any, Any]:
    """Lists of numbers as arrays of their elements, other nested values as those of Python."""
    found = np.empty(rows, object)
    for row, value in enumerate(_number_lists(column, rows) or column_to_python(column, rows)):
        found[row] = value
    return found


def _number_lists(column: Column, rows: int) -> list[Any] | None:
    """The lists as arrays; None where they are no lists of numbers, or an element is NULL."""
    if column.dtype.kind is not Kind.LIST or rows == 0:
        return None
    _, child = elements(column)
    if child.valid is not None and not bool(child.valid.all()):  # host: the result has left
        return None
    if not (child.dtype.is_float or child.dtype.is_integer) or child.is_wide:
        return None
    numbers = column_to_numpy("", child.with_valid(None), child.dtype, len(child))
    return np.split(numbers, np.cumsum(lengths(column).numpy())[:-1])


def _known(column: Column) -> np.ndarray[Any, Any]:
    """The stored integers, 0 for NULL."""
    numbers = column.data.numpy()
    return numbers if column.valid is None else np.where(column.valid.numpy(), numbers, 0)


def instants(name: str, days: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Days, maybe masked, as microseconds; ExecutionError where 64 bits do not hold them."""
    numbers = np.asarray(days).astype(np.int64)
    if len(numbers) and np.abs(numbers).max() > _LAST_DAY:
        raise ExecutionError(
            f"column {name!r} has a DATE beyond the years -290,000 to 290,000 of datetime64[us]",
            hint="use numpy(), arrow() or fetchall(), or cast it to VARCHAR",
        )
    return days.astype("datetime64[us]")
