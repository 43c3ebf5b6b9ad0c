"""Devices by name, checked before anything is put on them."""

from __future__ import annotations

import torch

from tqp.errors import SourceError

__all__ = ["resolve"]


def resolve(name: str | torch.device) -> torch.device:
    """The device called `name`, with its index where it is an accelerator.

    Raises SourceError where torch does not know the name or this machine lacks the device.
    """
    try:
        device = torch.device(name)
    except (RuntimeError, TypeError) as error:
        raise SourceError(f"no device is called {name!r}", hint='use "cpu", "cuda" or "cuda:<n>"') from error
    if device.type == "cpu":
        return torch.device("cpu")
    if device.type == "cuda":
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        index = torch.cuda.current_device() if device.index is None and count else device.index or 0
        if index < count:
            return torch.device("cuda", index)
        found = f"torch sees {count} CUDA devices" if count else "torch sees no CUDA device"
        raise SourceError(f"device {str(name)!r} is not available: {found}", hint='use device="cpu"')
    raise SourceError(f"device {str(name)!r} is not supported", hint='use "cpu" or "cuda"')
