"""Devices by name, checked before anything is put on them, and what is known of each type of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

import torch

from tqp.errors import SourceError
from tqp.limits import ACCELERATOR, CPU, Limits

__all__ = ["TYPES", "DeviceType", "limits_on", "resolve", "type_of", "within"]


@dataclass(frozen=True, slots=True)
class DeviceType:
    """A type of devices that queries run on.

    - `count`: how many of them this machine has. `current`: the index that is meant where none is named.
    - `limits`: how much it handles at once, and from where on another algorithm is better.
    - `pinned`: so many bytes of the host's memory, (n,) uint8, from and to which it copies by itself; None: it has no such memory.
      What is let go while it is being copied stays until that is done.
    - `tensors`: the class of its tensors.
    """

    count: Callable[[], int]
    current: Callable[[], int]
    limits: Limits
    pinned: Callable[[int], torch.Tensor] | None = None
    tensors: type[torch.Tensor] = torch.Tensor


TYPES: dict[str, DeviceType] = {
    "cpu": DeviceType(lambda: 1, lambda: 0, CPU),
    "cuda": DeviceType(
        lambda: torch.cuda.device_count() if torch.cuda.is_available() else 0,
        torch.cuda.current_device,
        ACCELERATOR,
        lambda size: torch.empty(size, dtype=torch.uint8, device="cpu", pin_memory=True),
    ),
}
"""The types of devices by torch's name for them. What tqp does not know of a type goes here."""


def type_of(device: torch.device) -> DeviceType:
    """What is known of a resolved device."""
    return TYPES[device.type]


_WITHIN: Final[ContextVar[Limits | None]] = ContextVar("limits", default=None)


@contextmanager
def within(limits: Limits) -> Iterator[None]:
    """Inside, what this thread computes keeps to the limits of the program that it is for.

    For models, which are functions of functions of many libraries: whatever these pass to each other, each knows its limits.
    """
    before = _WITHIN.set(limits)
    try:
        yield
    finally:
        _WITHIN.reset(before)


def limits_on(device: torch.device) -> Limits:
    """The limits that are `within` now; those of the device's type where a model is called by itself."""
    return _WITHIN.get() or type_of(device).limits


def resolve(name: str | torch.device) -> torch.device:
    """The device called `name`, with its index where it is an accelerator.

    Raises SourceError where torch does not know the name or this machine lacks the device.
    """
    known = " or ".join(f'"{kind}"' for kind in TYPES)
    try:
        device = torch.device(name)
    except (RuntimeError, TypeError) as error:
        if isinstance(name, str) and name.lower().endswith((":memory:", ".db", ".duckdb")):
            hint = "tqp.connect() has its tables in memory: register them, or query files by their paths"
            raise SourceError(f"{name!r} is no device, and there are no databases in files", hint=hint) from error
        raise SourceError(f"no device is called {name!r}", hint=f'use {known}; "cuda:<n>" is the n-th') from error
    if device.type not in TYPES:
        raise SourceError(f"device {str(name)!r} is not supported", hint=f"use {known}")
    if device.type == "cpu":
        return torch.device("cpu")
    kind = TYPES[device.type]
    count = kind.count()
    index = kind.current() if device.index is None and count else device.index or 0
    if index < count:
        return torch.device(device.type, index)
    title = device.type.upper()
    found = f"torch sees {count} {title} devices" if count else f"torch sees no {title} device"
    raise SourceError(f"device {str(name)!r} is not available: {found}", hint='use device="cpu"')
