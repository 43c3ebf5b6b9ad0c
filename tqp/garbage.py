"""Python's search for garbage, while a great many objects are made at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import local
from typing import Final

__all__ = ["collected", "importing", "uncollected"]


class _Own(local):
    """Of a thread: whether it is what stopped the search."""

    pauses = False


_OWN: Final = _Own()


@contextmanager
def uncollected() -> Iterator[None]:
    """Inside, Python looks for no garbage, unless it does not anyway.

    Imports, compiling and the planning of long queries make so many objects that it would go through all of the process several
    times, a tenth of a second each, while queries wait. What they leave is looked for afterwards, once.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    _OWN.pauses = True
    try:
        yield
    finally:
        _OWN.pauses = False
        gc.enable()


@contextmanager
def collected() -> Iterator[None]:
    """Inside, Python looks for garbage, though this thread is within `uncollected`."""
    if not _OWN.pauses:
        yield
        return
    _OWN.pauses = False
    gc.enable()
    try:
        yield
    finally:
        gc.disable()
        _OWN.pauses = True


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
