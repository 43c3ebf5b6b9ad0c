"""DROP: forget a table, a view or a macro."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tqp.catalog.definitions import Path
from tqp.catalog.entries import EntryKind
from tqp.relation import Relation
from tqp.statements.caller import Caller
from tqp.statements.head import Head
from tqp.statements.registry import statement

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _Drop:
    path: Path
    kind: EntryKind
    if_exists: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        caller.forget(caller.catalog.drop(self.path, self.kind, if_exists=self.if_exists))
        return caller.success()


@dataclass(frozen=True, slots=True)
class _DropMacro:
    path: Path
    is_table: bool | None
    if_exists: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        caller.catalog.undefine(self.path, self.is_table, if_exists=self.if_exists)
        return caller.success()


@statement("DROP TABLE")
def _read_table(head: Head) -> _Drop:
    return _drop(head, EntryKind.TABLE)


@statement("DROP VIEW")
def _read_view(head: Head) -> _Drop:
    return _drop(head, EntryKind.VIEW)


def _drop(head: Head, kind: EntryKind) -> _Drop:
    if_exists = head.if_exists()
    path = head.path()
    head.take("CASCADE", "RESTRICT")
    return _Drop(path, kind, if_exists)


@statement("DROP MACRO", "DROP FUNCTION")
def _read_macro(head: Head) -> _DropMacro:
    is_table = True if head.words[head.place - 1] == "MACRO" and head.take("TABLE") else None
    if_exists = head.if_exists()
    path = head.path()
    head.take("CASCADE", "RESTRICT")
    return _DropMacro(path, is_table, if_exists)
