"""Rows a part at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from tqp.data.table import Table
from tqp.errors import BindError
from tqp.io.export import table_to_arrow
from tqp.io.libraries import need
from tqp.io.pandas import table_to_pandas
from tqp.io.zoned import arrow_in_zone, pandas_in_zone
from tqp.relation.exporting import Exporting
from tqp.relation.fetching import Fetching

if TYPE_CHECKING:
    import pandas

__all__ = ["Batches"]

_ROWS: Final = 131_072
_VECTOR: Final = 2048
"""Rows of what DuckDB calls a vector."""


class Batches(Exporting, Fetching):
    """The result, which is there as a whole, turned into what is asked for a part at a time."""

    def to_arrow_reader(self, batch_size: int = _ROWS) -> pa.RecordBatchReader:
        """The rows as a reader of Arrow record batches of `batch_size` rows, the last one of fewer.

        >>> [batch.num_rows for batch in orders.to_arrow_reader(2)]
        [2, 1]
        """
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
            raise BindError(f"batch_size={batch_size!r} is no number of rows", hint="1 or more")
        schema = self._arrow_of(0, 0).schema

        def batches() -> Iterator[pa.RecordBatch]:
            for start in range(0, len(self), batch_size):
                yield from self._arrow_of(start, start + batch_size).to_batches()

        return pa.RecordBatchReader.from_batches(schema, batches())

    fetch_arrow_reader = to_arrow_reader

    def fetch_record_batch(self, rows_per_batch: int = _ROWS) -> pa.RecordBatchReader:
        """The same as `to_arrow_reader`."""
        return self.to_arrow_reader(rows_per_batch)

    def iter_rows(self, batch_size: int = 1024) -> Iterator[tuple[Any, ...]]:
        """All rows as tuples, `batch_size` of which are made at a time.

        >>> next(orders.iter_rows(2))
        (1, 'ann', 10)
        """
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
            raise BindError(f"batch_size={batch_size!r} is no number of rows", hint="1 or more")
        for start in range(0, len(self), batch_size):
            yield from self._rows(start, min(start + batch_size, len(self)))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """All rows, from the first one on, whatever was fetched before.

        >>> [amount for _, _, amount in orders]
        [10, 8, 4]
        """
        return self.iter_rows()

    def to_dicts(self) -> list[dict[str, Any]]:
        """All rows as dicts by the names of columns; a name that repeats gets a number.

        >>> orders.limit(1).to_dicts()
        [{'id': 1, 'customer': 'ann', 'amount': 10}]
        """
        names = self._distinct_columns()
        return [dict(zip(names, row, strict=True)) for row in self.iter_rows()]

    def fetch_df_chunk(self, vectors_per_chunk: int = 1) -> pandas.DataFrame:
        """The next 2048 rows for each vector as a pandas DataFrame, fewer at the end; as `fetchmany` it goes on where it was."""
        need("pandas", ".fetch_df_chunk()")
        start, stop = self._next(_VECTOR * vectors_per_chunk)
        return self._frame(start, stop)

    def close(self) -> None:
        """Let go of the rows; whoever asks for rows next runs the query again."""
        with self._lock, self._cursor_lock:
            self._table, self._arrow, self._cursor = None, None, 0

    def _frame(self, start: int, stop: int) -> pandas.DataFrame:
        frame = table_to_pandas(self._part(start, stop).on_host(), self._distinct_columns(), self.types)
        return pandas_in_zone(frame, self.types, self._zone)

    def _arrow_of(self, start: int, stop: int) -> pa.Table:
        return arrow_in_zone(table_to_arrow(self._part(start, stop).on_host(), self.types), self._zone)

    def _part(self, start: int, stop: int) -> Table:
        table = self.result()
        stop = min(stop, table.rows)
        return Table(table.names, tuple(column.slice(start, stop) for column in table.columns), stop - start)
