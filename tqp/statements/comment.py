"""COMMENT ON: a text about a table, a view, a column or an index, which `duckdb_tables()` and its like show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from tqp.catalog.definitions import Path
from tqp.catalog.entries import Entry
from tqp.errors import BindError, UnsupportedError
from tqp.relation import Relation
from tqp.sql.context import near
from tqp.statements.caller import Caller
from tqp.statements.head import Head
from tqp.statements.indexes import index_named
from tqp.statements.registry import statement

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _Comment:
    """`column`: of the table, if it is about that."""

    path: Path
    column: str | None
    text: str | None
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        while True:
            found = caller.catalog.found(self.path)
            if found is None:
                raise BindError(f"there is no table {self.path}")
            place, entry = found
            if caller.catalog.exchange(place, entry, self._commented(entry)):
                return caller.success()

    def _commented(self, entry: Entry) -> Entry:
        if self.column is None:
            return entry.changed(comment=self.text)
        names = [rule.name for rule in entry.rules]
        if self.column.lower() not in map(str.lower, names):
            raise BindError(f"table {entry.name} has no column {self.column}", hint=near(self.column, names))
        rules = tuple(
            replace(rule, comment=self.text) if rule.name.lower() == self.column.lower() else rule
            for rule in entry.rules
        )
        return entry.changed(rules=rules)


@dataclass(frozen=True, slots=True)
class _CommentOnIndex:
    path: Path
    text: str | None
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        while True:
            found = index_named(caller, self.path)
            assert found is not None
            place, entry, index = found
            commented = tuple(replace(one, comment=self.text) if one is index else one for one in entry.indexes)
            if caller.catalog.exchange(place, entry, entry.changed(indexes=commented)):
                return caller.success()


@statement("COMMENT ON")
def _read(head: Head) -> _Comment | _CommentOnIndex:
    kind = head.word
    if kind not in ("TABLE", "VIEW", "COLUMN", "INDEX"):
        hint = "tables, views, columns and indexes have comments: leave it out"
        raise UnsupportedError(f"COMMENT ON {kind} is not supported", hint=hint, text=head.text)
    head.place += 1
    path, column = head.path(), None
    if kind == "COLUMN":
        if not path.qualifiers:
            raise head.wrong()
        *before, table = path.qualifiers
        path, column = Path(table, tuple(before)), path.name
    head.need("IS")
    text = None if head.take("NULL") else head.string()
    return _CommentOnIndex(path, text) if kind == "INDEX" else _Comment(path, column, text)
