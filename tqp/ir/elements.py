"""Constants that are many values: of an array, or of a list that IN looks in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

__all__ = ["Elements", "Members"]


@dataclass(frozen=True, slots=True)
class Elements:
    """The numbers of a constant array."""

    numbers: tuple[float, ...]


@dataclass(frozen=True)
class Members:
    """Many different values in stored form, all numbers, all texts or all bytes, ascending; none is NULL or NaN."""

    values: tuple[int, ...] | tuple[float, ...] | tuple[str, ...] | tuple[bytes, ...]

    @cached_property
    def _digest(self) -> str:
        return blake2b(repr(self.values).encode(), digest_size=16).hexdigest()

    def __repr__(self) -> str:
        # Plans are compared, and hashed, by what their literals show, time and again.
        return f"Members({len(self.values)}, {self._digest})"

    def __hash__(self) -> int:
        return hash(self._digest)
