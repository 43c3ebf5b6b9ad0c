"""Files where they lie: how one is opened, and in which state it is, which tells that it was written since."""

from __future__ import annotations

import os
from collections.abc import Hashable
from typing import NamedTuple, Protocol

import pyarrow as pa

from tqp.errors import SourceChanged

__all__ = ["LOCAL", "Content", "File", "Place", "State", "require_same", "state_of"]


class State(NamedTuple):
    """A file's bytes (-1: not told), when its content last changed in nanoseconds (0: not told), and what else tells it apart.

    `is_exact`: content that differs has another mark in any case, as the hash of it has that a server tells.
    """

    size: int
    modified: int
    mark: Hashable
    is_exact: bool = False


class Content(Protocol):
    """What one version of a file holds, to be opened as often as wanted. Safe to use from several threads."""

    @property
    def nbytes(self) -> int:
        """Bytes that are held in memory."""
        ...

    def opened(self) -> pa.NativeFile:
        """The file from its beginning, any part of which can be read alone."""
        ...

    def stream(self) -> pa.NativeFile:
        """The file from its beginning, to be read to its end."""
        ...


class Place(Protocol):
    """Where files are: on this machine, or behind a protocol. What goes wrong is an OSError or a SourceError."""

    def state(self, path: str) -> State:
        """The state of a file now; OSError where there is none."""
        ...

    def content(self, file: File) -> Content:
        """What a file holds."""
        ...


class _Local:
    """The files of this machine."""

    def state(self, path: str) -> State:
        return state_of(path)

    def content(self, file: File) -> Content:
        return _LocalContent(file.path)


class _LocalContent:
    nbytes = 0

    def __init__(self, path: str) -> None:
        self._path = path

    def opened(self) -> pa.NativeFile:
        # Not mapped into memory: a file that is cut short meanwhile would end the process.
        return pa.OSFile(self._path)

    stream = opened


LOCAL: Place = _Local()
"""This machine."""


class File(NamedTuple):
    """A file as the query names it, its absolute path, the state that it was found in, and where it is."""

    shown: str
    path: str
    state: State
    place: Place = LOCAL

    def content(self) -> Content:
        """What it holds."""
        return self.place.content(self)

    def read(self) -> bytes:
        """All of it, at once."""
        with self.content().stream() as stream:
            found: bytes = stream.read()
        return found


def state_of(path: str) -> State:
    """The state of a file of this machine now; OSError where there is none."""
    found = os.stat(path)
    return State(found.st_size, found.st_mtime_ns, (found.st_dev, found.st_ino, found.st_ctime_ns))


def require_same(file: File) -> None:
    """Raise SourceChanged where the file is not in the state that it was found in."""
    try:
        same = file.place.state(file.path) == file.state
    except FileNotFoundError:
        same = False
    except OSError:
        if file.place is not LOCAL:
            raise
        same = False
    if not same:
        raise SourceChanged(file.shown)
