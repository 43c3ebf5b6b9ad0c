"""Bytes for Arrow's threads."""

from __future__ import annotations

import pyarrow as pa

__all__ = ["owned_by_arrow"]


def owned_by_arrow(content: bytes | bytearray) -> pa.Buffer:
    """A copy of the bytes in memory of Arrow's own.

    A thread of Arrow's may be the last to let go of what it read, after the call that it read it for. Memory of Python's needs
    the interpreter for that, and where the interpreter ends just then, the process aborts.
    """
    made = pa.allocate_buffer(len(content))
    memoryview(made).cast("B")[:] = content
    return made
