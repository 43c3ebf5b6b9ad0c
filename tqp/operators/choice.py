"""Choices among algorithms, with their reasons: made by the planner, or in a run where only that knows the sizes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Choice"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen for what, why, and what it might have been instead."""

    what: str
    chosen: str
    alternatives: tuple[str, ...]
    reason: str

    def __str__(self) -> str:
        return f"{self.chosen}: {self.reason}"

    def in_full(self) -> str:
        """As EXPLAIN says it where no step stands beside it."""
        return f"{self.what}: {self}" + (f" (not {', '.join(self.alternatives)})" if self.alternatives else "")
