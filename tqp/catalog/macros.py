"""Macros by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from tqp.catalog.definitions import MAIN, TEMP, Macro, Path
from tqp.catalog.schemas import DATABASE, Schemas

__all__ = ["MacroKey", "Macros"]

MacroKey = tuple[str, str, bool]
"""Where a macro is defined, its name in lower case, and whether it is a table."""

_VERSIONS: Final = count(1)


@dataclass(frozen=True, slots=True, eq=False)
class Macros:
    """All macros at one time. Never changed: another one is made. Their names are looked for in the `schemas`."""

    known: Mapping[MacroKey, Macro] = field(default_factory=dict)
    schemas: Schemas = field(default_factory=Schemas)
    version: int = field(default_factory=_VERSIONS.__next__)
    """Another one for each change, in transactions too, for who keeps what was made with these."""

    def find(self, name: str, is_table: bool) -> Macro | None:
        """The macro of a name in a query, behind its schema or not."""
        keys = ((*key, is_table) for key in self.schemas.meant_by(name))
        return next((self.known[key] for key in keys if key in self.known), None)

    def names(self) -> frozenset[str]:
        """The names that calls may have, with and without their schemas, in lower case."""
        places = self.schemas.places(Path("")) if self.known else ()
        found: set[str] = set()
        for place, name, _ in self.known:
            if place in places:
                found.add(name)
            database = TEMP if place == TEMP else DATABASE
            schema = MAIN if place == TEMP else place
            found |= {f"{database}.{schema}.{name}", f"{place}.{name}"}
            if place == MAIN:
                found.add(f"{DATABASE}.{name}")
        return frozenset(found)

    def having(self, macro: Macro) -> Macros:
        """The same with that macro in the place of one of its name and kind."""
        return Macros({**self.known, (macro.place, macro.name.lower(), macro.is_table): macro}, self.schemas)

    def without(self, macro: Macro) -> Macros:
        return Macros({key: one for key, one in self.known.items() if one is not macro}, self.schemas)
