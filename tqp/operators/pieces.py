"""Work that is done once, by all threads that want what it gives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

__all__ = ["Pieces"]

T = TypeVar("T")


class Pieces(Generic[T]):
    """Tasks that are each done once, whoever does them: a thread that comes while another one is at it helps instead of waiting.

    A task may ask for the pieces of what it depends on.
    """

    def __init__(self, tasks: Sequence[Callable[[], T]]) -> None:
        self._found: dict[int, T] = {}
        self.count = len(tasks)
        """How many there are."""
        self._left = list(enumerate(tasks))[::-1]
        self._is_done = threading.Event()
        self._error: BaseException | None = None

    def work(self) -> None:
        """Do tasks until none is left to begin."""
        while self._left:
            try:
                place, task = self._left.pop()
            except IndexError:
                return  # another thread took the last
            try:
                self._found[place] = task()
            except BaseException as error:
                self._error = error
                self._left.clear()
                self._is_done.set()
                return
            if len(self._found) == self.count:
                self._is_done.set()

    def result(self) -> list[T]:
        """What all of them give, in their order; the error of one that failed, and then no further one is begun."""
        self.work()
        self._is_done.wait()
        if self._error is not None:
            raise self._error
        return [self._found[place] for place in range(self.count)]
