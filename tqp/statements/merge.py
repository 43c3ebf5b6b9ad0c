"""MERGE INTO: the next version of a table, by what becomes of each of its rows and of those of another one, pair by pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import torch
from torch import Tensor

from tqp.catalog.definitions import ColumnRule, Key, Path
from tqp.catalog.entries import Entry
from tqp.data.column import constant
from tqp.data.table import Table
from tqp.errors import BindError, ConstraintError, counted
from tqp.io.rows import Rows
from tqp.relation import Relation
from tqp.sql.changes import Changes, Partner
from tqp.sql.generated import stored
from tqp.sql.scope import distinct_names
from tqp.statements.assignments import column_places
from tqp.statements.caller import Caller
from tqp.statements.constraints import require_held_after
from tqp.statements.foreign_keys import require_partners, require_references, require_unreferenced
from tqp.statements.head import Head
from tqp.statements.merge_words import Action, Source, read_actions, read_source
from tqp.statements.registry import statement
from tqp.statements.returning import Returning, read_returning
from tqp.statements.versions import exchanged, require_values, rows_of, table_named
from tqp.types import VARCHAR

__all__: list[str] = []

_ACTION: Final = "merge_action"
"""What RETURNING calls the word for what was done; `*` leaves it out."""


@dataclass(slots=True)
class _Outcome:
    """What has become of the rows so far: `after` has those that stay in their old places, `written` what RETURNING sees."""

    after: Rows
    gone: list[Tensor]
    added: list[Table]
    written: list[tuple[str, Table]]
    relied: list[tuple[Key, Entry]]
    """The other tables that foreign keys were checked against."""


@dataclass(frozen=True, slots=True)
class _Merge:
    path: Path
    alias: str | None
    source: Source
    actions: tuple[Action, ...]
    returning: Returning | None
    changes: ClassVar = True

    @property
    def name(self) -> str:
        return self.alias or self.path.name

    def run(self, caller: Caller) -> Relation:
        while True:
            place, entry = table_named(caller, self.path)
            if self.returning is not None:
                self.returning.hiding(_ACTION).require_fit(caller, self._with_action(entry), self.name)
            others = self._others(caller)
            outcome = _Outcome(rows_of(entry), [], [], [], [])
            for action in self.actions:
                self._act(caller, place, entry, others, action, outcome)
            after = outcome.after
            if outcome.gone:
                after = after.without(torch.cat(outcome.gone))
            for added in outcome.added:
                after = after.appended(added)
            changed = Rows(entry.schema, (), caller.connection.device)
            for word, table in outcome.written:
                changed = changed if word == "DELETE" else changed.appended(table)
            require_held_after(caller, entry, changed, after, [rule.name for rule in entry.rules])
            for added in outcome.added:
                new = Rows(entry.schema, (), caller.connection.device).appended(added)
                outcome.relied += require_partners(caller, place, entry, new, rows_of(entry))
            count = sum(table.rows for _, table in outcome.written)
            returned = None if self.returning is None else self._returned(caller, entry, outcome)
            if not count or exchanged(caller, place, entry, after, relied=tuple(outcome.relied)):
                return caller.count(count) if returned is None else returned

    def asked(self, caller: Caller) -> Relation:
        """The query of the first action that finds rows."""
        place, entry = table_named(caller, self.path)
        others = self._others(caller)
        action = next((one for one in self.actions if one.word not in ("NOTHING", "ERROR")), self.actions[0])
        query, target = self._query(caller, place, entry, others, action)
        return caller.part(query).query(query, target)

    def _others(self, caller: Caller) -> Rows:
        """The rows of the other table, which are found once."""
        found = caller.part(self.source.query).query(self.source.query)
        schema = [(field.name, field.dtype) for field in distinct_names(found.schema)]
        return Rows(schema, (), caller.connection.device).appended(found.result())

    def _query(self, caller: Caller, place: str, entry: Entry, others: Rows, action: Action) -> tuple[str, Changes]:
        """The query of an action: of pairs, of rows of the table alone, or, for new rows, of rows of the other one."""
        own, other = caller.table_of(entry.name, rows_of(entry)), caller.table_of(self.source.name, others)
        schema = place if self.alias is None else ""
        query, columns = self._values(entry, others, action)
        kind: Literal["inner", "anti"] = "inner" if action.kind == "matched" else "anti"
        count = action.conditions + (not self.source.keys)
        if action.kind == "target":
            partner = Partner(own, self.name, kind, self.source.keys)
            table, name, schema = other, self.source.name, ""
        else:
            partner = Partner(other, self.source.name, kind, self.source.keys)
            table, name = own, self.name
        fills = action.word == "INSERT"
        target = Changes(
            table, entry.rules, f"MERGE … {action.word}", name, schema, columns, partner, count, action.refused, fills
        )
        return query, target

    def _values(self, entry: Entry, others: Rows, action: Action) -> tuple[str, tuple[tuple[str, ...], ...]]:
        """The text of an action with its values, and for which columns they are."""
        if action.word in ("DELETE", "NOTHING", "ERROR") or action.given == "defaults":
            return action.query + ("" if action.has_parts else " 1"), ()
        if action.word == "UPDATE" and action.given == "written":
            return action.query, action.columns
        theirs = [name for name, _ in others.schema]
        columns = action.columns or tuple(
            (name,) for name in (theirs if action.given == "names" else [rule.name for rule in stored(entry.rules)])
        )
        values = action.values if action.given == "written" else len(theirs)
        if len(columns) != values:
            raise BindError(
                f"{action.word} of {counted(values, 'value')} into {counted(len(columns), 'column')} of {entry.name}",
                hint=f"{action.word} BY NAME, or write the values",
            )
        if action.given == "written":
            return action.query, columns
        listed = ", ".join(self.source.column(name) for name in theirs)
        return f"{action.query}{', ' if action.has_parts else ' '}{listed}", columns

    def _act(self, caller: Caller, place: str, entry: Entry, others: Rows, action: Action, outcome: _Outcome) -> None:
        query, target = self._query(caller, place, entry, others, action)
        numbers, *values = caller.part(query).changes(query, target)
        rows = numbers.data.long()
        before = rows_of(entry)
        if action.word == "ERROR" and rows.shape[0]:
            raise ConstraintError(f"MERGE meets a row for which {action.shown} is an ERROR")
        if action.word == "DELETE":
            outcome.relied += require_unreferenced(caller, place, entry, rows)
            outcome.gone.append(rows)
            outcome.written.append(("DELETE", before.chosen(rows)))
        elif action.word == "UPDATE":
            places = column_places(entry, target.columns)
            require_values(entry.name, [entry.rules[one] for one in places], values)
            changed = dict(zip(places, values, strict=True))
            outcome.after = outcome.after.replaced(rows, changed)
            updated = before.chosen(rows, changed)
            new = Rows(entry.schema, (), caller.connection.device).appended(updated)
            named = [entry.rules[one].name for one in places]
            outcome.relied += require_references(caller, place, entry, rows, new, named)
            outcome.written.append(("UPDATE", updated))
        elif action.word == "INSERT":
            require_values(entry.name, entry.rules, values)
            added = Table(tuple(rule.name for rule in entry.rules), tuple(values), rows.shape[0])
            outcome.added.append(added)
            outcome.written.append(("INSERT", added))

    def _with_action(self, entry: Entry) -> Entry:
        """The table as RETURNING sees it."""
        return entry.changed(rules=(*entry.rules, ColumnRule(_ACTION, VARCHAR)))

    def _returned(self, caller: Caller, entry: Entry, outcome: _Outcome) -> Relation:
        assert self.returning is not None
        device = caller.connection.device
        rows = Rows(self._with_action(entry).schema, (), device)
        for word, table in outcome.written:
            columns = (*table.columns, constant(word, VARCHAR, device))
            rows = rows.appended(Table((*table.names, _ACTION), columns, table.rows))
        return self.returning.hiding(_ACTION).of(caller, self.name, rows)


@statement("MERGE INTO")
def _read(head: Head) -> _Merge:
    head.number_parameters()
    verb = head.place - 2
    path = head.path()
    alias = head.identifier() if head.take("AS") or (head.word != "USING" and head.is_name()) else None
    source = read_source(head, verb)
    actions = read_actions(head, verb, source)
    return _Merge(path, alias, source, actions, read_returning(head))
