"""What a program is made for: a device with its limits, threads, memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from tqp.config import Settings
from tqp.device import type_of
from tqp.limits import CPU, Limits

__all__ = ["Target"]


@dataclass(frozen=True, slots=True)
class Target:
    """Where a program shall run.

    `threads` is how many workers take batches: one where a batch is the whole input. `memory` is what results may take together,
    None for no limit but the machine's. `limits` is what algorithms are chosen by.
    """

    device: str = "cpu"
    threads: int = 1
    memory: int | None = None
    limits: Limits = CPU

    @staticmethod
    def of(settings: Settings) -> Target:
        """The target of a connection's settings."""
        limits = type_of(torch.device(settings.device)).limits
        if limits.batch_rows is None:
            return Target(settings.device, 1, settings.memory_limit, limits)
        rows = limits.batch_rows if settings.batch_rows is None else settings.batch_rows
        pieces = None if limits.entries_a_piece is None else min(limits.entries_a_piece, rows)
        limits = replace(limits, batch_rows=rows, entries_a_piece=pieces)
        return Target(settings.device, settings.threads, settings.memory_limit, limits)
