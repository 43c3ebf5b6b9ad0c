"""Statements that there are not, and what to write instead."""

from __future__ import annotations

from tqp.errors import UnsupportedError
from tqp.statements.head import Head
from tqp.statements.registry import Statement, statement

__all__: list[str] = []

_FILES = "data live in files and frames: SELECT * FROM 'file.parquet', and COPY … TO writes one"


@statement("ATTACH", "DETACH", "EXPORT", "IMPORT")
def _storage(head: Head) -> Statement | None:
    raise _refused(head, _FILES)


@statement("UPDATE EXTENSIONS")
def _extensions(head: Head) -> Statement | None:
    raise _refused(head, "leave it out: tqp takes no extensions")


@statement("GRANT", "REVOKE", "LOCK")
def _rights(head: Head) -> Statement | None:
    raise _refused(head, "leave it out: tables belong to their connection, which has no users or locks")


@statement("CREATE", "DROP")
def _object(head: Head) -> Statement | None:
    made = head.word
    if made in ("SECRET", "TRIGGER", "DATABASE", "ROLE", "USER"):
        hint = "tables, views, macros, types, sequences and schemas can be made"
        raise UnsupportedError(f"{head.words[0]} {made} is not supported", hint=hint, text=head.text)
    raise head.wrong()


@statement("ALTER")
def _alter(head: Head) -> Statement | None:
    made = head.word
    if made in ("DATABASE", "FUNCTION", "INDEX", "MACRO", "SCHEMA", "SEQUENCE", "TYPE"):
        hint = "ALTER TABLE and ALTER VIEW; others are dropped and created anew"
        raise UnsupportedError(f"ALTER {made} is not supported", hint=hint, text=head.text)
    raise head.wrong()


@statement("COMMENT", "MERGE")
def _incomplete(head: Head) -> Statement | None:
    raise head.wrong()


def _refused(head: Head, hint: str) -> UnsupportedError:
    return UnsupportedError(f"{head.words[head.place - 1]} is not supported", hint=hint, text=head.text)
