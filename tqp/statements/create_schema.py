"""CREATE SCHEMA, DROP SCHEMA and USE: places for tables, views and types, and where names without one are looked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tqp.catalog.definitions import TEMP, Path
from tqp.catalog.schemas import BUILT_IN, DATABASE
from tqp.errors import BindError, UnsupportedError
from tqp.relation import Relation
from tqp.statements.caller import Caller
from tqp.statements.head import Head
from tqp.statements.registry import statement

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _CreateSchema:
    path: Path
    replaces: bool
    keeps: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        _require_database(self.path)
        if self.path.name.lower() in BUILT_IN:
            raise BindError(f"there is a schema {self.path.name} already, which every connection has")
        if self.path.name.lower() in (TEMP, DATABASE, "system"):
            raise UnsupportedError(
                f"a schema with the name of the database {self.path.name} is not supported", hint="choose another name"
            )
        for meaning in caller.catalog.create_schema(self.path.name, replace=self.replaces, keep=self.keeps):
            caller.forget(meaning)
        return caller.count(None)


def _require_database(path: Path) -> None:
    if [word.lower() for word in path.qualifiers] not in ([], [DATABASE]):
        raise BindError(f"there is no database {'.'.join(path.qualifiers)}", hint=f"schemas are made in {DATABASE}")


@statement("CREATE SCHEMA")
def _read(head: Head) -> _CreateSchema:
    keeps = head.if_not_exists()
    if keeps and head.replace:
        raise head.wrong()
    if head.temporary:
        raise BindError("no schema is TEMPORARY", hint=f"CREATE SCHEMA {head.path()}")
    return _CreateSchema(head.path(), head.replace, keeps)


@dataclass(frozen=True, slots=True)
class _DropSchema:
    path: Path
    if_exists: bool
    cascade: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        _require_database(self.path)
        schemas = caller.catalog.schemas
        if self.path.name.lower() in schemas.known:
            for meaning in caller.catalog.drop_schema(self.path.name.lower(), cascade=self.cascade):
                caller.forget(meaning)
        elif not self.if_exists:
            raise BindError(f"there is no schema {self.path}", hint=f"the schemas are {schemas.listed()}")
        return caller.success()


@statement("DROP SCHEMA")
def _read_drop(head: Head) -> _DropSchema:
    if_exists = head.if_exists()
    path = head.path()
    return _DropSchema(path, if_exists, head.cascades())


@dataclass(frozen=True, slots=True)
class _Use:
    path: Path
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        found = caller.catalog.schemas.named(self.path)
        caller.catalog.use((self.path if self.path.name.lower() == found else Path(found, (DATABASE,)),))
        return caller.success()


@statement("USE")
def _read_use(head: Head) -> _Use:
    return _Use(head.path())
