"""INSERT: rows below those of a table that a statement made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

from tqp.catalog.catalog import Entry, EntryKind
from tqp.catalog.definitions import ColumnRule, Path
from tqp.data.stored import StoredTable
from tqp.data.table import Table
from tqp.errors import BindError, ConstraintError, UnsupportedError
from tqp.io.rows import Rows
from tqp.ir.plan import Plan, Project, Scan, Shared
from tqp.ir.visit import subplans
from tqp.kernels import waits
from tqp.keywords import quoted_name
from tqp.relation import Relation
from tqp.sql.assign import Assignment
from tqp.sql.fragments import aliases_used
from tqp.statements.caller import Caller
from tqp.statements.head import QUERY_STARTS, Head
from tqp.statements.registry import statement
from tqp.types import DType

__all__ = ["append", "table_named"]

_NO_LIST: Final = frozenset(
    {
        "UNION",
        "EXCEPT",
        "INTERSECT",
        "FROM",
        "WHERE",
        "GROUP",
        "HAVING",
        "WINDOW",
        "QUALIFY",
        "ORDER",
        "LIMIT",
        "OFFSET",
        "FETCH",
    }
)
"""Words of a query, which end what RETURNING lists."""


@dataclass(frozen=True, slots=True)
class _Insert:
    path: Path
    columns: tuple[str, ...] | None
    by_name: bool
    query: str | None
    """None: DEFAULT VALUES."""
    with_before: bool = False
    """Whether the query begins with a WITH that stands before INSERT."""
    returning: str | None = None
    """What is asked of the new rows, as a SELECT without FROM."""
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        _, entry = table_named(caller, self.path)
        if self.returning is not None:
            # Wrong names are an error before there are rows.
            asked = self._returned(caller, entry, Rows(_schema(entry), (), caller.connection.device))
            if not _is_row_by_row(asked.plan):
                raise BindError(
                    "RETURNING takes expressions of the new rows, each by itself", hint="ask more with a query"
                )
        if self.query is None:
            target = Assignment(entry.name, entry.rules, (entry.rules[0].name,))
            rows = caller.query("VALUES (DEFAULT)", target)
        else:
            target = Assignment(entry.name, entry.rules, self.columns, self.by_name, self.with_before)
            rows = caller.query(self.query, target)
        table = rows.result()
        if self.returning is None:
            return caller.count(append(caller, self.path, entry.rules, table))
        found = self._returned(caller, entry, Rows(_schema(entry), (), caller.connection.device).appended(table))
        # What is wrong in it is found before the rows are there for others.
        found.result()
        append(caller, self.path, entry.rules, table)
        return found

    def _returned(self, caller: Caller, entry: Entry, rows: Rows) -> Relation:
        name = entry.name
        assert self.returning is not None
        used = aliases_used(self.returning, {rule.name.lower() for rule in entry.rules})
        if used:
            raise BindError(f"no column {used[0]} in {name}", hint="RETURNING does not see the names that it gives")
        own = caller.connection.all_of(caller.table_of(name, rows))
        return caller.without_parameters().query(f"{self.returning} FROM {quoted_name(name)}", relations={name: own})


def _is_row_by_row(plan: Plan) -> bool:
    """Whether a query over the new rows has one row for each of them, and reads nothing else."""
    while isinstance(plan, Project) and not any(map(subplans, plan.exprs)):
        plan = plan.input
    return isinstance(plan, Scan | Shared)


def _schema(entry: Entry) -> list[tuple[str, DType]]:
    return [(rule.name, rule.dtype) for rule in entry.rules]


def table_named(caller: Caller, path: Path) -> tuple[str, Entry]:
    """The table of that name and where it is defined; BindError where there is none that a statement made."""
    found = caller.catalog.found(path)
    if found is None:
        known = ", ".join(caller.catalog.names())
        raise BindError(f"there is no table {path}", hint=f"there are {known}" if known else "CREATE TABLE makes one")
    if found[1].kind is not EntryKind.TABLE:
        what = "a view" if found[1].kind is EntryKind.VIEW else "an object that was registered"
        raise BindError(
            f"{path} is {what}, and only tables take rows",
            hint=f"CREATE TABLE another_name AS SELECT * FROM {path}",
        )
    return found


def append(caller: Caller, path: Path, rules: tuple[ColumnRule, ...], table: Table) -> int:
    """Put the rows, which have all columns of the table in their order, below those that it has now; how many they are.

    Others may have done so since the rows were looked for. ConstraintError where a row is NULL that may not be, BindError where
    the table is another one now.
    """
    _require_values(path, rules, table)

    def below(entry: Entry) -> Entry:
        before = entry.meaning
        assert isinstance(before, StoredTable) and isinstance(before.reader, Rows)
        after = caller.table_of(entry.name, before.reader.appended(table))
        return Entry(entry.name, after, EntryKind.TABLE, rules)

    while table.rows:
        place, entry = table_named(caller, path)
        if entry.rules is not rules:
            raise BindError(f"{path} was replaced while rows were looked for that should go there", hint="try it again")
        if caller.catalog.exchange(place, entry, below(entry), below):
            caller.forget(entry.meaning)
            break
    return table.rows


def _require_values(path: Path, rules: tuple[ColumnRule, ...], table: Table) -> None:
    for rule, column in zip(rules, table.columns, strict=True):
        if rule.is_nullable or column.valid is None or not table.rows:
            continue
        if not waits.truth(column.valid.all(), "a column of a table is NOT NULL"):
            message = f"column {rule.name} of {path} is NOT NULL, and a row has NULL there"
            raise ConstraintError(message, hint=f"leave such rows out, or give a value: coalesce({rule.name}, …)")


@statement("INSERT")
def _read(head: Head) -> _Insert:
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
        query = head.to(lambda head: head.word == "RETURNING" or head.starts("ON", "CONFLICT"))
    else:
        raise head.wrong()
    if head.word == "ON":
        raise _refused(head, "ON CONFLICT", "there are no keys that rows could meet")
    if head.word == "RETURNING" and head.following == "DISTINCT":
        raise head.wrong()
    returning = None
    if head.take("RETURNING"):
        start = head.place
        head.to(lambda head: head.word in _NO_LIST)
        returning = head.led_by("SELECT", start)
    return _Insert(path, columns, by_name, query, returning=returning)


@statement("WITH")
def _read_with(head: Head) -> _Insert | None:
    """WITH … INSERT: the queries stand before the word, and are the query's."""
    start = head.place
    head.place = 0
    head.to(_inserts)
    if not _inserts(head):
        head.place = start
        return None
    first = head.place
    head.place += 1
    found = _read(head)
    if found.query is None:
        return found
    start = head.tokens[first].start
    text = head.text[:start] + found.query[start:]
    return replace(found, query=text, with_before=True)


def _inserts(head: Head) -> bool:
    return head.word == "INSERT" and head.following in ("INTO", "OR")


def _refused(head: Head, what: str, hint: str) -> UnsupportedError:
    return UnsupportedError(f"{what} is not supported", hint=hint, text=head.text)
