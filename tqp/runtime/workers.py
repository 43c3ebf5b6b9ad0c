"""The threads that queries run on.

A query runs on a worker thread while its caller waits: so Ctrl-C and timeouts reach the caller at once, and torch's
number of intra-op threads, which every thread has for itself, is set to one on the workers and left alone elsewhere. A
pipeline with many batches is shared with helpers, of which there is a fixed number for all queries; one that is busy with
another query comes when it can.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from time import perf_counter
from typing import Final, TypeVar

import torch

from tqp.interrupt import Interrupt, obeying
from tqp.locks import Lock
from tqp.runtime.allocation import keep_memory
from tqp.tracebacks import shown_short

__all__ = ["call", "compute_alone", "help_with", "side_by_side", "together"]

T = TypeVar("T")

_QUERIES: Final = 1024
"""Queries that run at the same time; more wait for their turn."""
_PAUSE: Final = 0.1
"""Seconds between two looks of a caller who does something while the query runs."""
_PATIENCE: Final = 1.0
"""Seconds that a caller whose query shall stop waits for its present step to end."""


class _Crew:
    """The pools of this process."""

    def __init__(self, forked: bool = False) -> None:
        self._forked = forked
        self._lock = Lock()
        self._queries: ThreadPoolExecutor | None = None
        self._helpers: dict[int, ThreadPoolExecutor] = {}

    @property
    def queries(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._queries is None:
                keep_memory()
                self._queries = ThreadPoolExecutor(_QUERIES, "tqp-query", compute_alone)
            if self._forked and threading.current_thread() is threading.main_thread():
                # The thread that forked cannot use intra-op threads, say for the export of a result: OpenMP would wait
                # for those of its parent. torch's own forked workers do without as well.
                compute_alone()
                self._forked = False
            return self._queries

    def helpers(self, count: int) -> ThreadPoolExecutor:
        with self._lock:
            if count not in self._helpers:
                self._helpers[count] = ThreadPoolExecutor(count, "tqp-helper", compute_alone)
            return self._helpers[count]


_START: Final = Lock()


def compute_alone() -> None:
    """One intra-op thread for the calling thread, and for no other."""
    if torch.get_num_threads() == 1:
        return
    with _START:
        others = torch.get_num_threads()
        torch.set_num_threads(1)
        # That also set what threads get that have not computed yet, which another thread sets back.
        keeper = threading.Thread(target=torch.set_num_threads, args=(others,), name="tqp-start")
        keeper.start()
        keeper.join()


_crew = _Crew()


def _start_anew() -> None:
    global _crew
    _crew = _Crew(forked=True)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew)


def call(
    action: Callable[[], T],
    interrupt: Interrupt,
    timeout: float | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> T:
    """`action()` on a worker thread that obeys `interrupt`; its result or error. The caller's thread does `meanwhile`, ten times a
    second, while it waits.

    When the interrupt is set, or after `timeout` seconds, the action is asked to stop and QueryInterruptedError or
    QueryTimeoutError raised as soon as it has, or after a second: a long operation ends by itself later.
    Ctrl-C does the same and comes out as KeyboardInterrupt, with a note that says after how long and where. Some 30 µs.
    """

    def work() -> T:
        with obeying(interrupt):
            return action()

    future: Future[T] | None = None
    try:
        try:
            future = _crew.queries.submit(work)
        except RuntimeError:
            # The interpreter is shutting down and starts no threads: what is run at exit is run here.
            return work()
        future.add_done_callback(lambda _: interrupt.stirred.set())
        if not _stirred(interrupt, timeout, meanwhile):
            interrupt.stop(timeout)
        is_done = future.done() or bool(wait([future], _PATIENCE).done)
    except BaseException as error:
        interrupt.stop()
        if isinstance(error, KeyboardInterrupt):
            error.add_note(f"tqp stopped a query {interrupt.course}")
            shown_short(error)
        if future is not None:
            wait([future], _PATIENCE)
        raise
    if not is_done:
        raise interrupt.error()
    return future.result()


def _stirred(interrupt: Interrupt, timeout: float | None, meanwhile: Callable[[], None] | None) -> bool:
    """Whether the run was stopped or ended within `timeout` seconds."""
    if meanwhile is None:
        return interrupt.stirred.wait(timeout)
    until = None if timeout is None else perf_counter() + timeout
    while True:
        left = _PAUSE if until is None else min(_PAUSE, until - perf_counter())
        if left <= 0:
            return interrupt.stirred.wait(0)
        if interrupt.stirred.wait(left):
            return True
        meanwhile()


def help_with(work: Callable[[], T], interrupt: Interrupt | None, count: int, pool: int) -> list[Future[T]]:
    """`work()` on up to `count` helpers of a pool of `pool` that obey `interrupt` and infer. Cancel those that need not start."""

    def help_() -> T:
        with obeying(interrupt), torch.inference_mode():
            return work()

    try:
        return [_crew.helpers(pool).submit(help_) for _ in range(count)]
    except RuntimeError:
        return []  # as above: the caller does all the work


def together(work: Callable[[], T], interrupt: Interrupt | None, workers: int, pool: int) -> list[T]:
    """What `work()` gives to all who did it: this thread, and up to workers - 1 helpers of a pool of `pool`, as far as they come
    to it before this thread is done."""
    if workers <= 1:
        return [work()]
    helpers = help_with(work, interrupt, workers - 1, pool)
    try:
        found = [work()]
    except BaseException:
        # Their errors say no more than this one, but they must not go on with what is let go.
        for helper in helpers:
            if not helper.cancel():
                helper.exception()
        raise
    return found + [helper.result() for helper in helpers if not helper.cancel()]


def side_by_side(tasks: Sequence[Callable[[], T]], interrupt: Interrupt | None, threads: int) -> list[T]:
    """What each of the tasks gives, in their order: done by this thread and up to threads - 1 helpers, which take one after the
    other. After an error no further one is begun."""
    if threads <= 1 or len(tasks) <= 1:
        return [task() for task in tasks]
    found: dict[int, T] = {}
    left = list(enumerate(tasks))[::-1]

    def work() -> None:
        while left:
            try:
                place, task = left.pop()
            except IndexError:
                return  # another one took the last
            try:
                found[place] = task()
            except BaseException:
                left.clear()
                raise

    together(work, interrupt, min(threads, len(tasks)), threads - 1)
    return [found[place] for place in range(len(tasks))]
