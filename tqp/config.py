"""How queries run: the settings of a connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["BATCH_ROWS", "Settings"]

BATCH_ROWS: Final = 2**20
"""Rows a batch at most. Smaller ones keep temporaries closer to a core, larger ones spend less on the interpreter."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where and how a program runs.

    `device` is what `torch.device` reads ("cpu", "cuda", "cuda:1"). `threads` workers take batches of up to
    `batch_rows` rows. `backend` names how stages run ("eager", …). `memory_limit` is in bytes, None for no limit but the machine's.
    `disabled_rules` names rules of `tqp.optimizer.RULES` that queries go without.
    """

    device: str = "cpu"
    threads: int = 1
    backend: str = "eager"
    memory_limit: int | None = None
    batch_rows: int = BATCH_ROWS
    disabled_rules: frozenset[str] = frozenset()
