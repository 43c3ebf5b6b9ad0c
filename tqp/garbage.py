"""Python's search for garbage, while a great many objects are made at once."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import local
from typing import Final

from tqp.locks import Lock

__all__ = ["collected", "importing", "uncollected"]


class _Own(local):
    """Of a thread: whether the search is stopped for it."""

    pauses = False


class _Pauses:
    """How many threads the search is stopped for. It goes on when the last of them is done, not the first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._threads = 0

    def begin(self) -> bool:
        """Stop the search for one more thread; False where somebody else has stopped it for all."""
        with self._lock:
            if self._threads == 0 and not gc.isenabled():
                return False
            self._threads += 1
            gc.disable()
            return True

    def end(self) -> None:
        with self._lock:
            self._threads -= 1
            if self._threads == 0:
                gc.enable()

    def forked(self) -> None:
        """A child has none of its parent's other threads."""
        was, self._threads = self._threads, int(_OWN.pauses)
        if was and not self._threads:
            gc.enable()


_OWN: Final = _Own()
_PAUSES: Final = _Pauses()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_PAUSES.forked)


@contextmanager
def uncollected() -> Iterator[None]:
    """Inside, Python looks for no garbage, unless it does not anyway.

    Imports, compiling and the planning of long queries make so many objects that it would go through all of the process several
    times, a tenth of a second each, while queries wait. What they leave is looked for afterwards, once.
    """
    if _OWN.pauses or not _PAUSES.begin():
        yield
        return
    _OWN.pauses = True
    try:
        yield
    finally:
        _OWN.pauses = False
        _PAUSES.end()


@contextmanager
def collected() -> Iterator[None]:
    """Inside, Python looks for garbage, though this thread is within `uncollected`; not while another one is."""
    if not _OWN.pauses:
        yield
        return
    _OWN.pauses = False
    _PAUSES.end()
    try:
        yield
    finally:
        _OWN.pauses = _PAUSES.begin()


@contextmanager
def importing() -> Iterator[None]:
    """The same around imports: what is there afterwards counts as old.

    Modules stay; so the next searches, among young objects, need not go through hundreds of thousands that they made, two times
    a tenth of a second in somebody's first queries. All garbage is found as before, by the next search among old objects:
    nothing stays frozen.
    """
    with uncollected():
        try:
            yield
        finally:
            # Who has frozen objects of their own wants them to stay so.
            if gc.get_freeze_count() == 0:
                gc.freeze()
                gc.unfreeze()
