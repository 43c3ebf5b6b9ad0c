"""The stored columns that a query will read, read by all of its threads together."""

from __future__ import annotations

import threading
from typing import Any

from tqp.data.column import Column
from tqp.data.reading import Reading
from tqp.interrupt import checkpoint, current
from tqp.ir.plan import Plan, Scan
from tqp.ir.visit import definitions, walk_query
from tqp.runtime.workers import help_with
from tqp.stored import StoredTable

__all__ = ["fetch"]


def fetch(plan: Plan, threads: int) -> None:
    """Read the stored columns that the plan's scans name and that nobody has read yet; their tables hold them then.

    The parts of all columns are shared out among the caller and `threads - 1` helpers. Raises what reading a column raises.
    """
    wanted = _wanted(plan)
    readings = [(table, name, table.reading(name)) for table, name in wanted]
    missing = [_Column(table, name, reading) for table, name, reading in readings if reading is not None]
    if len(missing) < 2 and sum(len(column.reading.parts) for column in missing) < 2:
        return
    _Work(missing).share_out(threads)
    for column in missing:
        if column.read is not None:
            column.table.hold(column.name, column.read)


def _wanted(plan: Plan) -> list[tuple[StoredTable, str]]:
    """Tables and columns, each pair once, those first whose parts leave much to do: text of large tables."""
    nodes = (node for tree in (*definitions(plan), plan) for node in walk_query(tree))
    found: dict[tuple[int, str], tuple[StoredTable, str, bool]] = {}
    for node in nodes:
        if isinstance(node, Scan) and isinstance(node.source, StoredTable):
            for column, field in zip(node.columns, node.fields, strict=True):
                if column not in node.source.unsupported:
                    found[id(node.source), column] = node.source, column, field.dtype.is_text
    ordered = sorted(found.values(), key=lambda one: (not one[2], -one[0].rows))
    return [(table, column) for table, column, _ in ordered]


class _Column:
    """A column on its way into a table."""

    def __init__(self, table: StoredTable, name: str, reading: Reading) -> None:
        self.table = table
        self.name = name
        self.reading = reading
        self.parts: list[Any] = [None] * len(reading.parts)
        self.left = len(reading.parts)
        self.read: Column | None = None


class _Work:
    """Parts to be read, handed out in order; who ends the last one of a column makes the column."""

    def __init__(self, columns: list[_Column]) -> None:
        self._lock = threading.Lock()
        self._tasks = [(column, place) for column in columns for place in range(max(len(column.parts), 1))]
        self._next = 0

    def share_out(self, threads: int) -> None:
        """Work until all is done, together with helpers."""
        workers = min(threads, len(self._tasks))
        helpers = help_with(self._run, current(), workers - 1, threads - 1) if workers > 1 else []
        try:
            self._run()
        finally:
            self._next = len(self._tasks)
            outcomes = [None if helper.cancel() else helper.exception() for helper in helpers]
        for error in outcomes:
            if error is not None:
                raise error

    def _run(self) -> None:
        try:
            while (task := self._claim()) is not None:
                checkpoint()
                self._do(*task)
        except BaseException:
            self._next = len(self._tasks)
            raise

    def _claim(self) -> tuple[_Column, int] | None:
        with self._lock:
            index = self._next
            if index >= len(self._tasks):
                return None
            self._next = index + 1
        return self._tasks[index]

    def _do(self, column: _Column, place: int) -> None:
        if column.parts:
            column.parts[place] = column.reading.parts[place]()
            with self._lock:
                column.left -= 1
                if column.left:
                    return
        column.read = column.reading.whole(column.parts)
        column.parts = []
