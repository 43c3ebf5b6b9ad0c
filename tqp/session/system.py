"""Tables that describe the connection: its tables, columns, functions and settings, by the names that DuckDB has for them.

Functions give the facts, each as a table that is made anew for the query that names it. The others are views over these
(`system_views`). Of the columns that DuckDB has, those of types that tqp has not are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from tqp.catalog.catalog import Catalog
from tqp.catalog.definitions import COLUMN_FUNCTIONS, MAIN, SYSTEM_FUNCTIONS, TEMP, Variable, View
from tqp.catalog.entries import Entry, EntryKind
from tqp.catalog.schemas import DATABASE
from tqp.config import Settings
from tqp.errors import BindError
from tqp.ir.plan import Schema
from tqp.keywords import text_constant
from tqp.oids import DATABASE_OIDS
from tqp.session.all_types import ALL_TYPES
from tqp.session.constraints import CONSTRAINT_COLUMNS, check_count, constraint_rows
from tqp.session.creation import index_text, table_text, view_text
from tqp.session.dependencies import DEPENDENCY_COLUMNS, dependency_rows
from tqp.session.fixed import FIXED_TABLES
from tqp.session.options import SETTINGS
from tqp.session.places import COUNT, FLAG, MAP, PLACE, TEXT, TEXTS, Row, in_order, named_place, place_of, texts
from tqp.session.prepared import PREPARED_COLUMNS, prepared_rows
from tqp.session.system_columns import COLUMN_TABLES, OWN_COLUMNS, rows_of_columns, type_shown
from tqp.session.system_functions import FUNCTION_COLUMNS, rows_of_functions
from tqp.session.system_sequences import SEQUENCE_COLUMNS, rows_of_sequences
from tqp.session.system_types import TYPE_COLUMNS, rows_of_types
from tqp.session.system_views import SYSTEM_SCHEMAS, SYSTEM_VIEWS, view_named
from tqp.sql.sequences import path_of
from tqp.types import VARCHAR

__all__ = ["System", "described"]


@dataclass(frozen=True)
class System:
    """What there is to describe: `schema_of` gives the columns of an entry, none for a view that cannot be bound now."""

    catalog: Catalog
    settings: Settings
    schema_of: Callable[[str, Entry], Schema]
    variables: Mapping[str, Variable]
    prepared: Mapping[str, str]
    schema_of_query: Callable[[str], Schema]


Columns = Mapping[str, pa.DataType]


def described(name: str, system: System) -> pa.Table | View | None:
    """The table or view of that name, as a query says it; None where there is none."""
    function, _, of = name.removesuffix(")").partition("(")
    if of and function.lower() in COLUMN_FUNCTIONS:
        columns, rows = _described_columns(function.lower(), of, system)
    elif name.lower() in _TABLES:
        columns, rows_of = _TABLES[name.lower()]
        rows = list(rows_of(system))
    else:
        return view_named(name)
    return pa.table({column: pa.array([row.get(column) for row in rows], kind) for column, kind in columns.items()})


def _entries(system: System) -> Iterator[tuple[str, Entry]]:
    """All tables and views with their places."""
    return in_order(system.catalog.entries)


def _described_columns(function: str, name: str, system: System) -> tuple[Columns, list[Row]]:
    """What a function says of the columns of the table or view of that name; BindError where there is none."""
    columns, rows_of = COLUMN_TABLES[function]
    schemas, path, schema_of = system.catalog.schemas, path_of(name), system.schema_of
    is_of_system = {word.lower() for word in path.qualifiers} & SYSTEM_SCHEMAS
    found = None if is_of_system else system.catalog.found(path)
    if found is None:
        view = view_named(str(path))
        if view is None:
            raise BindError(f"no table {name}")
        found, schema_of = (MAIN, Entry(view.name, view)), lambda place, entry: system.schema_of_query(f"FROM {path}")
    return columns, list(rows_of(found[1], rows_of_columns([found], schemas, schema_of)))


def _databases(system: System) -> Iterator[Row]:
    for name, number in sorted(DATABASE_OIDS.items()):
        yield {
            "database_name": name,
            "database_oid": number,
            "tags": [],
            "internal": name != DATABASE,
            "type": "tqp",
            "readonly": False,
            "encrypted": False,
            "options": [],
        }


def _schemas(system: System) -> Iterator[Row]:
    own = [(DATABASE, name) for name in sorted(system.catalog.schemas.known.values(), key=str.upper)]
    of_system = [("system", name) for name in ("information_schema", MAIN, "pg_catalog")]
    for database, schema in (*own, *of_system, (TEMP, MAIN)):
        row = named_place(database, schema)
        yield {**row, "oid": row["schema_oid"], "internal": database != DATABASE or schema == MAIN}


def _tables(system: System) -> Iterator[Row]:
    for place, entry in _entries(system):
        if entry.kind is not EntryKind.TABLE:
            continue
        (table,) = entry.tables
        yield {
            **_owner(system, place),
            "table_name": entry.name,
            "table_oid": entry.oid,
            "comment": entry.comment,
            "has_primary_key": any(key.is_primary for key in entry.keys),
            "estimated_size": table.rows,
            "column_count": len(table.schema),
            "index_count": len(entry.keys) + len(entry.foreign_keys) + len(entry.indexes),
            "check_constraint_count": check_count(entry),
            "sql": table_text(place, entry, system.catalog.schemas),
        }


def _views(system: System) -> Iterator[Row]:
    for place, entry in _entries(system):
        if entry.kind is EntryKind.TABLE:
            continue
        view, columns = entry.meaning, len(system.schema_of(place, entry))
        yield {
            **_owner(system, place),
            "view_name": entry.name,
            "view_oid": entry.oid,
            "comment": entry.comment,
            "column_count": columns,
            "sql": view_text(place, entry.name, view, system.catalog.schemas) if isinstance(view, View) else None,
            "is_bound": columns > 0,
        }
    for schema, number, view in SYSTEM_VIEWS:
        yield {
            **named_place("system", schema),
            "view_name": view.name,
            "view_oid": number,
            "internal": True,
            "temporary": True,
            "sql": f"CREATE TEMP VIEW {schema}.{view.name} AS {view.text};",
            "is_bound": False,
        }


def _indexes(system: System) -> Iterator[Row]:
    known = {
        (place, one.name): (entry, one) for (place, _), entry in system.catalog.entries.items() for one in entry.indexes
    }
    for place, (entry, one) in in_order(known):
        yield {
            **place_of(system.catalog.schemas, place),
            "index_name": one.name,
            "index_oid": one.oid,
            "table_name": entry.name,
            "table_oid": entry.oid,
            "comment": one.comment,
            "is_unique": one.is_unique,
            "is_primary": False,
            "expressions": f"[{', '.join(map(_listed_as, one.keys))}]",
            "sql": index_text(place, entry, one, system.catalog.schemas),
        }


def _listed_as(key: str) -> str:
    """A text as a list of such is shown."""
    return key if key.isidentifier() else text_constant(key)


def _owner(system: System, place: str) -> Row:
    return {**place_of(system.catalog.schemas, place), "internal": False, "temporary": place == TEMP}


_IN_CAPITALS: Final = {"calendar": "Calendar", "timezone": "TimeZone"}
_ALIASES: Final = {"default_null_order": "null_order", "max_memory": "memory_limit", "threads": "worker_threads"}


def _settings(system: System) -> Iterator[Row]:
    schemas = system.catalog.schemas
    searched = {"schema": schemas.known[schemas.current], "search_path": schemas.searched()}
    for name in sorted({*SETTINGS, *searched}, key=str.upper):
        value = SETTINGS[name].value(system.settings) if name in SETTINGS else searched[name]
        shown = str(value).lower() if isinstance(value, bool) else value
        yield {
            "name": _IN_CAPITALS.get(name, name),
            "value": None if shown is None else str(shown),
            "input_type": str(SETTINGS[name].dtype if name in SETTINGS else VARCHAR),
            "scope": "GLOBAL" if name in SETTINGS else "LOCAL",
            "aliases": [_ALIASES[name]] if name in _ALIASES else [],
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


_OBJECT: Final = {"comment": TEXT, "tags": MAP, "internal": FLAG}

_TABLES: Final[dict[str, tuple[Columns, Callable[[System], Iterable[Row]]]]] = {
    "duckdb_columns()": (
        OWN_COLUMNS,
        lambda system: rows_of_columns(_entries(system), system.catalog.schemas, system.schema_of),
    ),
    "duckdb_constraints()": (
        CONSTRAINT_COLUMNS,
        lambda system: constraint_rows(_entries(system), system.catalog.schemas),
    ),
    "duckdb_databases()": (
        {
            "database_name": TEXT,
            "database_oid": COUNT,
            **texts("path comment"),
            "tags": MAP,
            "internal": FLAG,
            "type": TEXT,
            "readonly": FLAG,
            "encrypted": FLAG,
            "cipher": TEXT,
            "options": MAP,
        },
        _databases,
    ),
    "duckdb_dependencies()": (DEPENDENCY_COLUMNS, lambda system: dependency_rows(system.catalog)),
    "duckdb_functions()": (FUNCTION_COLUMNS, lambda system: rows_of_functions(system.catalog)),
    "duckdb_indexes()": (
        {
            **PLACE,
            "index_name": TEXT,
            "index_oid": COUNT,
            "table_name": TEXT,
            "table_oid": COUNT,
            "comment": TEXT,
            "tags": MAP,
            **dict.fromkeys(("is_unique", "is_primary"), FLAG),
            **texts("expressions sql"),
        },
        _indexes,
    ),
    "duckdb_prepared_statements()": (
        PREPARED_COLUMNS,
        lambda system: prepared_rows(system.prepared, system.schema_of_query),
    ),
    "duckdb_schemas()": (
        {
            "oid": COUNT,
            "database_name": TEXT,
            "database_oid": COUNT,
            "schema_name": TEXT,
            **_OBJECT,
            **texts("sql parent_schema"),
            "parent_schema_oid": COUNT,
        },
        _schemas,
    ),
    "duckdb_sequences()": (SEQUENCE_COLUMNS, lambda system: rows_of_sequences(system.catalog)),
    "duckdb_settings()": ({**texts("name value description input_type scope"), "aliases": TEXTS}, _settings),
    "duckdb_tables()": (
        {
            **PLACE,
            "table_name": TEXT,
            "table_oid": COUNT,
            **_OBJECT,
            **dict.fromkeys(("temporary", "has_primary_key"), FLAG),
            **dict.fromkeys(("estimated_size", "column_count", "index_count", "check_constraint_count"), COUNT),
            "sql": TEXT,
        },
        _tables,
    ),
    "duckdb_types()": (TYPE_COLUMNS, lambda system: rows_of_types(system.catalog.types)),
    "duckdb_variables()": (texts("name value type"), _variables),
    "duckdb_views()": (
        {
            **PLACE,
            "view_name": TEXT,
            "view_oid": COUNT,
            **_OBJECT,
            "temporary": FLAG,
            "column_count": COUNT,
            "sql": TEXT,
            "is_bound": FLAG,
        },
        _views,
    ),
    **{name: (columns, _same(rows)) for name, (columns, rows) in FIXED_TABLES.items()},
}

assert {f"{name}()" for name in SYSTEM_FUNCTIONS} <= {*_TABLES, ALL_TYPES}
