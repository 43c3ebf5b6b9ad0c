"""CREATE SEQUENCE and DROP SEQUENCE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tqp.catalog.definitions import Path
from tqp.catalog.entries import Entry, EntryKind
from tqp.catalog.sequences import Sequences
from tqp.errors import BindError, ParseError
from tqp.own.sequences import Order, Sequence
from tqp.relation import Relation
from tqp.session.dependencies import tables_that_draw
from tqp.sql.context import near
from tqp.statements.caller import Caller
from tqp.statements.head import Head
from tqp.statements.registry import statement

__all__: list[str] = []

_LEAST, _MOST = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class _CreateSequence:
    path: Path
    order: Order
    replaces: bool
    temporary: bool
    keeps: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        key = caller.catalog.schemas.place(self.path, self.temporary), self.path.name.lower()

        def changed(sequences: Sequences) -> Sequences:
            if key in sequences.known and not self.replaces:
                if self.keeps:
                    return sequences
                raise BindError(f"a sequence {self.path} is there already", hint="CREATE OR REPLACE SEQUENCE")
            return sequences.having(key, Sequence(self.path.name, self.order))

        caller.catalog.change_sequences(changed)
        return caller.count(None)


@statement("CREATE SEQUENCE")
def _read(head: Head) -> _CreateSequence:
    keeps = head.if_not_exists()
    if keeps and head.replace:
        raise head.wrong()
    path = head.path()
    said: dict[str, int | bool | None] = {}

    def note(what: str, value: int | bool | None) -> None:
        if what in said:
            raise ParseError(f"{what} of the sequence is said twice", text=head.text)
        said[what] = value

    while not head.at_end():
        if head.take("INCREMENT"):
            head.take("BY")
            note("INCREMENT", _number(head))
        elif head.take("START"):
            head.take("WITH")
            note("START", _number(head))
        elif head.take("NO"):
            word = head.word
            if not head.take("MINVALUE", "MAXVALUE", "CYCLE"):
                raise head.wrong()
            note(word, False if word == "CYCLE" else None)
        elif head.take("CYCLE"):
            note("CYCLE", True)
        elif head.word in ("MINVALUE", "MAXVALUE"):
            word = head.raw().upper()
            note(word, _number(head))
        else:
            raise head.wrong()
    return _CreateSequence(path, _order(said, head.text), head.replace, head.temporary, keeps)


def _number(head: Head) -> int:
    sign = -1 if head.take("-") else 1
    try:
        number = sign * int(head.raw())
    except ValueError:
        head.place -= 1
        raise head.wrong() from None
    if not _LEAST <= number <= _MOST:
        raise ParseError(f"{number} is beyond BIGINT", text=head.text)
    return number


def _order(said: Mapping[str, int | bool | None], text: str) -> Order:
    """What was said of the sequence, and what holds where nothing was."""
    increment = said.get("INCREMENT", 1)
    assert increment is not None
    if increment == 0:
        raise ParseError("the increment of a sequence is not 0", text=text)
    rises = increment > 0
    least, most = said.get("MINVALUE"), said.get("MAXVALUE")
    least = (1 if rises else _LEAST) if least is None else least
    most = (_MOST if rises else -1) if most is None else most
    start = said.get("START")
    start = (least if rises else most) if start is None else start
    if most <= least:
        raise ParseError(f"MINVALUE ({least}) must be less than MAXVALUE ({most})", text=text)
    if not least <= start <= most:
        raise ParseError(f"START ({start}) is not between MINVALUE ({least}) and MAXVALUE ({most})", text=text)
    return Order(start, increment, least, most, bool(said.get("CYCLE")))


@dataclass(frozen=True, slots=True)
class _DropSequence:
    path: Path
    if_exists: bool
    cascades: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        users: list[tuple[str, Entry]] = []

        def changed(sequences: Sequences) -> Sequences:
            meanings = caller.catalog.schemas.meanings(self.path)
            found = next((key for key in meanings if key in sequences.known), None)
            if found is None:
                if self.if_exists:
                    return sequences
                known = (one.name for one in sequences.known.values())
                raise BindError(f"there is no sequence {self.path}", hint=near(self.path.name, known))
            users[:] = tables_that_draw(caller.catalog, found)
            if users and not self.cascades:
                raise BindError(
                    f"the table {users[0][1].name} has a default that draws from {self.path}",
                    hint="DROP SEQUENCE … CASCADE drops it, too",
                )
            return sequences.without(found)

        caller.catalog.change_sequences(changed)
        for place, table in users:
            path = Path(table.name, caller.catalog.schemas.shown(place))
            caller.forget(caller.catalog.drop(path, EntryKind.TABLE, if_exists=True))
        return caller.success()


@statement("DROP SEQUENCE")
def _read_drop(head: Head) -> _DropSequence:
    if_exists = head.if_exists()
    path = head.path()
    return _DropSequence(path, if_exists, head.cascades())
