"""Pandas data frames in and out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import torch

from tqp import types
from tqp.data.column import Column
from tqp.data.layout import narrowest
from tqp.data.table import Table
from tqp.errors import SourceError, UnsupportedError
from tqp.io.arrow import column_from_arrow, in_microseconds
from tqp.io.arrow_types import dtype_from_arrow, unsupported_reason, with_fixed_size
from tqp.io.export import table_to_arrow
from tqp.io.intervals import with_days
from tqp.io.names import column_names
from tqp.io.numpy import column_to_numpy, instants
from tqp.io.values import HugeIntegers, array_of_objects, with_narrow_integers
from tqp.types import DType, Kind, stored_range

if TYPE_CHECKING:
    import pandas

__all__ = ["PandasReader", "table_to_pandas"]


class PandasReader:
    """A pandas DataFrame, its index left out; None, NaN, NaT and NA are NULL.

    Holds a shallow copy: columns added to or removed from the frame later are not seen. A column of objects without a
    type in common is unsupported, and the others can be read.
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame.copy(deep=False)
        self._frame.columns = column_names(frame.columns, "C")
        self.rows = len(frame)
        self.unsupported: dict[str, str] = {}
        schema = []
        for name in self._frame.columns:
            dtype = types.NULL
            try:
                dtype = self._dtype(self._frame[name])
            except UnsupportedError as error:
                self.unsupported[name] = error.message
            schema.append((name, dtype))
        self.schema = tuple(schema)

    @property
    def original(self) -> object:
        """The frame, for others to read."""
        return self._frame

    def _dtype(self, series: Any) -> DType:
        enum = _enum(series)
        if enum is not None:
            return enum
        if series.dtype == object or not len(series):
            # What objects are, and whether lists are of one length, shows in the values alone.
            values = _array(series)
        else:
            values = _array(series.iloc[:1])
            if not isinstance(values, HugeIntegers) and pa.types.is_nested(values.type):
                values = _array(series)
        if isinstance(values, HugeIntegers):
            return types.HUGEINT
        dtype = dtype_from_arrow(values.type)
        if dtype == types.TIMESTAMPTZ_NS and not _is_arrow(series):
            return types.TIMESTAMPTZ
        # Categories of lists and dicts are none of SQL; periods and intervals are not the integers that Arrow stores them as.
        is_odd = dtype is not None and dtype.has_children and pa.types.is_dictionary(values.type)
        if dtype is None or is_odd or type(series.dtype).__name__ in _CURES:
            raise UnsupportedError(
                _cured(series.dtype, unsupported_reason(values.type) or f"its dtype is {series.dtype}")
            )
        return dtype

    def column(self, name: str) -> Column:
        if name in self.unsupported:
            raise UnsupportedError(
                f"column {name!r} cannot be read: {self.unsupported[name]}",
                hint="leave the column out of the query, or give it one type: frame.astype({…})",
            )
        series = self._frame[name]
        enum = _enum(series)
        if enum is not None:
            return _places(series, enum)
        try:
            values = _array(series)
        except UnsupportedError as error:
            raise SourceError(f"column {name!r} of the data frame cannot be read: {error.message}") from error
        if isinstance(values, HugeIntegers):
            return values.column()
        if pa.types.is_timestamp(values.type) and values.type.tz is not None and not _is_arrow(series):
            # As in DuckDB: nanoseconds are pandas' habit, and seldom asked for.
            values = in_microseconds(values, name)
        column = column_from_arrow(values, name)
        return with_days(column, floor=series.dtype == object) if pa.types.is_duration(values.type) else column


def _is_arrow(series: Any) -> bool:
    return type(series.dtype).__name__ == "ArrowDtype"


_CURES: Final = {
    "PeriodDtype": ": use .dt.to_timestamp(), or .astype(str)",
    "SparseDtype": ": use .sparse.to_dense()",
    "Complex64DType": ": take its real and imaginary parts, numpy.real(…) and numpy.imag(…)",
    "Complex128DType": ": take its real and imaginary parts, numpy.real(…) and numpy.imag(…)",
    "IntervalDtype": ": use .array.left and .array.right, or .astype(str)",
}


def _cured(kind: Any, reason: str) -> str:
    """Why a dtype of pandas cannot be read, and what can be instead, where that is known."""
    cure = _CURES.get(type(kind).__name__)
    return reason if cure is None else f"its dtype {kind} has no SQL type{cure}"


def _enum(series: Any) -> DType | None:
    """The ENUM that a Categorical of texts is; None of other columns, and of one that has no categories."""
    categories = getattr(series.dtype, "categories", ())
    if not len(categories) or not all(isinstance(label, str) and _is_unicode(label) for label in categories):
        return None
    return types.enum(categories)


def _is_unicode(label: str) -> bool:
    try:
        label.encode()
    except UnicodeEncodeError:
        return False
    return True


def _places(series: Any, dtype: DType) -> Column:
    """The column of a Categorical: its codes, of which -1 is NULL."""
    codes = series.cat.codes.to_numpy()
    known = codes >= 0
    bounds = stored_range(dtype)
    data = torch.from_numpy(np.where(known, codes, 0)).to(narrowest(*bounds))
    return Column(data, dtype, None if known.all() else torch.from_numpy(known), None, bounds)


def _array(series: Any) -> pa.ChunkedArray | HugeIntegers:
    """The values; UnsupportedError, whose message is the reason, where they have no SQL type."""
    if series.dtype == object:
        values = array_of_objects(series.to_numpy(), nan_is_null=True)
    else:
        try:
            values = pa.array(series, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise UnsupportedError(_cured(series.dtype, f"its dtype {series.dtype} cannot be read: {error}")) from error
    if isinstance(values, HugeIntegers):
        return values
    if series.dtype == object:
        values = with_narrow_integers(values)
    return with_fixed_size(values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values]))


def table_to_pandas(table: Table, names: Sequence[str], dtypes: Sequence[DType]) -> pandas.DataFrame:
    """The table as a frame of its own memory; see docs/types.md for the type of each column.

    Raises ExecutionError for an INTERVAL beyond 64 bits of microseconds and a DATE beyond those of a timestamp.
    """
    import pandas

    columns = zip(names, table.columns, dtypes, strict=True)
    data = {name: _series(name, column, dtype, table.rows) for name, column, dtype in columns}
    return pandas.DataFrame(data, index=pandas.RangeIndex(table.rows))


def _series(name: str, column: Column, dtype: DType, rows: int) -> Any:
    import pandas

    if dtype.kind is Kind.ENUM:
        codes = table_to_arrow(Table((name,), (column,), rows), [dtype]).column(0).combine_chunks().indices
        places = codes.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        return pandas.Series(pandas.Categorical.from_codes(places, list(dtype.labels), ordered=True))
    if dtype.is_decimal or dtype.is_text:
        host = table_to_arrow(Table((name,), (column,), rows), [dtype]).column(0)
        return pandas.Series(pandas.arrays.ArrowExtensionArray(host)) if dtype.is_decimal else host.to_pandas()
    if dtype.kind in (Kind.HUGEINT, Kind.UHUGEINT) and not column.is_wide:
        column, dtype = replace(column, dtype=types.BIGINT), types.BIGINT
    values = column_to_numpy(name, column, dtype, rows)
    if dtype.kind in (Kind.HUGEINT, Kind.UHUGEINT):
        values = _narrowed(values)
    if dtype.kind is Kind.DATE:
        values = instants(name, values)
    mask: np.ndarray[Any, Any] | None = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    plain = np.asarray(values)
    if dtype.is_array:
        cells = np.empty(rows, object)
        cells[:] = [row.copy() for row in plain]
        plain = cells
        mask = None if mask is None else np.any(mask, axis=1)
    if mask is None:
        series = pandas.Series(plain, dtype=plain.dtype)
    elif plain.dtype == bool:
        series = pandas.Series(pandas.arrays.BooleanArray(plain.copy(), mask.copy()))
    elif plain.dtype.kind in "iu":
        series = pandas.Series(pandas.arrays.IntegerArray(plain.copy(), mask.copy()))
    elif plain.dtype == object:
        plain[mask] = None
        series = pandas.Series(plain, dtype=object)
    else:
        plain = plain.copy()
        plain[mask] = np.nan if plain.dtype.kind == "f" else "NaT"
        series = pandas.Series(plain)
    return series.dt.tz_localize("UTC") if dtype.in_microseconds.kind is Kind.TIMESTAMPTZ else series


def _narrowed(values: Any) -> Any:
    """An array of Python integers as one of int64 where all fit; masked ones hold 0."""
    mask = np.ma.getmaskarray(values)
    numbers = [0 if hidden else value for value, hidden in zip(np.asarray(values), mask, strict=True)]
    if not all(-(2**63) <= number < 2**63 for number in numbers):
        return values
    plain = np.array(numbers, np.int64)
    return np.ma.MaskedArray(plain, mask) if isinstance(values, np.ma.MaskedArray) else plain
