"""The sequences of a connection, by where they are defined and their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from tqp.own.sequences import Sequence

__all__ = ["Sequences"]

_VERSIONS: Final = count(1)


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """All sequences at one time. Never changed: another one is made. What a sequence gave out is of the sequence, at once."""

    known: Mapping[tuple[str, str], Sequence] = field(default_factory=dict)
    version: int = field(default_factory=_VERSIONS.__next__)
    """Another one for each change, in transactions too, for who keeps what was made with these."""

    def having(self, key: tuple[str, str], sequence: Sequence) -> Sequences:
        """The same with that sequence in the place of one of its name."""
        return Sequences({**self.known, key: sequence})

    def without(self, key: tuple[str, str]) -> Sequences:
        return Sequences({other: one for other, one in self.known.items() if other != key})
