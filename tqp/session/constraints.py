"""`duckdb_constraints()`: what the tables of a connection take, a row for each rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any, Final

import pyarrow as pa
from sqlglot import exp

from tqp.catalog.definitions import Check, Constraint, ForeignKey, UniqueKey
from tqp.catalog.entries import Entry
from tqp.catalog.schemas import Schemas
from tqp.session.creation import constraint_text
from tqp.session.places import COUNT, PLACE, TEXT, TEXTS, Row, place_of, texts
from tqp.sql.expansion import expression_of
from tqp.sql.names import displayed

__all__ = ["CONSTRAINT_COLUMNS", "check_count", "constraint_rows"]

CONSTRAINT_COLUMNS: Final = {
    **PLACE,
    "table_name": TEXT,
    "table_oid": COUNT,
    "constraint_index": COUNT,
    **texts("constraint_type constraint_text expression"),
    "constraint_column_indexes": pa.list_(COUNT),
    "constraint_column_names": TEXTS,
    **texts("constraint_name referenced_table"),
    "referenced_column_names": TEXTS,
}


def constraint_rows(entries: Iterable[tuple[str, Entry]], schemas: Schemas) -> Iterator[Row]:
    """CHECK, keys and then NOT NULL of each of the tables, which stand in these places."""
    number = count()
    for place, entry in entries:
        columns = [rule.name for rule in entry.rules]
        for found in _of_table(place, entry, schemas):
            yield {
                **place_of(schemas, place),
                "table_name": entry.name,
                "table_oid": entry.oid,
                "constraint_index": next(number),
                "constraint_column_indexes": [columns.index(name) for name in found["constraint_column_names"]],
                "referenced_column_names": [],
                **found,
            }


def check_count(entry: Entry) -> int:
    """How many CHECKs a table has."""
    return sum(isinstance(one, Check) for one in entry.constraints)


def _of_table(place: str, entry: Entry, schemas: Schemas) -> Iterator[dict[str, Any]]:
    """The rules of a table, each NOT NULL where its column stands, those of the primary key last."""
    primary = {name for key in entry.keys if key.is_primary for name in key.columns}
    places = {rule.name: place for place, rule in enumerate(entry.rules)}
    waiting = [rule.name for rule in entry.rules if not rule.is_nullable and rule.name not in primary]
    for one in entry.constraints:
        found = {**_of_constraint(entry, one), "constraint_text": constraint_text(place, one, schemas)}
        names = found["constraint_column_names"]
        # Behind the column it stands behind what is written of those before, else behind all columns.
        last = places[names[0]] + isinstance(one, UniqueKey) if len(names) == 1 else len(places)
        while waiting and places[waiting[0]] < last:
            yield _not_null(entry, waiting.pop(0))
        yield found
    for name in [*waiting, *(rule.name for rule in entry.rules if rule.name in primary)]:
        yield _not_null(entry, name)


def _not_null(entry: Entry, name: str) -> dict[str, Any]:
    return {
        "constraint_type": "NOT NULL",
        "constraint_text": "NOT NULL",
        "constraint_column_names": [name],
        "constraint_name": f"{entry.name}_{name}_not_null",
    }


def _of_constraint(entry: Entry, one: Constraint) -> dict[str, Any]:
    """A constraint is called after its kind and columns, as in DuckDB, whatever name CONSTRAINT gives it."""
    others: dict[str, Any] = {}
    match one:
        case Check():
            columns = expression_of(one.text).find_all(exp.Column)
            used = {part.name.lower() for column in columns for part in column.parts}
            names = [rule.name for rule in entry.rules if rule.name.lower() in used]
            kind, ending = "CHECK", "check"
            others = {"expression": displayed(one.text)}
        case ForeignKey():
            names, referred = list(one.columns), list(one.others)
            kind, ending = "FOREIGN KEY", "_".join([*referred, "fkey"])
            others = {"referenced_table": one.table.name, "referenced_column_names": referred}
        case UniqueKey():
            names = list(one.columns)
            kind, ending = ("PRIMARY KEY", "pkey") if one.is_primary else ("UNIQUE", "key")
    return {
        "constraint_type": kind,
        "constraint_column_names": names,
        "constraint_name": "_".join([entry.name, *names, ending]),
        **others,
    }
