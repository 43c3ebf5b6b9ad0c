"""Columns of files that queries may name and `*` does not mean, as in DuckDB: `filename`, `file_index`, `file_row_number`."""

from __future__ import annotations

import pickle
from pathlib import Path

import duckdb
import pytest

import tqp
from tqp.catalog.over_tables import attached, tables_of
from tqp.errors import BindError
from tqp.ir.show import show


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files of 3 and 6 rows in each format, in partitions; one file that has a column of such a name itself."""
    root = tmp_path_factory.mktemp("files")
    for year in (1, 2):
        (root / f"y={year}").mkdir()
        for ending in ("parquet", "csv", "json"):
            path = root / f"y={year}" / f"a.{ending}"
            duckdb.sql(f"COPY (SELECT range AS id, 'n' || range AS name FROM range({3 * year})) TO '{path}'")
    duckdb.sql(f"COPY (SELECT 5 AS filename, 6 AS x) TO '{root / 'own.parquet'}'")
    duckdb.sql(f"COPY (SELECT range AS id FROM range(300_000)) TO '{root / 'long.parquet'}' (ROW_GROUP_SIZE 100_000)")
    return root


@pytest.mark.parametrize(
    "query",
    [
        "SELECT filename, file_index, file_row_number, id, y FROM '*/*.parquet'",
        "SELECT filename, file_index, id, y FROM '*/*.csv'",
        "SELECT filename, file_index, id, y FROM '*/*.json'",
        "FROM '*/*.parquet'",
        "DESCRIBE FROM '*/*.csv'",
        "SELECT * FROM (SELECT *, filename FROM '*/*.csv')",
        "WITH t AS (SELECT *, FILENAME FROM '*/*.json') SELECT filename FROM t",
        "SELECT t.filename FROM 'y=1/a.parquet' AS t(a)",
        "SELECT a.filename, b.filename FROM '*/*.parquet' AS a JOIN '*/*.csv' AS b USING (id)",
        "SELECT l.filename, l.file_row_number FROM '*/*.csv' AS r LEFT JOIN 'y=2/a.parquet' AS l ON l.id = r.id + 3",
        "SELECT filename, count(*), max(file_row_number) FROM '*/*.parquet' GROUP BY filename",
        "SELECT DISTINCT typeof(filename), typeof(file_index), typeof(file_row_number) FROM 'y=1/a.parquet'",
        "SELECT count(*) FROM '*/*.parquet' WHERE file_index = 1 AND filename LIKE '%y=2%'",
        "SELECT file_row_number, id FROM 'long.parquet' WHERE file_row_number IN (5, 99999, 100000, 250001)",
        "SELECT id FROM '*/*.parquet' AS o WHERE EXISTS (FROM '*/*.csv' AS i WHERE i.id = o.id AND i.file_index > o.file_index)",
        "SELECT (SELECT count(*) FROM 'y=2/a.csv' WHERE id > o.file_row_number) FROM '*/*.parquet' AS o",
        "SELECT filename, row_number() OVER (PARTITION BY filename ORDER BY id) FROM '*/*.parquet'",
        "SELECT file_index, file_row_number, * FROM 'own.parquet'",
        "SELECT filename FROM 'own.parquet'",
        "SELECT filename FROM read_parquet('*/*.parquet', filename = true)",
        "SELECT x FROM read_csv('*/*.csv', filename = 'x')",
        "SELECT file_row_number, id FROM read_parquet('*/*.parquet', file_row_number = true)",
        "SELECT filename, id FROM read_json('*/*.json')",
    ],
)
def test_named_columns(query: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    found, wanted = tqp.connect().sql(query), duckdb.connect().sql(query)
    assert found.columns == wanted.columns
    assert sorted(map(repr, found.fetchall())) == sorted(map(repr, wanted.fetchall()))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT file_row_number FROM 'y=1/a.csv'",
        "SELECT filename FROM (FROM 'y=1/a.parquet')",
        "SELECT filename FROM 'y=1/a.parquet' AS a, 'y=1/a.csv' AS b",
        "SELECT filename FROM 'y=1/a.parquet', (VALUES (1)) AS t(filename)",
        "SELECT filename FROM read_csv('y=1/a.csv', filename = 'x')",
        "SELECT * EXCLUDE (file_index) FROM 'y=1/a.parquet'",
        "SELECT COLUMNS('file.*') FROM 'y=1/a.parquet'",
        "WITH t AS (FROM 'y=1/a.csv') SELECT filename FROM t",
    ],
)
def test_no_columns(query: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(duckdb.Error):
        duckdb.connect().sql(query)
    with pytest.raises(BindError):
        tqp.connect().sql(query)


def test_columns_that_nobody_names_are_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    con = tqp.connect()
    con.sql("FROM 'own.parquet'").fetchall()
    held = {key for kind, key in con.cache().project("kind, key").fetchall() if kind == "column"}
    assert held == {"own.parquet.filename", "own.parquet.x"}


def test_plans_are_pickled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    relation = tqp.connect().sql("SELECT sum(file_row_number) FROM 'long.parquet' WHERE filename LIKE 'long%'")
    assert relation.fetchall() == [(sum(range(300_000)),)]
    tables = {table.name: table for table in tables_of(relation.plan)}
    assert show(attached(pickle.loads(pickle.dumps(relation.plan)), tables)) == show(relation.plan)
