"""The sequences of a connection, by where they are defined and their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from tqp.catalog.definitions import Key
from tqp.own.sequences import Sequence

__all__ = ["Sequences"]

_VERSIONS: Final = count(1)


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """All sequences at one time. Never changed: another one is made. What a sequence gave out is of the sequence, at once."""

    known: Mapping[Key, Sequence] = field(default_factory=dict)
    comments: Mapping[Key, str] = field(default_factory=dict)
    """What COMMENT ON says of some of them."""
    version: int = field(default_factory=_VERSIONS.__next__)
    """Another one for each change, in transactions too, for who keeps what was made with these."""

    def having(self, key: Key, sequence: Sequence) -> Sequences:
        """The same with that sequence in the place of one of its name."""
        return Sequences({**self.known, key: sequence}, self._comments_without(key))

    def without(self, key: Key) -> Sequences:
        return Sequences({other: one for other, one in self.known.items() if other != key}, self._comments_without(key))

    def commented(self, key: Key, text: str | None) -> Sequences:
        """The same with another comment on one of them, None for none."""
        rest = self._comments_without(key)
        return Sequences(self.known, rest if text is None else {**rest, key: text})

    def _comments_without(self, key: Key) -> Mapping[Key, str]:
        if key not in self.comments:
            return self.comments
        return {other: text for other, text in self.comments.items() if other != key}
