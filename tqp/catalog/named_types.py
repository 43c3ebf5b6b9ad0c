"""Types by the names that CREATE TYPE gave them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from tqp.catalog.definitions import Key
from tqp.catalog.schemas import Schemas
from tqp.oids import new_oid
from tqp.types import DType

__all__ = ["NamedType", "Types"]


@dataclass(frozen=True, slots=True, eq=False)
class NamedType:
    """A name for a type, which is what it meant when the name was given; `uses` are the named types that it was written with."""

    name: str
    dtype: DType
    uses: tuple[Key, ...] = ()
    comment: str | None = None
    oid: int = field(default_factory=new_oid)


_VERSIONS: Final = count(1)


@dataclass(frozen=True, slots=True, eq=False)
class Types:
    """All named types at one time, by where they are defined and their names. Never changed: another one is made.

    Their names are looked for in the `schemas`.
    """

    known: Mapping[Key, NamedType] = field(default_factory=dict)
    schemas: Schemas = field(default_factory=Schemas)
    version: int = field(default_factory=_VERSIONS.__next__)
    """Another one for each change, in transactions too, for who keeps what was made with these."""

    def key(self, name: str) -> Key | None:
        """Where a name of a query, with points where a schema is before it, is defined; None where it is not."""
        return next((key for key in self.schemas.meant_by(name) if key in self.known), None)

    def names(self) -> Iterator[str]:
        """The names as they were given."""
        return (one.name for one in self.known.values())

    def using(self, key: Key) -> list[Key]:
        """The types that were written with that one, directly or not."""
        found = [key]
        for used in found:
            found += [other for other, one in self.known.items() if used in one.uses and other not in found]
        return found[1:]

    def having(self, key: Key, one: NamedType) -> Types:
        """The same with that type in the place of one of its name."""
        return Types({**self.known, key: one}, self.schemas)

    def without(self, *keys: Key) -> Types:
        return Types({key: one for key, one in self.known.items() if key not in keys}, self.schemas)
