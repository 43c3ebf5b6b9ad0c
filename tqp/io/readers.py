"""Readers over Arrow data in memory, and what readers over Arrow schemas share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.fs

from tqp import types
from tqp.data.column import Column
from tqp.errors import SourceChanged, SourceError, UnsupportedError
from tqp.io.arrow import column_from_arrow
from tqp.io.arrow_types import dtype_from_arrow, unsupported_reason, with_fixed_size
from tqp.io.names import column_names, distinct_names
from tqp.io.state import File, require_same, state_of
from tqp.io.variant_columns import with_documents
from tqp.types import DType

if TYPE_CHECKING:
    # It imports pandas, where that is installed, and takes time itself; who has a dataset has imported it.
    import pyarrow.dataset

__all__ = ["ArrowReader", "DatasetReader", "Described", "lists_fixed", "with_distinct_names"]


def lists_fixed(table: pa.Table) -> pa.Table:
    """The table with columns of lists of one length as columns of arrays."""
    columns = [with_fixed_size(column) for column in table.columns]
    if all(new is old for new, old in zip(columns, table.columns, strict=True)):
        return table
    return pa.Table.from_arrays(columns, names=table.column_names)


def with_distinct_names(schema: pa.Schema) -> pa.Schema:
    """The schema with each name once, whatever the case of its letters."""
    names = distinct_names(schema.names)
    if names == schema.names:
        return schema
    return pa.schema([field.with_name(name) for field, name in zip(schema, names, strict=True)])


class Described:
    """Rows and schema of a table that an Arrow schema describes."""

    def __init__(self, schema: pa.Schema, rows: int) -> None:
        """Names come once; `with_distinct_names` sees to that."""
        self.rows = rows
        self.types: dict[str, pa.DataType] = dict(zip(schema.names, schema.types, strict=True))
        self.schema: tuple[tuple[str, DType], ...] = tuple(
            (name, dtype_from_arrow(kind) or types.NULL) for name, kind in self.types.items()
        )
        reasons = ((name, unsupported_reason(kind)) for name, kind in self.types.items())
        self.unsupported: Mapping[str, str] = {name: reason for name, reason in reasons if reason}

    def require(self, name: str) -> None:
        """Raise UnsupportedError where the column cannot be read."""
        reason = self.unsupported.get(name)
        if reason is not None:
            raise UnsupportedError(
                f"column {name!r} cannot be read: {reason}",
                hint="leave the column out of the query, or cast it before it is handed in",
            )


class ArrowReader(Described):
    """An Arrow table in memory; `hugeints` names its decimal columns that stand for HUGEINT."""

    def __init__(self, table: pa.Table, hugeints: frozenset[str] = frozenset()) -> None:
        # A view of its own, so that the table handed in can be forgotten when nobody else holds it.
        names = column_names(table.column_names, "v")
        self._given = table.slice(0).rename_columns(names)
        self._table = lists_fixed(with_documents(self._given))
        super().__init__(self._table.schema, table.num_rows)
        self._hugeints = hugeints
        self.schema = tuple((name, types.HUGEINT if name in hugeints else dtype) for name, dtype in self.schema)

    @property
    def nbytes(self) -> int:
        """Bytes of the table in memory."""
        return int(self._table.nbytes)

    @property
    def original(self) -> object:
        """The table, for others to read; None where Arrow has not all of its types."""
        return None if self._hugeints else self._given

    def column(self, name: str) -> Column:
        self.require(name)
        column = column_from_arrow(self._table.column(name), name)
        return replace(column, dtype=types.HUGEINT) if name in self._hugeints else column


class DatasetReader(Described):
    """A pyarrow Dataset, read column by column; SourceError where a local file of it was written since."""

    def __init__(self, dataset: pa.dataset.Dataset) -> None:
        self._dataset = dataset
        self._files = _local_files(dataset)
        super().__init__(with_distinct_names(dataset.schema), dataset.count_rows())
        self._own = dict(zip(self.types, dataset.schema.names, strict=True))

    @property
    def original(self) -> object:
        """The dataset, for others to read."""
        return self._dataset

    def column(self, name: str) -> Column:
        self.require(name)
        self._require_same()
        try:
            table = self._dataset.to_table(columns=[self._own[name]])
        except (pa.ArrowException, OSError) as error:
            raise SourceError(f"cannot read column {name!r} of the dataset: {error}") from error
        finally:
            self._require_same()
        return column_from_arrow(table.column(0), name)

    def _require_same(self) -> None:
        try:
            for file in self._files:
                require_same(file)
        except SourceChanged as error:
            hint = "make the dataset, and register it, again"
            raise SourceError(
                f"{error.file!r}, a file of the dataset, changed since it was handed in", hint=hint
            ) from None


def _local_files(dataset: pa.dataset.Dataset) -> list[File]:
    """The files of a dataset on this machine, as they are now."""
    if not isinstance(getattr(dataset, "filesystem", None), pa.fs.LocalFileSystem):
        return []
    try:
        return [File(path, path, state_of(path)) for path in dataset.files]
    except OSError as error:
        raise SourceError(f"a file of the dataset cannot be read: {error}") from error
