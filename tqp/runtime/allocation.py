"""How the C library gives memory back: seldom, for a fresh page costs more than the arithmetic on it.

By its own rules glibc maps a large block anew for each call and hands it back after, and threads beside the first one do so
sooner. Columns of some megabytes are made and dropped many times in a query, so each would be filled with zeros again.

What is kept so may become holes: a small result that stays lies where a large column was, and the next large column, for which the
rest is too short, goes to the end of the heap. So holes are given back when the process has grown by much.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["GROWTH", "Growth", "keep_memory"]

_TRIM_THRESHOLD: Final = -1
_TOP_PAD: Final = -2
_MMAP_THRESHOLD: Final = -3
_MAPPED_FROM: Final = 32 * 2**20
"""The most that glibc takes."""
_KEPT_FREE: Final = 128 * 2**20
"""Bytes at the end of the heap that stay with the process."""
_GROWN: Final = 2**30
"""So many bytes more than at the last time are worth a walk through what is free."""
_LOOKED_AFTER: Final = 0.1
"""Seconds between two looks."""


@cache
def keep_memory() -> None:
    """Keep freed memory for the next columns, as far as the C library is glibc and its user has not set it up."""
    library = _glibc()
    if library is None:
        return
    library.mallopt(_MMAP_THRESHOLD, _MAPPED_FROM)
    library.mallopt(_TRIM_THRESHOLD, _KEPT_FREE)
    # Other threads have heaps of 64 MiB, which go back as a whole once they are empty, unless that leaves less than this.
    library.mallopt(_TOP_PAD, _KEPT_FREE)


@cache
def _glibc() -> ctypes.CDLL | None:
    """The C library; None where it is another one, or its user has set its memory up."""
    if any(name.startswith("MALLOC_") or name == "GLIBC_TUNABLES" for name in os.environ):
        return None
    try:
        library = ctypes.CDLL(None)
        library.mallopt, library.malloc_trim  # noqa: B018
    except (AttributeError, OSError, TypeError):
        return None
    return library


class Growth:
    """How large the process was when its holes were given back; the least since then, if it has become smaller.

    `due`: when the next look is, by the monotonic clock; between batches that alone is asked.
    """

    def __init__(self, resident: Callable[[], int], trim: Callable[[], object]) -> None:
        self.bytes = 0
        self.due = 0.0
        self._resident = resident
        self._trim = trim

    def look(self) -> None:
        """Give holes back where the process has grown by much. Threads that meet here do so twice at worst."""
        self.due = time.monotonic() + _LOOKED_AFTER
        found = self._resident()
        if not self.bytes:
            self.bytes = found
        elif found > self.bytes + _GROWN:
            self._trim()
            self.bytes = self._resident()
        else:
            self.bytes = min(found, self.bytes)


def _resident() -> int:
    """Bytes of the process in memory; 0 where nothing can be given back."""
    if _glibc() is None:
        return 0
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _give_back() -> None:
    library = _glibc()
    assert library is not None
    library.malloc_trim(0)


GROWTH: Final = Growth(_resident, _give_back)
"""That of this process."""
