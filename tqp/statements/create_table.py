"""CREATE TABLE: of columns, or of the rows of a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from sqlglot import exp

from tqp.catalog.catalog import Entry, EntryKind, require_free
from tqp.catalog.definitions import ColumnRule, Path
from tqp.errors import BindError, UnsupportedError
from tqp.functions.collations import name_of
from tqp.io.rows import Rows
from tqp.relation import Relation
from tqp.sql.assign import Assignment
from tqp.sql.datatypes import dtype_of, types_within
from tqp.sql.expansion import expression_of, type_of
from tqp.sql.scope import distinct_names
from tqp.statements.caller import Caller
from tqp.statements.head import Head
from tqp.statements.registry import statement
from tqp.types import VARCHAR, DType, Kind

__all__: list[str] = []

_OF_COLUMNS: Final = frozenset(
    {
        "NOT",
        "NULL",
        "DEFAULT",
        "PRIMARY",
        "UNIQUE",
        "CHECK",
        "REFERENCES",
        "COLLATE",
        "CONSTRAINT",
        "GENERATED",
        "USING",
        "AS",
    }
)
"""Words that end the type or the default of a column."""
_OF_DEFAULTS: Final = _OF_COLUMNS - {"AS", "USING"}
_OF_TABLES: Final = frozenset({"PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "CONSTRAINT"})


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    type: str | None
    is_nullable: bool = True
    default: str | None = None
    collation: str = ""


@dataclass(frozen=True, slots=True)
class _CreateTable:
    """CREATE TABLE with `columns`, or with the rows of `query`, whose first columns then have the names of `columns`."""

    path: Path
    replaces: bool
    temporary: bool
    keeps: bool
    columns: tuple[_Column, ...]
    query: str | None
    with_rows: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        place = self.path.place(self.temporary)
        if self.query is None:
            rules = tuple(_rule(caller, column) for column in self.columns)
            _require_distinct([rule.name for rule in rules])
            return self._define(caller, place, Rows(_schema(rules), (), caller.connection.device), rules, None)
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
        _require_distinct(names)
        return tuple(ColumnRule(name, field.dtype) for name, field in zip(names, fields, strict=True))

    def _define(
        self, caller: Caller, place: str, rows: Rows, rules: tuple[ColumnRule, ...], count: int | None
    ) -> Relation:
        entry = Entry(self.path.name, caller.table_of(self.path.name, rows), EntryKind.TABLE, rules)
        before = caller.catalog.create(place, entry, replace=self.replaces, keep=self.keeps)
        if before is not None and self.keeps:
            return caller.count(None)
        caller.forget(None if before is None else before.meaning)
        return caller.count(count)


def _schema(rules: tuple[ColumnRule, ...]) -> list[tuple[str, DType]]:
    return [(rule.name, rule.dtype) for rule in rules]


def _require_distinct(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise BindError(f"column {name} stands twice in the table")
        seen.add(name.lower())


def _rule(caller: Caller, column: _Column) -> ColumnRule:
    """The rule of a column, its type and default looked at."""
    assert column.type is not None
    kind, named = type_of(column.type.strip(), f"for column {column.name}"), caller.catalog.types
    default = None if column.default is None else column.default.strip()
    if default is not None:
        # Bound without a FROM, so that there are no columns to it, and then as INSERT will do it: it is no aggregate.
        given = caller.without_parameters().query(f"SELECT {default}").schema[0].dtype
        if _has_query(default):
            raise BindError(f"the default of {column.name} has a subquery", hint="write a value")
        tried = Assignment(column.name, (ColumnRule(column.name, given, default=default),))
        caller.without_parameters().query("VALUES (DEFAULT)", tried)
    dtype = dtype_of(kind, named)
    if column.collation:
        if dtype != VARCHAR:
            raise BindError(f"only VARCHAR has a collation, not {dtype}", hint=f"column {column.name}")
        dtype = DType(Kind.VARCHAR, collation=column.collation)
    return ColumnRule(column.name, dtype, column.is_nullable, default, types_within(kind, named))


def _has_query(text: str) -> bool:
    return expression_of(text).find(exp.Query) is not None


@statement("CREATE TABLE")
def _read(head: Head) -> _CreateTable:
    keeps = head.if_not_exists()
    if keeps and head.replace:
        raise head.wrong()
    path = head.path()
    columns: list[_Column] = []
    if head.take("("):
        head.listed(lambda: columns.append(_column(head)))
        # A reserved word behind a comma ends a list.
        _refuse_constraint(head)
        head.need(")")
    query, with_rows = None, True
    if head.take("AS"):
        if any(column.type is not None for column in columns):
            raise head.wrong()
        query = head.to(lambda head: head.starts("WITH", "NO", "DATA") or head.starts("WITH", "DATA"))
        if head.take("WITH"):
            with_rows = not head.take("NO")
            head.need("DATA")
    elif head.take("WITH"):
        raise UnsupportedError("CREATE TABLE … WITH (…) is not supported", hint="leave the options out", text=head.text)
    elif not columns or any(column.type is None for column in columns):
        raise head.wrong()
    return _CreateTable(path, head.replace, head.temporary, keeps, tuple(columns), query, with_rows)


def _column(head: Head) -> _Column:
    _refuse_constraint(head)
    name = head.identifier()
    if head.word in (",", ")"):
        return _Column(name, None)
    if head.word == "AS":
        raise _refused(head, "a generated column")
    kind = head.to(lambda head: head.word in _OF_COLUMNS or head.word == ",")
    is_nullable, default, collation = True, None, ""
    while head.word not in (",", ")"):
        if head.take("NULL"):
            is_nullable = True
        elif head.take("NOT"):
            head.need("NULL")
            is_nullable = False
        elif head.take("DEFAULT"):
            default = _default(head)
        elif head.take("COLLATE"):
            collation = name_of(head.to(lambda head: head.word in _OF_COLUMNS or head.word == ",").strip().strip('"'))
        elif head.word in _OF_COLUMNS:
            raise _refused(head, f"{'a generated column' if head.word in ('AS', 'GENERATED') else head.word}")
        else:
            raise head.wrong()
    return _Column(name, kind, is_nullable, default, collation)


def _refuse_constraint(head: Head) -> None:
    if head.word in _OF_TABLES:
        raise _refused(head, f"{head.word} of a table")


def _default(head: Head) -> str:
    """An expression, which NULL and NOT may begin."""
    start = head.place
    return head.to(lambda head: head.word == "," or (head.place > start and head.word in _OF_DEFAULTS))


def _refused(head: Head, what: str) -> UnsupportedError:
    hint = "columns have a type, NOT NULL and DEFAULT; look for the others with a query"
    return UnsupportedError(f"{what} in CREATE TABLE is not supported", hint=hint, text=head.text)
