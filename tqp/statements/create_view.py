"""CREATE VIEW: a query under a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tqp.catalog.definitions import Path, View
from tqp.catalog.entries import Entry, EntryKind
from tqp.errors import BindError, UnsupportedError
from tqp.ir.plan import Plan
from tqp.relation import Relation
from tqp.statements.caller import Caller
from tqp.statements.head import Head
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
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        place = caller.catalog.schemas.place(self.path, self.temporary)
        # Bound for its errors alone: it is bound anew where it is used.
        query = caller.without_parameters().query(self.query)
        fields = query.schema
        if len(self.columns) > len(fields):
            raise BindError(f"the query has {len(fields)} columns, and {len(self.columns)} are named")
        meaning: View | Plan = View(self.path.name, self.query.strip(), self.columns)
        if caller.relations:
            # Nobody else knows the names of those relations: the view is what the query means now.
            meaning = query.plan
        entry = Entry(self.path.name, meaning, EntryKind.VIEW)
        before = caller.catalog.create(place, entry, replace=self.replaces, keep=self.keeps)
        if before is not None and not self.keeps:
            caller.forget(before.meaning)
        return caller.count(None)


@statement("CREATE VIEW")
def _read(head: Head) -> _CreateView:
    keeps = head.if_not_exists()
    if keeps and head.replace:
        raise head.wrong()
    path = head.path()
    columns = head.identifiers() if head.word == "(" else ()
    head.need("AS")
    return _CreateView(path, head.replace, head.temporary, keeps, columns, head.query())


@statement("CREATE RECURSIVE VIEW", "CREATE RECURSIVE")
def _read_recursive(head: Head) -> _CreateView:
    hint = "CREATE VIEW name AS WITH RECURSIVE …"
    raise UnsupportedError("CREATE RECURSIVE VIEW is not supported", hint=hint, text=head.text)
