"""Options of readers of files, by name: each is checked once, refused with what to write instead, or unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final

from tqp.errors import SourceError, UnsupportedError
from tqp.types import DType

__all__ = [
    "COMMON", "REFUSED", "Check", "FileOptions", "Known", "TypeOf", "byte", "file_options", "flag", "named_types", "number", "only",
    "text", "texts", "types_given", "word",
]  # fmt: skip

TypeOf = Callable[[str, Any], DType]
"""From an option's name and what is given for a type (a name in SQL, a type of tqp, Arrow or Python) to the type."""

Check = Callable[[str, Any, TypeOf], Any]
"""From an option's name and value to the value as it is kept, which is hashable. SourceError for one that it cannot have."""

_TRUE: Final = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}


def flag(name: str, value: Any, _: TypeOf) -> bool:
    """True or False, or what DuckDB casts to one."""
    if isinstance(value, (bool, int)):
        return bool(value)
    if isinstance(value, str) and value.lower() in _TRUE:
        return _TRUE[value.lower()]
    raise SourceError(f"{name}={value!r} is neither true nor false")


def number(least: int, *others: int) -> Check:
    """A whole number from `least` on, or one of `others`."""

    def check(name: str, value: Any, _: TypeOf) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not (value >= least or value in others):
            allowed = " or ".join([f"from {least} on", *map(str, others)])
            raise SourceError(f"{name}={value!r} is no whole number {allowed}")
        return value

    return check


def text(name: str, value: Any, _: TypeOf) -> str:
    """Any text."""
    if not isinstance(value, str):
        raise SourceError(f"{name}={value!r} is no text")
    return value


def byte(name: str, value: Any, _: TypeOf) -> str:
    """A character of ASCII, or '' for none."""
    if not isinstance(value, str) or len(value.encode("utf-8", "replace")) > 1:
        raise SourceError(f"{name}={value!r} is not one character of ASCII")
    return value


def word(*known: str, hint: str | None = None) -> Check:
    """One of some words, in lower case."""

    def check(name: str, value: Any, of: TypeOf) -> str:
        found = text(name, value, of).lower()
        if found not in known:
            raise SourceError(f"{name} is not {value!r}", hint=hint or f"it is {', '.join(known)}")
        return found

    return check


def only(check: Check, kept: Any, hint: str) -> Check:
    """One of the values that `check` knows; UnsupportedError, with the hint, for others."""

    def checked(name: str, value: Any, of: TypeOf) -> Any:
        found = check(name, value, of)
        if found != kept:
            shown = str(found).lower() if isinstance(found, bool) else repr(found)
            raise UnsupportedError(f"{name}={shown} is not supported", hint=hint)
        return found

    return checked


def texts(name: str, value: Any, _: TypeOf) -> tuple[str, ...]:
    """A list of texts."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence) or not all(isinstance(v, str) for v in value):
        raise SourceError(f"{name}={value!r} is no list of texts")
    return tuple(value)


def named_types(name: str, value: Any, type_of: TypeOf) -> tuple[tuple[str, DType], ...]:
    """Types by the names of columns, in their order."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise SourceError(f"{name}={value!r} is no mapping of columns to types", hint=f"{name}={{'a': 'INTEGER'}}")
    return tuple((key, type_of(name, kind)) for key, kind in value.items())


def types_given(name: str, value: Any, type_of: TypeOf) -> tuple[tuple[str, DType], ...] | tuple[DType, ...]:
    """Types by the names of columns, or of the first columns."""
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return tuple(type_of(name, kind) for kind in value)
    if not isinstance(value, Mapping):
        hint = f"{name}={{'a': 'INTEGER'}} or {name}=['INTEGER']"
        raise SourceError(f"{name}={value!r} is no mapping of columns to types, and no list of types", hint=hint)
    return named_types(name, value, type_of)


def _name_or_flag(name: str, value: Any, of: TypeOf) -> str | None:
    """The name of a column: the option's own for True, None for False."""
    if isinstance(value, str) and value:
        return value
    return name if flag(name, value, of) else None


@dataclass(frozen=True, slots=True)
class Known:
    """The options of a reader.

    `checks` are those that it has; `aliases` other names of them. `refused` are options of DuckDB that it has not, with what
    works in their place; `idle` say how DuckDB is to work, which changes no answer: they are checked, and mean nothing.
    """

    checks: Mapping[str, Check]
    aliases: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    idle: Mapping[str, Check] = field(default_factory=dict)

    def read(self, function: str, given: Mapping[str, Any], type_of: TypeOf) -> dict[str, Any]:
        """The checked values by the options' names; those that are None in Python are not given.

        Raises SourceError for an option that there is not or a value that it cannot have, UnsupportedError for a refused one.
        """
        found: dict[str, Any] = {}
        written: dict[str, str] = {}
        for as_given, value in given.items():
            name = as_given.lower()
            own = self.aliases.get(name, name)
            if own in written:
                both = f"{written[own]} and {name}"
                raise SourceError(f"{function} is given {both}, which are one option", hint="give one of them")
            written[own] = name
            if own in self.refused:
                raise UnsupportedError(f"{function} has no option {name}", hint=self.refused[own])
            check = self.checks.get(own) or self.idle.get(own)
            if check is None:
                raise SourceError(f"{function} has no option {as_given!r}", hint=self._near(name))
            checked = check(name, value, type_of)
            if own in self.checks:
                found[own] = checked
        return found

    def _near(self, name: str) -> str:
        names = sorted({*self.checks, *self.aliases, *self.idle})
        near = get_close_matches(name, names, n=3, cutoff=0.6)
        return f"did you mean {', '.join(near)}?" if near else f"options are {', '.join(sorted(self.checks))}"


@dataclass(frozen=True, slots=True)
class FileOptions:
    """What all readers of files can be told.

    `filename` is the name of a column with the path of each row's file. Folders called `key=value` are columns: always, never, or
    (None) where all files have the same ones; `hive_types` are types of some of them. With `union_by_name` a table has
    the columns of all its files, not those of the first one. `allow_empty`: no file at all is a table without rows.
    """

    filename: str | None = None
    hive_partitioning: bool | None = None
    hive_types: tuple[tuple[str, DType], ...] = ()
    hive_types_autocast: bool = True
    union_by_name: bool = False
    allow_empty: bool = False


COMMON: Final[Mapping[str, Check]] = {
    "filename": _name_or_flag,
    "hive_partitioning": flag,
    "hive_types": named_types,
    "hive_types_autocast": flag,
    "union_by_name": flag,
    "allow_empty": flag,
}


REFUSED: Final[Mapping[str, str]] = {
    "column_statistics": "leave it out, as it changes no answer",
    "file_row_number": "row_number() OVER () numbers the rows",
    "schema": "columns={'a': 'INTEGER', …}",
}
"""Options of all readers that only those of Parquet have, or none, with what there is."""


def file_options(found: dict[str, Any]) -> FileOptions:
    """Takes those options out of checked ones. SourceError where they do not go together."""
    made = FileOptions(**{name: found.pop(name) for name in COMMON if name in found})
    if made.hive_types and made.hive_partitioning is False:
        raise SourceError("hive_types are types of folders that hive_partitioning=false leaves out")
    return made
