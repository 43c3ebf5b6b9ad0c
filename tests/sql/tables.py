"""Fake tables to bind against, and the same ones in DuckDB."""

from __future__ import annotations

from dataclasses import dataclass, field

import duckdb

from tqp.data.statistics import ColumnStatistics
from tqp.ir.plan import Plan
from tqp.sql import Parameters, bind
from tqp.types import BIGINT, BOOLEAN, DATE, DOUBLE, FLOAT, INTEGER, SMALLINT, VARCHAR, DType, decimal

COLUMNS: dict[str, dict[str, DType]] = {
    "t": {
        "a": INTEGER, "b": BIGINT, "x": VARCHAR, "d": DATE, "m": decimal(15, 2), "f": DOUBLE, "r": FLOAT,
        "s": SMALLINT, "bo": BOOLEAN,
    },
    "u": {"a": INTEGER, "c": INTEGER, "y": VARCHAR},
}  # fmt: skip


@dataclass(eq=False)
class FakeSource:
    """A table that has but a schema."""

    name: str
    columns: dict[str, DType]
    rows: int = 10
    schema: tuple[tuple[str, DType], ...] = field(init=False)
    hidden: tuple[tuple[str, DType], ...] = ()
    local: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.schema = tuple(self.columns.items())

    def statistics(self, column: str) -> ColumnStatistics:
        return ColumnStatistics(self.rows, 0, None, None, self.rows, False, False)


SOURCES = {name: FakeSource(name, columns) for name, columns in COLUMNS.items()}


def plan_of(text: str, params: Parameters = None, views: dict[str, Plan] | None = None) -> Plan:
    """The bound plan of a query over t and u."""

    def lookup(name: str) -> FakeSource | Plan | None:
        return (views or {}).get(name.lower()) or SOURCES.get(name.lower())

    return bind(text, lookup, params, known=lambda: SOURCES).plan


def columns_of(text: str) -> list[tuple[str, str]]:
    """Names and types of the result, as tqp has them."""
    return [(column.name, str(column.dtype)) for column in plan_of(text).schema]


def oracle() -> duckdb.DuckDBPyConnection:
    """DuckDB with the same tables, empty."""
    connection = duckdb.connect()
    for name, columns in COLUMNS.items():
        connection.execute(
            f"CREATE TABLE {name} ({', '.join(f'{column} {dtype}' for column, dtype in columns.items())})"
        )
    return connection
