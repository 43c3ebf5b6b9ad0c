"""The columns of CREATE TABLE and ALTER TABLE: their types, defaults and constraints as they are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from tqp.catalog.definitions import ColumnRule, Constraint
from tqp.errors import BindError, UnsupportedError
from tqp.functions.collations import name_of
from tqp.sql.assign import Assignment
from tqp.sql.datatypes import dtype_of, types_within
from tqp.sql.expansion import expression_of, type_of
from tqp.statements.caller import Caller
from tqp.statements.constraint_words import at_constraint, read_constraint
from tqp.statements.head import Head
from tqp.types import VARCHAR, DType, Kind

__all__ = ["Column", "checked_default", "read_column", "read_default", "rule_of"]

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


@dataclass(frozen=True, slots=True)
class Column:
    """A column as it is written; `constraints` are those that stand behind it, NOT NULL aside."""

    name: str
    type: str | None
    is_nullable: bool = True
    default: str | None = None
    constraints: tuple[Constraint, ...] = ()
    collation: str = ""


def rule_of(caller: Caller, column: Column) -> ColumnRule:
    """The rule of a column, its type and default looked at."""
    assert column.type is not None
    kind, named = type_of(column.type.strip(), f"for column {column.name}"), caller.catalog.types
    default = None if column.default is None else checked_default(caller, column.name, column.default)
    dtype = dtype_of(kind, named)
    if column.collation:
        if dtype != VARCHAR:
            raise BindError(f"only VARCHAR has a collation, not {dtype}", hint=f"column {column.name}")
        dtype = DType(Kind.VARCHAR, collation=column.collation)
    return ColumnRule(column.name, dtype, column.is_nullable, default, types_within(kind, named))


def checked_default(caller: Caller, name: str, text: str) -> str:
    """The default of a column, which is an expression without columns, aggregates and subqueries."""
    default = text.strip()
    # Bound without a FROM, so that there are no columns to it, and then as INSERT will do it: it is no aggregate.
    given = caller.without_parameters().query(f"SELECT {default}").schema[0].dtype
    if expression_of(default).find(exp.Query) is not None:
        raise BindError(f"the default of {name} has a subquery", hint="write a value")
    tried = Assignment(name, (ColumnRule(name, given, default=default),))
    caller.without_parameters().query("VALUES (DEFAULT)", tried)
    return default


def read_column(head: Head) -> Column:
    """A name with a type and what stands behind it, which are passed; a name alone where a query gives the types."""
    name = head.identifier()
    if head.word in (",", ")"):
        return Column(name, None)
    if head.word == "AS":
        raise _refused(head, "a generated column")
    kind = head.to(lambda head: head.word in _OF_COLUMNS or head.word == ",")
    is_nullable, default, collation = True, None, ""
    constraints: list[Constraint] = []
    while not head.at_end() and head.word not in (",", ")"):
        if head.take("NULL"):
            is_nullable = True
        elif head.take("NOT"):
            head.need("NULL")
            is_nullable = False
        elif head.take("DEFAULT"):
            default = read_default(head)
        elif head.take("COLLATE"):
            collation = name_of(head.to(lambda head: head.word in _OF_COLUMNS or head.word == ",").strip().strip('"'))
        elif at_constraint(head):
            constraints.append(read_constraint(head, name))
        elif head.word in _OF_COLUMNS:
            raise _refused(head, f"{'a generated column' if head.word in ('AS', 'GENERATED') else head.word}")
        else:
            raise head.wrong()
    return Column(name, kind, is_nullable, default, tuple(constraints), collation)


def read_default(head: Head) -> str:
    """An expression, which NULL and NOT may begin; it is passed."""
    start = head.place
    return head.to(lambda head: head.word == "," or (head.place > start and head.word in _OF_DEFAULTS))


def _refused(head: Head, what: str) -> UnsupportedError:
    hint = "columns have a type, NOT NULL, DEFAULT, CHECK, UNIQUE and PRIMARY KEY; a view computes columns"
    return UnsupportedError(f"{what} in {head.words[head.first]} TABLE is not supported", hint=hint, text=head.text)
