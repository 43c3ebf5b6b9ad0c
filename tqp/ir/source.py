"""What plans read: stored tables, seen from here by their facts alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from tqp.types import DType

if TYPE_CHECKING:
    from tqp.data.column import Column
    from tqp.data.indexes import Indexes
    from tqp.data.reading import Excerpt
    from tqp.data.selectivities import Selectivities
    from tqp.data.statistics import ColumnStatistics
    from tqp.data.zones import Zones

__all__ = ["Source"]


class Source(Protocol):
    """What a `Scan` reads: a stored table, compared by identity. SourceError from what is but a reference to one."""

    @property
    def name(self) -> str: ...
    @property
    def rows(self) -> int: ...
    @property
    def schema(self) -> tuple[tuple[str, DType], ...]:
        """Column names and types."""
        ...

    @property
    def hidden(self) -> tuple[tuple[str, DType], ...]:
        """Names and types of columns that queries may name and `*` does not mean."""
        ...

    @property
    def local(self) -> frozenset[str]:
        """Columns of texts that a query reads as times: without an offset they are in the time zone of the session."""
        ...

    @property
    def excerpt(self) -> Excerpt | None:
        """Which rows of a larger table these are; None: they are all."""
        ...

    def statistics(self, column: str) -> ColumnStatistics:
        """Facts about the column."""
        ...

    def column(self, name: str) -> Column:
        """The whole column."""
        ...

    def columns(self, names: Sequence[str]) -> list[Column]:
        """The whole columns of these names, which move to where queries run together."""
        ...

    @property
    def indexes(self) -> Indexes:
        """How rows are found by the values of a column."""
        ...

    @property
    def selectivities(self) -> Selectivities:
        """What conditions on it were found to keep."""
        ...

    def zones(self, column: str, block: int) -> Zones | None:
        """What the values of each `block` rows of the column lie between; None where that tells nothing."""
        ...
