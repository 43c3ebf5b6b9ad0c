"""Threads that work off what is submitted, and that no end of the process waits for.

Those of `concurrent.futures` are joined when the interpreter ends, however long the call into a library takes that one of them is
in.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

__all__ = ["Pool"]

T = TypeVar("T")


class Pool:
    """Up to `most` threads of that name, each started when there is nobody free, which call `begin` first. Safe between threads."""

    def __init__(self, most: int, name: str, begin: Callable[[], None]) -> None:
        self._most = most
        self._name = name
        self._begin = begin
        self._tasks: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._free = 0
        self._started = 0
        self._lock = threading.Lock()

    def submit(self, action: Callable[[], T]) -> Future[T]:
        """Have `action()` done by the next thread that is free. RuntimeError where the interpreter ends and starts no threads."""
        future: Future[T] = Future()
        with self._lock:
            if self._free:
                self._free -= 1
            elif self._started < self._most:
                self._start()
        self._tasks.put((future, action))
        return future

    def _start(self) -> None:
        threading.Thread(target=self._work, name=f"{self._name}_{self._started}", daemon=True).start()
        self._started += 1

    def _work(self) -> None:
        self._begin()
        while True:
            future, action = self._tasks.get()
            if future.set_running_or_notify_cancel():
                _do(future, action)
            # Nothing of it is held while this thread waits.
            del future, action
            with self._lock:
                self._free += 1


def _do(future: Future[Any], action: Callable[[], Any]) -> None:
    try:
        found = action()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(found)
