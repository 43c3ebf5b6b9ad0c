"""Kinds of statements, by their first words."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, TypeVar, runtime_checkable

from tqp.statements.head import Head

if TYPE_CHECKING:
    from tqp.relation import Relation
    from tqp.statements.caller import Caller

__all__ = ["Asks", "Reader", "Statement", "first_words", "reader_of", "statement"]


class Statement(Protocol):
    """What was read of a statement."""

    changes: ClassVar[bool]
    """Whether something of it stays for later queries of the connection, which one that is read-only refuses. Settings are no such
    thing: they have a lock of their own."""

    def run(self, caller: Caller) -> Relation:
        """Do it; its rows as DuckDB gives them. An error leaves everything as it was."""
        ...


@runtime_checkable
class Asks(Statement, Protocol):
    """A statement that holds a query, which EXPLAIN shows."""

    def asked(self, caller: Caller) -> Relation:
        """The query, bound and not run."""
        ...


Reader = Callable[[Head], Statement | None]
"""From the words behind the first ones to what was read; None where they are a query all the same."""

R = TypeVar("R", bound=Reader)
_FIRST: Final[set[str]] = set()
_READERS: Final[dict[tuple[str, ...], Reader]] = {}


def statement(*first: str) -> Callable[[R], R]:
    """Register what reads statements that begin with any of these, a word or several with blanks between them.

    OR REPLACE and TEMPORARY behind CREATE are no part of them: `Head` says so. The reader finds the place behind the words.
    """

    def register(reader: R) -> R:
        for words in first:
            _READERS[tuple(words.split())] = reader
            _FIRST.add(words.split()[0])
        return reader

    return register


def first_words() -> Set[str]:
    """The words with which statements begin."""
    return _FIRST


def reader_of(head: Head) -> Reader | None:
    """What reads the statement, whose first words are passed; None where there is none, and no word is passed."""
    start = head.place
    lead: tuple[str, ...] = ()
    if head.take("CREATE"):
        lead = ("CREATE",)
        if head.take("OR"):
            head.need("REPLACE")
            head.replace = True
        head.temporary = head.take("TEMP", "TEMPORARY")
    for count in (2, 1, 0):
        words = (*lead, *head.words[head.place : head.place + count])
        if words in _READERS:
            head.place += count
            return _READERS[words]
    head.place = start
    return None
