"""Columns of equal length by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tqp.data.column import Column
from tqp.data.transfer import on_host

__all__ = ["Table"]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Named columns of equal length on one device; names may repeat (as in `SELECT a, a`)."""

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: int

    def items(self) -> list[tuple[str, Column]]:
        return list(zip(self.names, self.columns, strict=True))

    def on_host(self) -> Table:
        """The table with its columns on the CPU; see `transfer.on_host`."""
        return replace(self, columns=tuple(on_host(self.columns)))

    @staticmethod
    def of(columns: Mapping[str, Column]) -> Table:
        """A table of at least one column."""
        rows = len(next(iter(columns.values())))
        return Table(tuple(columns), tuple(columns.values()), rows)
