"""`duckdb_constraints()`: what the tables of a connection take, a row for each rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import pyarrow as pa
from sqlglot import exp

from tqp.catalog.definitions import Check
from tqp.catalog.entries import Entry
from tqp.catalog.schemas import Schemas
from tqp.sql.expansion import expression_of
from tqp.sql.names import displayed

__all__ = ["COLUMNS", "check_count", "constraint_rows"]

_TEXT: Final = pa.string()
COLUMNS: Final = {
    "database_name": _TEXT,
    "schema_name": _TEXT,
    "table_name": _TEXT,
    "constraint_index": pa.int64(),
    "constraint_type": _TEXT,
    "constraint_text": _TEXT,
    "expression": _TEXT,
    "constraint_column_indexes": pa.list_(pa.int64()),
    "constraint_column_names": pa.list_(_TEXT),
    "constraint_name": _TEXT,
    "referenced_table": _TEXT,
    "referenced_column_names": pa.list_(_TEXT),
}


def constraint_rows(entries: Iterable[tuple[str, Entry]], schemas: Schemas) -> Iterator[Mapping[str, Any]]:
    """CHECK, keys and then NOT NULL of each of the tables, which stand in these places."""
    for place, entry in entries:
        database, schema = schemas.shown(place)
        for number, found in enumerate(_of_table(entry)):
            names = found["constraint_column_names"]
            columns = [rule.name for rule in entry.rules]
            yield {
                "database_name": database,
                "schema_name": schema,
                "table_name": entry.name,
                "constraint_index": number,
                "constraint_column_indexes": [columns.index(name) for name in names],
                "referenced_column_names": [],
                **found,
            }


def check_count(entry: Entry) -> int:
    """How many CHECKs a table has."""
    return sum(isinstance(one, Check) for one in entry.constraints)


def _of_table(entry: Entry) -> Iterator[dict[str, Any]]:
    for one in entry.constraints:
        if isinstance(one, Check):
            columns = expression_of(one.text).find_all(exp.Column)
            used = {part.name.lower() for column in columns for part in column.parts}
            names, kind, ending, text = (
                [rule.name for rule in entry.rules if rule.name.lower() in used], "CHECK", "check", displayed(one.text),
            )  # fmt: skip
            shown = f"CHECK({text})"
        else:
            kind, ending = ("PRIMARY KEY", "pkey") if one.is_primary else ("UNIQUE", "key")
            names, text = list(one.columns), None
            shown = f"{kind}({', '.join(names)})"
        yield {
            "constraint_type": kind,
            "constraint_text": shown,
            "expression": text,
            "constraint_column_names": names,
            "constraint_name": one.name or "_".join([entry.name, *names, ending]),
        }
    for rule in entry.rules:
        if not rule.is_nullable:
            yield {
                "constraint_type": "NOT NULL",
                "constraint_text": "NOT NULL",
                "constraint_column_names": [rule.name],
                "constraint_name": f"{entry.name}_{rule.name}_not_null",
            }
