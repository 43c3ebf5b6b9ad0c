"""From whatever Python object somebody hands in to the reader of its columns."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.dataset

from tqp.errors import SourceError, TqpError
from tqp.io.pandas import PandasReader
from tqp.io.polars import PolarsReader
from tqp.io.readers import ArrowReader, DatasetReader
from tqp.io.tensors import TensorReader, is_tensor_dict

__all__ = ["ObjectReader", "is_fixed", "reader_of"]

ObjectReader = ArrowReader | DatasetReader | PandasReader | PolarsReader | TensorReader


def is_fixed(value: object) -> bool:
    """Whether what was once read from the object stays true: it cannot change in place, or be read a second time."""
    return isinstance(value, (pa.Table, pa.RecordBatch, pa.RecordBatchReader))


def _hugeints(relation: Any) -> frozenset[str]:
    """The columns that DuckDB exports as DECIMAL(38,0) though they are HUGEINT."""
    pairs = zip(relation.columns, relation.types, strict=True)
    return frozenset(name for name, kind in pairs if str(kind) == "HUGEINT")


def _is_a(value: Any, library: str, *names: str) -> bool:
    """Whether the object's class, or one that it is derived from, is one of those of a library that may not be there."""
    return any(kind.__module__.partition(".")[0] == library and kind.__name__ in names for kind in type(value).__mro__)


def reader_of(value: Any) -> ObjectReader | None:
    """The reader of a data frame, an Arrow object, a dict of arrays or tensors, or a DuckDB relation; else None.

    A RecordBatchReader and other streams are read to their end at once, since they can be read only once.
    """
    library, name = type(value).__module__.partition(".")[0], type(value).__name__
    try:
        if isinstance(value, pa.Table):
            return ArrowReader(value)
        if isinstance(value, pa.RecordBatch):
            return ArrowReader(pa.Table.from_batches([value]))
        if isinstance(value, pa.RecordBatchReader):
            return ArrowReader(value.read_all())
        if isinstance(value, pa.dataset.Dataset):
            return DatasetReader(value)
        if _is_a(value, "pandas", "DataFrame"):
            return PandasReader(value)
        if _is_a(value, "polars", "DataFrame", "LazyFrame"):
            return PolarsReader(value)
        if name == "DuckDBPyRelation":
            return ArrowReader(value.to_arrow_table(), _hugeints(value))
        if is_tensor_dict(value):
            return TensorReader(value)
        if hasattr(value, "__arrow_c_stream__") and not isinstance(value, type):
            return ArrowReader(pa.RecordBatchReader.from_stream(value).read_all())
    except TqpError:
        raise
    except Exception as error:
        # Anything can come out of an object that reads itself, as `__arrow_c_stream__` and extension types do.
        hint = "wrap it in a frame: .to_frame()" if name == "Series" else None
        raise SourceError(f"the {library}.{name} cannot be read: {error}", hint=hint) from error
    return None
