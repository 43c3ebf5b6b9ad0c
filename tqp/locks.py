"""Locks that survive a fork.

A forked child has one thread, and locks that other threads of its parent held would stay locked in it for ever. What they
guard in tqp is whole whenever Python code may be stopped, so the child may start with all of them free.
"""

from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import Any
from weakref import WeakSet

__all__ = ["Lock", "ReentrantLock"]


class Lock:
    """A lock for `with`, which a forked child finds free whoever held it in its parent."""

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._renew()
        _ALL.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def _renew(self) -> None:
        self._lock: Any = threading.Lock()


class ReentrantLock(Lock):
    """The same, which the thread that holds it may take again."""

    __slots__ = ()

    def _renew(self) -> None:
        self._lock = threading.RLock()


_ALL: WeakSet[Lock] = WeakSet()


def _free_all() -> None:
    for lock in list(_ALL):
        lock._renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_all)
