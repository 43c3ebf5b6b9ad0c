"""Tables that describe the connection beside DuckDB's: all that they have, and every cell where it tells of what a user made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import duckdb
import pytest

import tqp
from tqp.catalog.definitions import SYSTEM_FUNCTIONS

_SCHEMA: Final = """
CREATE SCHEMA s2;
CREATE SCHEMA "My Schema";
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE s2.age AS INTEGER;
CREATE TYPE pt AS STRUCT(x INTEGER, m mood);
CREATE TYPE arr AS INTEGER[3];
CREATE TEMP TYPE tmpt AS DECIMAL(7,2);
CREATE SEQUENCE sq;
CREATE SEQUENCE s2.sq2 START 5 INCREMENT 2 MAXVALUE 100 CYCLE;
CREATE TABLE parent (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL UNIQUE, k1 INTEGER, k2 VARCHAR, UNIQUE (k1, k2));
CREATE TABLE child (id BIGINT DEFAULT nextval('sq'), parent_id INTEGER REFERENCES parent(id), v DECIMAL(5,2) DEFAULT 1.5
    CHECK (v > 0), g INTEGER GENERATED ALWAYS AS (parent_id + 1), a INTEGER, b VARCHAR, CHECK (a > 0 AND b <> ''));
CREATE TABLE alltypes (c1 BOOLEAN, c2 TINYINT, c3 SMALLINT, c4 INTEGER, c5 BIGINT, c6 HUGEINT, c7 UTINYINT, c8 USMALLINT,
    c9 UINTEGER, c10 UBIGINT, c11 UHUGEINT, c12 FLOAT, c13 DOUBLE, c14 DECIMAL(18,3), c15 DECIMAL(4,1), c16 DECIMAL(38,10),
    c17 VARCHAR, c18 BLOB, c19 BIT, c20 DATE, c21 TIME, c22 TIMETZ, c23 TIMESTAMP, c24 TIMESTAMP_S, c25 TIMESTAMP_MS,
    c26 TIMESTAMP_NS, c27 TIMESTAMPTZ, c28 INTERVAL, c29 UUID, c30 ENUM('a','b'), c31 mood, c32 INTEGER[], c33 INTEGER[3],
    c34 STRUCT(a INTEGER, b VARCHAR), c35 MAP(VARCHAR, INTEGER), c36 UNION(n INTEGER, s VARCHAR), c37 JSON, c38 VARIANT,
    c39 BIGNUM, c40 DECIMAL(5,2)[], c41 s2.age, c42 pt, c43 VARCHAR(10), c44 TIME_NS, c45 mood[]);
CREATE TABLE s2.t ("Weird Name" INTEGER DEFAULT 5, "select" VARCHAR DEFAULT 'x');
CREATE TABLE "My Schema"."My Table" (i INTEGER);
CREATE TABLE ab (i INTEGER);
CREATE TABLE a_b (i INTEGER);
CREATE TEMP TABLE tmp (i INTEGER NOT NULL, j TIMESTAMP DEFAULT current_timestamp);
INSERT INTO parent VALUES (1, 'a', 1, 'x'), (2, 'b', 2, 'y');
CREATE INDEX ix ON ab (i);
CREATE UNIQUE INDEX ux ON a_b (i);
CREATE INDEX ie ON alltypes ((c4 + 1));
CREATE VIEW v AS SELECT id, name FROM parent WHERE id > 0;
CREATE VIEW s2.v2 (x, y) AS SELECT i, i + 1 FROM ab;
CREATE TEMP VIEW tv AS SELECT 1 AS one;
CREATE MACRO sum_of(a, b := 1) AS a + b;
CREATE MACRO s2.two(x) AS x, (x, y) AS x + y;
CREATE MACRO tm(n) AS TABLE SELECT n AS n FROM range(3);
CREATE MACRO typed(n INTEGER, s VARCHAR := 'x') AS n || s;
COMMENT ON TABLE parent IS 'people';
COMMENT ON COLUMN parent.name IS 'their names';
COMMENT ON VIEW v IS 'a view';
COMMENT ON COLUMN v.name IS 'names';
COMMENT ON INDEX ix IS 'an index';
COMMENT ON SEQUENCE s2.sq2 IS 'numbers';
COMMENT ON TYPE mood IS 'a type';
COMMENT ON MACRO sum_of IS 'a macro';
COMMENT ON MACRO TABLE tm IS 'a table of a macro';
PREPARE p1 AS SELECT 42 AS x;
"""

_TYPES: Final = (
    "logical_type NOT IN ('GEOMETRY', 'TYPE') AND type_name <> 'PARQUET_VARIANT' "
    # DuckDB writes these names as they were written first.
    "AND NOT (internal AND database_name = 'temp')"
)
_SETTINGS: Final = (
    "name IN ('threads', 'worker_threads', 'search_path', 'schema', 'default_order', 'errors_as_json', 'Calendar')"
)
_MADE: Final = {
    "duckdb_columns()": "NOT internal",
    "duckdb_extensions()": "loaded AND extension_name <> 'httpfs'",
    "duckdb_functions()": "NOT internal",
    "duckdb_views()": "NOT internal",
    "information_schema.views": "table_catalog <> 'system'",
    "pg_attribute": "attrelid IN (SELECT table_oid FROM duckdb_columns)",
    "pg_class": "relkind <> 'v' OR relnamespace IN (SELECT oid FROM pg_namespace)",
    "pg_proc": "proname IN ('sum_of', 'two', 'tm', 'typed')",
    "pg_views": "viewname IN ('v', 'v2', 'tv')",
    "duckdb_types()": _TYPES,
    "duckdb_types": _TYPES,
    "pg_type": "typname NOT IN ('geometry', 'type')",
    "pg_settings": _SETTINGS,
    "duckdb_settings()": _SETTINGS,
}
"""Which rows of a table tell of what a user made, or are the same for other reasons; of the others all do."""
_OWN: Final = {
    **dict.fromkeys(("duckdb_databases", "duckdb_databases()"), "EXCLUDE (type)"),
    "duckdb_settings()": "EXCLUDE (description)",
    "pg_settings": "EXCLUDE (short_desc)",
}
"""Without the columns that say which system it is, or nothing."""
_THEIRS: Final = {**_OWN, "duckdb_settings()": "EXCLUDE (description, typed_value)"}
"""Without those that DuckDB alone has, too."""
_NOT_COMPARED: Final = frozenset(
    "duckdb_keywords duckdb_optimizers duckdb_variables pragma_collations pragma_version test_all_types".split()
)
"""Scripts and other tests do."""
_LACKING: Final = frozenset({"main.duckdb_logs"})
Sides = tuple[tqp.Connection, duckdb.DuckDBPyConnection]


@pytest.fixture(scope="module")
def sides() -> Iterator[Sides]:
    with tqp.connect(threads=1) as con, duckdb.connect(config={"threads": 1}) as other:
        con.execute(_SCHEMA)
        other.execute(_SCHEMA)
        yield con, other


_INTERNAL: Final = "SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE internal ORDER BY ALL"
with duckdb.connect() as _oracle:
    _VIEWS: Final = [name for (name,) in _oracle.execute(_INTERNAL).fetchall() if name not in _LACKING]
_FUNCTIONS: Final = [f"{name}()" for name in sorted(SYSTEM_FUNCTIONS) if name not in _NOT_COMPARED]


def test_there_are_the_same_views(sides: Sides) -> None:
    assert [name for (name,) in sides[0].sql(_INTERNAL).fetchall()] == _VIEWS


@pytest.mark.parametrize("table", [*_VIEWS, *_FUNCTIONS])
def test_tables_are_the_same(sides: Sides, table: str) -> None:
    con, other = sides
    name = table.split(".")[-1] if table.startswith(("main.", "pg_catalog.")) else table
    rows = f"FROM {table} WHERE {_MADE.get(name, 'true')}"
    query, theirs = f"SELECT * {_OWN.get(name, '')} {rows}", f"SELECT * {_THEIRS.get(name, '')} {rows}"
    columns = "SELECT column_name, column_type FROM (DESCRIBE {})"
    assert con.sql(columns.format(query)).fetchall() == other.execute(columns.format(theirs)).fetchall()
    mine, expected = con.sql(query), other.sql(theirs)
    found = _shown(mine.columns, mine.fetchall(), _named(lambda text: con.sql(text).fetchall()))
    assert found == _shown(expected.columns, expected.fetchall(), _named(lambda text: other.execute(text).fetchall()))


_NUMBERED: Final = (
    ("database_oid", "database_name", "duckdb_databases()"),
    ("oid", "database_name || '.' || schema_name", "duckdb_schemas()"),
    ("table_oid", "table_name", "duckdb_tables()"),
    ("view_oid", "view_name", "duckdb_views()"),
    ("index_oid", "index_name", "duckdb_indexes()"),
    ("sequence_oid", "sequence_name", "duckdb_sequences()"),
    ("type_oid", "type_name", "duckdb_types() WHERE NOT internal"),
    ("function_oid", "function_name", "duckdb_functions() WHERE NOT internal"),
)


_LEAST: Final = 10_000
"""Numbers below are those that Postgres has for types, and are the same."""


def _named(fetch: Callable[[str], list[tuple[Any, ...]]]) -> dict[int, set[str]]:
    """What numbers stand for. Those of another database may be the same in DuckDB."""
    names: dict[int, set[str]] = {}
    for oid, name, table in _NUMBERED:
        for number, shown in fetch(f"SELECT {oid}, {name} FROM {table}"):
            names.setdefault(number, set()).add(shown)
    return names


def _shown(columns: list[str], rows: list[tuple[Any, ...]], names: dict[int, set[str]]) -> list[str]:
    """The rows, sorted, with what numbers stand for in their place."""
    numbers = [
        place
        for place, column in enumerate(columns)
        if column.endswith(("oid", "namespace", "relid", "objid")) or column in ("enumtypid", "seq")
    ]

    def value(place: int, cell: Any) -> Any:
        if place not in numbers or not str(cell).isdecimal() or int(cell) < _LEAST:
            return cell
        number = int(cell)
        return (sorted(names[number // 10**6]), number % 10**6) if number >= 10**9 else sorted(names[number])

    return sorted(repr([value(place, cell) for place, cell in enumerate(row)]) for row in rows)
