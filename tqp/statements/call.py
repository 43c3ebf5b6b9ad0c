"""CALL: all rows of a table function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tqp.relation import Relation
from tqp.statements.caller import Caller
from tqp.statements.head import Head
from tqp.statements.registry import statement

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _Call:
    query: str
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        return caller.query(self.query)


@statement("CALL")
def _read(head: Head) -> _Call:
    start = head.place
    head.path()
    if head.word != "(":
        raise head.wrong()
    head.need("(")
    if head.word != ")":
        head.to(lambda head: False)
    head.need(")")
    query = head.all_of(start)
    head.finish()
    return _Call(query)
