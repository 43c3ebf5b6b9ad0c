"""Tables that refer to others: who has foreign keys to a table, and that none of these tables goes while another refers to it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tqp.catalog.definitions import ForeignKey, Key
from tqp.catalog.entries import Entries, Entry
from tqp.errors import BindError

__all__ = ["Relied", "referring", "require_keys_of", "require_no_reference"]

Relied = tuple[tuple[Key, Entry], ...]
"""Versions of other tables that a change was checked against."""


def referring(entries: Entries, key: Key) -> Iterator[tuple[Key, Entry, ForeignKey]]:
    """The foreign keys to the table of that name, with the tables that have them: its own are among these."""
    place, name = key
    for other, entry in entries.items():
        if other[0] == place:
            for foreign in entry.foreign_keys:
                if foreign.table.name.lower() == name:
                    yield other, entry, foreign


def require_keys_of(entries: Entries, key: Key) -> None:
    """BindError where a table has a foreign key to what is no key, or not there any more."""
    entry = entries[key]
    for foreign in entry.foreign_keys:
        other = entries.get((key[0], foreign.table.name.lower()))
        if other is None or all(unique.columns != foreign.others for unique in other.keys):
            raise BindError(
                f"{foreign.table} was changed, to which a FOREIGN KEY of {entry.name} refers", hint="try it again"
            )


def require_no_reference(entries: Entries, key: Key, besides: Collection[Key] = ()) -> None:
    """BindError where another table, that is none of `besides`, has a foreign key to the table of that name."""
    for other, entry, _ in referring(entries, key):
        if other != key and other not in besides:
            raise BindError(
                f"the table {entry.name} has a FOREIGN KEY to {entries[key].name}",
                hint=f"DROP TABLE {entry.name} first",
            )
