"""Columns in the paths of Parquet files."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tqp
from tqp.verify.compare import compare

DEFAULT = "__HIVE_DEFAULT_PARTITION__"


def _write(folder: Path, *parts: str, rows: int = 2) -> None:
    for number, part in enumerate(parts):
        file = folder / part / "data.parquet"
        file.parent.mkdir(parents=True)
        pq.write_table(pa.table({"i": range(number, number + rows), "s": ["x"] * rows}), file)


@pytest.mark.parametrize(
    "parts",
    [
        ("k=1", "k=2", f"k={DEFAULT}"),
        ("k=1/t=a%20b", "k=2/t=c"),
        ("k=01", "k=2"),
        ("k=2020-01-01", "k=2021-2-3"),
        ("k=2020-01-01 10:00:00", "k=2021-02-03 00:00:00"),
        ("k=1.5", "k=2"),
        ("k=99999999999999999999", "k=1"),
        ("i=5", "i=7"),
        ("k=1", "plain"),
    ],
)
def test_same_columns_as_duckdb(tmp_path: Path, parts: tuple[str, ...]) -> None:
    _write(tmp_path, *parts)
    connection = tqp.connect(threads=1)
    actual = connection.read_parquet(tmp_path)
    expected = duckdb.sql(f"SELECT * FROM '{tmp_path}/**/*.parquet'").to_arrow_table()
    assert actual.columns == expected.column_names
    assert compare(actual.arrow(), expected) is None
    names = f"{tmp_path}/**/*.parquet"
    last = expected.column_names[-1]
    query = f"SELECT {last}, count(*) AS n, sum(i) AS t FROM '{names}' GROUP BY {last}"
    assert compare(connection.sql(query).arrow(), duckdb.sql(query).to_arrow_table()) is None


def test_one_file_has_them_too(tmp_path: Path) -> None:
    _write(tmp_path, "year=2024")
    file = tmp_path / "year=2024" / "data.parquet"
    query = f"SELECT i, year FROM '{file}' WHERE year = 2024"
    assert tqp.connect(threads=1).sql(query).fetchall() == duckdb.sql(query).fetchall()
