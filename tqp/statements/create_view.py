"""CREATE VIEW: a query under a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tqp.catalog.definitions import Path, View
from tqp.catalog.entries import Entry, EntryKind
from tqp.errors import BindError
from tqp.ir.plan import Plan
from tqp.keywords import identifier
from tqp.relation import Relation
from tqp.sql.expansion import expression_of
from tqp.sql.pivot_values import require_written_values
from tqp.statements.caller import Caller
from tqp.statements.head import Head, Sheet
from tqp.statements.registry import statement

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _CreateView:
    path: Path
    replaces: bool
    temporary: bool
    keeps: bool
    columns: tuple[str, ...]
    query: str
    secure: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        place = caller.catalog.schemas.place(self.path, self.temporary)
        # Bound for its errors alone: it is bound anew where it is used.
        query = caller.without_parameters().query(self.query)
        if "PIVOT" in self.query.upper():
            catalog = caller.catalog
            require_written_values(
                expression_of(self.query, catalog.macros.names(), is_query=True, own=catalog.own), "view"
            )
        fields = query.schema
        if len(self.columns) > len(fields):
            raise BindError(f"the query has {len(fields)} columns, and {len(self.columns)} are named")
        meaning: View | Plan = View(self.path.name, self.query.strip(), self.columns, self.secure)
        if caller.relations:
            # Nobody else knows the names of those relations: the view is what the query means now.
            meaning = query.plan
        entry = Entry(self.path.name, meaning, EntryKind.VIEW)
        before = caller.catalog.create(place, entry, replace=self.replaces, keep=self.keeps)
        if before is not None and not self.keeps:
            caller.forget(before.meaning)
        return caller.count(None)


@statement("CREATE VIEW")
def _read(head: Head, secure: bool = False) -> _CreateView:
    keeps = _keeps(head)
    path = head.path()
    columns = head.identifiers() if head.word == "(" else ()
    head.need("AS")
    return _CreateView(path, head.replace, head.temporary, keeps, columns, head.query(), secure)


@statement("CREATE SECURE VIEW")
def _read_secure(head: Head) -> _CreateView:
    return _read(head, secure=True)


@statement("CREATE RECURSIVE VIEW")
def _read_recursive(head: Head, secure: bool = False) -> _CreateView:
    """A view that may read itself: the query of a WITH RECURSIVE of its name and columns."""
    keeps = _keeps(head)
    start = head.place
    path = head.path()
    columns = head.identifiers()
    called = head.between(start, head.place).strip()
    head.need("AS")
    start = head.place
    head.query()
    sheet = Sheet(head)
    sheet.keep(start, head.place)
    # No longer than the words that it takes the place of.
    sheet.write(f"WITH RECURSIVE {called} AS (", head.first)
    query = f"{sheet.text.rstrip()}) SELECT {', '.join(map(identifier, columns))} FROM {identifier(path.name)}"
    return _CreateView(path, head.replace, head.temporary, keeps, columns, query, secure)


@statement("CREATE SECURE RECURSIVE")
def _read_secure_recursive(head: Head) -> _CreateView:
    head.need("VIEW")
    return _read_recursive(head, secure=True)


def _keeps(head: Head) -> bool:
    """Whether IF NOT EXISTS stands here, which is passed; it does not go with OR REPLACE."""
    keeps = head.if_not_exists()
    if keeps and head.replace:
        raise head.wrong()
    return keeps
