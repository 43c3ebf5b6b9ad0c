"""CREATE INDEX and DROP INDEX: names that tables have for expressions over columns. A unique one is a key, and rows keep it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqlglot import exp

from tqp.catalog.definitions import Index, Key, Path
from tqp.catalog.entries import Entry
from tqp.errors import BindError, UnsupportedError
from tqp.keywords import identifier, quoted_name
from tqp.relation import Relation
from tqp.sql.context import near
from tqp.sql.expansion import expression_of
from tqp.sql.names import displayed
from tqp.statements.caller import Caller
from tqp.statements.constraints import require_held
from tqp.statements.head import Head
from tqp.statements.registry import statement
from tqp.statements.versions import exchanged, rows_of, table_named

__all__ = ["index_named"]


@dataclass(frozen=True, slots=True)
class _Create:
    name: str
    table: Path
    keys: tuple[str, ...]
    """Expressions over columns of the table, as they are written."""
    is_unique: bool
    if_not_exists: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        while True:
            place, entry = table_named(caller, self.table)
            if (place, self.name.lower()) in _indexes(caller):
                if self.if_not_exists:
                    return caller.count(None)
                raise BindError(f"an index {self.name} is there already", hint="CREATE INDEX IF NOT EXISTS")
            made = self._made(caller, entry)
            if self.is_unique:
                require_held(caller, entry.changed(constraints=(), indexes=(made,)), rows_of(entry), None)
            if exchanged(caller, place, entry, rows_of(entry), indexes=(*entry.indexes, made)):
                return caller.count(None)

    def _made(self, caller: Caller, entry: Entry) -> Index:
        own = {rule.name.lower(): rule.name for rule in entry.rules}
        shown, columns = [], []
        for key in self.keys:
            tree = expression_of(key).unnest()
            if tree.find(exp.Query) is not None:
                raise BindError(f"the index {self.name} has a subquery", hint="it sees the columns of one row")
            used = [part.name.lower() for column in tree.find_all(exp.Column) for part in column.parts]
            if "rowid" in used and "rowid" not in own:
                raise BindError(f"the index {self.name} names rowid, which is no column of {entry.name}")
            # In a WHERE there are neither aggregates nor window functions.
            text = f"SELECT ({key}) FROM {quoted_name(entry.name)} WHERE ({key}) IS NULL"
            asked = caller.without_parameters().query(text, relations=self._own(caller, entry)).bound_query
            if asked.is_dated:
                raise BindError(f"{key} is another value each time, which cannot be in an index")
            (field,) = asked.schema
            if field.dtype.children:
                raise BindError(f"{key} is {field.dtype}, which cannot be in an index", hint="a field of it can")
            if self.is_unique and not isinstance(tree, exp.Column):
                hint = "columns can be unique, generated ones too"
                raise UnsupportedError(f"a UNIQUE INDEX over {key} is not supported", hint=hint)
            columns += [own[name] for name in used if name in own]
            shown.append(identifier(tree.name) if isinstance(tree, exp.Column) else f"({displayed(key)})")
        if not columns:
            raise BindError(f"the index {self.name} names no column of {entry.name}")
        return Index(self.name, tuple(shown), tuple(dict.fromkeys(columns)), self.is_unique)

    def _own(self, caller: Caller, entry: Entry) -> dict[str, Relation]:
        return {entry.name: caller.connection.all_of(caller.table_of(entry.name, rows_of(entry)))}


@dataclass(frozen=True, slots=True)
class _Drop:
    path: Path
    if_exists: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        while True:
            found = index_named(caller, self.path, if_exists=self.if_exists)
            if found is None:
                return caller.success()
            place, entry, gone = found
            left = tuple(one for one in entry.indexes if one is not gone)
            if exchanged(caller, place, entry, rows_of(entry), indexes=left):
                return caller.success()


def index_named(caller: Caller, path: Path, *, if_exists: bool = False) -> tuple[str, Entry, Index] | None:
    """The index of that name, its table and where that is defined; None or BindError where there is none."""
    known = _indexes(caller)
    found = next((key for key in caller.catalog.schemas.meanings(path) if key in known), None)
    if found is not None:
        return found[0], *known[found]
    if if_exists:
        return None
    raise BindError(f"there is no index {path}", hint=near(path.name, [one.name for _, one in known.values()]))


def _indexes(caller: Caller) -> dict[Key, tuple[Entry, Index]]:
    """All indexes, with their tables."""
    tables = caller.catalog.entries.items()
    return {(place, one.name.lower()): (entry, one) for (place, _), entry in tables for one in entry.indexes}


@statement("CREATE INDEX", "CREATE UNIQUE INDEX")
def _create(head: Head) -> _Create:
    is_unique = "UNIQUE" in head.words[: head.place]
    head.take("CONCURRENTLY")
    if_not_exists = head.if_not_exists()
    name = head.identifier()
    head.need("ON")
    table = head.path()
    if head.take("USING") and head.identifier().upper() != "ART":
        raise BindError(f"{head.words[head.place - 1]} is no kind of index", hint="USING ART, or nothing")
    keys: list[str] = []
    head.need("(")
    head.listed(lambda: keys.append(_key(head)))
    head.need(")")
    if head.take("WITH"):
        head.in_parentheses()
    return _Create(name, table, tuple(keys), is_unique, if_not_exists)


def _key(head: Head) -> str:
    """An expression, which is passed with the order behind it: that says nothing here."""
    text = head.expression(lambda head: head.word in (",", "ASC", "DESC", "NULLS")).strip()
    head.take("ASC", "DESC")
    if head.take("NULLS") and not head.take("FIRST"):
        head.need("LAST")
    return text


@statement("DROP INDEX")
def _drop(head: Head) -> _Drop:
    if_exists = head.if_exists()
    path = head.path()
    head.take("CASCADE", "RESTRICT")
    return _Drop(path, if_exists)
