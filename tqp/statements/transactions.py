"""BEGIN, COMMIT and ROLLBACK: statements that others see all at once, or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tqp.relation import Relation
from tqp.statements.caller import Caller
from tqp.statements.head import Head
from tqp.statements.registry import statement

__all__ = ["End"]


@dataclass(frozen=True, slots=True)
class _Begin:
    read_only: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        caller.connection.open_transaction(self.read_only)
        return caller.success()


@dataclass(frozen=True, slots=True)
class End:
    """What may be done in a transaction of which something failed."""

    commits: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        caller.connection.end_transaction(self.commits)
        return caller.success()


@statement("BEGIN", "START")
def _read_begin(head: Head) -> _Begin:
    head.take("TRANSACTION", "WORK")
    read_only = False
    if head.take("READ"):
        read_only = head.take("ONLY")
        if not read_only:
            head.need("WRITE")
    return _Begin(read_only)


@statement("COMMIT", "END")
def _read_commit(head: Head) -> End:
    head.take("TRANSACTION", "WORK")
    return End(commits=True)


@statement("ROLLBACK", "ABORT")
def _read_rollback(head: Head) -> End:
    head.take("TRANSACTION", "WORK")
    return End(commits=False)
