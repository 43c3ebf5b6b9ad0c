"""WITH before INSERT, UPDATE, DELETE and MERGE: its queries stand before the statement, and are those of its query."""

from __future__ import annotations

from typing import Final

from tqp.statements.head import Head
from tqp.statements.registry import Statement, reader_of, statement

__all__: list[str] = []

_VERBS: Final = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE"})


@statement("WITH")
def _read(head: Head) -> Statement | None:
    """The statement behind WITH, which keeps what stands before it; None where that is a query."""
    start = head.place
    head.to(_follows)
    if head.word not in _VERBS:
        head.place = start
        return None
    reader = reader_of(head)
    assert reader is not None
    return reader(head)


def _follows(head: Head) -> bool:
    """Whether the words of WITH end before this one: its queries stand in parentheses, with commas between them."""
    return head.words[head.place - 1] == ")" and head.word not in (",", "AS", "USING")
