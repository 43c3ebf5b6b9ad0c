"""RETURNING: what is asked of the rows that a statement wrote or removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tqp.catalog.entries import Entry
from tqp.errors import BindError, UnsupportedError
from tqp.io.rows import Rows
from tqp.ir.plan import Plan, Project, Scan, Shared
from tqp.ir.visit import subplans
from tqp.keywords import quoted_name
from tqp.relation import Relation
from tqp.sql.dialect import dialect_named
from tqp.sql.fragments import aliases_used
from tqp.sql.words import words
from tqp.statements.caller import Caller
from tqp.statements.head import Head

__all__ = ["Returning", "ends_clause", "read_returning"]

_CLAUSES: Final = frozenset(
    {
        "UNION",
        "EXCEPT",
        "INTERSECT",
        "WHERE",
        "GROUP",
        "HAVING",
        "WINDOW",
        "QUALIFY",
        "ORDER",
        "LIMIT",
        "OFFSET",
        "FETCH",
        "RETURNING",
    }
)
"""Words of a query, which end a list of expressions, as does FROM."""


def ends_clause(head: Head) -> bool:
    """Whether the word here ends the part of a statement before it, rather than stand in one of its expressions."""
    return head.word in _CLAUSES or (head.word == "FROM" and head.words[head.place - 1] != "DISTINCT")


@dataclass(frozen=True, slots=True)
class Returning:
    """A list of expressions, as a SELECT without FROM."""

    select: str

    def hiding(self, name: str) -> Returning:
        """The same where `*` leaves out a column of that name."""
        select = self.select
        tokens = words(dialect_named("duckdb"), select)
        for place in range(len(tokens) - 1, 0, -1):
            if tokens[place].text != "*" or tokens[place - 1].text.upper() not in ("SELECT", ",", "."):
                continue
            if place + 1 < len(tokens) and tokens[place + 1].text != ",":
                raise UnsupportedError(
                    f"* {tokens[place + 1].text} in RETURNING here is not supported", hint="name columns"
                )
            end = tokens[place].end + 1
            select = f"{select[:end]} EXCLUDE ({name}){select[end:]}"
        return Returning(select)

    def require_fit(self, caller: Caller, entry: Entry, name: str) -> None:
        """BindError where it asks what rows of the table, which go by `name`, do not have."""
        used = aliases_used(self.select, {rule.name.lower() for rule in entry.rules})
        if used:
            raise BindError(f"no column {used[0]} in {name}", hint="RETURNING does not see the names that it gives")
        asked = self._asked(caller, name, Rows(entry.schema, (), caller.connection.device))
        if not _is_row_by_row(asked.plan):
            raise BindError("RETURNING takes expressions of the new rows, each by itself", hint="ask more with a query")

    def of(self, caller: Caller, name: str, rows: Rows) -> Relation:
        """What it gives for the rows, which go by that name. It is run: what is wrong in it is found before others see them."""
        found = self._asked(caller, name, rows)
        found.result()
        return found

    def _asked(self, caller: Caller, name: str, rows: Rows) -> Relation:
        own = caller.connection.all_of(caller.table_of(name, rows))
        return caller.without_parameters().query(f"{self.select} FROM {quoted_name(name)}", relations={name: own})


def _is_row_by_row(plan: Plan) -> bool:
    """Whether a query over the rows has one row for each of them, and reads nothing else."""
    while isinstance(plan, Project) and not any(map(subplans, plan.exprs)):
        plan = plan.input
    return isinstance(plan, Scan | Shared)


def read_returning(head: Head) -> Returning | None:
    """The RETURNING that stands here, which is passed; None where none does."""
    if head.word == "RETURNING" and head.following in ("ALL", "DISTINCT"):
        raise head.wrong()
    if not head.take("RETURNING"):
        return None
    start = head.place
    head.to(ends_clause)
    return Returning(head.led_by("SELECT", start))
