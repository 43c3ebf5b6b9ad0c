"""UPDATE: the next version of a table with other values in some columns of some of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tqp.io.rows import Rows
from tqp.relation import Relation
from tqp.statements.assignments import column_places, read_assignments
from tqp.statements.caller import Caller
from tqp.statements.constraints import require_held_after
from tqp.statements.foreign_keys import require_references
from tqp.statements.head import Head, Sheet
from tqp.statements.matching import Matching, read_name, read_others
from tqp.statements.registry import statement
from tqp.statements.returning import Returning, read_returning
from tqp.statements.versions import exchanged, require_values, rows_of, table_named

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _Update:
    matching: Matching
    returning: Returning | None
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        while True:
            place, entry = table_named(caller, self.matching.path)
            if self.returning is not None:
                self.returning.require_fit(caller, entry, self.matching.name)
            numbers, values = self.matching.found(caller, place, entry)
            columns = column_places(entry, self.matching.columns)
            require_values(entry.name, [entry.rules[column] for column in columns], values)
            before = rows_of(entry)
            changed = dict(zip(columns, values, strict=True))
            after = before.replaced(numbers, changed)
            rows = Rows(entry.schema, (), caller.connection.device)
            if self.returning is not None or entry.constraints or entry.indexes:
                rows = rows.appended(before.chosen(numbers, changed))
            named = [entry.rules[column].name for column in columns]
            require_held_after(caller, entry, rows, after, named)
            relied = require_references(caller, place, entry, numbers, rows, named)
            returned = None if self.returning is None else self.returning.of(caller, self.matching.name, rows)
            count = numbers.shape[0]
            if not count or exchanged(caller, place, entry, after, relied=relied):
                return caller.count(count) if returned is None else returned

    def asked(self, caller: Caller) -> Relation:
        """The query that finds its rows, and their values."""
        return self.matching.relation(caller, *table_named(caller, self.matching.path))


@statement("UPDATE")
def _read(head: Head) -> _Update:
    verb, sheet = head.place - 1, Sheet(head)
    path, alias = read_name(head, "SET")
    sheet.keep(head.first, verb)
    sheet.write("SELECT", verb)
    columns = read_assignments(head, sheet)
    read_others(head, sheet, "FROM")
    return _Update(Matching("UPDATE", path, alias, sheet.text, columns), read_returning(head))
