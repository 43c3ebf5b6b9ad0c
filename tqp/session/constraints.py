"""What the tables of a connection take: `duckdb_constraints()`, a row for each rule, and what `information_schema` says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import Any, Final

import pyarrow as pa
from sqlglot import exp

from tqp.catalog.definitions import Check, ForeignKey
from tqp.catalog.entries import Entry
from tqp.catalog.schemas import Schemas
from tqp.sql.expansion import expression_of
from tqp.sql.names import displayed

__all__ = ["CONSTRAINT_TABLES", "check_count", "constraint_rows"]

Row = Mapping[str, Any]

_TEXT: Final = pa.string()


def constraint_rows(entries: Iterable[tuple[str, Entry]], schemas: Schemas) -> Iterator[Row]:
    """CHECK, keys and then NOT NULL of each of the tables, which stand in these places."""
    number = count()
    for place, entry in entries:
        database, schema = schemas.shown(place)
        columns = [rule.name for rule in entry.rules]
        for found in _of_table(entry):
            yield {
                "database_name": database,
                "schema_name": schema,
                "table_name": entry.name,
                "constraint_index": next(number),
                "constraint_column_indexes": [columns.index(name) for name in found["constraint_column_names"]],
                "referenced_column_names": [],
                **found,
            }


def check_count(entry: Entry) -> int:
    """How many CHECKs a table has."""
    return sum(isinstance(one, Check) for one in entry.constraints)


def _of_table(entry: Entry) -> Iterator[dict[str, Any]]:
    """A constraint is called after its kind and columns, as in DuckDB, whatever name CONSTRAINT gives it."""
    for one in entry.constraints:
        others: dict[str, Any] = {}
        text = None
        if isinstance(one, Check):
            columns = expression_of(one.text).find_all(exp.Column)
            used = {part.name.lower() for column in columns for part in column.parts}
            names = [rule.name for rule in entry.rules if rule.name.lower() in used]
            kind, ending, text = "CHECK", "check", displayed(one.text)
            shown = f"CHECK({text})"
        elif isinstance(one, ForeignKey):
            names, referred = list(one.columns), list(one.others)
            kind, ending = "FOREIGN KEY", "_".join([*referred, "fkey"])
            shown = f"FOREIGN KEY ({', '.join(names)}) REFERENCES {one.table.name}({', '.join(referred)})"
            others = {"referenced_table": one.table.name, "referenced_column_names": referred}
        else:
            names = list(one.columns)
            kind, ending = ("PRIMARY KEY", "pkey") if one.is_primary else ("UNIQUE", "key")
            shown = f"{kind}({', '.join(names)})"
        yield {
            "constraint_type": kind,
            "constraint_text": shown,
            "expression": text,
            "constraint_column_names": names,
            "constraint_name": "_".join([entry.name, *names, ending]),
            **others,
        }
    for rule in entry.rules:
        if not rule.is_nullable:
            yield {
                "constraint_type": "NOT NULL",
                "constraint_text": "NOT NULL",
                "constraint_column_names": [rule.name],
                "constraint_name": f"{entry.name}_{rule.name}_not_null",
            }


def _table(row: Row) -> Row:
    return {"table_catalog": row["database_name"], "table_schema": row["schema_name"], "table_name": row["table_name"]}


def _name(row: Row, before: str = "") -> Row:
    values = row["database_name"], row["schema_name"], row["constraint_name"]
    words = "constraint_catalog", "constraint_schema", "constraint_name"
    return {before + word: value for word, value in zip(words, values, strict=True)}


def _table_constraints(rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        kind = "CHECK" if row["constraint_type"] == "NOT NULL" else row["constraint_type"]
        fixed = {"is_deferrable": "NO", "initially_deferred": "NO", "enforced": "YES", "nulls_distinct": "YES"}
        yield {**_name(row), **_table(row), "constraint_type": kind, **fixed}


def _keys(rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        if row["constraint_type"] in ("PRIMARY KEY", "UNIQUE", "FOREIGN KEY"):
            for number, column in enumerate(row["constraint_column_names"], 1):
                yield {
                    **_name(row),
                    **_table(row),
                    "column_name": column,
                    "ordinal_position": number,
                    "position_in_unique_constraint": number if row["constraint_type"] == "FOREIGN KEY" else None,
                }


def _references(rows: Iterable[Row]) -> Iterator[Row]:
    known = list(rows)
    for row in known:
        if row["constraint_type"] != "FOREIGN KEY":
            continue
        meant = (
            row["database_name"],
            row["schema_name"],
            *_lower(row["referenced_table"], row["referenced_column_names"]),
        )
        for key in known:
            named = _lower(key["table_name"], key["constraint_column_names"])
            is_key = key["constraint_type"] in ("PRIMARY KEY", "UNIQUE")
            if is_key and (key["database_name"], key["schema_name"], *named) == meant:
                rules = {"match_option": "NONE", "update_rule": "NO ACTION", "delete_rule": "NO ACTION"}
                yield {**_name(row), **_name(key, "unique_"), **rules}


def _lower(table: str, columns: Iterable[str]) -> tuple[str, ...]:
    return table.lower(), *(column.lower() for column in columns)


def _checks(rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        if row["constraint_type"] == "NOT NULL":
            yield {**_name(row), "check_clause": f"{row['constraint_column_names'][0]} IS NOT NULL"}
        elif row["constraint_type"] == "CHECK":
            yield {**_name(row), "check_clause": row["constraint_text"]}


def _usage(rows: Iterable[Row]) -> Iterator[Row]:
    """All but NOT NULL, a row for each table."""
    for row in rows:
        if row["constraint_type"] != "NOT NULL":
            kind = {name: row[name] for name in ("constraint_type", "constraint_text")}
            yield {**_table(row), **_name(row), **kind, "columns": row["constraint_column_names"]}


def _column_usage(rows: Iterable[Row]) -> Iterator[Row]:
    for row in _usage(rows):
        for column in row["columns"]:
            yield {**row, "column_name": column}


_NAME: Final = "constraint_catalog constraint_schema constraint_name"
_TABLE: Final = "table_catalog table_schema table_name"


def _texts(names: str) -> dict[str, pa.DataType]:
    return dict.fromkeys(names.split(), _TEXT)


CONSTRAINT_TABLES: Final[dict[str, tuple[Mapping[str, pa.DataType], Callable[[Iterable[Row]], Iterable[Row]]]]] = {
    "duckdb_constraints()": (
        {
            **_texts("database_name schema_name table_name"),
            "constraint_index": pa.int64(),
            **_texts("constraint_type constraint_text expression"),
            "constraint_column_indexes": pa.list_(pa.int64()),
            "constraint_column_names": pa.list_(_TEXT),
            **_texts("constraint_name referenced_table"),
            "referenced_column_names": pa.list_(_TEXT),
        },
        lambda rows: rows,
    ),
    "information_schema.table_constraints": (
        _texts(f"{_NAME} {_TABLE} constraint_type is_deferrable initially_deferred enforced nulls_distinct"),
        _table_constraints,
    ),
    "information_schema.key_column_usage": (
        {
            **_texts(f"{_NAME} {_TABLE} column_name"),
            "ordinal_position": pa.int64(),
            "position_in_unique_constraint": pa.int64(),
        },
        _keys,
    ),
    "information_schema.referential_constraints": (
        _texts(
            f"{_NAME} unique_constraint_catalog unique_constraint_schema unique_constraint_name match_option update_rule "
            "delete_rule"
        ),
        _references,
    ),
    "information_schema.check_constraints": (_texts(f"{_NAME} check_clause"), _checks),
    "information_schema.constraint_column_usage": (
        _texts(f"{_TABLE} column_name {_NAME} constraint_type constraint_text"),
        _column_usage,
    ),
    "information_schema.constraint_table_usage": (_texts(f"{_TABLE} {_NAME} constraint_type"), _usage),
}
"""For each of these tables its columns, and what makes its rows of those of `duckdb_constraints()`."""
