"""UPDATE: the next version of a table with other values in some columns of some of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tqp.catalog.catalog import Entry
from tqp.io.rows import Rows
from tqp.relation import Relation
from tqp.statements.caller import Caller
from tqp.statements.head import Head, Sheet
from tqp.statements.matching import Matching, read_name, read_others
from tqp.statements.registry import statement
from tqp.statements.returning import Returning, ends_clause, read_returning
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
            places = self._places(entry)
            require_values(entry.name, [entry.rules[place] for place in places], values)
            before = rows_of(entry)
            changed = dict(zip(places, values, strict=True))
            after = before.replaced(numbers, changed)
            returned = None
            if self.returning is not None:
                rows = Rows(entry.schema, (), caller.connection.device).appended(before.chosen(numbers, changed))
                returned = self.returning.of(caller, self.matching.name, rows)
                # What is wrong in it is found before others see the values.
                returned.result()
            count = numbers.shape[0]
            if not count or exchanged(caller, place, entry, after):
                return caller.count(count) if returned is None else returned

    def _places(self, entry: Entry) -> list[int]:
        """The places of the columns that get values, in the order of these."""
        known = {rule.name.lower(): place for place, rule in enumerate(entry.rules)}
        return [known[name.lower()] for names in self.matching.columns for name in names]

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


def read_assignments(head: Head, sheet: Sheet) -> tuple[tuple[str, ...], ...]:
    """`SET column = value, (column, …) = value, …`, which are passed: the columns of each; the values are kept as a list."""
    columns: list[tuple[str, ...]] = []

    def assignment() -> None:
        first = head.place
        columns.append(head.identifiers() if head.word == "(" else (head.identifier(),))
        head.need("=")
        start = head.place
        if head.word in ("DISTINCT", "ALL"):
            raise head.wrong()
        head.to(lambda head: head.word == "," or ends_clause(head))
        sheet.keep(start, head.place)
        if len(columns) > 1:
            sheet.write(",", first)

    head.need("SET")
    head.listed(assignment)
    return tuple(columns)
