"""Every wait for a device: whatever brings a value of a tensor, or the size of a result, to the host goes through here.

Each wait says why. On the CPU nobody waits, but what is counted is the same: `Log` collects what a run would wait for, and
where. This is the place where waits can be batched, or answered from the log of an earlier run.

A call costs a test of a flag more than what it does. While a program is traced, what depends on its values cannot be
part of it: NotTraceable, with the reason of the wait.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy.typing as npt
import torch
from torch import Tensor

from tqp.interrupt import Interrupt, current
from tqp.kernels import operation
from tqp.kernels.operation import STATE, assumed, refuse_tracing, watching
from tqp.locks import Lock

__all__ = [
    "Log", "Wait", "are_equal", "array", "arrived", "expected", "fetched", "limits", "logging", "masked", "none", "number",
    "numbers", "places", "real", "repeated", "several", "truth", "unique", "values",
]  # fmt: skip


_APART: Final = 8
"""Integers are far from the ends of their dtype with so many bits to spare."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A reason to wait, and the function of tqp that does."""

    why: str
    place: str

    def __str__(self) -> str:
        return f"{self.why} ({self.place})"


class Log:
    """The waits of a run, and how often. Safe between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: Counter[Wait] = Counter()

    def add(self, wait: Wait) -> None:
        with self._lock:
            self._counts[wait] += 1

    def counts(self) -> Counter[Wait]:
        """How often each, so far."""
        with self._lock:
            return Counter(self._counts)


_LOGS: Final[dict[Interrupt | None, Log]] = {}
"""By the run whose waits they collect."""


@contextmanager
def logging() -> Iterator[Log]:
    """Collect the waits of the run that this thread works for, on whatever thread."""
    log, run = Log(), current()
    before = _LOGS.get(run)
    _LOGS[run] = log
    try:
        with watching():
            yield log
    finally:
        if before is None:
            del _LOGS[run]
        else:
            _LOGS[run] = before


def number(x: Tensor, why: str) -> int:
    """The one integer of `x`."""
    if STATE.watchers:
        _attend(why)
    return int(x)


def real(x: Tensor, why: str) -> float:
    """The one float of `x`."""
    if STATE.watchers:
        _attend(why)
    return float(x)


def truth(x: Tensor, why: str) -> bool:
    """The one truth value of `x`."""
    if STATE.watchers:
        _attend(why)
    return bool(x)


def none(bad: Tensor, why: str) -> bool:
    """Whether no value of `bad` is true; a tracer may assume so."""
    return assumed(lambda: ~bad) or not truth(bad.any(), why)


def numbers(x: Tensor, why: str) -> list[int]:
    """The integers of `x` (n,), a few."""
    if STATE.watchers:
        _attend(why)
    found: list[int] = x.tolist()
    return found


def several(parts: Sequence[Tensor], why: str) -> list[int]:
    """The one integer, or truth value, of each of some tensors on one device: one wait for all."""
    return numbers(torch.stack([part.long() for part in parts]), why)


def values(x: Tensor, why: str) -> Any:
    """`x` as Python values, in lists of lists as it has dimensions."""
    if STATE.watchers:
        _attend(why)
    return x.tolist()


def limits(x: Tensor, why: str) -> tuple[int, int]:
    """The least and the greatest of integers, at least one: one wait.

    A tracer may assume that those of 64 bits are far from the ends of these; then it gets limits of all that it takes.
    """
    if STATE.watchers and (assumption := _far_from_ends(x)):
        return assumption
    low, high = several(torch.aminmax(x), why)
    return low, high


def _far_from_ends(x: Tensor) -> tuple[int, int] | None:
    info = torch.iinfo(x.dtype)
    low, high = (info.min >> _APART, info.max >> _APART) if x.dtype is torch.int64 else (info.min, info.max)
    return (low, high) if assumed(lambda: (x >= low) & (x <= high)) else None


def fetched(x: Tensor, why: str) -> Tensor:
    """`x` on the CPU: itself if it is there."""
    if STATE.watchers:
        _attend(why)
    return x.cpu()


def arrived(device: torch.device, why: str) -> None:
    """Wait for all that the device was asked for: copies to pinned memory are there then."""
    if STATE.watchers:
        _attend(why)
    torch.get_device_module(device).synchronize(device)


def array(x: Tensor, why: str) -> npt.NDArray[Any]:
    """`x` as a NumPy array, on its own memory if that is the CPU's."""
    found: npt.NDArray[Any] = fetched(x, why).numpy()
    return found


def places(mask: Tensor, why: str) -> Tensor:
    """Ascending row ids (m,) int64 where `mask` (n,) is not 0; waits for m."""
    if STATE.watchers:
        _attend(why)
    return mask.nonzero().squeeze(1)


def unique(x: Tensor, why: str, **options: Any) -> Any:
    """`torch.unique`, which waits for how many there are."""
    if STATE.watchers:
        _attend(why)
    return torch.unique(x, **options)


def repeated(x: Tensor, counts: Tensor, why: str) -> Tensor:
    """Each of `x` (n,) as often as `counts` (n,) says; waits for the sum."""
    if STATE.watchers:
        _attend(why)
    return x.repeat_interleave(counts)


def masked(x: Tensor, mask: Tensor, why: str) -> Tensor:
    """The rows of `x` (n, …) where `mask` (n,) is True; waits for how many they are."""
    if STATE.watchers:
        _attend(why)
    return x[mask]


def are_equal(x: Tensor, y: Tensor, why: str) -> bool:
    """Whether two tensors are equal in shape and in all values."""
    if STATE.watchers:
        _attend(why)
    return torch.equal(x, y)


def expected(why: str) -> None:
    """Noted by a variant for the CPU whose plain form waits for the device once; to be called while `STATE.watchers`."""
    _note(why)


def _attend(why: str) -> None:
    """NotTraceable while this thread is traced; else noted where a log collects the waits of this thread's run."""
    refuse_tracing(why)
    _note(why)


def _note(why: str) -> None:
    log = _LOGS.get(current())
    if log is not None:
        log.add(Wait(why, _place()))


def _place() -> str:
    """The function that waits, as "kernels.rows.select": of an operation its own name, whichever form runs."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename == __file__ and frame.f_back is not None:
        frame = frame.f_back
    caller = frame.f_back
    if caller is not None and caller.f_code.co_filename == operation.__file__ and "name" in caller.f_locals:
        return f"kernels.{caller.f_locals['name']}"
    return f"{frame.f_globals['__name__'].removeprefix('tqp.')}.{frame.f_code.co_qualname}"
