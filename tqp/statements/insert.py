"""INSERT: rows below those of a table that a statement made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

from tqp.catalog.definitions import Path
from tqp.catalog.entries import Entry
from tqp.data.table import Table
from tqp.errors import BindError
from tqp.io.rows import Rows
from tqp.relation import Relation
from tqp.sql.assign import Assignment
from tqp.sql.generated import stored
from tqp.statements.caller import Caller
from tqp.statements.conflicts import OnConflict, read_conflict
from tqp.statements.constraints import require_held
from tqp.statements.foreign_keys import require_partners
from tqp.statements.head import QUERY_STARTS, Head, Sheet
from tqp.statements.registry import statement
from tqp.statements.returning import Returning, read_returning
from tqp.statements.versions import exchanged, require_values, rows_of, table_named

__all__ = ["append"]


@dataclass(frozen=True, slots=True)
class _Insert:
    path: Path
    columns: tuple[str, ...] | None
    by_name: bool
    query: str | None
    """None: DEFAULT VALUES."""
    with_before: bool
    """Whether the query begins with a WITH that stands before INSERT."""
    conflict: OnConflict | None
    alias: str | None
    returning: Returning | None
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        _, entry = table_named(caller, self.path)
        if self.returning is not None:
            # Wrong names are an error before there are rows.
            self.returning.require_fit(caller, entry, entry.name)
        if self.conflict is not None:
            return self._run_with(caller, self.conflict)
        table = self._rows(caller, entry).result()
        if self.returning is None:
            return caller.count(append(caller, self.path, entry, table))
        rows = Rows(entry.schema, (), caller.connection.device).appended(table)
        found = self.returning.of(caller, entry.name, rows)
        append(caller, self.path, entry, table)
        return found

    def _run_with(self, caller: Caller, conflict: OnConflict) -> Relation:
        """Put rows there that meet others."""
        while True:
            place, entry = table_named(caller, self.path)
            table = self._rows(caller.part(self.query or ""), entry).result()
            new = Rows(entry.schema, (), caller.connection.device).appended(table)
            if conflict.replaces:
                conflict = replace(conflict, columns=tuple((name,) for name in self._names(caller)))
            after, written, relied = conflict.applied(caller, place, entry, self.alias or entry.name, new)
            returned = None if self.returning is None else self.returning.of(caller, entry.name, written)
            if not written.rows or exchanged(caller, place, entry, after, relied=relied):
                return caller.count(written.rows) if returned is None else returned

    def _names(self, caller: Caller) -> tuple[str, ...]:
        """The columns that the rows have; none where that is all."""
        if self.by_name and self.query is not None:
            return tuple(field.name for field in caller.described(self.query).schema)
        return self.columns or ()

    def asked(self, caller: Caller) -> Relation:
        """The query that gives its rows."""
        if self.conflict is not None:
            caller = caller.part(self.query or "")
        return self._rows(caller, table_named(caller, self.path)[1])

    def _rows(self, caller: Caller, entry: Entry) -> Relation:
        if self.query is None:
            first = stored(entry.rules)[0].name
            return caller.query("VALUES (DEFAULT)", Assignment(entry.name, entry.rules, (first,)))
        return caller.query(
            self.query, Assignment(entry.name, entry.rules, self.columns, self.by_name, self.with_before)
        )


def append(caller: Caller, path: Path, before: Entry, table: Table) -> int:
    """Put the rows, which have all columns of the table in their order, below those that it has now; how many they are.

    Others may have done so since the rows were looked for, over the version `before`. ConstraintError where a row is NULL that may
    not be, or breaks a constraint, BindError where the table is another one now.
    """
    if table.rows:
        require_values(str(path), before.rules, table.columns)
    new = (
        Rows(before.schema, (), caller.connection.device).appended(table)
        if before.constraints or before.indexes
        else None
    )

    def below(entry: Entry) -> Entry:
        if new is not None:
            require_held(caller, entry, new, rows_of(entry))
        return entry.changed(meaning=caller.table_of(entry.name, rows_of(entry).appended(table)))

    while table.rows:
        place, entry = table_named(caller, path)
        if not entry.has_rules_of(before):
            raise BindError(f"{path} was replaced while rows were looked for that should go there", hint="try it again")
        relied = () if new is None else require_partners(caller, place, entry, new, rows_of(entry))
        if caller.catalog.exchange(place, entry, below(entry), below, relied):
            caller.forget(entry.meaning)
            break
    return table.rows


@statement("INSERT")
def _read(head: Head) -> _Insert:
    if head.word == "OR" or ("ON", "CONFLICT") in pairwise(head.words):
        head.number_parameters()
    verb = head.place - 1
    conflict = None
    if head.take("OR"):
        if head.word not in ("REPLACE", "IGNORE"):
            raise head.wrong()
        conflict = OnConflict(replaces=head.raw().upper() == "REPLACE")
    head.need("INTO")
    path = head.path()
    # What ON CONFLICT calls the rows that are there; RETURNING has the table's name.
    alias = head.identifier() if head.take("AS") else None
    columns = None
    if head.word == "(" and head.following not in QUERY_STARTS:
        columns = head.identifiers()
    by_name = False
    if head.word == "BY" and columns is None:
        head.place += 1
        by_name = head.take("NAME")
        if not by_name:
            head.need("POSITION")
    if head.word == "DEFAULT" and head.following == "VALUES" and columns is None and not by_name:
        head.place += 2
        query = None
    elif by_name and head.word == "VALUES":
        raise BindError("INSERT BY NAME takes the names of a query's columns, and VALUES has none", text=head.text)
    elif head.word in QUERY_STARTS:
        sheet, start = Sheet(head), head.place
        head.to(lambda head: head.word == "RETURNING" or head.starts("ON", "CONFLICT"))
        sheet.keep(head.first, verb)
        sheet.keep(start, head.place)
        query = sheet.text
    else:
        raise head.wrong()
    if head.word == "ON" and conflict is not None:
        raise head.wrong()
    if head.word == "ON":
        conflict = read_conflict(head, verb)
    return _Insert(path, columns, by_name, query, verb > head.first, conflict, alias, read_returning(head))
