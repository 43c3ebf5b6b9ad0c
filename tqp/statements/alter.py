"""ALTER: the next version of a table with other columns or rules, and other names of tables and views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from tqp.catalog.definitions import Check, ColumnRule, Path, UniqueKey
from tqp.catalog.entries import Entry, EntryKind
from tqp.catalog.references import require_no_reference
from tqp.data.stored import StoredTable
from tqp.errors import BindError, UnsupportedError
from tqp.io.rows import Rows
from tqp.keywords import identifier, quoted_name
from tqp.relation import Relation
from tqp.sql.changes import Changes
from tqp.sql.context import listed, near
from tqp.sql.fragments import with_column_renamed
from tqp.sql.generated import dependents, stored
from tqp.statements.caller import Caller
from tqp.statements.columns import Column, checked_default, checked_generated, read_column, read_default, rule_of
from tqp.statements.constraint_words import at_constraint, read_constraint
from tqp.statements.constraints import (
    checked_constraints,
    require_held,
    require_unused,
    with_name,
    without_checks_of,
)
from tqp.statements.head import Head, Sheet
from tqp.statements.registry import statement
from tqp.statements.struct_fields import Edit, MadeField, added, dropped, renamed, with_fields
from tqp.statements.versions import exchanged, require_values, rows_of, table_named
from tqp.types import NULL

__all__: list[str] = []

_Step = Callable[[Caller, Entry], tuple[Rows, dict[str, Any]] | None]
"""From a version of a table to the rows of the next one, and the fields of its entry that are others; None: nothing to do."""


@dataclass(frozen=True, slots=True)
class _Alter:
    path: Path
    if_exists: bool
    step: _Step
    is_addition: bool = False
    """Whether other tables may refer to this one: all that they know of it stays."""
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        while True:
            if self.if_exists and caller.catalog.found(self.path) is None:
                return caller.success()
            place, entry = table_named(caller, self.path)
            if not self.is_addition:
                require_no_reference(caller.catalog.entries, (place, entry.name.lower()))
            found = self.step(caller, entry)
            if found is not None and not self.is_addition:
                _require_no_index(entry)
            if found is None or exchanged(caller, place, entry, found[0], **found[1]):
                return caller.success()


@dataclass(frozen=True, slots=True)
class _Rename:
    path: Path
    name: str
    if_exists: bool
    kind: EntryKind
    """What it is, where that says more than that it has a name."""
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        while True:
            found = caller.catalog.found(self.path)
            if found is None and self.if_exists:
                return caller.success()
            if found is None:
                raise BindError(f"there is no {self.kind.noun} {self.path}")
            place, entry = found
            if entry.kind is EntryKind.REGISTERED:
                raise BindError(f"{self.path} is an object that was registered", hint="con.register(name, object)")
            if entry.kind is EntryKind.TABLE and self.kind is EntryKind.VIEW:
                raise BindError(f"{self.path} is a table", hint="ALTER TABLE")
            _require_no_index(entry)
            if caller.catalog.rename(place, entry, self.name):
                caller.forget(entry.meaning)
                return caller.success()


def _require_no_index(entry: Entry) -> None:
    """BindError where a table has an index, with which columns and names stay as they are."""
    if entry.indexes:
        names = listed([identifier(one.name) for one in entry.indexes])
        raise BindError(
            f"the table {entry.name} has the index {names}", hint="DROP INDEX first, and make it anew after"
        )


def _place(entry: Entry, name: str) -> int:
    """The place of a column; BindError where there is none of that name."""
    names = [rule.name for rule in entry.rules]
    found = next((place for place, own in enumerate(names) if own.lower() == name.lower()), None)
    if found is None:
        raise BindError(f"table {entry.name} has no column {name}", hint=near(name, names))
    return found


def _require_new(entry: Entry, name: str) -> None:
    if any(rule.name.lower() == name.lower() for rule in entry.rules):
        raise BindError(f"table {entry.name} has a column {name} already")


def _require_unread(entry: Entry, name: str, hint: str) -> None:
    """BindError where a generated column depends on a column."""
    for rule in dependents(entry.rules, [name]):
        raise BindError(f"the generated column {rule.name} of {entry.name} depends on {name}", hint=hint)


def _require_given(entry: Entry, place: int) -> None:
    """UnsupportedError for a generated column."""
    if entry.rules[place].generated is not None:
        what = f"ALTER of {entry.rules[place].name}, which is generated, is not supported"
        raise UnsupportedError(what, hint="it can be dropped or have another name")


def _with_rule(entry: Entry, place: int, rule: ColumnRule) -> tuple[ColumnRule, ...]:
    return (*entry.rules[:place], rule, *entry.rules[place + 1 :])


def _filled(caller: Caller, entry: Entry, rows: Rows, rules: tuple[ColumnRule, ...], place: int, query: str) -> Rows:
    """The rows with the values of a query over the table as it was in their column at `place`, cast to the type of its rule."""
    table = entry.meaning
    assert isinstance(table, StoredTable)
    target = Changes(table, rules, "ALTER", entry.name, columns=((rules[place].name,),))
    numbers, values = caller.changes(query, target)
    require_values(entry.name, [rules[place]], [values])
    return rows.replaced(numbers.data.long(), {place: values})


def _add(column: Column, if_not_exists: bool) -> _Step:
    def step(caller: Caller, entry: Entry) -> tuple[Rows, dict[str, Any]] | None:
        if if_not_exists and any(rule.name.lower() == column.name.lower() for rule in entry.rules):
            return None
        _require_new(entry, column.name)
        rule, place = rule_of(caller, column), len(entry.rules)
        rules = (*entry.rules, rule)
        rows = rows_of(entry).with_column(place, rule.name, rule.dtype)
        if rule.default is not None or not rule.is_nullable:
            rows = _filled(caller, entry, rows, rules, place, "SELECT DEFAULT")
        return rows, {"rules": rules}

    return step


def _drop(name: str, if_exists: bool, cascades: bool) -> _Step:
    def step(caller: Caller, entry: Entry) -> tuple[Rows, dict[str, Any]] | None:
        if if_exists and all(rule.name.lower() != name.lower() for rule in entry.rules):
            return None
        place = _place(entry, name)
        gone = [entry.rules[place]]
        if cascades:
            gone += dependents(entry.rules, [name])
        else:
            _require_unread(entry, name, "ALTER TABLE … DROP … CASCADE drops that, too")
        rules = tuple(rule for rule in entry.rules if rule not in gone)
        if not stored(rules):
            raise BindError(f"{name} is the only column of {entry.name}", hint=f"DROP TABLE {entry.name}")
        held = without_checks_of(entry, entry.rules[place].name)
        require_unused(entry, held, entry.rules[place].name)
        rows = rows_of(entry)
        for number in reversed(range(len(entry.rules))):
            if entry.rules[number] in gone:
                rows = rows.without_column(number)
        return rows, {"rules": rules, "constraints": held}

    return step


def _rename(name: str, new: str) -> _Step:
    def step(caller: Caller, entry: Entry) -> tuple[Rows, dict[str, Any]]:
        place = _place(entry, name)
        if new.lower() != name.lower():
            _require_new(entry, new)
        own = entry.rules[place].name
        own_keys = [one for one in entry.foreign_keys if one.table.name.lower() == entry.name.lower()]
        if any(own in one.columns for one in entry.foreign_keys) or any(own in one.others for one in own_keys):
            raise BindError(f"column {own} is part of a FOREIGN KEY of {entry.name}", hint="it keeps its name")
        rules = tuple(
            replace(rule, generated=with_column_renamed(rule.generated, entry.name, own, new))
            if rule.generated is not None
            else rule
            for rule in _with_rule(entry, place, replace(entry.rules[place], name=new))
        )
        rules = checked_generated(caller, rules)
        renamed = tuple(with_name(entry, one, own, new) for one in entry.constraints)
        _, held = checked_constraints(caller, entry.name, rules, renamed)
        return rows_of(entry).renamed(place, new), {"rules": rules, "constraints": held}

    return step


def _retype(name: str, kind: str | None, using: str | None) -> _Step:
    def step(caller: Caller, entry: Entry) -> tuple[Rows, dict[str, Any]]:
        place = _place(entry, name)
        before = entry.rules[place]
        _require_given(entry, place)
        _require_unread(entry, name, "drop it first")
        require_unused(entry, entry.constraints, before.name)
        typed = before if kind is None else rule_of(caller, Column(before.name, kind))
        rules = _with_rule(entry, place, replace(before, dtype=typed.dtype, types=typed.types))
        rows = rows_of(entry).with_column(place, before.name, typed.dtype, instead=True)
        return _filled(caller, entry, rows, rules, place, using or f"SELECT {quoted_name(before.name)}"), {
            "rules": rules
        }

    return step


def _refield(path: Path, edit: Callable[[Caller], Edit]) -> _Step:
    """A step that gives the struct of that path in a column other fields."""

    def step(caller: Caller, entry: Entry) -> tuple[Rows, dict[str, Any]]:
        name, *inner = (*path.qualifiers, path.name)
        place = _place(entry, name)
        before = entry.rules[place]
        _require_given(entry, place)
        _require_unread(entry, name, "drop it first")
        require_unused(entry, entry.constraints, before.name)
        change = edit(caller)
        text, dtype = with_fields(quoted_name(before.name), before.dtype, inner, change)
        default = before.default
        if default is not None:
            default, _ = with_fields(f"CAST(({default}) AS {before.dtype})", before.dtype, inner, change)
        rules = _with_rule(entry, place, replace(before, dtype=dtype, default=default))
        rows = rows_of(entry).with_column(place, before.name, dtype, instead=True)
        return _filled(caller, entry, rows, rules, place, f"SELECT {text}"), {"rules": rules}

    return step


def _add_field(path: Path, column: Column, if_not_exists: bool) -> _Step:
    def edit(caller: Caller) -> Edit:
        rule = rule_of(caller, column)
        default = "NULL" if rule.default is None else rule.default
        asked = caller.without_parameters().query(f"SELECT {default}").bound_query
        if asked.is_dated:
            raise BindError(f"the default {default} of a field is another value each time", hint="give a constant")
        if asked.schema[0].dtype not in (rule.dtype, NULL):
            raise BindError(f"the default {default} of a field is no {rule.dtype}", hint="a cast makes it one")
        return added(MadeField(rule.name, f"CAST(({default}) AS {column.type})", rule.dtype), if_not_exists)

    return _refield(path, edit)


def _constrain(key: UniqueKey) -> _Step:
    def step(caller: Caller, entry: Entry) -> tuple[Rows, dict[str, Any]]:
        rules, held = checked_constraints(caller, entry.name, entry.rules, [*entry.constraints, key])
        new = entry.changed(constraints=held).keys[-1]
        if any(one.columns == new.columns and one.is_primary == new.is_primary for one in entry.keys):
            raise BindError(f"table {entry.name} already has the key ({', '.join(new.columns)})")
        rows = rows_of(entry)
        require_values(entry.name, rules, [rows.column(rule.name) for rule in rules])
        require_held(caller, entry.changed(constraints=held[-1:]), rows, None)
        return rows, {"rules": rules, "constraints": held}

    return step


def _ruled(name: str, changed: Callable[[Caller, ColumnRule], ColumnRule], may_be_generated: bool = False) -> _Step:
    """A step that changes the rule of a column alone."""

    def step(caller: Caller, entry: Entry) -> tuple[Rows, dict[str, Any]]:
        place = _place(entry, name)
        if not may_be_generated:
            _require_given(entry, place)
        rule = changed(caller, entry.rules[place])
        require_values(entry.name, [rule], [rows_of(entry).column(rule.name)])
        if rule.is_nullable and any(key.is_primary and rule.name in key.columns for key in entry.keys):
            raise BindError(f"column {rule.name} is in the primary key of {entry.name}, and stays NOT NULL")
        return rows_of(entry), {"rules": _with_rule(entry, place, rule)}

    return step


def _default(text: str) -> Callable[[Caller, ColumnRule], ColumnRule]:
    def changed(caller: Caller, rule: ColumnRule) -> ColumnRule:
        return replace(rule, default=checked_default(caller, rule.name, text))

    return changed


@statement("ALTER TABLE")
def _read(head: Head) -> _Alter | _Rename:
    if_exists = head.if_exists()
    path = head.path()
    if head.take("ADD"):
        is_addition = not at_constraint(head)
        return _Alter(path, if_exists, _read_add(head), is_addition)
    if head.take("DROP"):
        if head.word == "CONSTRAINT":
            raise _refused(head, "DROP CONSTRAINT", "CREATE OR REPLACE TABLE makes the table without it")
        head.take("COLUMN")
        missing = head.if_exists()
        column = head.path()
        cascades = head.cascades()
        if column.qualifiers:
            struct = Path(column.qualifiers[-1], column.qualifiers[:-1])
            return _Alter(path, if_exists, _refield(struct, lambda caller: dropped(column.name, missing)))
        return _Alter(path, if_exists, _drop(column.name, missing, cascades))
    if head.take("RENAME"):
        if head.take("TO"):
            return _Rename(path, head.identifier(), if_exists, EntryKind.TABLE)
        head.take("COLUMN")
        column = head.path()
        head.need("TO")
        new = head.identifier()
        if column.qualifiers:
            struct = Path(column.qualifiers[-1], column.qualifiers[:-1])
            return _Alter(path, if_exists, _refield(struct, lambda caller: renamed(column.name, new)))
        return _Alter(path, if_exists, _rename(column.name, new))
    if head.word in ("SET", "RESET"):
        raise _refused(head, f"{head.word} here", "leave it out")
    head.need("ALTER")
    head.take("COLUMN")
    name = head.identifier()
    is_addition = head.following == "DEFAULT"
    return _Alter(path, if_exists, _read_change(head, name), is_addition)


def _read_add(head: Head) -> _Step:
    if at_constraint(head):
        constraint = read_constraint(head)
        if not isinstance(constraint, UniqueKey):
            what = "ADD CHECK" if isinstance(constraint, Check) else "ADD FOREIGN KEY"
            raise _refused(head, what, "CREATE TABLE takes it")
        return _constrain(constraint)
    head.take("COLUMN")
    if_not_exists = head.if_not_exists()
    parents: list[str] = []
    while head.following == ".":
        parents.append(head.identifier())
        head.need(".")
    column = read_column(head)
    if column.generated is not None:
        raise _refused(head, "ADD COLUMN with a generated column", "CREATE TABLE takes it")
    if column.type is None:
        raise head.wrong()
    if column.constraints:
        raise _refused(head, "ADD COLUMN with a constraint", "CREATE TABLE takes constraints")
    if parents:
        if not column.is_nullable:
            raise _refused(head, "NOT NULL of a field", "CHECK (s.field IS NOT NULL) in CREATE TABLE")
        return _add_field(Path(parents[-1], tuple(parents[:-1])), column, if_not_exists)
    return _add(column, if_not_exists)


def _read_change(head: Head, name: str) -> _Step:
    if head.starts("SET", "NOT", "NULL") or head.starts("DROP", "NOT", "NULL"):
        is_nullable = head.raw().upper() == "DROP"
        head.place += 2
        return _ruled(name, lambda caller, rule: replace(rule, is_nullable=is_nullable), is_nullable)
    if head.starts("DROP", "DEFAULT"):
        head.place += 2
        return _ruled(name, lambda caller, rule: replace(rule, default=None))
    if head.starts("SET", "DEFAULT"):
        head.place += 2
        return _ruled(name, _default(read_default(head)))
    if head.take("SET"):
        head.need("DATA")
    head.need("TYPE")
    kind = None if head.word == "USING" else head.to(lambda head: head.word == "USING")
    using = None
    if head.take("USING"):
        sheet, start = Sheet(head), head.place
        head.expression()
        sheet.write("SELECT", head.first)
        sheet.keep(start, head.place)
        using = sheet.text
    return _retype(name, kind, using)


@statement("ALTER VIEW")
def _read_view(head: Head) -> _Rename:
    if_exists = head.if_exists()
    path = head.path()
    head.need("RENAME", "TO")
    return _Rename(path, head.identifier(), if_exists, EntryKind.VIEW)


def _refused(head: Head, what: str, hint: str) -> UnsupportedError:
    return UnsupportedError(f"{what} in ALTER is not supported", hint=hint, text=head.text)
