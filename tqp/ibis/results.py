"""Rows as Ibis hands them out: Arrow and pandas of exactly the types of an expression's schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import ibis.expr.datatypes as dt
import ibis.expr.schema as sch
import numpy as np
import pyarrow as pa
import pyarrow.types as pat
from ibis.formats.pandas import PandasData
from ibis.formats.pyarrow import PyArrowData, PyArrowType

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ArrowValues", "PandasValues", "arrow_of", "frame_of"]

_INTERVAL: Final = np.dtype([("months", "<i4"), ("days", "<i4"), ("nanoseconds", "<i8")])
_DAY: Final = 86_400 * 10**6
_MICROSECONDS: Final = {"D": _DAY, "h": 3600 * 10**6, "m": 60 * 10**6, "s": 10**6, "ms": 1000, "us": 1, "W": 7 * _DAY}


class ArrowValues(PyArrowData):
    """Columns of tqp's Arrow as those of Ibis' types."""

    @classmethod
    def convert_scalar(cls, scalar: pa.Scalar, dtype: dt.DataType) -> pa.Scalar:
        return pa.scalar(None) if dtype.is_null() else super().convert_scalar(scalar, dtype)

    @classmethod
    def convert_column(cls, column: Any, dtype: dt.DataType) -> Any:
        if dtype.is_null():
            return pa.nulls(len(column))
        if pat.is_interval(column.type):
            return _durations(column, dtype)
        if pat.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        return super().convert_column(column, dtype)


class PandasValues(PandasData):
    """Columns of pandas as those of Ibis' types."""

    @classmethod
    def convert_Array(cls, series: pd.Series[Any], dtype: dt.DataType, pandas_type: object) -> pd.Series[Any]:
        if not (dtype.value_type.is_primitive() or dtype.value_type.is_string()):
            series = super().convert_Array(series, dtype, pandas_type)
        # A missing list is None and not NaN.
        return series.replace(float("nan"), None)


def _durations(column: Any, dtype: dt.DataType) -> pa.Array:
    """An INTERVAL as a duration of the unit of its type; a month is 30 days. NULL stays NULL."""
    pieces = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    kind = PyArrowType.from_ibis(dtype)
    made = []
    for piece in pieces:
        _, values = piece.buffers()
        parts = np.frombuffer(values, _INTERVAL, len(piece), piece.offset * _INTERVAL.itemsize)
        days = parts["months"].astype(np.int64) * 30 + parts["days"]
        micros = days * _DAY + parts["nanoseconds"] // 1000
        null = np.asarray(piece.is_null())
        made.append(pa.array(micros.view("m8[us]"), pa.duration("us"), mask=null).cast(kind))
    return pa.chunked_array(made, kind) if made else pa.chunked_array([], kind)


def arrow_of(table: pa.Table, schema: sch.Schema) -> pa.Table:
    """The rows as an Arrow table of the types of `schema`, whose names they get: columns go by their places."""
    return ArrowValues.convert_table(table.rename_columns(list(schema.names)), schema)


def frame_of(table: pa.Table, schema: sch.Schema) -> pd.DataFrame:
    """The rows as a pandas DataFrame of the types that Ibis' backends give: NULL among integers makes a column of floats."""
    import pandas as pd

    columns = {}
    for name, dtype, column in zip(schema.names, schema.types, table.columns, strict=True):
        if pat.is_interval(column.type) or pat.is_dictionary(column.type):
            column = ArrowValues.convert_column(column, dtype)
        # Ibis gives nested values as lists and dicts, which pyarrow's arrays of arrays are not.
        columns[name] = column.to_pylist() if pat.is_nested(column.type) else column.to_pandas()
    return PandasValues.convert_table(pd.DataFrame(columns, columns=list(schema.names)), schema)
