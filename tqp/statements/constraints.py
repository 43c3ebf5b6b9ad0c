"""CHECK, PRIMARY KEY and UNIQUE (foreign keys: `foreign_keys.py`): what a table's constraints may say, and that rows keep them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from tqp.catalog.definitions import Check, ColumnRule, Constraint, ForeignKey, UniqueKey
from tqp.catalog.entries import Entry
from tqp.errors import BindError, ConstraintError
from tqp.io.rows import Rows
from tqp.keywords import identifier, quoted_name, text_constant
from tqp.relation import Relation
from tqp.sql.expansion import expression_of
from tqp.sql.fragments import with_column_renamed
from tqp.statements.caller import Caller

__all__ = [
    "asked_of",
    "checked_constraints",
    "require_held",
    "require_held_after",
    "require_unused",
    "with_name",
    "without_checks_of",
]

_STORED: Final = "rows_stored"


def checked_constraints(
    caller: Caller, name: str, rules: Sequence[ColumnRule], constraints: Sequence[Constraint]
) -> tuple[tuple[ColumnRule, ...], tuple[Constraint, ...]]:
    """The rules and constraints of a table of that name, looked at: columns of its primary key are NOT NULL."""
    known = {rule.name.lower(): place for place, rule in enumerate(rules)}
    found = list(rules)
    made: list[Constraint] = []
    if sum(isinstance(one, UniqueKey) and one.is_primary for one in constraints) > 1:
        raise BindError(f"table {name} has two primary keys", hint="UNIQUE is another key")
    empty = Rows([(rule.name, rule.dtype) for rule in rules], (), caller.connection.device)
    generated = {rule.name.lower() for rule in rules if rule.generated is not None}
    for one in constraints:
        if not generated.isdisjoint(used_columns(one)):
            raise BindError(f"a constraint of {name} names a generated column", hint="name the columns that it reads")
        if isinstance(one, Check):
            if expression_of(one.text).find(exp.Query) is not None:
                raise BindError(f"CHECK ({one.text}) has a subquery", hint="it sees the columns of one row")
            _broken(caller, name, one, empty)
            made.append(one)
            continue
        if isinstance(one, ForeignKey):
            made.append(one)
            continue
        places = []
        for column in one.columns:
            place = known.get(column.lower())
            if place is None:
                raise BindError(f"table {name} has no column {column}, which a key names")
            if place in places:
                raise BindError(f"column {column} stands twice in a key")
            if rules[place].dtype.children:
                raise BindError(f"column {column} is {rules[place].dtype}, which cannot be a key")
            places.append(place)
            if one.is_primary:
                found[place] = replace(found[place], is_nullable=False)
        made.append(replace(one, columns=tuple(rules[place].name for place in places)))
    return tuple(found), tuple(made)


def require_held(caller: Caller, entry: Entry, new: Rows, stored: Rows | None) -> None:
    """ConstraintError where a row of `new` breaks a constraint of the table, or has a key in common with one of `stored`."""
    _require_checked(caller, entry, new)
    for key in entry.unique:
        _require_unique(caller, entry, key, new, stored)


def require_held_after(caller: Caller, entry: Entry, changed: Rows, after: Rows, columns: Sequence[str]) -> None:
    """The same where the rows `changed` have other values in these columns, and the table is `after` with them."""
    _require_checked(caller, entry, changed)
    for key in entry.unique:
        if not set(columns).isdisjoint(key.columns):
            _require_unique(caller, entry, key, after, None)


def _require_checked(caller: Caller, entry: Entry, rows: Rows) -> None:
    for one in entry.constraints:
        if isinstance(one, Check) and rows.rows and _broken(caller, entry.name, one, rows).result().rows:
            name = f" {one.name}" if one.name else ""
            raise ConstraintError(
                f"CHECK{name} ({one.text}) of {entry.name} is false for a row", hint="leave such rows out"
            )


def _broken(caller: Caller, name: str, check: Check, rows: Rows) -> Relation:
    """One of the rows for which a CHECK is false."""
    return asked_of(caller, f"SELECT 1 FROM {quoted_name(name)} WHERE NOT ({check.text}\n) LIMIT 1", {name: rows})


def _require_unique(caller: Caller, entry: Entry, key: UniqueKey, new: Rows, stored: Rows | None) -> None:
    names = ", ".join(map(quoted_name, key.columns))
    shown = " || ', ' || ".join(f"{text_constant(f'{column} = ')} || {quoted_name(column)}" for column in key.columns)
    known = " AND ".join(f"{quoted_name(column)} IS NOT NULL" for column in key.columns)
    own = quoted_name(entry.name)
    twice = f"SELECT {shown} FROM {own} WHERE {known} GROUP BY {names} HAVING count(*) > 1 LIMIT 1"
    found = asked_of(caller, twice, {entry.name: new}).fetchone() if new.rows > 1 else None
    if found is None and stored is not None and stored.rows:
        met = f"SELECT {shown} FROM {_STORED} SEMI JOIN {own} USING ({names}) LIMIT 1"
        found = asked_of(caller, met, {entry.name: new, _STORED: stored}).fetchone()
    if found is not None:
        kind = "PRIMARY KEY" if key.is_primary else "UNIQUE"
        columns = ", ".join(map(identifier, key.columns))
        raise ConstraintError(
            f"two rows with {found[0]} break {kind} ({columns}) of {entry.name}", hint="INSERT … ON CONFLICT DO NOTHING"
        )


def asked_of(caller: Caller, text: str, rows: dict[str, Rows]) -> Relation:
    """A query in which these rows go by these names, and nothing else that the caller gave."""
    relations = {name: caller.connection.all_of(caller.table_of(name, own)) for name, own in rows.items()}
    return replace(caller.without_parameters(), relations={}).query(text, relations=relations)


def require_unused(entry: Entry, constraints: Sequence[Constraint], name: str) -> None:
    """BindError where one of these constraints names a column."""
    if any(name.lower() in used_columns(one) for one in constraints):
        hint = "CREATE OR REPLACE TABLE makes the table without it"
        raise BindError(f"column {name} is part of a constraint of {entry.name}", hint=hint)


def without_checks_of(entry: Entry, name: str) -> tuple[Constraint, ...]:
    """The constraints without a CHECK of that column alone."""
    return tuple(one for one in entry.constraints if not isinstance(one, Check) or used_columns(one) != {name.lower()})


def used_columns(constraint: Constraint) -> set[str]:
    """The columns that a constraint names, in lower case, and what else it calls by such a name: fields, its table."""
    if isinstance(constraint, Check):
        columns = expression_of(constraint.text).find_all(exp.Column)
        return {part.name.lower() for column in columns for part in column.parts}
    return {column.lower() for column in constraint.columns}


def with_name(entry: Entry, constraint: Constraint, name: str, new: str) -> Constraint:
    """The constraint of a table with another name for one of its columns."""
    if isinstance(constraint, UniqueKey):
        return replace(constraint, columns=tuple(new if one == name else one for one in constraint.columns))
    if isinstance(constraint, ForeignKey):
        # Neither its columns nor those that it refers to have other names.
        return constraint
    return replace(constraint, text=with_column_renamed(constraint.text, entry.name, name, new))
