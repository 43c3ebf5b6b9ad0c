"""The stored columns that a query will read, read by all of its threads together."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from tqp.data.column import Column
from tqp.data.reading import Reading
from tqp.data.stored import StoredTable
from tqp.interrupt import checkpoint, current
from tqp.ir.plan import Aggregate, Plan, Scan
from tqp.ir.visit import definitions, expressions, symbols, walk_query
from tqp.runtime.workers import side_by_side

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
    side_by_side([task for column in missing for task in column.tasks()], current(), threads)
    for column in missing:
        if column.read is not None:
            column.table.hold(column.name, column.read)


def _wanted(plan: Plan) -> list[tuple[StoredTable, str]]:
    """Tables and columns, each pair once, those first whose parts leave much to do: text of large tables."""
    nodes = [node for tree in (*definitions(plan), plan) for node in walk_query(tree)]
    counted = {id(node.input) for node in nodes if isinstance(node, Aggregate) and not _reads(node)}
    found: dict[tuple[int, str], tuple[StoredTable, str, bool]] = {}
    for node in nodes:
        if isinstance(node, Scan) and isinstance(node.source, StoredTable) and id(node) not in counted:
            for column, field in zip(node.columns, node.fields, strict=True):
                if column not in node.source.unsupported:
                    found[id(node.source), column] = node.source, column, field.dtype.is_coded
    ordered = sorted(found.values(), key=lambda one: (not one[2], -one[0].expected_rows))
    return [(table, column) for table, column, _ in ordered]


def _reads(node: Aggregate) -> bool:
    """Whether it reads a column of its rows, and not only counts them."""
    return bool(node.keys) or any(symbols(expr) for expr in expressions(node))


class _Column:
    """A column on its way into a table; who ends its last part makes the whole."""

    def __init__(self, table: StoredTable, name: str, reading: Reading) -> None:
        self.table = table
        self.name = name
        self.reading = reading
        self.read: Column | None = None
        self._parts: list[Any] = [None] * len(reading.parts)
        self._left = len(reading.parts)
        self._lock = threading.Lock()

    def tasks(self) -> list[Callable[[], None]]:
        """What is to be done for it, in any order and by any threads."""
        return [partial(self._read, place) for place in range(len(self._parts))] or [self._make]

    def _read(self, place: int) -> None:
        checkpoint()
        self._parts[place] = self.reading.parts[place]()
        with self._lock:
            self._left -= 1
            is_last = self._left == 0
        if is_last:
            self._make()

    def _make(self) -> None:
        checkpoint()
        self.read = self.reading.whole(self._parts)
        self._parts = []
