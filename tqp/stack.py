"""Recursion as deep as queries nest: a thread's stack that runs out goes on as another thread's.

Python bounds how deep calls nest, for all threads alike, and a program must not change that limit under its user's feet. Each
thread counts for itself, though. A recursive function under `@deep` goes on in a new thread after every few dozen levels,
while the one before waits, so that each stack stays shallow (rustc's `ensure_sufficient_stack` is the same idea).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from tqp.errors import UnsupportedError
from tqp.locks import Lock

__all__ = ["asking_thread", "deep", "elsewhere"]

P = ParamSpec("P")
T = TypeVar("T")

_LEVELS: Final = 24
"""Calls of deep functions within each other on one stack; a level of the binder takes about 15 frames."""
_STACKS: Final = 1000
_ROOM: Final = 24 * 18
"""Frames that must be left on the caller's stack, or the recursion begins on a new one."""
_SIZE_LOCK: Final = Lock()


class _Stack:
    """How deep the deep functions of a thread are."""

    __slots__ = ("levels",)

    def __init__(self) -> None:
        self.levels = 0


class _Place(threading.local):
    stacks = 0
    asking: threading.Thread | None = None

    def __init__(self) -> None:
        self.stack = _Stack()


_place = _Place()


def deep(function: Callable[P, T]) -> Callable[P, T]:
    """A recursive function whose depth queries control; UnsupportedError beyond some 20,000 levels.

    What it calls must not depend on the thread it runs in, except for context variables and `asking_thread`.
    """

    @wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        stack = _place.stack
        level = stack.levels
        if level >= _LEVELS or (level == 0 and _is_short()):
            return _on_new_stack(lambda: function(*args, **kwargs))
        stack.levels = level + 1
        try:
            return function(*args, **kwargs)
        finally:
            stack.levels = level

    return guarded


def _is_short() -> bool:
    """Whether the stack that a caller hands over is nearly used up."""
    try:
        sys._getframe(max(sys.getrecursionlimit() - _ROOM, 1))
    except ValueError:
        return False
    return True


def _on_new_stack(function: Callable[[], T]) -> T:
    stacks = _place.stacks + 1
    if stacks > _STACKS:
        raise UnsupportedError("the query is nested too deeply", hint="keep a part of it as a result of its own")

    def run() -> T:
        _place.stack.levels, _place.stacks = 1, stacks
        return function()

    return elsewhere(run)


def asking_thread() -> threading.Thread:
    """The thread whose stack this one goes on for; itself where it is nobody's."""
    return _place.asking or threading.current_thread()


def elsewhere(function: Callable[[], T], stack_bytes: int = 0) -> T:
    """What the function gives or raises, run on a new thread; `stack_bytes` 0 is the system's size of stack."""
    results: list[T] = []
    errors: list[BaseException] = []
    context = copy_context()
    asking = asking_thread()

    def run() -> None:
        _place.asking = asking
        try:
            results.append(context.run(function))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="tqp-stack", daemon=True)
    if stack_bytes:
        # The size is set for the process, but read when a thread starts alone.
        with _SIZE_LOCK:
            before = threading.stack_size(stack_bytes)
            try:
                thread.start()
            finally:
                threading.stack_size(before)
    else:
        thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
