"""What statements define: the columns of tables, views and macros, as data. They are bound where they are used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from tqp.errors import BindError
from tqp.types import DType

__all__ = [
    "MAIN",
    "SYSTEM_FUNCTIONS",
    "TEMP",
    "Check",
    "ColumnRule",
    "Constraint",
    "Key",
    "UniqueKey",
    "Macro",
    "Macros",
    "Overload",
    "Parameter",
    "Path",
    "Variable",
    "View",
    "meant_by",
]

MAIN, TEMP = "main", "temp"
"""Where a name is defined. What a query calls by its name alone is looked for in TEMP first."""

Key = tuple[str, str]
"""Where something is defined (MAIN or TEMP), and its name in lower case."""

SYSTEM_FUNCTIONS: Final = frozenset(
    {
        "duckdb_databases",
        "duckdb_schemas",
        "duckdb_tables",
        "duckdb_constraints",
        "duckdb_views",
        "duckdb_columns",
        "duckdb_types",
        "duckdb_functions",
        "duckdb_settings",
        "duckdb_variables",
        "pragma_collations",
        "pragma_version",
    }
)
"""What a query calls for a table that describes the connection; its name ends in parentheses where names are looked up."""


_QUALIFIERS: Final = {("main",), ("temp",), ("memory",), ("temp", "main"), ("memory", "main")}
"""What may stand before a name."""


@dataclass(frozen=True, slots=True)
class Path:
    """A name as a statement writes it, with a schema and a database before it where they are written."""

    name: str
    qualifiers: tuple[str, ...] = ()

    def places(self) -> tuple[str, ...]:
        """Where the name may be defined, in the order of looking; BindError for a schema that there is not."""
        match tuple([word.lower() for word in self.qualifiers]):
            case () | ("main",):
                return TEMP, MAIN
            case ("temp",) | ("temp", "main"):
                return (TEMP,)
            case ("memory",) | ("memory", "main"):
                return (MAIN,)
        raise BindError(f"there is no schema {'.'.join(self.qualifiers)}", hint="the schemas are main and temp")

    def place(self, temporary: bool) -> str:
        """Where a statement that makes it puts it; BindError where the name says another place."""
        places = self.places()
        if not temporary and places == (TEMP,):
            raise BindError(f"only what is TEMPORARY stands in temp: {self}", hint=f"CREATE TEMP … {self.name}")
        if temporary and places == (MAIN,):
            raise BindError(f"what is TEMPORARY stands in temp alone, not in {'.'.join(self.qualifiers)}")
        return TEMP if temporary else MAIN

    @staticmethod
    def of(text: str) -> Path:
        """The path of a name of a query, whose parts dots divide; one without such a schema is a name with dots."""
        words = tuple(text.split("."))
        for length in (2, 1):
            # The name itself may have points in it.
            if len(words) > length and tuple(map(str.lower, words[:length])) in _QUALIFIERS:
                return Path(".".join(words[length:]), words[:length])
        return Path(text)

    def meanings(self) -> list[Key]:
        """What the name may mean, in the order of looking; BindError for a schema that there is not."""
        return [(place, self.name.lower()) for place in self.places()]

    def __str__(self) -> str:
        return ".".join((*self.qualifiers, self.name))


def meant_by(name: str) -> list[Key]:
    """What a name with points may mean, in the order of looking: one behind its schema, or one that has points in it."""
    return [*Path.of(name).meanings(), *Path(name).meanings()]


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """A column of a table as CREATE TABLE says it; `default` is an expression as it is written, None for NULL.

    `types` are the named types that its type is written with.
    """

    name: str
    dtype: DType
    is_nullable: bool = True
    default: str | None = None
    types: tuple[Key, ...] = ()
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """A condition on each row of a table, as it is written, that must not be false."""

    text: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class UniqueKey:
    """Columns whose values, where none of them is NULL, no two rows have in common."""

    columns: tuple[str, ...]
    is_primary: bool = False
    name: str | None = None


Constraint = Check | UniqueKey
"""What holds of the rows of a table beside its columns' rules."""


@dataclass(frozen=True, slots=True)
class Variable:
    """The value of a variable: `text` is an expression of SQL that has it, and its type; `shown` is it as VARCHAR."""

    text: str
    shown: str | None
    dtype: DType


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A query under a name, as it is written: its names mean what they mean where the view is used.

    `columns` are names of its first columns.
    """

    name: str
    text: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a macro; `default` and `type` as they are written, None where nothing is."""

    name: str
    default: str | None = None
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Overload:
    """One definition of a macro: what takes the place of a call, as it is written."""

    parameters: tuple[Parameter, ...]
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Macro:
    """A macro: an expression, or with `is_table` a query, that takes the place of its calls."""

    name: str
    overloads: tuple[Overload, ...]
    is_table: bool = False
    is_temporary: bool = False


_VERSIONS: Final = count(1)


@dataclass(frozen=True, slots=True, eq=False)
class Macros:
    """All macros at one time, by name in lower case and whether they are tables. Never changed: another one is made."""

    known: Mapping[tuple[str, bool], Macro] = field(default_factory=dict)
    version: int = field(default_factory=_VERSIONS.__next__)
    """Another one for each change, in transactions too, for who keeps what was made with these."""

    def find(self, name: str, is_table: bool) -> Macro | None:
        return self.known.get((name.lower(), is_table))

    def names(self) -> frozenset[str]:
        """The names that calls may have, in lower case."""
        return frozenset(name for name, _ in self.known)

    def having(self, macro: Macro) -> Macros:
        """The same with that macro in the place of one of its name and kind."""
        return Macros({**self.known, (macro.name.lower(), macro.is_table): macro})

    def without(self, macro: Macro) -> Macros:
        kept = {key: one for key, one in self.known.items() if one is not macro}
        return Macros(kept)
