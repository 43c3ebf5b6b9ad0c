"""`duckdb_dependencies()`: what stands in the way of dropping something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from tqp.catalog.catalog import Catalog
from tqp.catalog.definitions import TEMP, Key, Path
from tqp.catalog.entries import Entry, EntryKind
from tqp.session.places import COUNT, NUMBER, TEXT, Row
from tqp.sql.expansion import expression_of
from tqp.sql.sequences import path_of

__all__ = ["DEPENDENCY_COLUMNS", "dependency_rows", "tables_that_draw"]

DEPENDENCY_COLUMNS: Final = {
    "classid": COUNT,
    "objid": COUNT,
    "objsubid": NUMBER,
    "refclassid": COUNT,
    "refobjid": COUNT,
    "refobjsubid": NUMBER,
    "deptype": TEXT,
}

_NORMAL, _AUTOMATIC = "n", "a"
"""What depends stands in the way, or goes as well."""


def dependency_rows(catalog: Catalog) -> Iterator[Row]:
    """A row for each pair of what something needs (`objid`) and what needs it (`refobjid`)."""
    types, entries, sequences = catalog.types.known, catalog.entries, catalog.sequences.known
    for named in types.values():
        for used in named.uses:
            yield _row(types[used].oid, named.oid, _NORMAL)
    for key, sequence in sequences.items():
        for _, entry in tables_that_draw(catalog, key):
            yield _row(sequence.oid, entry.oid, _NORMAL)
    for (place, _), entry in entries.items():
        used_types: set[Key] = {used for rule in entry.rules for used in rule.types}
        for used in sorted(used_types):
            yield _row(types[used].oid, entry.oid, _NORMAL)
        for reference in entry.foreign_keys:
            other = entries[place, reference.table.name.lower()]
            if other is not entry:
                yield _row(other.oid, entry.oid, _NORMAL)
        for one in entry.indexes:
            yield _row(entry.oid, one.oid, _AUTOMATIC)


def _row(needed: int, needing: int, kind: str) -> Row:
    return {
        "classid": 0,
        "objid": needed,
        "objsubid": 0,
        "refclassid": 0,
        "refobjid": needing,
        "refobjsubid": 0,
        "deptype": kind,
    }


_DRAWS: Final = frozenset({"nextval", "currval"})


def tables_that_draw(catalog: Catalog, sequence: Key) -> list[tuple[str, Entry]]:
    """The tables of the sequence's database with defaults that name it, and where they stand."""
    found = {}
    for (place, _), entry in catalog.entries.items():
        if entry.kind is not EntryKind.TABLE or (place == TEMP) != (sequence[0] == TEMP):
            continue
        for rule in entry.rules:
            if rule.default is None or "val" not in rule.default.lower():
                continue
            for call in expression_of(rule.default).find_all(exp.Anonymous):
                said = call.expressions[0] if call.expressions else None
                if (
                    call.name.lower() in _DRAWS
                    and isinstance(said, exp.Literal)
                    and _means(catalog, path_of(said.name), sequence)
                ):
                    found[place, entry.name] = entry
    return [(place, entry) for (place, _), entry in found.items()]


def _means(catalog: Catalog, path: Path, sequence: Key) -> bool:
    place, name = sequence
    if path.name.lower() != name or path.qualifiers:
        # A schema that is written may be gone.
        return path.name.lower() == name and path.qualifiers[-1].lower() == place
    known = catalog.sequences.known
    return next((key for key in catalog.schemas.meanings(path) if key in known), None) == sequence
