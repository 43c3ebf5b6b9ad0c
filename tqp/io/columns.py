"""Tables from dicts whose columns are of several libraries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from tqp.data.column import Column
from tqp.io.names import column_names, require_one_length
from tqp.types import DType

__all__ = ["ColumnsReader"]


class _One(Protocol):
    """A reader of one column."""

    rows: int

    @property
    def schema(self) -> tuple[tuple[str, DType], ...]: ...
    @property
    def unsupported(self) -> Mapping[str, str]: ...
    def column(self, name: str) -> Column: ...


class ColumnsReader:
    """Columns by name, each as its own reader reads it."""

    def __init__(self, columns: Mapping[str, _One]) -> None:
        names = column_names(columns, "C")
        self._columns = dict(zip(names, columns.values(), strict=True))
        self.rows = require_one_length({name: reader.rows for name, reader in self._columns.items()})
        self.schema = tuple((name, reader.schema[0][1]) for name, reader in self._columns.items())
        self.unsupported: dict[str, str] = {
            name: reason for name, reader in self._columns.items() for reason in reader.unsupported.values()
        }

    def column(self, name: str) -> Column:
        reader = self._columns[name]
        return reader.column(reader.schema[0][0])
