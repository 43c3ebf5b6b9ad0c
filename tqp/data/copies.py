"""Tensors on their way between the host and a device, together: every copy has its price, however little it copies.

Small tensors are packed into one buffer and copied as one. Large ones go by themselves, which saves the pass that packs them.
Where a type of devices has pinned memory (`DeviceType.pinned`), all copies go through that: a device copies from and
to it by itself, and the host waits once, for all that comes to it, and for nothing that leaves it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import torch
from torch import Tensor

from tqp.device import TYPES
from tqp.interrupt import checkpoint
from tqp.kernels import waits

__all__ = ["copied", "packs", "placed"]

_HOST: Final = torch.device("cpu")
_LEAVING: Final = "the result leaves the device"
_PACKED_BYTES: Final = 2**22
"""Tensors of more bytes are copied by themselves."""
_STAGED_BYTES: Final = 2**25
"""Large tensors pass pinned memory in pieces of so many bytes: the host fills one while the device reads another."""
_ALIGNMENT: Final = 64
"""Tensors begin at multiples of so many bytes of a buffer: kernels read several elements at once from there."""


def copied(tensors: Sequence[Tensor], device: torch.device) -> list[Tensor]:
    """Tensors of one device as they are on another; of a repeated value comes one, which stays repeated.

    Cost: to the host one wait; where there is no pinned memory, one for the small tensors and one for each of more than 4 MiB. To
    a device none, or as many.
    """
    if not tensors:
        return []
    cores = [_core(one) for one in tensors]
    origin = tensors[0].device
    if origin == _HOST:
        found = _uploaded(cores, device)
    elif device == _HOST:
        found = _downloaded(cores, origin)
    else:
        found = [core.to(device) for core in cores]
    return [copy.expand(one.shape) for one, copy in zip(tensors, found, strict=True)]


def placed(tensor: Tensor, device: torch.device) -> Tensor:
    """One tensor on the device; itself if it is there."""
    # `to` does nothing for one that is there, but tells who lists what ran that it is part of it.
    return tensor.to(device) if tensor.device == device else copied([tensor], device)[0]


def packs(tensor: Tensor) -> bool:
    """Whether it is packed with others when it is copied, so that it gains from not going alone."""
    return _bytes(_core(tensor)) <= _PACKED_BYTES


def _core(tensor: Tensor) -> Tensor:
    """The one row of a tensor that repeats it; others as they are."""
    return tensor[:1] if tensor.ndim > 0 and tensor.shape[0] > 1 and tensor.stride(0) == 0 else tensor


def _bytes(tensor: Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def _uploaded(tensors: list[Tensor], device: torch.device) -> list[Tensor]:
    """Tensors of the host on the device."""
    small = [tensor for tensor in tensors if packs(tensor)]
    packed = iter(_unpacked(_upload(_packed(small, device), device), small) if small else [])
    return [next(packed) if packs(tensor) else _upload_large(tensor, device) for tensor in tensors]


def _packed(tensors: Iterable[Tensor], device: torch.device) -> Tensor:
    """Tensors of the host one behind the other (bytes,), in pinned memory where the device has it."""
    shapes = list(tensors)
    whole = _host_memory(sum(map(_room, shapes)), device)
    for target, tensor in zip(_unpacked(whole, shapes), shapes, strict=True):
        target.copy_(tensor)
    return whole


def _unpacked(whole: Tensor, like: Iterable[Tensor]) -> list[Tensor]:
    """The tensors of a buffer (bytes,), of the shapes and dtypes of others, as views."""
    found = []
    start = 0
    for tensor in like:
        part = whole[start : start + _bytes(tensor)]
        found.append(part.view(tensor.dtype).reshape(tensor.shape))
        start += _room(tensor)
    return found


def _room(tensor: Tensor) -> int:
    """Bytes that a tensor takes of a buffer."""
    return -(-_bytes(tensor) // _ALIGNMENT) * _ALIGNMENT


def _host_memory(size: int, device: torch.device) -> Tensor:
    """Memory of the host (size,) uint8 that the device copies from and to by itself, if it can."""
    pinned = _pinned(device)
    return torch.empty(size, dtype=torch.uint8, device=_HOST) if pinned is None else pinned(size)


def _pinned(device: torch.device) -> Callable[[int], Tensor] | None:
    """As `DeviceType.pinned`. Tensors that are handed in may lie on devices that no query runs on."""
    kind = TYPES.get(device.type)
    return None if kind is None else kind.pinned


def _upload(tensor: Tensor, device: torch.device) -> Tensor:
    """One that lies in `_host_memory`. Who made that lets go of it at once: torch keeps it until it was read."""
    return torch.empty_like(tensor, device=device).copy_(tensor, non_blocking=True)


def _upload_large(tensor: Tensor, device: torch.device) -> Tensor:
    """A tensor (n, …), piece by piece where there is pinned memory."""
    if _pinned(device) is None:
        return tensor.to(device)
    there = torch.empty(tensor.shape, dtype=tensor.dtype, device=device)
    rows = max(_STAGED_BYTES * tensor.shape[0] // _bytes(tensor), 1)
    for target, piece in zip(torch.split(there, rows), torch.split(tensor, rows), strict=True):
        checkpoint()
        (staged,) = _unpacked(_packed([piece], device), [piece])
        target.copy_(staged, non_blocking=True)
    return there


def _downloaded(tensors: list[Tensor], origin: torch.device) -> list[Tensor]:
    """Tensors of a device on the host."""
    # By width, the greatest first, so that each begins where its elements may begin.
    small = sorted(filter(packs, tensors), key=lambda tensor: -tensor.element_size())
    large = [tensor for tensor in tensors if not packs(tensor)]
    lines = [_line(tensor) for tensor in small]
    whole = [lines[0] if len(lines) == 1 else torch.cat(lines)] if lines else []
    if _pinned(origin) is None:
        arrived = [waits.fetched(tensor, _LEAVING) for tensor in (*whole, *large)]
    else:
        arrived = [_download(tensor, origin) for tensor in (*whole, *large)]
        waits.arrived(origin, _LEAVING)
    found = dict(zip(map(id, large), arrived[len(whole) :], strict=True))
    if small:
        parts = torch.split(arrived[0], [line.shape[0] for line in lines])
        found |= {
            id(tensor): part.view(tensor.dtype).reshape(tensor.shape) for tensor, part in zip(small, parts, strict=True)
        }
    return [found[id(tensor)] for tensor in tensors]


def _line(tensor: Tensor) -> Tensor:
    """The memory of the tensor (bytes,)."""
    # A tensor of one element is contiguous with any stride, but not seen as bytes.
    line = tensor.contiguous().as_strided((tensor.numel(),), (1,))
    return line.view(torch.uint8)


def _download(tensor: Tensor, origin: torch.device) -> Tensor:
    """One on its way to pinned memory: nothing may read it before `waits.arrived`."""
    (target,) = _unpacked(_host_memory(_bytes(tensor), origin), [tensor])
    return target.copy_(tensor, non_blocking=True)
