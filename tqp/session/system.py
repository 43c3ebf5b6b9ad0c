"""Tables that describe the connection: its tables, columns, functions and settings, by the names that DuckDB has for them.

Each is made anew for the query that names it. Of the columns that DuckDB has, those of types that tqp has not are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from tqp.catalog.catalog import Catalog
from tqp.catalog.definitions import MAIN, SYSTEM_FUNCTIONS, TEMP, ColumnRule, Variable, View
from tqp.catalog.entries import Entry, EntryKind
from tqp.catalog.schemas import DATABASE
from tqp.config import Settings
from tqp.functions.collations import COLLATIONS
from tqp.ir.plan import Schema
from tqp.session.constraints import COLUMNS, check_count, constraint_rows
from tqp.session.options import SETTINGS
from tqp.session.system_functions import rows_of_functions
from tqp.session.system_sequences import SEQUENCE_COLUMNS, rows_of_sequences
from tqp.session.system_types import TYPE_COLUMNS, rows_of_types
from tqp.sql.names import displayed
from tqp.sql.texts import LANGUAGE
from tqp.types import DType, Kind

__all__ = ["System", "described", "type_shown"]

_TEXT, _NUMBER, _COUNT, _FLAG, _TEXTS = pa.string(), pa.int32(), pa.int64(), pa.bool_(), pa.list_(pa.string())

_BITS: Final = {
    Kind.TINYINT: 8, Kind.SMALLINT: 16, Kind.INTEGER: 32, Kind.BIGINT: 64, Kind.HUGEINT: 128, Kind.FLOAT: 24, Kind.DOUBLE: 53,
}  # fmt: skip


@dataclass(frozen=True)
class System:
    """What there is to describe: `schema_of` gives the columns of an entry, none for a view that cannot be bound now."""

    catalog: Catalog
    settings: Settings
    schema_of: Callable[[str, Entry], Schema]
    variables: Mapping[str, Variable]


Row = Mapping[str, Any]


def described(name: str, system: System) -> pa.Table | None:
    """The table of that name; None where there is none."""
    found = _TABLES.get(name.lower())
    if found is None:
        return None
    columns, rows = found
    listed = list(rows(system))
    return pa.table({column: pa.array([row.get(column) for row in listed], kind) for column, kind in columns.items()})


def type_shown(dtype: str) -> str:
    """A type's name as DuckDB shows it where it lists types."""
    return '"NULL"' if dtype == "NULL" else dtype


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


def _columns(system: System) -> Iterator[Row]:
    for place, entry in _entries(system):
        rules = {rule.name: rule for rule in entry.rules}
        database, schema = system.catalog.schemas.shown(place)
        for number, field in enumerate(system.schema_of(place, entry), 1):
            rule = rules.get(field.name) or ColumnRule(field.name, field.dtype)
            digits, radix, scale = _precision(field.dtype)
            yield {
                "table_catalog": database,
                "table_schema": schema,
                "table_name": entry.name,
                "column_name": field.name,
                "ordinal_position": number,
                "column_default": _default(rule),
                "is_nullable": "YES" if rule.is_nullable else "NO",
                "data_type": type_shown(str(field.dtype)),
                "numeric_precision": digits,
                "numeric_precision_radix": radix,
                "numeric_scale": scale,
                "is_generated": "NEVER" if rule.generated is None else "ALWAYS",
                "generation_expression": None if rule.generated is None else _default(rule),
                "COLUMN_COMMENT": rule.comment,
            }


def _default(rule: ColumnRule) -> str | None:
    """What DuckDB shows as the default of a column: of a generated one what it is."""
    if rule.generated is not None:
        return f"CAST({displayed(rule.generated)} AS {rule.dtype})"
    return None if rule.default is None else displayed(rule.default)


def _precision(dtype: DType) -> tuple[int | None, int | None, int | None]:
    """Digits, their base, and those behind the point, of the types of which DuckDB says them."""
    if dtype.is_decimal:
        return dtype.precision, 10, dtype.scale
    return (_BITS[dtype.kind], 2, 0) if dtype.kind in _BITS else (None, None, None)


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


def _collations(system: System) -> Iterator[Row]:
    for name in COLLATIONS:
        yield {"collname": name}


def _version(system: System) -> Iterator[Row]:
    yield {"library_version": LANGUAGE, "source_id": "tqp"}


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
            "index_count": len(entry.keys),
            "check_constraint_count": check_count(entry),
        }


def _own_views(system: System) -> Iterator[Row]:
    for place, entry in _entries(system):
        if entry.kind is not EntryKind.TABLE:
            view = entry.meaning
            yield {
                **_owner(system, place),
                "view_name": entry.name,
                "comment": entry.comment,
                "column_count": len(system.schema_of(place, entry)),
                "sql": _definition(place, view) if isinstance(view, View) else None,
            }


def _as_in_sqlite(system: System) -> Iterator[Row]:
    """Tables and views as SQLite lists them, where libraries look for a table by its name."""
    definitions = {row["view_name"]: row["sql"] for row in _own_views(system)}
    for _, entry in _entries(system):
        kind = "table" if entry.kind is EntryKind.TABLE else "view"
        yield {
            "type": kind,
            "name": entry.name,
            "tbl_name": entry.name,
            "rootpage": 0,
            "sql": definitions.get(entry.name),
        }


def _definition(place: str, view: View) -> str:
    names = f" ({', '.join(view.columns)})" if view.columns else ""
    return f"CREATE {'TEMP ' if place == TEMP else ''}VIEW {view.name}{names} AS {view.text};"


def _own_columns(system: System) -> Iterator[Row]:
    for row in _columns(system):
        yield {
            "database_name": row["table_catalog"],
            "schema_name": row["table_schema"],
            "table_name": row["table_name"],
            "column_name": row["column_name"],
            "column_index": row["ordinal_position"],
            "comment": row["COLUMN_COMMENT"],
            "internal": False,
            "column_default": row["column_default"],
            "is_nullable": row["is_nullable"] == "YES",
            "data_type": row["data_type"],
            "numeric_precision": row["numeric_precision"],
            "numeric_precision_radix": row["numeric_precision_radix"],
            "numeric_scale": row["numeric_scale"],
            "is_generated": row["is_generated"] == "ALWAYS",
            "generation_expression": row["generation_expression"],
        }


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


Columns = Mapping[str, pa.DataType]


def _texts(names: str) -> Columns:
    return dict.fromkeys(names.split(), _TEXT)


_NUMERIC: Final = {"numeric_precision": _NUMBER, "numeric_precision_radix": _NUMBER, "numeric_scale": _NUMBER}

_TABLES: Final[dict[str, tuple[Columns, Callable[[System], Iterator[Row]]]]] = {
    "information_schema.tables": (
        _texts(
            "table_catalog table_schema table_name table_type self_referencing_column_name reference_generation "
            "user_defined_type_catalog user_defined_type_schema user_defined_type_name is_insertable_into is_typed "
            "commit_action TABLE_COMMENT"
        ),
        _tables,
    ),
    "information_schema.columns": (
        {
            **_texts("table_catalog table_schema table_name column_name"),
            "ordinal_position": _NUMBER,
            **_texts("column_default is_nullable data_type"),
            "character_maximum_length": _NUMBER,
            "character_octet_length": _NUMBER,
            **_NUMERIC,
            "datetime_precision": _NUMBER,
            "interval_type": _TEXT,
            "interval_precision": _NUMBER,
            **_texts(
                "character_set_catalog character_set_schema character_set_name collation_catalog collation_schema "
                "collation_name domain_catalog domain_schema domain_name udt_catalog udt_schema udt_name scope_catalog "
                "scope_schema scope_name"
            ),
            "maximum_cardinality": _COUNT,
            "dtd_identifier": _TEXT,
            "is_self_referencing": _FLAG,
            "is_identity": _FLAG,
            **_texts("identity_generation identity_start identity_increment identity_maximum identity_minimum"),
            "identity_cycle": _FLAG,
            **_texts("is_generated generation_expression"),
            "is_updatable": _FLAG,
            "COLUMN_COMMENT": _TEXT,
        },
        _columns,
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
    "pragma_collations()": (_texts("collname"), _collations),
    "pragma_version()": (_texts("library_version source_id codename"), _version),
    "duckdb_tables()": (
        {
            **_texts("database_name schema_name table_name comment"),
            **dict.fromkeys(("internal", "temporary", "has_primary_key"), _FLAG),
            **dict.fromkeys(("estimated_size", "column_count", "index_count", "check_constraint_count"), _COUNT),
        },
        _own_tables,
    ),
    "duckdb_constraints()": (COLUMNS, lambda system: constraint_rows(_entries(system), system.catalog.schemas)),
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
    "duckdb_columns()": (
        {
            **_texts("database_name schema_name table_name column_name"),
            "column_index": _NUMBER,
            "comment": _TEXT,
            "internal": _FLAG,
            "column_default": _TEXT,
            "is_nullable": _FLAG,
            "data_type": _TEXT,
            "character_maximum_length": _NUMBER,
            **_NUMERIC,
            "is_generated": _FLAG,
            "generation_expression": _TEXT,
        },
        _own_columns,
    ),
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
    "sqlite_master": ({**_texts("type name tbl_name"), "rootpage": _NUMBER, "sql": _TEXT}, _as_in_sqlite),
    "duckdb_settings()": (_texts("name value description input_type scope"), _settings),
    "duckdb_variables()": (_texts("name value type"), _variables),
}

assert {f"{name}()" for name in SYSTEM_FUNCTIONS} <= _TABLES.keys()
