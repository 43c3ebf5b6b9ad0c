"""What a statement is run with: its connection, and what its caller gave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from tqp import relation
from tqp.data.stored import StoredTable
from tqp.data.table import Table
from tqp.io.readers import ArrowReader
from tqp.io.rows import Rows
from tqp.ir.plan import Plan
from tqp.query import Query
from tqp.relation import Relation
from tqp.relation.answer import Answer
from tqp.session.binding import Asked
from tqp.sql.dialect import dialect_named
from tqp.sql.words import words
from tqp.statements.given import by_name, parameters_in

if TYPE_CHECKING:
    from tqp.catalog.catalog import Catalog
    from tqp.catalog.definitions import Macro, Variable
    from tqp.config import Settings
    from tqp.data.column import Column
    from tqp.io.remote import Storage
    from tqp.session.names import Access
    from tqp.sql import Parameters
    from tqp.sql.assign import Target
    from tqp.sql.changes import Changes

__all__ = ["Database", "Caller"]


class Database(relation.Session, Protocol):
    """What statements ask of their connection."""

    settings_at_first: Settings

    @property
    def catalog(self) -> Catalog: ...
    @property
    def access(self) -> Access: ...
    @property
    def in_transaction(self) -> bool: ...
    def bound(self, asked: Asked) -> Query: ...
    def all_of(self, table: StoredTable) -> Relation: ...
    def change(self, changed: Callable[[Settings], Settings]) -> None: ...
    def forget(self, meaning: object) -> None: ...
    def set_variable(self, name: str, variable: Variable | None) -> None: ...
    def prepare(self, name: str, text: str | None) -> None: ...
    def prepared(self, name: str) -> str: ...
    def open_transaction(self, read_only: bool) -> None: ...
    def end_transaction(self, commits: bool) -> None: ...
    def aborting(self) -> AbstractContextManager[None]: ...
    def require_whole(self) -> None: ...


@dataclass(frozen=True)
class Caller:
    """One call of `Connection.sql` or `execute`."""

    connection: Database
    params: Parameters = None
    frame: FrameType | None = None
    timeout: float | None = None
    relations: Mapping[str, Answer] = field(default_factory=dict)
    """What names mean beside all that the connection knows."""
    storage: Storage | None = None
    """Options for paths behind protocols that are written."""
    told: list[Relation] = field(default_factory=list)
    """What `count` and `success` gave: answers that say that something was done, and hold no rows of anybody."""

    @property
    def catalog(self) -> Catalog:
        return self.connection.catalog

    def without_parameters(self) -> Caller:
        return replace(self, params=None)

    @property
    def access(self) -> Access:
        return self.connection.access

    def query(self, text: str, target: Target | None = None, relations: Mapping[str, Answer] | None = None) -> Relation:
        """The relation of a query, with `target` as rows of that table; bound, and not run. It may name these `relations`."""
        known = {**self.relations, **(relations or {})}
        query = self.connection.bound(Asked(text, self.params, self.frame, known, target=target))
        return Relation(self.connection, query, self.timeout)

    def part(self, text: str) -> Caller:
        """The same with the values of the parameters that a part of a statement has."""
        if self.params is None:
            return self
        names = parameters_in(words(dialect_named("duckdb"), text))
        given = {name: value for name, value in by_name(self.params).items() if name in names}
        return replace(self, params=given or None)

    def changes(self, text: str, target: Changes) -> list[Column]:
        """What is found of rows of a table: their numbers, and their new values, each (n,)."""
        result = self.query(text, target).result()
        return [column.expand(result.rows) for column in result.columns]

    def bound(self, text: str, target: Target | None = None, macro: Macro | None = None) -> Query:
        """The query as it is bound; `macro` is one more macro, for it alone."""
        return self.connection.bound(Asked(text, self.params, self.frame, target=target, macro=macro))

    def described(self, text: str) -> Plan:
        """The plan of a query of which only the columns are asked: these may be some that no reader can give."""
        return self.connection.bound(Asked(text, self.params, self.frame, self.relations, is_read=False)).plan

    def rows(self, table: pa.Table, name: str = "result") -> Relation:
        """A few rows that a statement gives."""
        stored = StoredTable(name, ArrowReader(table), self.connection.device)
        query = self.connection.all_of(stored).bound_query
        names = tuple(column for column, _ in stored.schema)
        return Relation(self.connection, query, table=Table(names, tuple(stored.columns(names)), stored.rows))

    def count(self, rows: int | None, files: Sequence[str] | None = None) -> Relation:
        """How many rows a statement wrote, and into which `files`, in DuckDB's words; None: it wrote none to count."""
        told = {"Count": pa.array([] if rows is None else [rows], pa.int64())}
        if files is not None:
            told["Files"] = pa.array([list(files)], pa.list_(pa.string()))
        return self._told(pa.table(told))

    def success(self) -> Relation:
        """No rows: what a statement that writes none gives, in DuckDB's words."""
        return self._told(pa.table({"Success": pa.array([], pa.bool_())}))

    def _told(self, table: pa.Table) -> Relation:
        relation = self.rows(table)
        self.told.append(relation)
        return relation

    def table_of(self, name: str, rows: Rows) -> StoredTable:
        return StoredTable(name, rows, self.connection.device, is_held=True)

    def forget(self, meaning: object) -> None:
        """Let go of what was planned with a table or view that its name does not mean any more."""
        if meaning is not None:
            self.connection.forget(meaning)
