"""CHECK, PRIMARY KEY, UNIQUE and FOREIGN KEY as they are written, behind a column or as an item of CREATE TABLE."""

from __future__ import annotations

from typing import Final

from tqp.catalog.definitions import Check, Constraint, ForeignKey, UniqueKey
from tqp.errors import ParseError
from tqp.statements.head import Head

__all__ = ["at_constraint", "read_constraint"]

_FIRST: Final = frozenset({"PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "REFERENCES", "CONSTRAINT"})


def at_constraint(head: Head) -> bool:
    """Whether the word here begins a constraint."""
    return head.word in _FIRST


def read_constraint(head: Head, column: str | None = None) -> Constraint:
    """The constraint that stands here, which is passed; behind a `column` it is one of that."""
    name = head.identifier() if head.take("CONSTRAINT") else None
    if head.take("CHECK"):
        head.need("(")
        text = head.expression().strip()
        head.need(")")
        return Check(text, name)
    if column is None and head.take("FOREIGN"):
        head.need("KEY")
        return _read_references(head, head.identifiers(), name)
    if column is not None and head.word == "REFERENCES":
        return _read_references(head, (column,), name)
    is_primary = head.take("PRIMARY")
    head.need("KEY" if is_primary else "UNIQUE")
    return UniqueKey(
        head.identifiers() if column is None else (column,), is_primary, name, at_column=column is not None
    )


def _read_references(head: Head, columns: tuple[str, ...], name: str | None) -> ForeignKey:
    head.need("REFERENCES")
    table = head.path()
    others = head.identifiers() if head.word == "(" else ()
    if others and len(others) != len(columns):
        message = f"FOREIGN KEY ({', '.join(columns)}) refers to {len(others)} columns of {table}"
        raise ParseError(message, hint="one column for each", text=head.text)
    while head.take("ON"):
        if not head.take("DELETE"):
            head.need("UPDATE")
        if head.take("NO"):
            head.need("ACTION")
        elif head.word in ("CASCADE", "SET"):
            message, hint = "a FOREIGN KEY never changes rows of its table", "ON DELETE RESTRICT, or nothing"
            raise ParseError(message, hint=hint, location=head.at(head.place), text=head.text)
        else:
            head.need("RESTRICT")
    return ForeignKey(columns, table, others, name)
