"""`duckdb_columns()`: a row for each column of the tables and views of a connection, and what functions say of those of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import pyarrow as pa

from tqp.catalog.definitions import ColumnRule
from tqp.catalog.entries import Entry
from tqp.catalog.schemas import Schemas
from tqp.ir.plan import Schema
from tqp.session.places import COUNT, FLAG, MAP, NUMBER, PLACE, TEXT, Row, place_of, texts
from tqp.session.system_types import type_id
from tqp.sql.names import displayed
from tqp.types import DType, Kind

__all__ = ["COLUMN_TABLES", "OWN_COLUMNS", "rows_of_columns", "type_shown"]

_BITS: Final = {
    Kind.TINYINT: 8, Kind.SMALLINT: 16, Kind.INTEGER: 32, Kind.BIGINT: 64, Kind.HUGEINT: 128, Kind.FLOAT: 24, Kind.DOUBLE: 53,
}  # fmt: skip

OWN_COLUMNS: Final = {
    **PLACE,
    "table_name": TEXT,
    "table_oid": COUNT,
    "column_name": TEXT,
    "column_index": NUMBER,
    "comment": TEXT,
    "internal": FLAG,
    "column_default": TEXT,
    "is_nullable": FLAG,
    "data_type": TEXT,
    "data_type_id": COUNT,
    **dict.fromkeys(
        ("character_maximum_length", "numeric_precision", "numeric_precision_radix", "numeric_scale"), NUMBER
    ),
    "tags": MAP,
    "is_generated": FLAG,
    "generation_expression": TEXT,
}


def type_shown(dtype: str) -> str:
    """A type's name as DuckDB shows it where it lists types."""
    return '"NULL"' if dtype == "NULL" else dtype


def rows_of_columns(
    entries: Iterable[tuple[str, Entry]], schemas: Schemas, schema_of: Callable[[str, Entry], Schema]
) -> Iterator[Row]:
    """The rows of tables and views in these places."""
    for place, entry in entries:
        rules = {rule.name: rule for rule in entry.rules}
        for number, field in enumerate(schema_of(place, entry), 1):
            rule = rules.get(field.name) or ColumnRule(field.name, field.dtype)
            digits, radix, scale = _precision(field.dtype)
            yield {
                **place_of(schemas, place),
                "table_name": entry.name,
                "table_oid": entry.oid,
                "column_name": field.name,
                "column_index": number,
                "comment": rule.comment,
                "internal": False,
                "column_default": _default(rule),
                "is_nullable": rule.is_nullable,
                "data_type": type_shown(str(field.dtype)),
                "data_type_id": type_id(field.dtype),
                "numeric_precision": digits,
                "numeric_precision_radix": radix,
                "numeric_scale": scale,
                "is_generated": rule.generated is not None,
                "generation_expression": None if rule.generated is None else _default(rule),
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


def _as_pragma(entry: Entry, rows: Iterable[Row]) -> Iterator[Row]:
    """The rows of `pragma_table_info('t')`, of those of `duckdb_columns()`."""
    primary = {name for key in entry.keys if key.is_primary for name in key.columns}
    for row in rows:
        yield {
            "cid": row["column_index"] - 1,
            "name": row["column_name"],
            "type": row["data_type"],
            "notnull": not row["is_nullable"],
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
            "null": "YES" if row["is_nullable"] else "NO",
            "key": "PRI" if True in kinds else "UNI" if kinds else None,
            "default": row["column_default"],
        }


COLUMN_TABLES: Final[dict[str, tuple[dict[str, pa.DataType], Callable[[Entry, Iterable[Row]], Iterator[Row]]]]] = {
    "pragma_show": (texts("column_name column_type null key default extra"), _as_shown),
    "pragma_table_info": (
        {"cid": NUMBER, **texts("name type"), "notnull": FLAG, "dflt_value": TEXT, "pk": FLAG},
        _as_pragma,
    ),
}
"""What functions say of the columns of one table, by their names: the columns of that, and its rows."""
