"""Names of the columns of objects that are handed in."""

from __future__ import annotations

from collections.abc import Iterable

from tqp.errors import SourceError

__all__ = ["column_names", "require_distinct"]


def column_names(names: Iterable[object], unnamed: str) -> list[str]:
    """The names as text; a column without one is called by `unnamed` and its place, as in DuckDB.

    Raises SourceError where two columns have one name, and for a name that is no Unicode.
    """
    found = [str(name) or f"{unnamed}{place}" for place, name in enumerate(names)]
    require_distinct(found)
    return found


def require_distinct(names: list[str]) -> None:
    """Raise SourceError where two columns have one name (letter case aside, as SQL cannot tell them apart)."""
    seen: dict[str, str] = {}
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise SourceError(f"the name {name!r} of a column is no Unicode", hint="rename it") from None
        other = seen.get(name.lower())
        if other is not None:
            raise SourceError(f"two columns are called {other!r} and {name!r}", hint="rename one of them")
        seen[name.lower()] = name
