"""Ending Python code of another thread, wherever it is.

A loop of Python over values ends at its next step: CPython raises what another thread asks for where code jumps back, or a call
returns. Code that must not be left half done is spared: imports and compilers, which keep what they did for the whole process.
Locks are let go by `with` (see `tqp.locks`). A call into a library goes on to its end, and is not returned from.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Final, TypeVar

__all__ = ["Ended", "Ending"]

T = TypeVar("T")

_WHOLE: Final = ("importlib.", "numba.", "torch._dynamo.", "torch._inductor.")
"""Modules whose code goes on to its end."""
_PYTHON: Final = getattr(ctypes, "pythonapi", None)
"""None where the interpreter is not CPython: there checkpoints alone end work."""


class Ended(BaseException):
    """Raised within work that shall end: no error, so that nothing on its way takes it for one."""


class Ending:
    """The threads at some work, in each of which `Ended` is raised once at most. Safe between threads."""

    __slots__ = ("_lock", "_threads")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: dict[int, bool] = {}

    def do(self, action: Callable[[], T]) -> T:
        """`action()`, which `end` makes raise `Ended`. After it this thread is never ended for it. Some 0.5 µs."""
        me = threading.get_ident()
        try:
            self._threads[me] = False
            return action()
        finally:
            try:
                self._leave(me)
            except Ended:
                # It came just now, and comes once.
                self._leave(me)
                raise

    def end(self) -> bool:
        """Raise `Ended` in the threads that are still at it, but for those within what must be whole: whether there are such."""
        with self._lock:
            frames = sys._current_frames()
            for thread, is_ended in list(self._threads.items()):
                if not is_ended and not _must_be_whole(frames.get(thread)):
                    self._threads[thread] = True
                    _raise(thread, Ended)
            return not all(self._threads.values())

    def _leave(self, me: int) -> None:
        with self._lock:
            if self._threads.pop(me, False):
                # What was raised and has not arrived shall not arrive in what this thread does next.
                _raise(me, None)


def _raise(thread: int, error: type[BaseException] | None) -> None:
    if _PYTHON is not None:
        _PYTHON.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread), ctypes.py_object() if error is None else ctypes.py_object(error)
        )


def _must_be_whole(frame: FrameType | None) -> bool:
    while frame is not None:
        if f"{frame.f_globals.get('__name__', '')}.".startswith(_WHOLE):
            return True
        frame = frame.f_back
    return False
