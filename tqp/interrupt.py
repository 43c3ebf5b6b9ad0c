"""Stopping what runs: one `Interrupt` a run, which whoever wants it to stop sets and which every step looks at.

The threads that work for a run know its interrupt as theirs (`obeying`). `checkpoint()` between two steps raises there once
the run shall stop; nothing else ends a step, so a run stops after the operation on a batch or column at hand.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Real
from time import perf_counter
from typing import Protocol

from tqp.errors import BindError, QueryInterruptedError, QueryTimeoutError

__all__ = ["Described", "Interrupt", "Running", "Signal", "checkpoint", "current", "obeying", "seconds"]


class Described(Protocol):
    """What says in a line what it is: a pipeline."""

    def describe(self) -> str: ...


class Signal:
    """An event that is set once. Safe between threads.

    It is a lock that is held until then: a fifth of what `threading.Event` takes, whose waiter wakes up to wait for the lock that
    the one who woke it still holds.
    """

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def set(self) -> None:
        try:
            self._lock.release()
        except RuntimeError:
            # Somebody else has: an open lock is what is wanted.
            return

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is set, or for `timeout` seconds; whether it is. Ctrl-C ends it, as it ends every wait for a lock."""
        is_set = self._lock.acquire(timeout=-1 if timeout is None else timeout)
        if is_set:
            self.set()
        return is_set


class Interrupt:
    """Whether a run shall stop, and why. Safe between threads; once set it stays set."""

    __slots__ = ("_after", "_limit", "at", "began", "stirred", "stopped")

    def __init__(self) -> None:
        self.stopped = False
        self._limit: float | None = None
        self._after: float | None = None
        self.began = perf_counter()
        self.at: tuple[int, int, Described] | None = None
        """The pipeline that runs: its number from 1, how many there are, and the pipeline. Whoever runs them writes it."""
        self.stirred = Signal()
        """Set when the run shall stop or has ended: what the thread that waits for it waits on."""

    def stop(self, limit: float | None = None) -> None:
        """Ask the run to stop; `limit` are the seconds that it was given, if those are over."""
        if not self.stopped:
            self._limit = limit
            self._after = perf_counter() - self.began
            self.stopped = True
        self.stirred.set()

    @property
    def where(self) -> str:
        """What the run is at: "in pipeline 1: scan t(a) … collect b (2 of 3)"."""
        if self.at is None:
            return "before its first pipeline"
        number, count, pipeline = self.at
        return f"in {pipeline.describe()} ({number} of {count})"

    @property
    def course(self) -> str:
        """After how long the run was stopped, or is now, and where."""
        after = perf_counter() - self.began if self._after is None else self._after
        return f"after {after:.1f} s, {self.where}"

    def error(self) -> QueryInterruptedError:
        """What a run that was stopped raises."""
        if self._limit is None:
            return QueryInterruptedError(f"the query was interrupted {self.course}")
        message = f"the query ran longer than its timeout of {self._limit:g} s, {self.where}"
        return QueryTimeoutError(message, hint="give it more time by timeout=, or filter earlier")


_CURRENT: ContextVar[Interrupt | None] = ContextVar("interrupt", default=None)


def current() -> Interrupt | None:
    """The interrupt of the run that this thread works for."""
    return _CURRENT.get()


@contextmanager
def obeying(interrupt: Interrupt | None) -> Iterator[None]:
    """Inside, this thread works for the run of `interrupt`."""
    before = _CURRENT.set(interrupt)
    try:
        yield
    finally:
        _CURRENT.reset(before)


def checkpoint() -> None:
    """Called between steps: raises where this thread's run shall stop. Some 50 ns."""
    interrupt = _CURRENT.get()
    if interrupt is not None and interrupt.stopped:
        raise interrupt.error()


class Running:
    """The runs in progress of somebody who may stop them all. Safe between threads."""

    def __init__(self) -> None:
        self._runs: set[Interrupt] = set()

    def add(self, interrupt: Interrupt) -> None:
        """The run has begun."""
        self._runs.add(interrupt)

    def remove(self, interrupt: Interrupt) -> None:
        """The run has ended."""
        self._runs.discard(interrupt)

    def stop(self) -> None:
        """Ask all of them to stop."""
        for interrupt in list(self._runs):
            interrupt.stop()


def seconds(timeout: float | None) -> float | None:
    """A timeout as a number of seconds; BindError where it is none."""
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, Real) or not timeout > 0:
        hint = "use a number above 0, None for no limit"
        raise BindError(f"timeout={timeout!r} is not a number of seconds", hint=hint)
    return min(float(timeout), threading.TIMEOUT_MAX)
