"""CREATE TYPE: a name for a type, as of an ENUM, whose labels may be the rows of a query; and DROP TYPE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tqp.catalog.definitions import ColumnRule, Key, Path
from tqp.catalog.named_types import NamedType
from tqp.errors import BindError
from tqp.relation import Relation
from tqp.sql.assign import Assignment
from tqp.sql.context import near
from tqp.sql.datatypes import dtype_of, enum_of, types_within
from tqp.sql.expansion import type_of
from tqp.sql.type_names import TYPE_NAMES
from tqp.statements.caller import Caller
from tqp.statements.head import QUERY_STARTS, Head
from tqp.statements.registry import statement
from tqp.types import VARCHAR, DType

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _CreateType:
    """CREATE TYPE as the type that `text` is, or with `is_query` as an ENUM of what that query finds.

    Without `text` it is an ENUM without labels.
    """

    path: Path
    text: str
    is_query: bool
    temporary: bool
    replaces: bool
    keeps: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        key = caller.catalog.schemas.place(self.path, self.temporary), self.path.name.lower()
        if self.path.name.lower() in TYPE_NAMES:
            raise BindError(f"{self.path.name} is a type already", hint="give yours another name")
        types = caller.catalog.types
        if not (self.keeps and key in types.known):
            dtype, uses = self._labels(caller), tuple[Key, ...]()
            if dtype is None:
                kind = type_of(self.text, f"for {self.path}")
                dtype, uses = dtype_of(kind, types), types_within(kind, types)
            named = NamedType(self.path.name, dtype, uses)
            caller.catalog.define_type(key, named, replace=self.replaces, keep=self.keeps)
        return caller.count(None)

    def _labels(self, caller: Caller) -> DType | None:
        """The ENUM of the texts that a query finds, in order, each once and without NULL; None where `text` is a type."""
        if not self.text:
            return enum_of(())
        if not self.is_query:
            return None
        fields = caller.query(self.text).schema
        if len(fields) != 1:
            raise BindError(f"the labels of an ENUM are one column, and the query has {len(fields)}")
        # As if they were inserted into a column of texts.
        rows = caller.query(self.text, Assignment(self.path.name, (ColumnRule(fields[0].name, VARCHAR),))).fetchall()
        return enum_of(dict.fromkeys(label for (label,) in rows if label is not None))


@statement("CREATE TYPE")
def _read(head: Head) -> _CreateType:
    keeps = head.if_not_exists()
    if keeps and head.replace:
        raise head.wrong()
    path = head.path()
    head.need("AS")
    is_query = head.word == "ENUM" and head.following == "(" and head.words[head.place + 2] in QUERY_STARTS
    if is_query:
        head.need("ENUM")
        text = head.in_parentheses()
    elif head.starts("ENUM", "(", ")"):
        head.place += 3
        text = ""
    else:
        text = head.to(lambda head: head.word == ",").strip()
    return _CreateType(path, text, is_query, head.temporary, head.replace, keeps)


@dataclass(frozen=True, slots=True)
class _DropType:
    path: Path
    if_exists: bool
    cascade: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        types = caller.catalog.types
        key = next((key for key in types.schemas.meanings(self.path) if key in types.known), None)
        if key is not None:
            for meaning in caller.catalog.drop_type(key, cascade=self.cascade):
                caller.forget(meaning)
        elif not self.if_exists:
            raise BindError(f"there is no type {self.path}", hint=near(self.path.name, types.names()))
        return caller.success()


@statement("DROP TYPE")
def _read_drop(head: Head) -> _DropType:
    if_exists = head.if_exists()
    path = head.path()
    return _DropType(path, if_exists, head.cascades())
