"""How the C library gives memory back: seldom, for a fresh page costs more than the arithmetic on it.

By its own rules glibc maps a large block anew for each call and hands it back after, and threads beside the first one do so
sooner. Columns of some megabytes are made and dropped many times in a query, so each would be filled with zeros again.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import Final

__all__ = ["keep_memory"]

_TRIM_THRESHOLD: Final = -1
_TOP_PAD: Final = -2
_MMAP_THRESHOLD: Final = -3
_MAPPED_FROM: Final = 32 * 2**20
"""The most that glibc takes."""
_KEPT_FREE: Final = 128 * 2**20
"""Bytes at the end of the heap that stay with the process."""


@cache
def keep_memory() -> None:
    """Keep freed memory for the next columns, as far as the C library is glibc and its user has not set it up."""
    if any(name.startswith("MALLOC_") or name == "GLIBC_TUNABLES" for name in os.environ):
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    mallopt(_MMAP_THRESHOLD, _MAPPED_FROM)
    mallopt(_TRIM_THRESHOLD, _KEPT_FREE)
    # Other threads have heaps of 64 MiB, which go back as a whole once they are empty, unless that leaves less than this.
    mallopt(_TOP_PAD, _KEPT_FREE)
