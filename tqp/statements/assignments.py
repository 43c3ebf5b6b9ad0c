"""`column = value, (column, …) = value, …`: what UPDATE and its kin give to columns."""

from __future__ import annotations

from collections.abc import Sequence

from tqp.catalog.entries import Entry
from tqp.sql.generated import dependents
from tqp.statements.head import Head, Sheet
from tqp.statements.returning import ends_clause

__all__ = ["column_places", "read_assignments"]


def column_places(entry: Entry, columns: Sequence[Sequence[str]]) -> list[int]:
    """The places of the columns that get values, in the order of these, and then of the generated ones that depend on them."""
    known = {rule.name.lower(): place for place, rule in enumerate(entry.rules)}
    given = [name for names in columns for name in names]
    return [known[name.lower()] for name in (*given, *(rule.name for rule in dependents(entry.rules, given)))]


def read_assignments(head: Head, sheet: Sheet) -> tuple[tuple[str, ...], ...]:
    """`SET column = value, (column, …) = value, …`, which are passed: the columns of each; the values are kept as a list."""
    columns: list[tuple[str, ...]] = []

    def assignment() -> None:
        first = head.place
        columns.append(head.identifiers() if head.word == "(" else (head.identifier(),))
        head.need("=")
        start = head.place
        head.expression(lambda head: head.word in (",", "WHEN") or ends_clause(head))
        sheet.keep(start, head.place)
        if len(columns) > 1:
            sheet.write(",", first)

    head.need("SET")
    head.listed(assignment)
    return tuple(columns)
