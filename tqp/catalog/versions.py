"""Tables of files, and which version of its files each one is.

A stored table is one version: all that is ever read for it, and derived from it, is of the files as they were when it was
opened. Files that were written since make another table, with columns, statistics, dictionaries and indexes of its own.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tqp.data.stored import StoredTable
from tqp.errors import SourceChanged, SourceError
from tqp.io.files import FileSource, Look
from tqp.io.remote import Filesystems, Remote
from tqp.locks import Lock, ReentrantLock
from tqp.types import DType

if TYPE_CHECKING:
    import torch

    from tqp.data.column import Column

__all__ = ["FileTables", "systems_of"]

_TABLES: Final = 256
_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class _Version:
    """Where a table came from: a source as it looked at one time."""

    tables: FileTables
    source: FileSource
    look: Look

    def latest(self, table: StoredTable) -> StoredTable:
        return self.tables.of(self.source, table)

    def unread(self, table: StoredTable) -> StoredTable:
        closed = _Closed(table.expected_rows, table.schema, table.hidden, table.unsupported, table.local, table.name)
        return StoredTable(table.name, closed, table.device, _Version(self.tables, self.source, Look((), False)))


@dataclass(frozen=True, slots=True)
class _Closed:
    """In the place of a reader that is let go: says what was there, and has nothing of it."""

    rows: int
    schema: tuple[tuple[str, DType], ...]
    hidden: tuple[tuple[str, DType], ...]
    unsupported: Mapping[str, str]
    local: frozenset[str]
    name: str

    def column(self, name: str) -> Column:
        raise SourceChanged(self.name)


def systems_of(table: StoredTable) -> list[Any]:
    """The file systems of fsspec that the files of a table are read by, each once."""
    files = table.origin.look.files if isinstance(table.origin, _Version) else ()
    return list({id(file.place.system): file.place.system for file in files if isinstance(file.place, Remote)}.values())


class FileTables:
    """The tables of the last 256 sources that queries named, each as long as its files stay as they are.

    `forget` is told of every table that is let go, and whether that is because its files are gone or were written since. Safe
    to use from several threads.
    """

    def __init__(self, device: torch.device, forget: Callable[[StoredTable, bool], None], systems: Filesystems) -> None:
        self.systems = systems
        self._device = device
        self._forget = forget
        self._tables: OrderedDict[FileSource, StoredTable] = OrderedDict()
        self._opening: dict[FileSource, Lock] = {}
        self._lock = ReentrantLock()

    def __iter__(self) -> Iterator[StoredTable]:
        with self._lock:
            return iter(list(self._tables.values()))

    def of(self, source: FileSource, known: StoredTable | None = None) -> StoredTable:
        """The table of what the files hold now, `known` if that is it still; SourceError where they cannot be read.

        Cost: one `stat` for each file while nothing changes.
        """
        with self._lock:
            opening = self._opening.setdefault(source, Lock())
        with opening:
            known = self._tables.get(source, known)
            try:
                table = self._current(source, known)
            except SourceError:
                self._let_go(source)
                raise
            self._keep(source, table)
        return table

    def sweep(self) -> None:
        """Let go of tables whose files are gone or were written since."""
        for source, table in list(self._tables.items()):
            assert isinstance(table.origin, _Version)
            with suppress(SourceError):
                if source.look(self.systems).files == table.origin.look.files:
                    continue
            self._let_go(source)

    def clear(self) -> None:
        for source in list(self._tables):
            self._let_go(source)

    def _current(self, source: FileSource, known: StoredTable | None) -> StoredTable:
        look = None
        if known is not None:
            assert isinstance(known.origin, _Version)
            before = known.origin.look
            # What was opened within one tick of the clock after the last change may have changed since all the same.
            if before.settled and (
                source.is_still(before, self.systems) or (look := source.look(self.systems)).files == before.files
            ):
                return known
        look = look or source.look(self.systems)
        for _ in range(_ATTEMPTS):
            try:
                reader = source.open(look.files)
            except SourceError:
                if source.look(self.systems).files == look.files:
                    raise
            else:
                if source.look(self.systems).files == look.files:
                    shown = ", ".join(source.paths)
                    return StoredTable(shown, reader, self._device, _Version(self, source, look), True)
            look = source.look(self.systems)
        raise SourceError(
            f"{source.paths[0]!r} changes again and again while it is read", hint="read it when nobody writes it"
        )

    def _keep(self, source: FileSource, table: StoredTable) -> None:
        gone: list[tuple[StoredTable, bool]] = []
        with self._lock:
            before = self._tables.get(source)
            self._tables[source] = table
            self._tables.move_to_end(source)
            if before is not None and before is not table:
                gone.append((before, True))
            while len(self._tables) > _TABLES:
                other, last = self._tables.popitem(last=False)
                self._opening.pop(other, None)
                gone.append((last, False))
        for old, stale in gone:
            self._forget(old, stale)
        if before is not table:
            self.sweep()

    def _let_go(self, source: FileSource) -> None:
        with self._lock:
            table = self._tables.pop(source, None)
            self._opening.pop(source, None)
        if table is not None:
            self._forget(table, True)
