"""Statements of scripts that have nothing to do here: their names are checked, and nothing changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tqp.catalog.definitions import Path
from tqp.errors import BindError, UnsupportedError
from tqp.relation import Relation
from tqp.session.fixed import EXTENSIONS
from tqp.statements.caller import Caller
from tqp.statements.head import Head
from tqp.statements.registry import statement

__all__ = ["Nothing"]


@dataclass(frozen=True, slots=True)
class Nothing:
    """What is done is nothing; `tables` are names that must mean a table or view."""

    tables: tuple[Path, ...] = ()
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        for path in self.tables:
            if caller.catalog.found(path) is None:
                known = ", ".join(caller.catalog.names())
                raise BindError(f"there is no table {path}", hint=f"there are {known}" if known else None)
        return caller.success()


@statement("LOAD", "INSTALL", "FORCE INSTALL")
def _extension(head: Head) -> Nothing:
    word = head.words[head.place - 1]
    name = head.raw()
    if head.take("FROM"):
        head.raw()
    if name.lower() not in EXTENSIONS:
        raise UnsupportedError(
            f"{word} {name} is not supported: tqp takes no extensions of DuckDB",
            hint=f"built in is what these bring: {', '.join(EXTENSIONS)}",
            text=head.text,
        )
    return Nothing()


@statement("CHECKPOINT", "FORCE CHECKPOINT")
def _checkpoint(head: Head) -> Nothing:
    if not head.at_end():
        database = head.identifier()
        if database.lower() not in ("memory", "temp"):
            raise BindError(f"there is no database {database}", hint="the databases are memory and temp")
    return Nothing()


@statement("VACUUM", "ANALYZE")
def _vacuum(head: Head) -> Nothing:
    head.take("ANALYZE")
    if head.at_end():
        return Nothing()
    path = head.path()
    if head.word == "(":
        head.identifiers()
    return Nothing((path,))
