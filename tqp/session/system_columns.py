"""`information_schema.columns` and `duckdb_columns()`: a row for each column of the tables and views of a connection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import pyarrow as pa

from tqp.catalog.definitions import ColumnRule
from tqp.catalog.entries import Entry
from tqp.catalog.schemas import Schemas
from tqp.ir.plan import Schema
from tqp.sql.names import displayed
from tqp.types import DType, Kind

__all__ = ["COLUMN_TABLES", "OWN_COLUMNS", "STANDARD_COLUMNS", "own_rows_of", "rows_of_columns", "type_shown"]

Row = Mapping[str, Any]

_TEXT, _NUMBER, _COUNT, _FLAG = pa.string(), pa.int32(), pa.int64(), pa.bool_()

_BITS: Final = {
    Kind.TINYINT: 8, Kind.SMALLINT: 16, Kind.INTEGER: 32, Kind.BIGINT: 64, Kind.HUGEINT: 128, Kind.FLOAT: 24, Kind.DOUBLE: 53,
}  # fmt: skip


def _texts(names: str) -> dict[str, pa.DataType]:
    return dict.fromkeys(names.split(), _TEXT)


_NUMERIC: Final = {"numeric_precision": _NUMBER, "numeric_precision_radix": _NUMBER, "numeric_scale": _NUMBER}

STANDARD_COLUMNS: Final = {
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
}

OWN_COLUMNS: Final = {
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
}


def type_shown(dtype: str) -> str:
    """A type's name as DuckDB shows it where it lists types."""
    return '"NULL"' if dtype == "NULL" else dtype


def rows_of_columns(
    entries: Iterable[tuple[str, Entry]], schemas: Schemas, schema_of: Callable[[str, Entry], Schema]
) -> Iterator[Row]:
    """The rows of `information_schema.columns`, of tables and views in these places."""
    for place, entry in entries:
        rules = {rule.name: rule for rule in entry.rules}
        database, schema = schemas.shown(place)
        for number, field in enumerate(schema_of(place, entry), 1):
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


def own_rows_of(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows of `duckdb_columns()`, of those of `information_schema.columns`."""
    for row in rows:
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


def _as_pragma(entry: Entry, rows: Iterable[Row]) -> Iterator[Row]:
    """The rows of `pragma_table_info('t')`, of those of `information_schema.columns`."""
    primary = {name for key in entry.keys if key.is_primary for name in key.columns}
    for row in rows:
        yield {
            "cid": row["ordinal_position"] - 1,
            "name": row["column_name"],
            "type": row["data_type"],
            "notnull": row["is_nullable"] == "NO",
            "dflt_value": row["column_default"],
            "pk": row["column_name"] in primary,
        }


def _as_shown(entry: Entry, rows: Iterable[Row]) -> Iterator[Row]:
    """The rows of `pragma_show('t')`, of the same."""
    for row in rows:
        kinds = {key.is_primary for key in entry.keys if row["column_name"] in key.columns}
        yield {
            "column_name": row["column_name"],
            "column_type": row["data_type"],
            "null": row["is_nullable"],
            "key": "PRI" if True in kinds else "UNI" if kinds else None,
            "default": row["column_default"],
        }


COLUMN_TABLES: Final[dict[str, tuple[dict[str, pa.DataType], Callable[[Entry, Iterable[Row]], Iterator[Row]]]]] = {
    "pragma_show": (_texts("column_name column_type null key default extra"), _as_shown),
    "pragma_table_info": (
        {"cid": _NUMBER, **_texts("name type"), "notnull": _FLAG, "dflt_value": _TEXT, "pk": _FLAG},
        _as_pragma,
    ),
}
"""What functions say of the columns of one table, by their names: the columns of that, and its rows."""
