"""INSERT: rows below those of a table that a statement made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tqp.catalog.catalog import Entry, EntryKind
from tqp.catalog.definitions import ColumnRule, Path
from tqp.data.table import Table
from tqp.errors import BindError, UnsupportedError
from tqp.io.rows import Rows
from tqp.relation import Relation
from tqp.sql.assign import Assignment
from tqp.statements.caller import Caller
from tqp.statements.head import QUERY_STARTS, Head, Sheet
from tqp.statements.registry import statement
from tqp.statements.returning import Returning, read_returning
from tqp.statements.versions import require_values, rows_of, table_named

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
    returning: Returning | None = None
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        _, entry = table_named(caller, self.path)
        if self.returning is not None:
            # Wrong names are an error before there are rows.
            self.returning.require_fit(caller, entry, entry.name)
        table = self._rows(caller, entry).result()
        if self.returning is None:
            return caller.count(append(caller, self.path, entry.rules, table))
        rows = Rows(entry.schema, (), caller.connection.device).appended(table)
        found = self.returning.of(caller, entry.name, rows)
        # What is wrong in it is found before the rows are there for others.
        found.result()
        append(caller, self.path, entry.rules, table)
        return found

    def asked(self, caller: Caller) -> Relation:
        """The query that gives its rows."""
        return self._rows(caller, table_named(caller, self.path)[1])

    def _rows(self, caller: Caller, entry: Entry) -> Relation:
        if self.query is None:
            return caller.query("VALUES (DEFAULT)", Assignment(entry.name, entry.rules, (entry.rules[0].name,)))
        return caller.query(
            self.query, Assignment(entry.name, entry.rules, self.columns, self.by_name, self.with_before)
        )


def append(caller: Caller, path: Path, rules: tuple[ColumnRule, ...], table: Table) -> int:
    """Put the rows, which have all columns of the table in their order, below those that it has now; how many they are.

    Others may have done so since the rows were looked for. ConstraintError where a row is NULL that may not be, BindError where
    the table is another one now.
    """
    if table.rows:
        require_values(str(path), rules, table.columns)

    def below(entry: Entry) -> Entry:
        return Entry(entry.name, caller.table_of(entry.name, rows_of(entry).appended(table)), EntryKind.TABLE, rules)

    while table.rows:
        place, entry = table_named(caller, path)
        if entry.rules is not rules:
            raise BindError(f"{path} was replaced while rows were looked for that should go there", hint="try it again")
        if caller.catalog.exchange(place, entry, below(entry), below):
            caller.forget(entry.meaning)
            break
    return table.rows


@statement("INSERT")
def _read(head: Head) -> _Insert:
    verb = head.place - 1
    if head.word == "OR":
        raise _refused(head, f"INSERT OR {head.following}", "there are no keys that rows could meet: INSERT INTO")
    head.need("INTO")
    path = head.path()
    if head.take("AS"):
        # A name that nothing can say: RETURNING has the table's.
        head.identifier()
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
    if head.word == "ON":
        raise _refused(head, "ON CONFLICT", "there are no keys that rows could meet")
    return _Insert(path, columns, by_name, query, verb > head.first, read_returning(head))


def _refused(head: Head, what: str, hint: str) -> UnsupportedError:
    return UnsupportedError(f"{what} is not supported", hint=hint, text=head.text)
