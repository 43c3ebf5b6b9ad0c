"""From whatever Python object somebody hands in to the reader of its columns: `KINDS` lists what is a table, `_COLUMNS` what is one
column of a dict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import torch
from torch.utils.dlpack import from_dlpack

from tqp.errors import SourceError, TqpError
from tqp.io.columns import ColumnsReader
from tqp.io.pandas import PandasReader
from tqp.io.polars import PolarsReader
from tqp.io.python_rows import columns_of_rows, is_rows
from tqp.io.readers import ArrowReader, DatasetReader
from tqp.io.tensor_column import TensorColumn
from tqp.io.tensors import TensorReader

__all__ = ["TABLES", "ObjectReader", "cure", "is_fixed", "reader_of"]

ObjectReader = ArrowReader | DatasetReader | PandasReader | PolarsReader | TensorReader | ColumnsReader

_ONE: Final = "value"
"""What the one column of a series or an Arrow array is called that has no name, and `column0` of an array, as in DuckDB."""
_MOST_COLUMNS: Final = 10_000
"""Of an array of two dimensions, whose rows are columns."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of object that is a table: what it is called, which objects are of it, and what reads them."""

    name: str
    has: Callable[[Any], bool]
    read: Callable[[Any], ObjectReader]


def reader_of(value: Any) -> ObjectReader | None:
    """The reader of an object of one of `KINDS`; None for any other.

    What can be read only once, such as a RecordBatchReader and other streams, is read to its end at once.
    """
    if isinstance(value, type):
        return None
    try:
        kind = next((kind for kind in KINDS if kind.has(value)), None)
        return None if kind is None else kind.read(value)
    except TqpError:
        raise
    except Exception as error:
        # Anything can come out of an object that reads itself, as `__arrow_c_stream__` and extension types do.
        library, name = type(value).__module__.partition(".")[0], type(value).__name__
        raise SourceError(f"the {library}.{name} cannot be read: {error}") from error


def is_fixed(value: object) -> bool:
    """Whether what was once read from the object stays true: it cannot change in place, or be read a second time."""
    return isinstance(value, (pa.Table, pa.RecordBatch, pa.RecordBatchReader))


def cure(value: Any) -> str:
    """What makes a table of an object that is none."""
    if isinstance(value, dict):
        odd = next(((name, one) for name, one in value.items() if not _is_column(one)), None)
        if odd is None:
            return "a dict without columns is no table"
        return f"its column {odd[0]!r} is of the type {type(odd[1]).__name__}; columns are lists, arrays, tensors or series"
    if isinstance(value, list | tuple):
        return 'a list of values is a column, and needs a name: {"x": values}; rows are dicts or tuples of one length'
    if isinstance(value, np.ndarray):
        return 'rows of such an array are vectors of a column: {"v": array}'
    if isinstance(value, Iterator):
        return "an iterator is read by list(…)"
    return f"a table is {TABLES}"


def _is_a(value: Any, library: str, *names: str) -> bool:
    """Whether the object's class, or one that it is derived from, is one of those of a library that may not be there."""
    return any(kind.__module__.partition(".")[0] == library and kind.__name__ in names for kind in type(value).__mro__)


def _offers(*methods: str) -> Callable[[Any], bool]:
    """Whether an object has the methods of a protocol."""
    return lambda value: all(callable(getattr(type(value), method, None)) for method in methods)


def _hugeints(relation: Any) -> frozenset[str]:
    """The columns that DuckDB exports as DECIMAL(38,0) though they are HUGEINT."""
    pairs = zip(relation.columns, relation.types, strict=True)
    return frozenset(name for name, kind in pairs if str(kind) == "HUGEINT")


def _series(value: Any, name: object) -> PandasReader:
    """A Series, an Index or an array of pandas as a frame."""
    import pandas

    if isinstance(value, pandas.MultiIndex):
        return PandasReader(value.to_frame(index=False))
    return PandasReader(pandas.DataFrame({name: value if isinstance(value, pandas.Series) else pandas.Series(value)}))


def _polars_series(value: Any, name: str) -> PolarsReader:
    return PolarsReader(value.alias(name).to_frame())


def _from_dlpack(value: Any) -> torch.Tensor:
    return from_dlpack(value)


def _arrow(values: pa.Array | pa.ChunkedArray) -> ArrowReader:
    """An array of structs as its fields, which are NULL where it is; any other as one column."""
    if not pa.types.is_struct(values.type):
        return ArrowReader(pa.table({_ONE: values}))
    return ArrowReader(pa.Table.from_arrays(values.flatten(), [field.name for field in values.type]))


def _numpy(value: np.ndarray[Any, Any]) -> ObjectReader:
    """The fields of a structured array, an array of one dimension, or the rows of one of two, as columns."""
    if value.dtype.names:
        return _columns({name: value[name] for name in value.dtype.names})
    if value.ndim == 1:
        return TensorReader({"column0": value})
    if value.ndim != 2 or len(value) > _MOST_COLUMNS:
        why = f"an array of shape {value.shape} is no table"
        raise SourceError(f"{why}: the rows of an array of two dimensions are its columns", hint=cure(value))
    rows = value if isinstance(value, np.ma.MaskedArray) else np.asarray(value)
    return TensorReader({f"column{place}": row for place, row in enumerate(rows)})


def _tensor(value: torch.Tensor) -> TensorReader:
    if value.dim() == 0:
        raise SourceError("a tensor without dimensions is no table", hint='tensors of one: {"x": tensor.reshape(1)}')
    return TensorReader({"column0": value})


def _rows(value: list[Any]) -> ObjectReader:
    if all(isinstance(row, pa.RecordBatch) for row in value):
        return ArrowReader(pa.Table.from_batches(value))
    if all(isinstance(row, np.ndarray | torch.Tensor) for row in value):
        return TensorReader({f"column{place}": column for place, column in enumerate(value)})
    return TensorReader(columns_of_rows(value))


def _columns(value: dict[Any, Any]) -> ObjectReader:
    named = {str(name): column for name, column in value.items()}
    if all(isinstance(column, _PLAIN) for column in named.values()):
        return TensorReader(named)
    return ColumnsReader(
        {
            name: TensorReader({name: column}) if isinstance(column, _PLAIN) else _column_reader(name, column)
            for name, column in named.items()
        }
    )


def _column_reader(name: str, value: Any) -> ObjectReader:
    return next(read(value, name) for has, read in _COLUMNS if has(value))


def _is_column(value: Any) -> bool:
    return isinstance(value, _PLAIN) or (
        not isinstance(value, str | bytes | dict | type) and any(has(value) for has, _ in _COLUMNS)
    )


def _is_columns(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(name, str | int) and _is_column(column) for name, column in value.items())
    )


_PLAIN: Final = (np.ndarray, torch.Tensor, TensorColumn, list, tuple)
"""Columns that a `TensorReader` reads."""

_COLUMNS: Final[tuple[tuple[Callable[[Any], bool], Callable[[Any, str], ObjectReader]], ...]] = (
    (lambda value: _is_a(value, "pandas", "Series", "Index", "ExtensionArray"), _series),
    (lambda value: _is_a(value, "polars", "Series"), _polars_series),
    (lambda value: isinstance(value, range), lambda value, name: TensorReader({name: np.array(value, np.int64)})),
    (
        lambda value: isinstance(value, pa.Array | pa.ChunkedArray),
        lambda value, name: ArrowReader(pa.table({name: value})),
    ),
    (_offers("__arrow_c_array__"), lambda value, name: ArrowReader(pa.table({name: pa.array(value)}))),
    (_offers("__arrow_c_stream__"), lambda value, name: ArrowReader(pa.table({name: pa.chunked_array(value)}))),
    (
        _offers("__dlpack__", "__dlpack_device__"),
        lambda value, name: TensorReader({name: _from_dlpack(value)}),
    ),
)
"""The other columns of a dict."""

KINDS: Final = (
    Kind("an Arrow table", lambda value: isinstance(value, pa.Table), ArrowReader),
    Kind(
        "an Arrow batch",
        lambda value: isinstance(value, pa.RecordBatch),
        lambda value: ArrowReader(pa.Table.from_batches([value])),
    ),
    Kind(
        "an Arrow reader",
        lambda value: isinstance(value, pa.RecordBatchReader),
        lambda value: ArrowReader(value.read_all()),
    ),
    Kind(
        "an Arrow scanner",
        lambda value: _is_a(value, "pyarrow", "Scanner"),
        lambda value: ArrowReader(value.to_table()),
    ),
    Kind("an Arrow dataset", lambda value: _is_a(value, "pyarrow", "Dataset"), DatasetReader),
    Kind("an Arrow array", lambda value: isinstance(value, pa.Array | pa.ChunkedArray), _arrow),
    Kind("a pandas frame", lambda value: _is_a(value, "pandas", "DataFrame"), PandasReader),
    Kind(
        "a pandas series",
        lambda value: _is_a(value, "pandas", "Series", "Index", "ExtensionArray"),
        lambda value: _series(value, _ONE),
    ),
    Kind("a polars frame", lambda value: _is_a(value, "polars", "DataFrame", "LazyFrame"), PolarsReader),
    Kind(
        "a polars series",
        lambda value: _is_a(value, "polars", "Series"),
        lambda value: _polars_series(value, value.name or _ONE),
    ),
    Kind(
        "a DuckDB relation",
        lambda value: type(value).__name__ == "DuckDBPyRelation",
        lambda value: ArrowReader(value.to_arrow_table(), _hugeints(value)),
    ),
    Kind("a dict of columns", _is_columns, _columns),
    Kind("a NumPy array", lambda value: isinstance(value, np.ndarray), _numpy),
    Kind("a tensor", lambda value: isinstance(value, torch.Tensor), _tensor),
    Kind("a list of rows", is_rows, _rows),
    Kind(
        "what offers __arrow_c_stream__", _offers("__arrow_c_stream__"), lambda value: _arrow(pa.chunked_array(value))
    ),
    Kind("__arrow_c_array__", _offers("__arrow_c_array__"), lambda value: _arrow(pa.array(value))),
    Kind("__dlpack__", _offers("__dlpack__", "__dlpack_device__"), lambda value: _tensor(_from_dlpack(value))),
)
"""The kinds of tables in the order in which they are asked; what comes first is read so where several fit."""

TABLES: Final = f"{', '.join(kind.name for kind in KINDS)}, a tqp relation or a path"
