"""CREATE TABLE: of columns, or of the rows of a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tqp.catalog.definitions import ColumnRule, Constraint, Path
from tqp.catalog.entries import Entry, EntryKind, require_free
from tqp.errors import BindError, UnsupportedError
from tqp.io.rows import Rows
from tqp.relation import Relation
from tqp.sql.scope import distinct_names
from tqp.statements.caller import Caller
from tqp.statements.columns import Column, read_column, require_distinct, rules_of
from tqp.statements.constraint_words import at_constraint, read_constraint
from tqp.statements.constraints import checked_constraints
from tqp.statements.foreign_keys import checked_foreign_keys
from tqp.statements.head import Head
from tqp.statements.registry import statement
from tqp.types import DType

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _CreateTable:
    """CREATE TABLE with `columns`, or with the rows of `query`, whose first columns then have the names of `columns`."""

    path: Path
    replaces: bool
    temporary: bool
    keeps: bool
    columns: tuple[Column, ...]
    constraints: tuple[Constraint, ...]
    query: str | None
    with_rows: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        place = caller.catalog.schemas.place(self.path, self.temporary)
        if self.query is None:
            rules = rules_of(caller, self.columns)
            constraints = [*(one for column in self.columns for one in column.constraints), *self.constraints]
            constraints = checked_foreign_keys(caller, (place, self.path.name.lower()), rules, constraints)
            rules, held = checked_constraints(caller, self.path.name, rules, constraints)
            return self._define(caller, place, Rows(_schema(rules), (), caller.connection.device), rules, None, held)
        relation = caller.query(self.query)
        rules = self._rules_of(relation)
        existing = caller.catalog.entries.get((place, self.path.name.lower()))
        if existing is not None:
            # Before its rows are looked for.
            made = Entry(self.path.name, existing.meaning, EntryKind.TABLE)
            require_free(made, existing, replace=self.replaces, keep=self.keeps)
            if self.keeps:
                return caller.count(None)
        rows = Rows(_schema(rules), (), caller.connection.device)
        if self.with_rows:
            rows = rows.appended(relation.result())
        return self._define(caller, place, rows, rules, rows.rows)

    def asked(self, caller: Caller) -> Relation:
        """The query that gives its rows."""
        if self.query is None:
            raise UnsupportedError("EXPLAIN of a table without a query is not supported", hint="EXPLAIN a query")
        return caller.query(self.query)

    def _rules_of(self, relation: Relation) -> tuple[ColumnRule, ...]:
        fields = distinct_names(relation.schema)
        named = [column.name for column in self.columns]
        if len(named) > len(fields):
            raise BindError(f"the query has {len(fields)} columns, and {len(named)} are named")
        names = [*named, *(field.name for field in fields[len(named) :])]
        require_distinct(names)
        return tuple(ColumnRule(name, field.dtype) for name, field in zip(names, fields, strict=True))

    def _define(
        self,
        caller: Caller,
        place: str,
        rows: Rows,
        rules: tuple[ColumnRule, ...],
        count: int | None,
        constraints: tuple[Constraint, ...] = (),
    ) -> Relation:
        entry = Entry(self.path.name, caller.table_of(self.path.name, rows), EntryKind.TABLE, rules, constraints)
        before = caller.catalog.create(place, entry, replace=self.replaces, keep=self.keeps)
        if before is not None and self.keeps:
            return caller.count(None)
        caller.forget(None if before is None else before.meaning)
        return caller.count(count)


def _schema(rules: tuple[ColumnRule, ...]) -> list[tuple[str, DType]]:
    return [(rule.name, rule.dtype) for rule in rules]


@statement("CREATE TABLE")
def _read(head: Head) -> _CreateTable:
    keeps = head.if_not_exists()
    if keeps and head.replace:
        raise head.wrong()
    path = head.path()
    columns: list[Column] = []
    constraints: list[Constraint] = []
    if head.take("("):
        while True:
            if at_constraint(head):
                constraints.append(read_constraint(head))
            else:
                columns.append(read_column(head))
            if not head.take(",") or head.word == ")":
                break
        head.need(")")
    query, with_rows = None, True
    if head.take("AS"):
        if constraints or any(column.type is not None or column.generated is not None for column in columns):
            raise head.wrong()
        query = head.to(lambda head: head.starts("WITH", "NO", "DATA") or head.starts("WITH", "DATA"))
        if head.take("WITH"):
            with_rows = not head.take("NO")
            head.need("DATA")
    elif head.take("WITH"):
        raise UnsupportedError("CREATE TABLE … WITH (…) is not supported", hint="leave the options out", text=head.text)
    elif not columns or any(column.type is None and column.generated is None for column in columns):
        raise head.wrong()
    return _CreateTable(path, head.replace, head.temporary, keeps, tuple(columns), tuple(constraints), query, with_rows)
