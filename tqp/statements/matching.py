"""The rows that UPDATE and DELETE mean: a query over the table, with what stands in FROM or USING."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor

from tqp.catalog.definitions import Path
from tqp.catalog.entries import Entry
from tqp.data.column import Column
from tqp.data.stored import StoredTable
from tqp.relation import Relation
from tqp.sql.changes import Changes
from tqp.statements.caller import Caller
from tqp.statements.head import Head, Sheet
from tqp.statements.returning import ends_clause

__all__ = ["Matching", "read_name", "read_others"]


@dataclass(frozen=True, slots=True)
class Matching:
    """`SELECT values [FROM others] [WHERE condition]` over rows of a table, which go by `alias` where there is one."""

    clause: str
    path: Path
    alias: str | None
    query: str
    columns: tuple[tuple[str, ...], ...] = field(default=())
    """For which columns each of the values is."""

    @property
    def name(self) -> str:
        """What the text calls the rows."""
        return self.alias or self.path.name

    def relation(self, caller: Caller, place: str, entry: Entry) -> Relation:
        """The query, bound and not run: the number of each row that is meant, and its new values."""
        return caller.query(self.query, self._target(place, entry))

    def found(self, caller: Caller, place: str, entry: Entry) -> tuple[Tensor, list[Column]]:
        """The numbers of the rows ((n,) int64; one that has several partners stands several times), and their new values."""
        numbers, *values = caller.changes(self.query, self._target(place, entry))
        return numbers.data.long(), values

    def _target(self, place: str, entry: Entry) -> Changes:
        table = entry.meaning
        assert isinstance(table, StoredTable)
        schema = place if self.alias is None else ""
        return Changes(table, entry.rules, self.clause, self.name, schema, self.columns)


def read_name(head: Head, end: str) -> tuple[Path, str | None]:
    """A table with its alias, which are passed, before the word `end`."""
    path = head.path()
    if head.take("AS"):
        return path, head.identifier()
    return path, head.identifier() if head.word != end and head.is_name() else None


def read_others(head: Head, sheet: Sheet, word: str) -> None:
    """FROM or USING and WHERE, where they stand: they are passed, and kept as they are in a query."""
    if head.word == word:
        start = head.place
        head.place += 1
        head.to(ends_clause)
        sheet.keep(start + 1, head.place)
        sheet.write("FROM", start)
    if head.word == "WHERE":
        start = head.place
        head.place += 1
        head.expression(ends_clause)
        sheet.keep(start, head.place)
