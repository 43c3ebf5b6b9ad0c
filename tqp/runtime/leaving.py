"""The end of a process in which a call into a library goes on that nobody waits for.

CPython ends a thread that comes back from such a call while the interpreter ends, by unwinding its stack. Functions of C++ on it
that let nothing through abort the process then. Here such a thread sleeps instead, and what the libraries do at the end of the
process, which that call may still need, is left out. The exit code is the process's own.
"""

from __future__ import annotations

import atexit
import ctypes
from collections.abc import Callable
from contextlib import suppress

__all__ = ["leave_alone"]


def leave_alone(is_one_left: Callable[[], bool]) -> None:
    """At the end of the process, leave the calls alone that go on, if there are some."""

    def prepare() -> None:
        if is_one_left():
            # Only glibc and GNU's C++ have both; others do not unwind.
            with suppress(OSError, AttributeError):
                _prepare()

    atexit.register(prepare)


def _prepare() -> None:
    library = ctypes.CDLL(None)
    cpp = ctypes.CDLL("libstdc++.so.6")
    set_terminate = cpp._ZSt13set_terminatePFvvE
    set_terminate(ctypes.cast(library.pause, ctypes.c_void_p))
    library.on_exit(ctypes.cast(library._exit, ctypes.c_void_p), None)
