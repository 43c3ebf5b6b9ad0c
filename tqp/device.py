"""Devices by name, checked before anything is put on them, and what is known of each type of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from tqp.errors import SourceError

__all__ = ["TYPES", "DeviceType", "resolve", "type_of"]


@dataclass(frozen=True, slots=True)
class DeviceType:
    """A type of devices that queries run on.

    - `count`: how many of them this machine has. `current`: the index that is meant where none is named.
    - `pairs`: of rows, handled at once. Few on the CPU, where they shall stay in the cache; many on an accelerator, where every
      piece starts all kernels again.
    - `compacts`: whether between two conditions rows are counted, and compacted when few are left; on an accelerator counting
      is a wait.
    - `slots`: how many addresses a sum by groups is spread over at least, as threads that add to one address wait for each
      other.
    """

    count: Callable[[], int]
    current: Callable[[], int]
    pairs: int
    compacts: bool
    slots: int


TYPES: dict[str, DeviceType] = {
    "cpu": DeviceType(lambda: 1, lambda: 0, pairs=2**21, compacts=True, slots=1),
    "cuda": DeviceType(
        lambda: torch.cuda.device_count() if torch.cuda.is_available() else 0,
        torch.cuda.current_device,
        pairs=2**26,
        compacts=False,
        slots=2**14,
    ),
}
"""The types of devices by torch's name for them. What tqp does not know of a type goes here."""


def type_of(device: torch.device) -> DeviceType:
    """What is known of a resolved device."""
    return TYPES[device.type]


def resolve(name: str | torch.device) -> torch.device:
    """The device called `name`, with its index where it is an accelerator.

    Raises SourceError where torch does not know the name or this machine lacks the device.
    """
    known = " or ".join(f'"{kind}"' for kind in TYPES)
    try:
        device = torch.device(name)
    except (RuntimeError, TypeError) as error:
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
