"""Schemas: where tables, views, macros and types are defined, and where names that say none are looked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tqp.catalog.definitions import MAIN, TEMP, Key, Path
from tqp.errors import BindError

__all__ = ["BUILT_IN", "DATABASE", "SEARCHES", "Schemas"]

DATABASE: Final = "memory"
"""What a connection calls its database, whose schemas these are; that of what is temporary is called temp, and has main alone."""

BUILT_IN: Final = frozenset({"information_schema", "pg_catalog"})
"""Schemas of the database "system", of views that describe the connection."""

SEARCHES: Final = ("schema", "search_path")
"""The settings that say where names are looked for."""


@dataclass(frozen=True, slots=True)
class Schemas:
    """The schemas at one time, as they were named, by their names in lower case. Never changed: another one is made.

    `search` says where a name without a schema is looked for, after what is temporary and before main: schemas as they are
    written, of which some may be gone.
    """

    known: Mapping[str, str] = field(default_factory=lambda: {MAIN: MAIN})
    search: tuple[Path, ...] = ()

    @property
    def current(self) -> str:
        """Where a statement puts what it names without a schema."""
        return next((path.name.lower() for path in self.search if path.name.lower() in self.known), MAIN)

    def places(self, path: Path) -> tuple[str, ...]:
        """Where a name may be defined, in the order of looking; BindError for a schema that there is not."""
        match tuple([word.lower() for word in path.qualifiers]):
            case () if not self.search:
                return TEMP, MAIN
            case ():
                return tuple(dict.fromkeys((TEMP, *(one.name.lower() for one in self.search), MAIN)))
            case (str(schema),) if schema == MAIN:
                return TEMP, MAIN
            case (str(schema),) | ("memory", str(schema)) if schema in self.known:
                return (schema,)
            case ("temp",) | ("temp", "main"):
                return (TEMP,)
            case ("memory",):
                return tuple(one.name.lower() for one in self.search if one.qualifiers) or (MAIN,)
        raise BindError(f"there is no schema {'.'.join(path.qualifiers)}", hint=f"the schemas are {self.listed()}")

    def place(self, path: Path, temporary: bool) -> str:
        """Where a statement that makes it puts it; BindError where the name says another place."""
        places = self.places(path)
        if not temporary and places == (TEMP,):
            raise BindError(f"only what is TEMPORARY stands in temp: {path}", hint=f"CREATE TEMP … {path.name}")
        if temporary and TEMP not in places:
            raise BindError(f"what is TEMPORARY stands in temp alone, not in {'.'.join(path.qualifiers)}")
        if temporary:
            return TEMP
        return places[-1] if path.qualifiers else self.current

    def meanings(self, path: Path) -> list[Key]:
        """What a name may mean, in the order of looking; BindError for a schema that there is not."""
        return [(place, path.name.lower()) for place in self.places(path)]

    def path_of(self, name: str) -> Path:
        """The path of a name of a query, whose parts dots divide; one without a schema that there is is a name with dots."""
        words = name.split(".")
        for length in reversed(range(1, len(words))):
            # A schema may have dots in its name, too.
            database, *schema = words[:length]
            for qualifiers in ((".".join(words[:length]),), (database, ".".join(schema))):
                if self._are_qualifiers(tuple(map(str.lower, qualifiers))):
                    return Path(".".join(words[length:]), qualifiers)
        return Path(name)

    def meant_by(self, name: str) -> list[Key]:
        """What a name with points may mean, in the order of looking: one behind its schema, or one that has points in it."""
        path = self.path_of(name)
        found = self.meanings(path)
        return [*found, *self.meanings(Path(name))] if path.qualifiers else found

    def named(self, path: Path) -> str:
        """The schema that a path names, as of USE; BindError where it names none."""
        name = path.name.lower()
        if not path.qualifiers and name == DATABASE and name not in self.known:
            return MAIN
        if [word.lower() for word in path.qualifiers] in ([], [DATABASE]) and name in self.known:
            return name
        raise BindError(f"there is no schema {path}", hint=f"the schemas are {self.listed()}")

    def full_name(self, place: str, name: str) -> str:
        """A name as a query writes it: with its schema where it would not be found without."""
        return name if place == TEMP or place in self.places(Path(name)) else f"{self.known[place]}.{name}"

    def shown(self, place: str) -> tuple[str, str]:
        """The database and the schema of a place, as they are named."""
        return (TEMP, MAIN) if place == TEMP else (DATABASE, self.known.get(place, place))

    def searched(self) -> str:
        """What `search` was set to."""
        return ",".join(map(str, self.search))

    def listed(self) -> str:
        """Their names, for hints."""
        return ", ".join([*self.known.values(), TEMP])

    def having(self, name: str) -> Schemas:
        return Schemas({**self.known, name.lower(): name}, self.search)

    def without(self, place: str) -> Schemas:
        return Schemas({key: name for key, name in self.known.items() if key != place}, self.search)

    def _are_qualifiers(self, words: tuple[str, ...]) -> bool:
        match words:
            case (str(schema),):
                return schema in self.known or schema in (TEMP, DATABASE)
            case ("temp", "main"):
                return True
            case ("memory", str(schema)):
                return schema in self.known
        return False
