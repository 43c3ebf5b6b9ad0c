"""Tables, views, macros and models by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from tqp.catalog.callables import Callables
from tqp.catalog.defined import Defined
from tqp.catalog.definitions import MAIN, TEMP, Key, Macro, Path
from tqp.catalog.entries import Entries, Entry, EntryKind, Meaning, NextVersion, require_free
from tqp.catalog.macros import Macros
from tqp.catalog.named_types import NamedType, Types
from tqp.catalog.references import Relied, require_keys_of, require_no_reference
from tqp.catalog.schemas import Schemas
from tqp.catalog.sequences import Sequences
from tqp.data.stored import StoredTable
from tqp.errors import BindError, SourceError
from tqp.ir.plan import Plan

if TYPE_CHECKING:
    pass

__all__ = ["Catalog"]


class Catalog(Callables):
    """Tables, views, macros and models by name, whatever the case of its letters. Safe to use from several threads.

    What names mean at one time is one object, `defined`, which no change touches: a change puts another in its place. So
    whoever holds that sees all tables and macros as they were at one time.
    """

    def __init__(self) -> None:
        super().__init__()
        self.defined = Defined({}, Macros(), Types(), Sequences())

    @property
    def entries(self) -> Entries:
        """All tables and views now."""
        return self.defined.entries

    @property
    def macros(self) -> Macros:
        """All macros now."""
        return self.defined.macros

    @property
    def types(self) -> Types:
        """All named types now."""
        return self.defined.types

    @property
    def schemas(self) -> Schemas:
        """All schemas now."""
        return self.defined.schemas

    @property
    def sequences(self) -> Sequences:
        """All sequences now."""
        return self.defined.sequences

    def change_sequences(self, change: Callable[[Sequences], Sequences]) -> None:
        """Put other sequences in the place of those that there are."""
        with self._lock:
            self._put_sequences(change(self.sequences))

    def register(self, name: str, entry: StoredTable | Plan) -> Meaning | None:
        """Let `name` mean `entry`; what it meant before."""
        made = Entry(name, entry)
        with self._lock:
            before = self.entries.get((TEMP, name.lower()))
            require_no_reference(self.entries, (TEMP, name.lower()))
            self._put((TEMP, name.lower()), made)
        return None if before is None else before.meaning

    def unregister(self, name: str) -> Meaning:
        """Forget the name; what it meant. SourceError where it is unknown."""
        with self._lock:
            key = self.defined.key(name)
            if key is None:
                known = ", ".join(self.names()) or "none"
                raise SourceError(f"no table {name!r} is registered", hint=f"registered: {known}")
            before = self.entries[key]
            require_no_reference(self.entries, key)
            self._put(key, None)
        return before.meaning

    def create(self, place: str, entry: Entry, *, replace: bool = False, keep: bool = False) -> Entry | None:
        """Define a name of a statement, all at once; what it meant there before, for `keep` what it means still.

        BindError where it means something, unless it is one of its kind that the statement may `replace`.
        """
        key = place, entry.name.lower()
        with self._lock:
            self._require_schema(place)
            before = self.entries.get(key)
            if before is not None:
                require_free(entry, before, replace=replace, keep=keep)
            if before is None or not keep:
                require_no_reference(self.entries, key)
                require_keys_of({**self.entries, key: entry}, key)
                self._put(key, entry)
        return before

    def exchange(
        self, place: str, before: Entry, after: Entry, step: NextVersion | None = None, relied: Relied = ()
    ) -> bool:
        """Put the next version of a table in the place of `before`; False where that is not what its name means any more.

        `step` makes it of `before`, and would do so of another version of that table. The other tables that it was checked against,
        `relied`, must be the same, too.
        """
        key = place, before.name.lower()
        with self._lock:
            if any(self.entries.get(one) is not entry for one, entry in ((key, before), *relied)):
                return False
            self._rely(relied)
            self._put(key, after, step)
            return True

    def _rely(self, relied: Relied) -> None:
        """Take note of what a change was checked against; under the lock."""

    def rename(self, place: str, before: Entry, name: str) -> bool:
        """Give a table or view another name; False where `before` is not what its name means.

        BindError where that one is taken, or another table refers to it. Foreign keys to itself follow.
        """
        key = place, name.lower()
        with self._lock:
            if self.entries.get((place, before.name.lower())) is not before:
                return False
            taken = self.entries.get(key)
            if taken is not None and taken is not before:
                raise BindError(f"a {taken.kind.noun} {taken.name} is there already", hint="choose another name")
            require_no_reference(self.entries, (place, before.name.lower()))
            self._put((place, before.name.lower()), None)
            self._put(key, before.renamed(name))
        return True

    def drop(self, path: Path, kind: EntryKind, *, if_exists: bool) -> Meaning | None:
        """Forget a table or view; what it meant. BindError where there is none, or one of another kind."""
        with self._lock:
            found = next((key for key in self.schemas.meanings(path) if key in self.entries), None)
            if found is None:
                if if_exists:
                    return None
                raise BindError(f"there is no {kind.value} {path}", hint=self._known_hint())
            entry = self.entries[found]
            if entry.kind.shown != kind.shown:
                raise BindError(f"{path} is a {entry.kind.noun}, no {kind.value}", hint=f"DROP {entry.kind.shown}")
            require_no_reference(self.entries, found)
            self._put(found, None)
        return entry.meaning

    def found(self, path: Path) -> tuple[str, Entry] | None:
        """Where a name of a statement is defined, and as what; None where it is not."""
        entries = self.entries
        return next(((key[0], entries[key]) for key in self.schemas.meanings(path) if key in entries), None)

    def define(self, macro: Macro, *, replace: bool = False, keep: bool = False) -> None:
        """Define a macro, unless with `keep` one of its name is there; BindError for one that it may not `replace`."""
        with self._lock:
            self._require_schema(macro.place)
            if (macro.place, macro.name.lower(), macro.is_table) in self.macros.known and not replace:
                if keep:
                    return
                raise BindError(f"a macro {macro.name} is there already", hint="CREATE OR REPLACE MACRO")
            self._put_macros(self.macros.having(macro))

    def undefine(self, path: Path, is_table: bool | None, *, if_exists: bool) -> None:
        """Forget a macro, with None of either kind; BindError where there is none."""
        with self._lock:
            kinds = (False, True) if is_table is None else (is_table,)
            keys = [(*key, kind) for kind in kinds for key in self.schemas.meanings(path)]
            found = [self.macros.known[key] for key in keys if key in self.macros.known]
            if not found and not if_exists:
                known = ", ".join(sorted({macro.name for macro in self.macros.known.values()}))
                raise BindError(f"there is no macro {path}", hint=f"there are {known}" if known else None)
            for macro in found:
                if macro.place == found[0].place:
                    self._put_macros(self.macros.without(macro))

    def define_type(self, key: Key, named: NamedType, *, replace: bool = False, keep: bool = False) -> None:
        """Give a type a name, unless with `keep` one of its name is there; BindError for one that it may not `replace`."""
        with self._lock:
            self._require_schema(key[0])
            if key in self.types.known:
                if keep:
                    return
                if not replace:
                    raise BindError(f"a type {named.name} is there already", hint="CREATE OR REPLACE TYPE")
                self._require_unused(key)
            self._put_types(self.types.having(key, named))

    def comment_on_type(self, key: Key, text: str | None) -> None:
        """Say something of a named type, which is there."""
        with self._lock:
            self._put_types(self.types.having(key, replace(self.types.known[key], comment=text)))

    def drop_type(self, key: Key, *, cascade: bool) -> list[Meaning]:
        """Forget a named type; with `cascade` all types and tables that use it too, of which the latter are given.

        BindError where there are such, and no `cascade`.
        """
        with self._lock:
            if key not in self.types.known:
                return []
            if not cascade:
                self._require_unused(key)
            types, tables = self._users(key)
            dropped = [self.entries[table].meaning for table in tables]
            for table in tables:
                require_no_reference(self.entries, table, tables)
            for table in tables:
                self._put(table, None)
            self._put_types(self.types.without(key, *types))
        return dropped

    def create_schema(self, name: str, *, replace: bool = False, keep: bool = False) -> list[Meaning]:
        """Make a schema, unless with `keep` there is one, or an empty one that it may `replace`; BindError for another one.

        What was let go is given, as by `drop_schema`.
        """
        with self._lock:
            dropped: list[Meaning] = []
            if name.lower() in self.schemas.known:
                if keep:
                    return dropped
                if not replace:
                    raise BindError(f"a schema {name} is there already", hint="CREATE SCHEMA IF NOT EXISTS")
                dropped = self.drop_schema(name.lower(), cascade=False)
            self._put_schemas(self.schemas.having(name))
        return dropped

    def drop_schema(self, place: str, *, cascade: bool) -> list[Meaning]:
        """Forget a schema; with `cascade` all that is in it, and what uses its types, of which tables and views are given.

        BindError for main, and where there is something and no `cascade`.
        """
        with self._lock:
            if place == MAIN:
                raise BindError("the schema main stays", hint="DROP TABLE, VIEW, MACRO and TYPE forget what is in it")
            types = [key for key in self.types.known if key[0] == place]
            inside = [key for key in self.entries if key[0] == place]
            macros = [macro for macro in self.macros.known.values() if macro.place == place]
            sequences = [key for key in self.sequences.known if key[0] == place]
            if not cascade and (types or inside or macros or sequences):
                names = [self.types.known[key].name for key in types] + [self.entries[key].name for key in inside]
                names += [macro.name for macro in macros] + [self.sequences.known[key].name for key in sequences]
                raise BindError(
                    f"there are {', '.join(names)} in the schema {self.schemas.known[place]}",
                    hint="DROP SCHEMA … CASCADE drops them, too",
                )
            dropped = [meaning for key in types for meaning in self.drop_type(key, cascade=True)]
            for key in [key for key in inside if key in self.entries]:
                dropped.append(self.entries[key].meaning)
                self._put(key, None)
            for macro in macros:
                self._put_macros(self.macros.without(macro))
            for key in sequences:
                self._put_sequences(self.sequences.without(key))
            self._put_schemas(self.schemas.without(place))
        return dropped

    def use(self, search: tuple[Path, ...]) -> None:
        """Let names without a schema be looked for in these; BindError for one that there is not."""
        with self._lock:
            for path in search:
                self.schemas.named(path)
            self._search(search)

    def _search(self, search: tuple[Path, ...]) -> None:
        self.defined = self.defined.within(Schemas(self.schemas.known, search))

    def _require_schema(self, place: str) -> None:
        if place != TEMP and place not in self.schemas.known:
            raise BindError(f"there is no schema {place}", hint=f"the schemas are {self.schemas.listed()}")

    def _put_schemas(self, schemas: Schemas) -> None:
        self.defined = self.defined.within(schemas)

    def _users(self, key: Key) -> tuple[list[Key], list[Key]]:
        """The types, and the tables, that are written with a type."""
        types = self.types.using(key)
        used = {key, *types}
        return types, [
            table for table, entry in self.entries.items() if any(used.intersection(rule.types) for rule in entry.rules)
        ]

    def _require_unused(self, key: Key) -> None:
        types, tables = self._users(key)
        users = [f"the type {self.types.known[one].name}" for one in types]
        users += [f"the table {self.entries[one].name}" for one in tables]
        if users:
            raise BindError(
                f"the type {self.types.known[key].name} is used by {', '.join(users)}",
                hint="DROP TYPE … CASCADE drops them, too",
            )

    def lookup(self, name: str, defined: Defined | None = None) -> Meaning | None:
        """What the name means, over its files as they are now; SourceError where they cannot be read any more.

        `defined` is what there was at another time than now.
        """
        known = (defined or self.defined).entries
        key = (defined or self.defined).key(name)
        if key is None:
            return None
        entry = known[key]
        try:
            latest = entry.latest()
        except SourceError:
            # What was read of files that are gone is of no use to anybody.
            self._replace(key, entry, entry.unread())
            raise
        if latest is not entry:
            self._replace(key, entry, latest)
        return latest.meaning

    def names(self) -> Iterable[str]:
        """The names as they were given, behind their schemas where they would not be found without, sorted."""
        schemas = self.schemas
        return sorted(schemas.full_name(place, entry.name) for (place, _), entry in self.entries.items())

    def tables(self) -> list[StoredTable]:
        """All tables that a name means or a view reads, as they were last looked up."""
        return [table for entry in self.entries.values() for table in entry.tables]

    def forget_read(self) -> None:
        """Let go of all that was read of the tables; it is read anew when it is used again."""
        for key, entry in self.entries.items():
            self._replace(key, entry, entry.unread())

    def let_go(self, table: StoredTable) -> None:
        """Let go of what was read of a table whose files do not hold it any more."""
        for key, entry in self.entries.items():
            if any(one is table for one in entry.tables):
                self._replace(key, entry, entry.unread())

    def _replace(self, key: Key, before: Entry, after: Entry) -> None:
        """The same entry over other files, or with nothing read; unless the name was given another meaning in between."""
        with self._lock:
            if self.entries.get(key) is before:
                self.defined = self.defined._replace(entries={**self.entries, key: after})

    def _put(self, key: Key, entry: Entry | None, step: NextVersion | None = None) -> None:
        """Give a name another meaning, or none; under the lock, as every change is. `step` as of `exchange`."""
        if entry is None:
            entries = {other: one for other, one in self.entries.items() if other != key}
        else:
            entries = {**self.entries, key: entry}
        self.defined = self.defined._replace(entries=entries)

    def _put_macros(self, macros: Macros) -> None:
        self.defined = self.defined._replace(macros=macros)

    def _put_types(self, types: Types) -> None:
        self.defined = self.defined._replace(types=types)

    def _put_sequences(self, sequences: Sequences) -> None:
        self.defined = self.defined._replace(sequences=sequences)

    def _known_hint(self) -> str | None:
        known = ", ".join(dict.fromkeys(self.names()))
        return f"there are {known}" if known else None

    def clear(self) -> None:
        with self._lock:
            self.defined = Defined({}, Macros(), Types(), Sequences())
        super().clear()
