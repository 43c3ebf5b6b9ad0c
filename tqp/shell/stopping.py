"""Ctrl-C: the first one stops what runs, the second one the process."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final, NoReturn

__all__ = ["INTERRUPTED", "end_with", "stoppable", "unstoppable"]

INTERRUPTED: Final = 130


@contextmanager
def stoppable() -> Iterator[None]:
    """Inside, Ctrl-C raises KeyboardInterrupt, and where that does not lead out of here, the next one ends the process."""
    is_pressed = False

    def press(number: int, frame: FrameType | None) -> None:
        nonlocal is_pressed
        if is_pressed:
            _leave(INTERRUPTED)
        is_pressed = True
        raise KeyboardInterrupt

    # What ignores it from its start on goes on to.
    with _handled(signal.SIG_IGN if signal.getsignal(signal.SIGINT) == signal.SIG_IGN else press):
        yield


@contextmanager
def unstoppable() -> Iterator[None]:
    """Inside, Ctrl-C does nothing."""
    with _handled(lambda number, frame: None):
        yield


def end_with(code: int) -> int:
    """The exit code of a process that is about to end, which Ctrl-C does not change any more. Where a call into a library goes on
    that nobody waits for, it ends here."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    workers = sys.modules.get("tqp.runtime.workers")
    if workers is not None and workers.is_one_left():
        _leave(code)
    return code


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # others get no signals
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _leave(code: int) -> NoReturn:
    """End the process at once, whatever its threads are at."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(code)
