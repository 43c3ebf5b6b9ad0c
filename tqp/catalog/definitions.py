"""What statements define: the columns of tables, views and macros, as data. They are bound where they are used."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tqp.oids import new_oid
from tqp.types import DType

__all__ = [
    "MAIN",
    "COLUMN_FUNCTIONS",
    "SYSTEM_FUNCTIONS",
    "TEMP",
    "Check",
    "ColumnRule",
    "Constraint",
    "ForeignKey",
    "Index",
    "Key",
    "UniqueKey",
    "Macro",
    "Overload",
    "Parameter",
    "Path",
    "Variable",
    "View",
]

MAIN, TEMP = "main", "temp"
"""Where a name is defined: in the schema main, or where what is temporary is. What a query calls by its name alone is looked for
in TEMP first."""

Key = tuple[str, str]
"""Where something is defined (a schema, by its name in lower case, or TEMP), and its name in lower case."""

SYSTEM_FUNCTIONS: Final = frozenset(
    """duckdb_columns duckdb_constraints duckdb_databases duckdb_dependencies duckdb_extensions duckdb_functions duckdb_indexes
    duckdb_keywords duckdb_optimizers duckdb_prepared_statements duckdb_schemas duckdb_secrets duckdb_sequences duckdb_settings
    duckdb_tables duckdb_temporary_files duckdb_triggers duckdb_types duckdb_variables duckdb_views pragma_collations
    pragma_version test_all_types""".split()
)
"""What a query calls for a table that describes the connection or the types that there are; its name ends in parentheses where
names are looked up."""

COLUMN_FUNCTIONS: Final = frozenset({"pragma_show", "pragma_table_info"})
"""The same for one that describes the table or view of its one argument."""


@dataclass(frozen=True, slots=True)
class Path:
    """A name as a statement writes it, with a schema and a database before it where they are written."""

    name: str
    qualifiers: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join((*self.qualifiers, self.name))


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """A column of a table as CREATE TABLE says it; `default` is an expression as it is written, None for NULL.

    `types` are the named types that it is written with. `generated` is the expression over other columns, as it is written, whose
    value each row has there; None for a column that takes values.
    """

    name: str
    dtype: DType
    is_nullable: bool = True
    default: str | None = None
    types: tuple[Key, ...] = ()
    comment: str | None = None
    generated: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """A condition on each row of a table, as it is written, that must not be false."""

    text: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class UniqueKey:
    """Columns whose values, where none of them is NULL, no two rows have in common; `at_column`: written beside its one column."""

    columns: tuple[str, ...]
    is_primary: bool = False
    name: str | None = None
    at_column: bool = False


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns whose values, where none of them is NULL, a row of another table has in its columns `others`.

    That table stands where the one with the key does; `table` is it as it is written. No `others`: its primary key.
    """

    columns: tuple[str, ...]
    table: Path
    others: tuple[str, ...] = ()
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Index:
    """A name for expressions over columns of a table. Nothing is built for it; where it `is_unique`, it is a key under that name.

    `keys` are the expressions, as they are shown, and `columns` those that they name: of a unique one they are its keys.
    """

    name: str
    keys: tuple[str, ...]
    columns: tuple[str, ...]
    is_unique: bool = False
    comment: str | None = None
    oid: int = field(default_factory=new_oid, compare=False)


Constraint = Check | UniqueKey | ForeignKey
"""What holds of the rows of a table beside its columns' rules."""


@dataclass(frozen=True, slots=True)
class Variable:
    """The value of a variable: `text` is an expression of SQL that has it, and its type; `shown` is it as VARCHAR."""

    text: str
    shown: str | None
    dtype: DType


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A query under a name, as it is written: its names mean what they mean where the view is used.

    `columns` are names of its first columns. `secure` is what SQL called it, and means no more than that here.
    """

    name: str
    text: str
    columns: tuple[str, ...] = ()
    secure: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a macro; `default` and `type` as they are written, None where nothing is."""

    name: str
    default: str | None = None
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Overload:
    """One definition of a macro: what takes the place of a call, as it is written."""

    parameters: tuple[Parameter, ...]
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Macro:
    """A macro: an expression, or with `is_table` a query, that takes the place of its calls."""

    name: str
    overloads: tuple[Overload, ...]
    is_table: bool = False
    place: str = MAIN
    """Where it is defined."""
    comment: str | None = None
    oid: int = field(default_factory=new_oid)
