"""What one row or one step may ask for: bounded before it is made, where a few letters of a query ask for any size."""

from __future__ import annotations

import os
from functools import cache
from typing import Final

from tqp.errors import ExecutionError, OutOfMemoryError
from tqp.interrupt import current

__all__ = ["require_room", "require_text"]

_LONGEST: Final = 2**29
"""Bytes of a text that a function makes."""
_SMALL: Final = 2**24
"""Bytes that every machine has."""


def require_text(size: int) -> None:
    """ExecutionError for one text of more bytes than a function makes, OutOfMemoryError where the run may not hold it."""
    if size > _LONGEST:
        message = f"a text of {size:,} bytes is too long: functions make texts of at most {_LONGEST:,}"
        raise ExecutionError(message, hint="repeat or pad it less")
    require_room(size, "a text")


def require_room(size: int, what: str) -> None:
    """OutOfMemoryError where `size` bytes, which are to be made, are more than the run may hold or the machine has."""
    if size <= _SMALL:
        return
    interrupt = current()
    limit = None if interrupt is None else interrupt.memory
    if limit is not None and size > limit:
        message = f"memory limit reached: {what} of {size:,} bytes, {limit:,} allowed"
        raise OutOfMemoryError(message, hint="raise memory_limit, or ask for less")
    if size > _memory():
        message = f"{what} of {size:,} bytes: more than the {_memory():,} that the machine has"
        raise OutOfMemoryError(message, hint="ask for less")


@cache
def _memory() -> int:
    """Bytes of the machine; no limit where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 2**63
