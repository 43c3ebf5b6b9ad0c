"""In which state a file is: what tells that it was written since."""

from __future__ import annotations

import os
from typing import NamedTuple

from tqp.errors import SourceChanged

__all__ = ["File", "State", "require_same", "state_of"]


class State(NamedTuple):
    """A file's device and inode, its bytes, and when its content and its entry last changed, in nanoseconds."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int


class File(NamedTuple):
    """A file as the query names it, its absolute path, and the state that it was found in."""

    shown: str
    path: str
    state: State


def state_of(path: str) -> State:
    """The file's state now; OSError where there is none."""
    found = os.stat(path)
    return State(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def require_same(file: File) -> None:
    """Raise SourceChanged where the file is not in the state that it was found in."""
    try:
        same = state_of(file.path) == file.state
    except OSError:
        same = False
    if not same:
        raise SourceChanged(file.shown)
