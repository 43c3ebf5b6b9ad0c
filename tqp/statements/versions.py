"""The next version of a table: what a statement puts in the place of the one that it read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tqp.catalog.definitions import ColumnRule, Path
from tqp.catalog.entries import Entry, EntryKind
from tqp.catalog.references import Relied
from tqp.data.column import Column
from tqp.data.stored import StoredTable
from tqp.errors import BindError, ConstraintError
from tqp.io.rows import Rows
from tqp.kernels import waits
from tqp.statements.caller import Caller

__all__ = ["exchanged", "require_values", "rows_of", "table_named"]


def table_named(caller: Caller, path: Path) -> tuple[str, Entry]:
    """The table of that name and where it is defined; BindError where there is none that a statement made."""
    found = caller.catalog.found(path)
    if found is None:
        known = ", ".join(caller.catalog.names())
        raise BindError(f"there is no table {path}", hint=f"there are {known}" if known else "CREATE TABLE makes one")
    if found[1].kind is not EntryKind.TABLE:
        what = "a view" if found[1].kind is EntryKind.VIEW else "an object that was registered"
        raise BindError(
            f"{path} is {what}, and only the rows of tables change",
            hint=f"CREATE TABLE another_name AS SELECT * FROM {path}",
        )
    return found


def rows_of(entry: Entry) -> Rows:
    """The rows of a table that a statement made."""
    meaning = entry.meaning
    assert isinstance(meaning, StoredTable) and isinstance(meaning.reader, Rows)
    return meaning.reader


def exchanged(caller: Caller, place: str, entry: Entry, rows: Rows, *, relied: Relied = (), **changes: Any) -> bool:
    """Put these rows in the place of those of a table, with other fields of the entry; False where others changed it since then.

    Or one of the tables that it was checked against, `relied`.
    """
    after = entry.changed(meaning=caller.table_of(entry.name, rows), **changes)
    if not caller.catalog.exchange(place, entry, after, relied=relied):
        return False
    caller.forget(entry.meaning)
    return True


def require_values(table: str, rules: Sequence[ColumnRule], columns: Sequence[Column]) -> None:
    """ConstraintError where a new value is NULL in a column that is NOT NULL."""
    for rule, column in zip(rules, columns, strict=True):
        if rule.is_nullable or column.valid is None or not column.valid.numel():
            continue
        if not waits.truth(column.valid.all(), "a column of a table is NOT NULL"):
            message = f"column {rule.name} of {table} is NOT NULL, and a row has NULL there"
            raise ConstraintError(message, hint=f"leave such rows out, or give a value: coalesce({rule.name}, …)")
