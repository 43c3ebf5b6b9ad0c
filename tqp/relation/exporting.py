"""Columns as those of other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import pyarrow as pa
from torch import Tensor

from tqp.data.table import Table
from tqp.errors import UnsupportedError
from tqp.io.export import table_to_arrow
from tqp.io.laid_out import has_union
from tqp.io.libraries import need
from tqp.io.numpy import column_to_numpy
from tqp.io.pandas import table_to_pandas
from tqp.io.polars import table_to_polars
from tqp.io.python import column_to_python
from tqp.io.tensor_column import TensorColumn
from tqp.io.tensors_out import table_to_tensors
from tqp.io.zoned import arrow_in_zone, pandas_in_zone, polars_in_zone
from tqp.query import Query
from tqp.relation.answer import Answer, Session
from tqp.types import Kind

if TYPE_CHECKING:
    import pandas
    import polars

__all__ = ["Exporting"]


class Exporting(Answer):
    """All rows as a table of another library."""

    def __init__(
        self, connection: Session, query: Query, timeout: float | None = None, table: Table | None = None
    ) -> None:
        super().__init__(connection, query, timeout, table)
        self._arrow: pa.Table | None = None

    def arrow(self, batch_size: int | None = None) -> pa.Table:
        """The rows as an Arrow table of the types that DuckDB exports, in chunks of `batch_size` rows; column names may repeat.

        >>> orders.arrow().column_names
        ['id', 'customer', 'amount']
        """
        if self._arrow is None:
            self._arrow = arrow_in_zone(table_to_arrow(self.result().on_host(), self.types), self._zone)
        if batch_size is None:
            return self._arrow
        return pa.Table.from_batches(self._arrow.to_batches(max_chunksize=batch_size), self._arrow.schema)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.arrow().__arrow_c_stream__(requested_schema)

    def df(self, *, date_as_object: bool = False) -> pandas.DataFrame:
        """The rows as a pandas DataFrame of its own memory; the types are DuckDB's, see docs/types.md.

        With `date_as_object` a DATE is Python's `date`, None for NULL, in a column of objects, not a timestamp.

        Integers and booleans with NULLs are nullable columns (Int64, boolean). DECIMAL stays exact as an Arrow-backed
        column, HUGEINT becomes int64, or Python's int if it has larger values. A name that repeats gets a number.

        >>> orders.df()["amount"].tolist()
        [10, 8, 4]
        """
        need("pandas", ".df()")
        table, names = self.result().on_host(), self._distinct_columns()
        frame = pandas_in_zone(table_to_pandas(table, names, self.types), self.types, self._zone)
        for name, column, dtype in zip(names, table.columns, self.types, strict=True):
            if date_as_object and dtype.kind is Kind.DATE:
                frame[name] = np.array(column_to_python(column, table.rows), dtype=object)
        return frame

    @overload
    def pl(self, *, lazy: Literal[False] = False) -> polars.DataFrame: ...

    @overload
    def pl(self, *, lazy: Literal[True]) -> polars.LazyFrame: ...

    def pl(self, *, lazy: bool = False) -> polars.DataFrame | polars.LazyFrame:
        """The rows as a polars DataFrame, or a LazyFrame of it; INTERVAL as a duration of 30-day months; see docs/types.md.

        >>> orders.pl().height
        3
        """
        need("polars", ".pl()")
        for name, dtype in zip(self.columns, self.types, strict=True):
            if has_union(dtype):
                hint = "union_extract(value, name) gives a member, value::VARCHAR the text"
                raise UnsupportedError(f"column {name} is a {dtype}, which polars has not", hint=hint)
        frame = table_to_polars(self.result().on_host(), self._distinct_columns(), self.types)
        zoned = polars_in_zone(frame, self.types, self._zone)
        return zoned.lazy() if lazy else zoned

    def torch(self, *, copy: bool = True) -> dict[str, Tensor | TensorColumn]:
        """The columns on the connection's device, as tensors or, where a tensor is not enough, as a `TensorColumn`.

        Such a dict is a table itself, of the same types. A column without NULLs is a plain tensor where the table below has its
        dtype in bold. Any other has a `data` of that dtype, `valid`, which is False where a value is NULL or None where none is,
        and what its type needs beside that.

        Tensors are copies, which may be changed. With `copy=False` they may be what the result and tables have, and must not be
        changed: FLOAT, DOUBLE, BOOLEAN and their arrays then cost nothing, integers where they are stored as wide as their type is.

        | SQL type | tensor |
        |---|---|
        | BOOLEAN, FLOAT, DOUBLE | (n,) **bool, float32, float64** |
        | TINYINT, SMALLINT, INTEGER, BIGINT | (n,) **int8, int16, int32, int64** |
        | UTINYINT, USMALLINT, UINTEGER | (n,) **uint8**, int32, int64 |
        | ARRAY | (n, size) of the elements' dtype, in bold as theirs: **float32** of FLOAT[size]; (n, b, a) of `FLOAT[a][b]` |
        | DECIMAL(p, s), HUGEINT, UBIGINT | (n,) int64 in units of 10**-s; (n, 2) int64 limbs if too large |
        | DATE | (n,) int32 days since 1970 |
        | TIME, TIMESTAMP, TIMESTAMPTZ | (n,) int64 microseconds (since midnight, since 1970) |
        | INTERVAL | (n, 3) int64 months, days, microseconds |
        | VARCHAR | (n,) int32 codes into `dictionary`, an Arrow array |
        | LIST, MAP | (n + 1,) int64 offsets into `children[0]`, the elements or the entries; `nested()` makes a nested tensor |
        | STRUCT | (n,) int64 numbers of the rows of `children`, the fields |
        | UNION | the same, of its tag, an ENUM, and its members |
        | NULL | (n,) bool, none valid |

        >>> columns = orders.torch()
        >>> columns["amount"] + 1
        tensor([11,  9,  5])
        >>> columns["customer"].data, columns["customer"].dictionary.to_pylist()
        (tensor([0, 1, 0], dtype=torch.int32), ['ann', 'bob'])
        >>> con.sql("SELECT sum(amount) AS total, count(*) AS n FROM columns").fetchall()
        [(22, 3)]
        """
        return table_to_tensors(self.result(), self._distinct_columns(), self.types, copy=copy)

    def numpy(self) -> dict[str, np.ndarray[Any, Any]]:
        """The columns as NumPy arrays, masked arrays where there are NULLs.

        DECIMAL, HUGEINT, VARCHAR and TIME are arrays of Python objects, DATE datetime64[D], TIMESTAMP datetime64[us],
        INTERVAL timedelta64[us] with months of 30 days, ARRAY of two dimensions (n, size).

        >>> orders.numpy()["amount"]
        array([10,  8,  4])
        """
        pairs = zip(self._distinct_columns(), self.result().on_host().columns, self.types, strict=True)
        return {name: column_to_numpy(name, column, dtype, len(self)) for name, column, dtype in pairs}

    to_df = fetchdf = df
    to_arrow_table = fetch_arrow_table = arrow
    fetchnumpy = numpy

    def _distinct_columns(self) -> list[str]:
        """Column names, a number added to those met before."""
        taken = set(self.columns)
        seen: set[str] = set()
        names = []
        for name in self.columns:
            number, chosen = 0, name
            while chosen in seen or (number and chosen in taken):
                number += 1
                chosen = f"{name}_{number}"
            seen.add(chosen)
            names.append(chosen)
        return names
