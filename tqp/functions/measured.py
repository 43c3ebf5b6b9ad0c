"""What a kernel's result looks like may depend on the values that it gets: some kernels measure them, and say so here.

Before there is a batch its layout is found by running kernels on columns without rows (`tqp.operators.layouts`). A kernel that
would have measured its rows calls `by_values` where it has none: then its batches may have narrower columns than this one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Noticed", "by_values", "noticing"]


class Noticed:
    """Whether a kernel said that the form of its result depends on values."""

    __slots__ = ("by_values",)

    def __init__(self) -> None:
        self.by_values = False


class _Own(threading.local):
    noticed: Noticed | None = None


_OWN = _Own()


def by_values() -> None:
    """Said by a kernel without rows: with rows their values choose width, bounds, and whether there are NULLs."""
    if _OWN.noticed is not None:
        _OWN.noticed.by_values = True


@contextmanager
def noticing() -> Iterator[Noticed]:
    """Inside, what the kernels of this thread say is noticed."""
    before, _OWN.noticed = _OWN.noticed, Noticed()
    try:
        yield _OWN.noticed
    finally:
        _OWN.noticed = before
