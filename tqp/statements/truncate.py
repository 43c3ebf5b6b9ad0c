"""TRUNCATE: the next version of a table without rows, of the same columns and their rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tqp.catalog.definitions import Path
from tqp.errors import UnsupportedError
from tqp.io.rows import Rows
from tqp.relation import Relation
from tqp.statements.caller import Caller
from tqp.statements.foreign_keys import require_unreferenced
from tqp.statements.head import Head
from tqp.statements.registry import statement
from tqp.statements.versions import exchanged, rows_of, table_named

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _Truncate:
    path: Path
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        while True:
            place, entry = table_named(caller, self.path)
            relied = require_unreferenced(caller, place, entry, None)
            # Others may have put rows there since.
            if exchanged(caller, place, entry, Rows(entry.schema, (), caller.connection.device), relied=relied):
                return caller.count(rows_of(entry).rows)


@statement("TRUNCATE")
def _read(head: Head) -> _Truncate:
    head.take("TABLE")
    path = head.path()
    if head.word not in ("CASCADE", "RESTRICT", "") and (head.take("AS") or head.is_name()):
        # A name that nothing can say.
        head.identifier()
    if head.take("CASCADE"):
        raise UnsupportedError(
            "TRUNCATE … CASCADE is not supported", hint="no table refers to another one: leave it out"
        )
    head.take("RESTRICT")
    return _Truncate(path)
