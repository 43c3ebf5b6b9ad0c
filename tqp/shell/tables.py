"""Files as tables of a connection."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from tqp.connection import Connection
from tqp.errors import SourceError

__all__ = ["open_table"]

_COMPRESSED: Final = (".gz", ".zst")


def open_table(connection: Connection, path: str, name: str | None = None) -> str:
    """The file, folder or glob as a table called `name`, or as its own name without its ending; that name.

    SourceError where there is no such file, or a table of that name.
    """
    path = os.path.expanduser(path)
    if os.path.isdir(path):
        path = os.path.join(path, "")  # a mark of a path, which the name of a folder alone is not
    chosen = _stem(path) if name is None else name
    if not chosen:
        raise SourceError(f"{path!r} has no name to call its table by", hint=f"NAME={path}")
    if chosen in connection.tables():
        raise SourceError(f"there are two tables called {chosen!r}", hint=f"another name for one: NAME={path}")
    connection.register(chosen, path)
    # Its columns are read here, so that what is no table is told now.
    assert connection.table(chosen).columns
    return chosen


def _stem(path: str) -> str:
    """The last part of a path without its ending, nothing for a pattern: `data/sales.2024.csv.gz` is `sales.2024`."""
    file = Path(path.lower().endswith(_COMPRESSED) and path.rpartition(".")[0] or path).name
    stem = file.rpartition(".")[0].strip(".") or file.strip(".")
    return "" if any(mark in stem for mark in "*?[") else stem
