"""Columns on their way to the host, together: every copy is a wait, however little it copies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import torch

from tqp.data.column import Column
from tqp.kernels import waits

__all__ = ["on_host"]

_LEAVING = "the result leaves the device"
_PACKED_BYTES = 2**22
"""Tensors of more bytes are copied by themselves, which saves the pass that packs them."""


def on_host(columns: Sequence[Column]) -> list[Column]:
    """The columns on the CPU; those that are there already as they are.

    Small tensors come in one copy, as views of one buffer; of a repeated value comes one. Cost: one wait, one more for each
    tensor of more than 4 MiB.
    """
    parts = [part for column in columns for part in (column.data, column.valid) if part is not None]
    wanted = {id(part): part for part in parts if not part.is_cpu}
    if not wanted:
        return list(columns)
    moved = dict(zip(wanted, _copies(wanted.values()), strict=True))

    def host(tensor: torch.Tensor) -> torch.Tensor:
        return moved.get(id(tensor), tensor)

    return [
        replace(column, data=host(column.data), valid=None if column.valid is None else host(column.valid))
        for column in columns
    ]


def _copies(tensors: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    """The tensors on the CPU."""
    ones = list(tensors)
    cores = [one[:1] if _repeats(one) else one for one in ones]
    small = [core for core in cores if core.numel() * core.element_size() <= _PACKED_BYTES]
    # By width, the greatest first, so that each begins where its elements may begin.
    small.sort(key=lambda core: -core.element_size())
    packed = dict(zip(map(id, small), _packed(small), strict=True))
    return [
        (packed[id(core)] if id(core) in packed else waits.fetched(core, _LEAVING)).expand(one.shape)
        for one, core in zip(ones, cores, strict=True)
    ]


def _repeats(tensor: torch.Tensor) -> bool:
    return tensor.ndim > 0 and tensor.shape[0] > 1 and tensor.stride(0) == 0


def _packed(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """Tensors on the CPU, copied as one."""
    if len(tensors) < 2:
        return [waits.fetched(tensor, _LEAVING) for tensor in tensors]
    flat = [_bytes(tensor) for tensor in tensors]
    whole = waits.fetched(torch.cat(flat), _LEAVING)
    found = torch.split(whole, [part.shape[0] for part in flat])
    return [part.view(tensor.dtype).reshape(tensor.shape) for part, tensor in zip(found, tensors, strict=True)]


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    """The memory of the tensor (bytes,)."""
    # A tensor of one element is contiguous with any stride, but not seen as bytes.
    line = tensor.contiguous().as_strided((tensor.numel(),), (1,))
    return line.view(torch.uint8)
