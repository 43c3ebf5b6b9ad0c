"""Whether a kernel may run in numpy on zero-copy views of its tensors.

On the CPU some numpy loops are several times faster than torch's. They are invisible to a tracer, though: while a program
is traced to be compiled, every kernel must take its torch path.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from torch import Tensor

__all__ = ["NotTraceable", "on_host", "refuse_tracing", "tracing"]


class NotTraceable(Exception):
    """A computation cannot be part of a compiled function; its text says why. Never leaves the compiled backend."""


class _State(threading.local):
    tracing = False


_STATE = _State()


def on_host(tensor: Tensor) -> bool:
    """The tensor lies on the CPU and nobody traces this thread's operations."""
    return tensor.is_cpu and not _STATE.tracing


def refuse_tracing(why: str) -> None:
    """Called where the course of a computation depends on values; NotTraceable while it is traced."""
    if _STATE.tracing:
        raise NotTraceable(why)


@contextmanager
def tracing() -> Iterator[None]:
    """Inside, this thread's kernels use torch operations alone."""
    _STATE.tracing = True
    try:
        yield
    finally:
        _STATE.tracing = False
