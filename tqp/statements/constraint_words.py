"""CHECK, PRIMARY KEY and UNIQUE as they are written, behind a column or as an item of CREATE TABLE."""

from __future__ import annotations

from typing import Final

from tqp.catalog.definitions import Check, Constraint, UniqueKey
from tqp.errors import UnsupportedError
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
        return Check(head.in_parentheses().strip(), name)
    if head.word in ("FOREIGN", "REFERENCES"):
        hint = "look for rows without partners: SELECT … FROM t ANTI JOIN other USING (key)"
        raise UnsupportedError("FOREIGN KEY is not supported", hint=hint, text=head.text)
    is_primary = head.take("PRIMARY")
    head.need("KEY" if is_primary else "UNIQUE")
    return UniqueKey(head.identifiers() if column is None else (column,), is_primary, name)
