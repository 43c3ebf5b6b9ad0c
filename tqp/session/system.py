"""Tables that describe the connection: its tables, columns, functions and settings, by the names that DuckDB has for them.

Each is made anew for the query that names it. Of the columns that DuckDB has, those of types that tqp has not are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from tqp.catalog.catalog import Catalog
from tqp.catalog.definitions import COLUMN_FUNCTIONS, MAIN, SYSTEM_FUNCTIONS, TEMP, Variable, View
from tqp.catalog.entries import Entry, EntryKind
from tqp.catalog.schemas import DATABASE
from tqp.config import Settings
from tqp.errors import BindError
from tqp.ir.plan import Schema
from tqp.keywords import text_constant
from tqp.session.all_types import ALL_TYPES
from tqp.session.constraints import CONSTRAINT_TABLES, check_count, constraint_rows
from tqp.session.creation import index_text, table_text, view_text
from tqp.session.fixed import FIXED_TABLES
from tqp.session.options import SETTINGS
from tqp.session.system_columns import (
    COLUMN_TABLES,
    OWN_COLUMNS,
    STANDARD_COLUMNS,
    own_rows_of,
    rows_of_columns,
    type_shown,
)
from tqp.session.system_functions import rows_of_functions
from tqp.session.system_sequences import SEQUENCE_COLUMNS, rows_of_sequences
from tqp.session.system_types import TYPE_COLUMNS, rows_of_types
from tqp.sql.sequences import path_of

__all__ = ["System", "described"]

_TEXT, _NUMBER, _COUNT, _FLAG, _TEXTS = pa.string(), pa.int32(), pa.int64(), pa.bool_(), pa.list_(pa.string())


@dataclass(frozen=True)
class System:
    """What there is to describe: `schema_of` gives the columns of an entry, none for a view that cannot be bound now."""

    catalog: Catalog
    settings: Settings
    schema_of: Callable[[str, Entry], Schema]
    variables: Mapping[str, Variable]


Row = Mapping[str, Any]
_ALL_TYPES: Final = "duckdb_types"
_VIEWS: Final = frozenset(
    {f"duckdb_{what}" for what in ("columns", "constraints", "databases", "schemas", "tables", "views")} | {_ALL_TYPES}
)
"""Names without parentheses of what the functions tell; but for types, they leave out what no user made."""


def described(name: str, system: System) -> pa.Table | None:
    """The table of that name; None where there is none."""
    function, _, of = name.removesuffix(")").partition("(")
    key = name.lower()
    if of and function.lower() in COLUMN_FUNCTIONS:
        columns, listed = _described_columns(function.lower(), of, system)
    else:
        found = _TABLES.get(f"{key}()" if key in _VIEWS else key)
        if found is None:
            return None
        columns, rows = found
        listed = [row for row in rows(system) if not (key in _VIEWS and key != _ALL_TYPES and row.get("internal"))]
    return pa.table({column: pa.array([row.get(column) for row in listed], kind) for column, kind in columns.items()})


def _entries(system: System) -> Iterator[tuple[str, Entry]]:
    """All tables and views with their places, by place and name."""
    for (place, _), entry in sorted(system.catalog.entries.items()):
        yield place, entry


def _tables(system: System) -> Iterator[Row]:
    for place, entry in _entries(system):
        is_table = entry.kind is EntryKind.TABLE
        database, schema = system.catalog.schemas.shown(place)
        kind = "VIEW" if not is_table else "LOCAL TEMPORARY" if place == TEMP else "BASE TABLE"
        yield {
            "table_catalog": database,
            "table_schema": schema,
            "table_name": entry.name,
            "table_type": kind,
            "TABLE_COMMENT": entry.comment,
            "is_insertable_into": "YES" if is_table else "NO",
            "is_typed": "NO",
            "commit_action": "PRESERVE" if is_table and place == TEMP else None,
        }


def _described_columns(function: str, name: str, system: System) -> tuple[Columns, list[Row]]:
    """What a function says of the columns of the table or view of that name; BindError where there is none."""
    found = system.catalog.found(path_of(name))
    if found is None:
        raise BindError(f"no table {name}")
    columns, rows_of = COLUMN_TABLES[function]
    schemas = system.catalog.schemas
    return columns, list(rows_of(found[1], rows_of_columns([found], schemas, system.schema_of)))


def _columns(system: System) -> Iterator[Row]:
    return rows_of_columns(_entries(system), system.catalog.schemas, system.schema_of)


def _schemata(system: System) -> Iterator[Row]:
    own = [(DATABASE, name) for name in sorted(system.catalog.schemas.known.values())]
    for catalog, schema in (*own, ("system", "information_schema"), ("system", MAIN), (TEMP, MAIN)):
        yield {"catalog_name": catalog, "schema_name": schema, "schema_owner": "duckdb"}


def _databases(system: System) -> Iterator[Row]:
    for number, name in enumerate(("memory", "system", "temp")):
        yield {
            "database_name": name,
            "database_oid": number,
            "internal": name != "memory",
            "type": "tqp",
            "readonly": False,
            "encrypted": False,
        }


def _own_schemas(system: System) -> Iterator[Row]:
    for row in _schemata(system):
        is_made = row["catalog_name"] == DATABASE and row["schema_name"] != MAIN
        yield {"database_name": row["catalog_name"], "schema_name": row["schema_name"], "internal": not is_made}


def _own_tables(system: System) -> Iterator[Row]:
    for place, entry in _entries(system):
        if entry.kind is not EntryKind.TABLE:
            continue
        (table,) = entry.tables
        yield {
            **_owner(system, place),
            "table_name": entry.name,
            "comment": entry.comment,
            "has_primary_key": any(key.is_primary for key in entry.keys),
            "estimated_size": table.rows,
            "column_count": len(table.schema),
            "index_count": len(entry.keys) + len(entry.foreign_keys) + len(entry.indexes),
            "check_constraint_count": check_count(entry),
            "sql": table_text(place, entry, system.catalog.schemas),
        }


def _own_views(system: System) -> Iterator[Row]:
    for place, entry in _entries(system):
        if entry.kind is not EntryKind.TABLE:
            view, owner = entry.meaning, _owner(system, place)
            yield {
                **owner,
                "view_name": entry.name,
                "comment": entry.comment,
                "column_count": len(system.schema_of(place, entry)),
                "sql": view_text(place, entry.name, view, system.catalog.schemas) if isinstance(view, View) else None,
            }


def _indexes(system: System) -> Iterator[Row]:
    for place, entry in _entries(system):
        for one in entry.indexes:
            database, schema = system.catalog.schemas.shown(place)
            yield {
                "database_name": database,
                "schema_name": schema,
                "index_name": one.name,
                "table_name": entry.name,
                "comment": one.comment,
                "is_unique": one.is_unique,
                "is_primary": False,
                "expressions": f"[{', '.join(map(_listed_as, one.keys))}]",
                "sql": index_text(place, entry, one, system.catalog.schemas),
            }


def _listed_as(key: str) -> str:
    """A text as a list of such is shown."""
    return key if key.isidentifier() else text_constant(key)


def _views(system: System) -> Iterator[Row]:
    words = "is_updatable is_insertable_into is_trigger_updatable is_trigger_deletable is_trigger_insertable_into"
    for row in _own_views(system):
        yield {
            "table_catalog": row["database_name"],
            "table_schema": row["schema_name"],
            "table_name": row["view_name"],
            "view_definition": row["sql"],
            "check_option": "NONE",
            **dict.fromkeys(words.split(), "NO"),
        }


def _as_in_sqlite(system: System) -> Iterator[Row]:
    """Tables, views and indexes as SQLite lists them, where libraries look for a table by its name."""
    for kind, rows in (("table", _own_tables(system)), ("view", _own_views(system)), ("index", _indexes(system))):
        for row in rows:
            table = row["view_name"] if kind == "view" else row["table_name"]
            yield {"type": kind, "name": row[f"{kind}_name"], "tbl_name": table, "rootpage": 0, "sql": row["sql"]}


def _owner(system: System, place: str) -> Row:
    database, schema = system.catalog.schemas.shown(place)
    return {
        "database_name": database,
        "schema_name": schema,
        "internal": False,
        "temporary": place == TEMP,
    }


def _settings(system: System) -> Iterator[Row]:
    for name, setting in sorted(SETTINGS.items()):
        value = setting.value(system.settings)
        yield {
            "name": name,
            "value": None if value is None else str(value),
            "input_type": str(setting.dtype),
            "scope": "GLOBAL",
        }


def _variables(system: System) -> Iterator[Row]:
    for name, variable in system.variables.items():
        yield {
            "name": name,
            "value": "NULL" if variable.shown is None else variable.shown,
            "type": type_shown(str(variable.dtype)),
        }


def _same(rows: Callable[[], Iterable[Row]]) -> Callable[[System], Iterable[Row]]:
    """A table that depends on no connection."""
    return lambda system: rows()


def _of_constraints(rows: Callable[[Iterable[Row]], Iterable[Row]]) -> Callable[[System], Iterable[Row]]:
    """A table of what the constraints of all tables are."""
    return lambda system: rows(constraint_rows(_entries(system), system.catalog.schemas))


Columns = Mapping[str, pa.DataType]


def _texts(names: str) -> Columns:
    return dict.fromkeys(names.split(), _TEXT)


_TABLES: Final[dict[str, tuple[Columns, Callable[[System], Iterable[Row]]]]] = {
    "information_schema.tables": (
        _texts(
            "table_catalog table_schema table_name table_type self_referencing_column_name reference_generation "
            "user_defined_type_catalog user_defined_type_schema user_defined_type_name is_insertable_into is_typed "
            "commit_action TABLE_COMMENT"
        ),
        _tables,
    ),
    "information_schema.columns": (STANDARD_COLUMNS, _columns),
    "information_schema.views": (
        _texts(
            "table_catalog table_schema table_name view_definition check_option is_updatable is_insertable_into "
            "is_trigger_updatable is_trigger_deletable is_trigger_insertable_into"
        ),
        _views,
    ),
    "information_schema.schemata": (
        _texts(
            "catalog_name schema_name schema_owner default_character_set_catalog default_character_set_schema "
            "default_character_set_name sql_path"
        ),
        _schemata,
    ),
    "duckdb_databases()": (
        {
            "database_name": _TEXT,
            "database_oid": _COUNT,
            **_texts("path comment"),
            "internal": _FLAG,
            "type": _TEXT,
            "readonly": _FLAG,
            "encrypted": _FLAG,
            "cipher": _TEXT,
        },
        _databases,
    ),
    "duckdb_schemas()": (
        {**_texts("database_name schema_name comment"), "internal": _FLAG, "sql": _TEXT},
        _own_schemas,
    ),
    "duckdb_tables()": (
        {
            **_texts("database_name schema_name table_name comment"),
            **dict.fromkeys(("internal", "temporary", "has_primary_key"), _FLAG),
            **dict.fromkeys(("estimated_size", "column_count", "index_count", "check_constraint_count"), _COUNT),
            "sql": _TEXT,
        },
        _own_tables,
    ),
    "duckdb_views()": (
        {
            **_texts("database_name schema_name view_name comment"),
            "internal": _FLAG,
            "temporary": _FLAG,
            "column_count": _COUNT,
            "sql": _TEXT,
        },
        _own_views,
    ),
    "duckdb_indexes()": (
        {
            **_texts("database_name schema_name index_name table_name comment"),
            **dict.fromkeys(("is_unique", "is_primary"), _FLAG),
            **_texts("expressions sql"),
        },
        _indexes,
    ),
    "duckdb_columns()": (OWN_COLUMNS, lambda system: own_rows_of(_columns(system))),
    "duckdb_sequences()": (SEQUENCE_COLUMNS, lambda system: rows_of_sequences(system.catalog)),
    "duckdb_types()": (TYPE_COLUMNS, lambda system: rows_of_types(system.catalog.types)),
    "duckdb_functions()": (
        {
            **_texts("database_name schema_name function_name alias_of function_type description comment return_type"),
            "parameters": _TEXTS,
            "parameter_types": _TEXTS,
            **_texts("varargs macro_definition"),
            "has_side_effects": _FLAG,
            "internal": _FLAG,
        },
        lambda system: rows_of_functions(system.catalog),
    ),
    **{name: (columns, _same(rows)) for name, (columns, rows) in FIXED_TABLES.items()},
    **{name: (columns, _of_constraints(rows)) for name, (columns, rows) in CONSTRAINT_TABLES.items()},
    "sqlite_master": ({**_texts("type name tbl_name"), "rootpage": _NUMBER, "sql": _TEXT}, _as_in_sqlite),
    "duckdb_settings()": (_texts("name value description input_type scope"), _settings),
    "duckdb_variables()": (_texts("name value type"), _variables),
}

assert {f"{name}()" for name in SYSTEM_FUNCTIONS} <= {*_TABLES, ALL_TYPES}
