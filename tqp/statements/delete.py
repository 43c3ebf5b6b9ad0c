"""DELETE: the next version of a table without some of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tqp.io.rows import Rows
from tqp.kernels.rows import select
from tqp.relation import Relation
from tqp.statements.caller import Caller
from tqp.statements.foreign_keys import require_unreferenced
from tqp.statements.head import Head, Sheet
from tqp.statements.matching import Matching, read_name, read_others
from tqp.statements.registry import statement
from tqp.statements.returning import Returning, read_returning
from tqp.statements.versions import exchanged, rows_of, table_named

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _Delete:
    matching: Matching
    returning: Returning | None
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        while True:
            place, entry = table_named(caller, self.matching.path)
            if self.returning is not None:
                self.returning.require_fit(caller, entry, self.matching.name)
            numbers, _ = self.matching.found(caller, place, entry)
            before = rows_of(entry)
            after = before.without(numbers)
            gone = before.rows - after.rows
            returned = None
            if self.returning is not None:
                removed = before.chosen(select(before.marked(numbers)))
                rows = Rows(entry.schema, (), caller.connection.device).appended(removed)
                returned = self.returning.of(caller, self.matching.name, rows)
            relied = require_unreferenced(caller, place, entry, numbers)
            if not gone or exchanged(caller, place, entry, after, relied=relied):
                return caller.count(gone) if returned is None else returned

    def asked(self, caller: Caller) -> Relation:
        """The query that finds its rows."""
        return self.matching.relation(caller, *table_named(caller, self.matching.path))


@statement("DELETE")
def _read(head: Head) -> _Delete:
    verb, sheet = head.place - 1, Sheet(head)
    head.need("FROM")
    path, alias = read_name(head, "USING")
    sheet.keep(head.first, verb)
    # A value that nothing asks for: all that counts is which rows there are.
    sheet.write("SELECT 1", verb)
    read_others(head, sheet, "USING")
    return _Delete(Matching("DELETE", path, alias, sheet.text), read_returning(head))
