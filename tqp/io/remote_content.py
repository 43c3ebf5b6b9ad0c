"""Bytes of a file behind a protocol, for Arrow's readers."""

from __future__ import annotations

import io
from typing import Protocol

import pyarrow as pa

from tqp.errors import SourceError
from tqp.io.state import File
from tqp.locks import Lock

__all__ = ["RemoteContent"]


class Parts(Protocol):
    """What gives the bytes of a file: some, all, or pyarrow's own file."""

    def range(self, path: str, start: int, stop: int) -> bytes: ...
    def whole(self, path: str) -> bytes: ...
    def native(self, path: str) -> pa.NativeFile | None: ...


class RemoteContent:
    """A file behind a protocol, by ranges; as a whole where its server gives no parts, or says no size."""

    def __init__(self, place: Parts, file: File) -> None:
        self._place = place
        self._file = file
        self._whole: bytes | None = None
        self._lock = Lock()

    @property
    def nbytes(self) -> int:
        return 0 if self._whole is None else len(self._whole)

    def opened(self) -> pa.NativeFile:
        if self._whole is None and self._file.state.size >= 0:
            native = self._place.native(self._file.path)
            return pa.PythonFile(_Ranges(self), mode="r") if native is None else native
        return pa.BufferReader(self._fetched())

    def stream(self) -> pa.NativeFile:
        return pa.BufferReader(self._fetched() if self._whole is None else self._whole)

    def _fetched(self) -> bytes:
        with self._lock:
            if self._whole is not None:
                return self._whole
            found = self._place.whole(self._file.path)
            said = self._file.state.size
            if said < 0:
                self._whole = found
        if said not in (-1, len(found)):
            raise SourceError(
                f"cannot read {self._file.shown!r}: the server says {said} bytes, and sends {len(found)}",
                hint="the file is being written, or the server is at fault: try again",
            )
        return found

    def part(self, start: int, stop: int) -> bytes:
        """Some of its bytes."""
        if self._whole is not None:
            return self._whole[start:stop]
        found = self._place.range(self._file.path, start, stop)
        if len(found) == stop - start:
            return found
        with self._lock:
            if len(found) == self._file.state.size:
                self._whole = found
                return found[start:stop]
        raise SourceError(
            f"cannot read {self._file.shown!r}: of {stop - start} bytes the server sends {len(found)}",
            hint="the file is being written, or the server is at fault: try again",
        )

    @property
    def size(self) -> int:
        return self._file.state.size


class _Ranges(io.RawIOBase):
    """A file of which each read is one range."""

    def __init__(self, content: RemoteContent) -> None:
        super().__init__()
        self._content = content
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._content.size}[whence]
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        stop = self._content.size if size < 0 else min(self._at + size, self._content.size)
        found = self._content.part(self._at, stop) if stop > self._at else b""
        self._at += len(found)
        return found
