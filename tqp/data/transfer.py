"""Columns on their way between the host and a device, together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.copies import copied, packs

__all__ = ["is_small", "moved", "on_host"]

_HOST: Final = torch.device("cpu")


def on_host(columns: Sequence[Column]) -> list[Column]:
    """The columns on the CPU, see `moved`. What came through pinned memory stays in it until it is let go."""
    return moved(columns, _HOST)


def moved(columns: Sequence[Column], device: torch.device) -> list[Column]:
    """The columns on `device`; those that are there already as they are. Cost: that of `copied`, for each device they are on."""
    away: dict[torch.device, dict[int, Tensor]] = {}
    for column in columns:
        for part in _parts(column):
            if part.device != device:
                away.setdefault(part.device, {})[id(part)] = part
    if not away:
        return list(columns)
    there: dict[int, Tensor] = {}
    for tensors in away.values():
        there.update(zip(tensors, copied(list(tensors.values()), device), strict=True))

    def place(tensor: Tensor) -> Tensor:
        return there.get(id(tensor), tensor)

    return [column.moved(place) for column in columns]


def is_small(column: Column) -> bool:
    """Whether its tensors are packed with those of others when it moves."""
    return all(map(packs, _parts(column)))


def _parts(column: Column) -> list[Tensor]:
    """All tensors of the column and its children."""
    own = [column.data] if column.valid is None else [column.data, column.valid]
    return own + [part for child in column.children for part in _parts(child)]
