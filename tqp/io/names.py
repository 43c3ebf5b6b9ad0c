"""Names of the columns of objects that are handed in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tqp.errors import SourceError

__all__ = ["column_names", "distinct_names", "require_one_length"]


def column_names(names: Iterable[object], unnamed: str) -> list[str]:
    """The names as text, different ones: a column without one is called by `unnamed` and its place, and one whose name is
    taken (letter case aside, as SQL cannot tell them apart) has a number behind it, as in DuckDB.

    Raises SourceError for a name that is no Unicode.
    """
    found = [str(name) or f"{unnamed}{place}" for place, name in enumerate(names)]
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    for place, name in enumerate(found):
        folded = _folded(name)
        while folded in taken:
            number = numbers[name.lower()] = numbers.get(name.lower(), 0) + 1
            found[place] = f"{name}_{number}"
            folded = found[place].lower()
        taken.add(folded)
    return found


def distinct_names(names: Iterable[str]) -> list[str]:
    """The names of a file, each once whatever the case of its letters: one that is taken has a number behind it, as in DuckDB."""
    numbers: dict[str, int] = {}
    found = []
    for name in names:
        own = name
        while own.lower() in numbers:
            numbers[own.lower()] += 1
            own = f"{own}_{numbers[own.lower()]}"
        numbers[own.lower()] = 0
        found.append(own)
    return found


def require_one_length(lengths: Mapping[str, int]) -> int:
    """The number of rows of columns; SourceError where they differ in it."""
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise SourceError(f"columns differ in length: {listed}", hint="all columns of a table have as many rows")
    return next(iter(lengths.values()))


def _folded(name: str) -> str:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise SourceError(f"the name {name!r} of a column is no Unicode", hint="rename it") from None
    return name.lower()
