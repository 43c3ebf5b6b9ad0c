"""Polars data frames in and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import torch

from tqp import types
from tqp.data.column import Column
from tqp.data.table import Table
from tqp.data.transfer import on_host
from tqp.errors import ExecutionError, SourceError, UnsupportedError
from tqp.io.arrow import column_from_arrow
from tqp.io.arrow_types import dtype_from_arrow, unsupported_reason, with_fixed_size
from tqp.io.export import table_to_arrow
from tqp.io.intervals import interval_microseconds
from tqp.io.names import column_names
from tqp.io.values import HugeIntegers
from tqp.types import DType, Kind

if TYPE_CHECKING:
    import polars

__all__ = ["PolarsReader", "table_to_polars"]

_DAY = 86_400_000_000


class PolarsReader:
    """A polars DataFrame, or a LazyFrame, which is collected at once. Int128 is HUGEINT, Enum and Categorical VARCHAR."""

    def __init__(self, frame: Any) -> None:
        if hasattr(frame, "collect"):
            try:
                frame = frame.collect()
            except Exception as error:
                raise SourceError(f"the LazyFrame cannot be collected: {error}") from error
        names = column_names(frame.columns, "v")
        self._series = dict(zip(names, frame.get_columns(), strict=True))
        self.rows: int = frame.height
        self.unsupported: dict[str, str] = {}
        schema = []
        for name, series in self._series.items():
            dtype = types.NULL
            try:
                dtype = _dtype(series)
            except UnsupportedError as error:
                self.unsupported[name] = error.message
            schema.append((name, dtype))
        self.schema = tuple(schema)

    @property
    def original(self) -> object:
        """The frame, for others to read."""
        import polars

        return polars.DataFrame([series.alias(name) for name, series in self._series.items()])

    def column(self, name: str) -> Column:
        if name in self.unsupported:
            raise UnsupportedError(
                f"column {name!r} cannot be read: {self.unsupported[name]}",
                hint="leave the column out of the query, or cast it before it is handed in",
            )
        series = self._series[name]
        if _is_huge(series):
            return HugeIntegers(series.to_list()).column()
        return column_from_arrow(_arrow(series), name)


def _dtype(series: Any) -> DType:
    """The SQL type; UnsupportedError, whose message is the reason, where there is none."""
    if _is_huge(series):
        return types.HUGEINT
    # Polars ends the whole process where objects of Python stand in a nested column.
    if "Object" in repr(series.dtype):
        raise UnsupportedError(f"its type {series.dtype} holds objects of Python")
    # Whether lists are all of one length shows in the values alone.
    values = _arrow(series if "List" in repr(series.dtype) else series.head(0))
    dtype = dtype_from_arrow(values.type)
    if dtype is None:
        raise UnsupportedError(unsupported_reason(values.type) or "")
    return dtype


def _is_huge(series: Any) -> bool:
    return repr(series.dtype) == "Int128"


def _arrow(series: Any) -> pa.ChunkedArray:
    from polars.exceptions import PanicException

    try:
        # Without its name, which Arrow may not take.
        return with_fixed_size(pa.chunked_array([series.alias("").to_arrow()]))
    except (pa.ArrowException, PanicException, TypeError, ValueError) as error:
        raise UnsupportedError(f"its type {series.dtype} has no Arrow type: {error}") from error


def table_to_polars(table: Table, names: Sequence[str], dtypes: Sequence[DType]) -> polars.DataFrame:
    """The table as a frame; see docs/types.md for the type of each column.

    Raises ExecutionError for an INTERVAL beyond 64 bits of microseconds, a HUGEINT of more than 38 digits and the time of
    day 24:00:00.
    """
    import polars

    columns = zip(names, table.columns, dtypes, strict=True)
    return polars.DataFrame([_exported(name, column, dtype, table.rows) for name, column, dtype in columns])


def _exported(name: str, column: Column, dtype: DType, rows: int) -> polars.Series:
    import polars

    (column,) = on_host([column.expand(rows)])
    if dtype.kind is Kind.INTERVAL:
        mask = None if column.valid is None else ~column.valid.numpy()
        lengths = pa.array(interval_microseconds(column, name), mask=mask).cast(pa.duration("us"))
        return polars.Series(name, lengths)
    if dtype.kind in (Kind.TIME, Kind.TIME_NS):
        # Not narrow: a narrow tensor would wrap the number that it is compared with.
        late = column.data.to(torch.int64) == _DAY * (1000 if dtype.kind is Kind.TIME_NS else 1)
        late = late if column.valid is None else late & column.valid
        if bool(late.any()):  # host: the result has left
            raise ExecutionError(
                f"column {name!r} has the time 24:00:00, which polars has not", hint="cast it to VARCHAR"
            )
    return polars.Series(name, table_to_arrow(Table((name,), (column,), rows), [dtype]).column(0))
