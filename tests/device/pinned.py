"""The pinned memory of the simulated device: what is copied from and to it is done later, as an accelerator does."""

from __future__ import annotations

import weakref
from typing import Final

import torch

from tqp.locks import Lock

__all__ = ["arrive", "holds", "memory", "read", "send"]

Copy = tuple[torch.Tensor, torch.Tensor]
"""Target and source, on the host as all of it is."""

_PAGES: Final[set[int]] = set()
"""Where the memory begins that is there now."""
_UP: Final[list[Copy]] = []
_DOWN: Final[list[Copy]] = []
_LOCK: Final = Lock()


class _Page(bytearray):
    """Memory that may be referred to weakly; tensors over it hold it."""


def memory(size: int) -> torch.Tensor:
    """As `DeviceType.pinned`."""
    page = _Page(max(size, 1))
    made = torch.frombuffer(page, dtype=torch.uint8)
    place = made.untyped_storage().data_ptr()
    _PAGES.add(place)
    weakref.finalize(page, _PAGES.discard, place)
    return made[:size]


def holds(tensor: torch.Tensor) -> bool:
    """Whether the tensor of the host lies in pinned memory."""
    return tensor.untyped_storage().data_ptr() in _PAGES


def send(target: torch.Tensor, source: torch.Tensor, *, to_host: bool) -> None:
    """Ask for a copy. To the host it is of the values that there are now, but there after `arrive` only."""
    with _LOCK:
        if to_host:
            _DOWN.append((target, source.clone()))
        else:
            _UP.append((target, source))


def read() -> None:
    """The device reads what was sent to it, as the host has it now."""
    if _UP:
        _do(_UP)


def arrive() -> None:
    """All copies are done."""
    _do(_UP)
    _do(_DOWN)


def _do(copies: list[Copy]) -> None:
    # Only there may tensors that were made there be written to.
    with _LOCK, torch.inference_mode():
        for target, source in copies:
            target.copy_(source)
        copies.clear()
