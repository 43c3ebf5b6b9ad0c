"""Pipes that a shell hands to the process as files: `/dev/stdin`, and `/dev/fd/63` of `<(zcat sales.csv.gz)`."""

from __future__ import annotations

import os
import stat
from typing import Final

import pyarrow as pa

from tqp.io.buffers import owned_by_arrow
from tqp.io.state import Content, File, Place, State
from tqp.locks import Lock

__all__ = ["PIPES", "is_pipe"]


def is_pipe(path: str) -> bool:
    """Whether a path is a pipe of this process; a pipe with a name in a folder may carry other bytes later, and is none."""
    try:
        return path.startswith("/dev/") and stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


class _Pipes:
    """Each pipe is read to its end when a query first names it, and stays in memory, as it cannot be read again."""

    def __init__(self) -> None:
        self._read: dict[tuple[int, int], pa.Buffer] = {}
        self._lock = Lock()

    def state(self, path: str) -> State:
        found = os.stat(path)
        pipe = found.st_dev, found.st_ino
        with self._lock:
            if pipe not in self._read:
                with open(path, "rb") as stream:
                    self._read[pipe] = owned_by_arrow(stream.read())
            return State(self._read[pipe].size, 0, pipe, is_exact=True)

    def content(self, file: File) -> Content:
        pipe = file.state.mark
        assert isinstance(pipe, tuple)
        return _PipeContent(self._read[pipe])


class _PipeContent:
    def __init__(self, read: pa.Buffer) -> None:
        self._read = read
        self.nbytes: int = read.size

    def opened(self) -> pa.NativeFile:
        return pa.BufferReader(self._read)

    stream = opened


PIPES: Final[Place] = _Pipes()
