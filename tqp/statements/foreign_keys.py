"""FOREIGN KEY: what it may say, and that rows have the partners that they name, whatever is put into either table or removed.

As in DuckDB a row that changes in a column of any key, of a foreign key or of an index, is removed and put there anew. So nothing
may refer to it, and a row cannot refer to one that the same statement puts there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from tqp.catalog.definitions import Check, ColumnRule, Constraint, ForeignKey, Key, UniqueKey
from tqp.catalog.entries import Entry, EntryKind
from tqp.catalog.references import Relied, referring
from tqp.errors import BindError, ConstraintError
from tqp.io.rows import Rows
from tqp.keywords import identifier, quoted_name, text_constant
from tqp.statements.caller import Caller
from tqp.statements.constraints import asked_of
from tqp.statements.versions import rows_of

__all__ = ["checked_foreign_keys", "require_partners", "require_references", "require_unreferenced"]

_NEW, _OTHER = "rows_new", "rows_other"


def checked_foreign_keys(
    caller: Caller, key: Key, rules: Sequence[ColumnRule], constraints: Sequence[Constraint]
) -> list[Constraint]:
    """The constraints of a table of that name, each foreign key looked at: it names columns of a key of the other table."""
    return [
        _checked(caller, key, rules, constraints, one) if isinstance(one, ForeignKey) else one for one in constraints
    ]


def _checked(
    caller: Caller, key: Key, rules: Sequence[ColumnRule], constraints: Sequence[Constraint], one: ForeignKey
) -> ForeignKey:
    path, (place, name) = one.table, key
    if path.qualifiers and place not in caller.catalog.schemas.places(path):
        raise BindError(f"a FOREIGN KEY to {path} is one to another schema", hint="both tables stand in one schema")
    other = caller.catalog.entries.get((place, path.name.lower()))
    if path.name.lower() == name:
        others, keys = rules, [one for one in constraints if isinstance(one, UniqueKey)]
    elif other is None:
        raise BindError(f"there is no table {path}, which a FOREIGN KEY names", hint="CREATE TABLE makes it first")
    elif other.kind is not EntryKind.TABLE:
        raise BindError(f"{path} is a {other.kind.noun}, to which there is no FOREIGN KEY", hint="CREATE TABLE")
    else:
        others, keys = other.rules, other.keys
    columns = [_rule(rules, column, str(name)) for column in one.columns]
    if len(set(columns)) < len(columns):
        raise BindError(f"a column stands twice in FOREIGN KEY ({', '.join(one.columns)})")
    wanted = [_rule(others, column, str(path)).name for column in one.others]
    if not wanted:
        wanted = [column for unique in keys if unique.is_primary for column in unique.columns]
        if not wanted:
            raise BindError(
                f"{path} has no PRIMARY KEY", hint=f"REFERENCES {path.name}(columns) names one that is UNIQUE"
            )
    if len(wanted) != len(columns):
        message = (
            f"FOREIGN KEY ({', '.join(one.columns)}) and the key ({', '.join(wanted)}) of {path} differ in their number"
        )
        raise BindError(message, hint="one column for each")
    if not any([column.lower() for column in unique.columns] == [own.lower() for own in wanted] for unique in keys):
        message = f"({', '.join(wanted)}) is no PRIMARY KEY or UNIQUE of {path}"
        raise BindError(message, hint="a FOREIGN KEY names the columns of one, in their order")
    for column, own in zip(columns, wanted, strict=True):
        there = _rule(others, own, str(path))
        if column.dtype != there.dtype:
            message = (
                f"{column.name} is {column.dtype}, and {there.name} of {path}, to which it refers, is {there.dtype}"
            )
            raise BindError(message, hint="both have one type")
    return replace(one, columns=tuple(column.name for column in columns), others=tuple(wanted))


def _rule(rules: Sequence[ColumnRule], name: str, table: str) -> ColumnRule:
    found = next((rule for rule in rules if rule.name.lower() == name.lower()), None)
    if found is None:
        raise BindError(f"table {table} has no column {name}, which a FOREIGN KEY names")
    if found.generated is not None:
        raise BindError(f"{name} of {table}, which a FOREIGN KEY names, is generated")
    return found


def require_references(
    caller: Caller, place: str, entry: Entry, numbers: Tensor, changed: Rows, columns: Sequence[str]
) -> Relied:
    """ConstraintError where rows cannot have other values in these columns; the other tables that the change was checked against.

    `numbers` (n,) int64 are those of the rows, which are then as `changed` has them.
    """
    held = [one for one in entry.constraints if not isinstance(one, Check)]
    keyed = {name for one in (*held, *entry.indexes) for name in one.columns}
    if keyed.isdisjoint(columns):
        return ()
    relied = require_unreferenced(caller, place, entry, numbers)
    return (*relied, *require_partners(caller, place, entry, changed, rows_of(entry).without(numbers), columns))


def require_partners(
    caller: Caller, place: str, entry: Entry, new: Rows, own: Rows, columns: Sequence[str] | None = None
) -> Relied:
    """ConstraintError where a new row lacks a partner, in the table itself one of `own`; the other tables that have them.

    `columns`: only these have new values. Cost: a join for each foreign key.
    """
    relied: Relied = ()
    key = place, entry.name.lower()
    for foreign in entry.foreign_keys:
        if not new.rows or (columns is not None and set(columns).isdisjoint(foreign.columns)):
            continue
        other = place, foreign.table.name.lower()
        meant = caller.catalog.entries[other]
        if other != key:
            relied = (*relied, (other, meant))
        shown = _shown(_NEW, foreign.others, foreign.columns)
        known = " AND ".join(f"{_NEW}.{quoted_name(column)} IS NOT NULL" for column in foreign.columns)
        text = f"SELECT {shown} FROM {_NEW} ANTI JOIN {_OTHER} ON {_met(foreign)} WHERE {known} LIMIT 1"
        rows = own if other == key else rows_of(meant)
        found = asked_of(caller, text, {_NEW: new, _OTHER: rows}).fetchone()
        if found is not None:
            raise ConstraintError(
                f'{_named(foreign)} of {entry.name}: key "{found[0]}" does not exist in {meant.name}',
                hint=f"INSERT INTO {identifier(meant.name)} first",
            )
    return relied


def require_unreferenced(caller: Caller, place: str, entry: Entry, numbers: Tensor | None) -> Relied:
    """ConstraintError where a row refers to one that goes; the other tables with foreign keys, whose rows do not.

    `numbers` (n,) int64 are those of the rows that go; None: all. Cost: a join for each foreign key.
    """
    relied: Relied = ()
    key = place, entry.name.lower()
    found = list(referring(caller.catalog.entries, key))
    if not found:
        return relied
    gone = rows_of(entry)
    if numbers is not None:
        gone = Rows(entry.schema, (), caller.connection.device).appended(gone.chosen(numbers))
    for other, meant, foreign in found:
        if not gone.rows:
            continue
        if other != key:
            relied = (*relied, (other, meant))
        shown = _shown(_NEW, foreign.columns, foreign.columns)
        text = f"SELECT {shown} FROM {_NEW} SEMI JOIN {_OTHER} ON {_met(foreign)} LIMIT 1"
        held = asked_of(caller, text, {_NEW: rows_of(meant), _OTHER: gone}).fetchone()
        if held is not None:
            raise ConstraintError(
                f'{_named(foreign)} of {meant.name}: key "{held[0]}" is still referenced, and is to go from {entry.name}',
                hint=f"DELETE FROM {identifier(meant.name)} first, or leave the row as it is",
            )
    return relied


def _met(foreign: ForeignKey) -> str:
    pairs = zip(foreign.columns, foreign.others, strict=True)
    return " AND ".join(f"{_NEW}.{quoted_name(own)} = {_OTHER}.{quoted_name(other)}" for own, other in pairs)


def _shown(table: str, names: Sequence[str], columns: Sequence[str]) -> str:
    """A text of SQL: each of the names with the value of a column."""
    return " || ', ' || ".join(
        f"{text_constant(f'{name}: ')} || {table}.{quoted_name(column)}"
        for name, column in zip(names, columns, strict=True)
    )


def _named(foreign: ForeignKey) -> str:
    return f"FOREIGN KEY ({', '.join(foreign.columns)})"
