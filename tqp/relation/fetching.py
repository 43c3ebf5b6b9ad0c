"""Rows as values of Python."""

from __future__ import annotations

from typing import Any

from tqp.data.table import Table
from tqp.data.transfer import on_host
from tqp.errors import BindError
from tqp.io.python import column_to_python
from tqp.locks import Lock
from tqp.query import Query
from tqp.relation.answer import Answer, Session

__all__ = ["Fetching"]


class Fetching(Answer):
    """Rows as tuples, all of them or the next ones."""

    def __init__(
        self, connection: Session, query: Query, timeout: float | None = None, table: Table | None = None
    ) -> None:
        super().__init__(connection, query, timeout, table)
        self._cursor = 0
        self._cursor_lock = Lock()

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows as tuples of Python values: Decimal, date, datetime, time, timedelta, tuple, None for NULL.

        >>> orders.fetchall()
        [(1, 'ann', 10), (2, 'bob', 8), (3, 'ann', 4)]
        """
        return self._rows(0, len(self))

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row, None after the last; each row is given once, whichever thread asks.

        >>> orders.fetchone(), orders.fetchone()
        ((1, 'ann', 10), (2, 'bob', 8))
        """
        rows = self.fetchmany(1)
        return rows[0] if rows else None

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        """The next `size` rows, fewer at the end.

        >>> orders.fetchmany(2), orders.fetchmany(2), orders.fetchmany(2)
        ([(1, 'ann', 10), (2, 'bob', 8)], [(3, 'ann', 4)], [])
        """
        if not isinstance(size, int):
            raise BindError(f"fetchmany() takes a number of rows, not {size!r}", hint="fetchall() gives all rows")
        return self._rows(*self._next(size))

    def _next(self, size: int) -> tuple[int, int]:
        """The first and the last of the next rows, which nobody else is given."""
        total = len(self)
        with self._cursor_lock:
            start = self._cursor
            self._cursor = stop = min(start + max(size, 0), total)
        return start, stop

    def _rows(self, start: int, stop: int) -> list[tuple[Any, ...]]:
        count = stop - start
        columns = on_host([column.slice(start, stop) for column in self.result().columns])
        values = [column_to_python(column, count, self._zone) for column in columns]
        return list(zip(*values, strict=True)) if values else [()] * count
