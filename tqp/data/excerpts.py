"""Excerpts of a table in files: some of its row groups, each excerpt as a table of its own.

What is known of an excerpt's columns is true of its rows alone, so it has statistics, indexes and dictionaries of its own. Rows
that several excerpts hold are read and kept for each; together they have no more rows than the table. One more is refused, and
whoever wants it reads the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from tqp.data.reading import Excerpt
from tqp.locks import Lock

__all__ = ["Excerpts"]

T = TypeVar("T")


class Excerpts(Generic[T]):
    """The excerpts of a table of `rows` rows. Safe to use from several threads."""

    def __init__(self, rows: int) -> None:
        self._left = rows
        self._made: dict[Excerpt, T] = {}
        self._lock = Lock()

    def __iter__(self) -> Iterator[T]:
        with self._lock:
            return iter(list(self._made.values()))

    def get(self, wanted: Excerpt, make: Callable[[], T]) -> T | None:
        """The excerpt, made if there is none yet; None where it would be one too many."""
        with self._lock:
            if wanted not in self._made:
                if wanted.rows > self._left:
                    return None
                self._left -= wanted.rows
                self._made[wanted] = make()
            return self._made[wanted]
