"""The columns of CREATE TABLE and ALTER TABLE: their types, defaults and constraints as they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from tqp.catalog.definitions import ColumnRule, Constraint
from tqp.errors import BindError, UnsupportedError
from tqp.functions.collations import name_of
from tqp.sql.assign import Assignment
from tqp.sql.datatypes import dtype_of, types_within
from tqp.sql.expansion import expression_of, type_of
from tqp.sql.generated import GeneratedValue, in_order
from tqp.statements.caller import Caller
from tqp.statements.constraint_words import at_constraint, read_constraint
from tqp.statements.head import Head
from tqp.types import NULL, VARCHAR, DType, Kind

__all__ = [
    "Column",
    "checked_default",
    "checked_generated",
    "read_column",
    "read_default",
    "require_distinct",
    "rule_of",
    "rules_of",
]

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
    """A column as it is written; `constraints` are those that stand behind it, NOT NULL aside. It may be `generated`."""

    name: str
    type: str | None
    is_nullable: bool = True
    default: str | None = None
    constraints: tuple[Constraint, ...] = ()
    collation: str = ""
    generated: str | None = None


def rules_of(caller: Caller, columns: Sequence[Column]) -> tuple[ColumnRule, ...]:
    """The rules of all columns of a table; those that are generated have the types of their values where none is written."""
    require_distinct([column.name for column in columns])
    if all(column.generated is not None for column in columns):
        raise BindError("all columns of the table are generated", hint="a column that takes values has a type alone")
    typed = {column.name: column.type is not None for column in columns}
    return checked_generated(caller, [rule_of(caller, column) for column in columns], typed)


def require_distinct(names: Sequence[str]) -> None:
    """BindError where a name stands twice among those of a table's columns."""
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise BindError(f"column {name} stands twice in the table")
        seen.add(name.lower())


def checked_generated(
    caller: Caller, rules: Sequence[ColumnRule], typed: Mapping[str, bool] | None = None
) -> tuple[ColumnRule, ...]:
    """The rules of a table, those of generated columns looked at: they take the types of their values where they are not `typed`.

    None: all are.
    """
    known = {rule.name: rule for rule in rules if rule.generated is None}
    for rule in in_order(rules):
        is_typed = typed is None or typed[rule.name]
        value = GeneratedValue(rule, tuple(known.values()), is_typed)
        dtype = caller.without_parameters().query("SELECT 1", value).schema[0].dtype
        known[rule.name] = replace(rule, dtype=dtype)
    return tuple(known[rule.name] for rule in rules)


def rule_of(caller: Caller, column: Column) -> ColumnRule:
    """The rule of a column, its type and default looked at; a generated column may have no type, which NULL stands for."""
    named = caller.catalog.types
    if column.type is None:
        assert column.generated is not None
        types = types_within(expression_of(column.generated), named)
        return ColumnRule(column.name, NULL, types=types, generated=column.generated)
    kind = type_of(column.type.strip(), f"for column {column.name}")
    default = None if column.default is None else checked_default(caller, column.name, column.default)
    dtype = dtype_of(kind, named)
    if column.collation:
        if dtype != VARCHAR:
            raise BindError(f"only VARCHAR has a collation, not {dtype}", hint=f"column {column.name}")
        dtype = DType(Kind.VARCHAR, collation=column.collation)
    types = types_within(kind, named)
    if column.generated is not None:
        types = tuple(dict.fromkeys([*types, *types_within(expression_of(column.generated), named)]))
    return ColumnRule(column.name, dtype, column.is_nullable, default, types, generated=column.generated)


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
    kind = None
    if not (head.starts("AS", "(") or head.starts("GENERATED", "ALWAYS")):
        kind = head.to(lambda head: head.word in _OF_COLUMNS or head.word == ",")
    generated = _read_generated(head)
    is_nullable, default, collation = True, None, ""
    constraints: list[Constraint] = []
    while not head.at_end() and head.word not in (",", ")"):
        if head.take("NULL"):
            is_nullable = True
        elif head.take("NOT"):
            head.need("NULL")
            is_nullable = False
        elif head.word == "DEFAULT" and default is None:
            head.place += 1
            default = read_default(head)
        elif head.word == "COLLATE" and not collation:
            head.place += 1
            collation = name_of(head.to(lambda head: head.word in _OF_COLUMNS or head.word == ",").strip().strip('"'))
        elif at_constraint(head):
            constraints.append(read_constraint(head, name))
        elif head.word in _OF_COLUMNS - {"AS", "GENERATED", "DEFAULT", "COLLATE"}:
            raise _refused(head, head.word)
        else:
            raise head.wrong()
    if generated is not None and (not is_nullable or default is not None or collation):
        raise BindError(f"{name} is generated: it has no DEFAULT, NOT NULL or COLLATE", text=head.text)
    return Column(name, kind, is_nullable, default, tuple(constraints), collation, generated)


def _read_generated(head: Head) -> str | None:
    """`[GENERATED ALWAYS] AS (expression) [VIRTUAL]`, which is passed: the expression; None where something else stands."""
    if head.word not in ("AS", "GENERATED"):
        return None
    if head.take("GENERATED"):
        head.need("ALWAYS")
    head.need("AS")
    head.need("(")
    text = head.expression(lambda head: head.word == ",").strip()
    head.need(")")
    if head.word == "STORED":
        raise UnsupportedError("STORED is not supported", hint="leave it out: values are kept anyway", text=head.text)
    head.take("VIRTUAL")
    return text


def read_default(head: Head) -> str:
    """An expression, which NULL and NOT may begin; it is passed."""
    start = head.place
    return head.expression(lambda head: head.word == "," or (head.place > start and head.word in _OF_DEFAULTS))


def _refused(head: Head, what: str) -> UnsupportedError:
    hint = "columns have a type, NOT NULL, DEFAULT, CHECK, UNIQUE and PRIMARY KEY; a view computes columns"
    return UnsupportedError(f"{what} in {head.words[head.first]} TABLE is not supported", hint=hint, text=head.text)
