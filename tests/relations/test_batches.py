"""Rows a part at a time: each once, in order, of the types of the whole."""

from __future__ import annotations

from datetime import date

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tqp
from tqp.errors import BindError

QUERY = """SELECT i, i::DECIMAL(9, 2) / 4 AS d, 'text ' || (i % 3) AS s, [i, NULL] AS l, 7 AS one,
    CASE WHEN i % 2 = 0 THEN i::HUGEINT END AS h, TIMESTAMPTZ '2020-01-01 00:00:00+00' + i * INTERVAL 1 DAY AS z
    FROM range({rows}) r(i) ORDER BY i"""


@pytest.fixture
def con() -> tqp.Connection:
    return tqp.connect(threads=1, time_zone="Europe/Berlin")


@pytest.mark.parametrize("rows", [0, 1, 4, 5])
def test_record_batches(con: tqp.Connection, rows: int) -> None:
    relation = con.sql(QUERY.format(rows=rows))
    reader = relation.to_arrow_reader(2)
    assert reader.schema == relation.arrow().schema
    batches = list(reader)
    assert [batch.num_rows for batch in batches] == [2] * (rows // 2) + [1] * (rows % 2)
    assert pa.Table.from_batches(batches, reader.schema).equals(relation.arrow())
    assert relation.to_arrow_reader().read_all().equals(relation.arrow())
    oracle = duckdb.connect()
    oracle.execute("SET TimeZone = 'Europe/Berlin'")
    assert reader.schema.types == oracle.sql(QUERY.format(rows=rows)).to_arrow_reader(2).schema.types


@pytest.mark.parametrize("size", [0, -1, True, 1.5])
def test_sizes_of_batches(con: tqp.Connection, size: int) -> None:
    relation = con.sql("SELECT 1 AS a")
    with pytest.raises(BindError, match="batch_size"):
        relation.to_arrow_reader(size)
    with pytest.raises(BindError, match="batch_size"):
        list(relation.iter_rows(size))


def test_rows(con: tqp.Connection) -> None:
    relation = con.sql(QUERY.format(rows=5))
    assert list(relation) == list(relation.iter_rows(2)) == relation.fetchall()
    assert relation.fetchone() == relation.fetchall()[0]
    assert len(list(relation)) == 5, "iteration begins anew, whatever was fetched"
    assert [row for row in con.sql("SELECT 1 WHERE false")] == []
    assert con.sql("SELECT 1 AS a, 2 AS a").to_dicts() == [{"a": 1, "a_1": 2}]


def test_frames_go_on_where_the_last_one_ended(con: tqp.Connection) -> None:
    con.register("t", {"a": np.arange(5000)})
    relation = con.table("t")
    frames = [relation.fetch_df_chunk(), relation.fetch_df_chunk(2), relation.fetch_df_chunk()]
    assert [len(frame) for frame in frames] == [2048, 2952, 0]
    assert pd.concat(frames, ignore_index=True).equals(relation.df())
    assert frames[2].dtypes.equals(relation.df().dtypes)
    assert relation.fetchone() is None


def test_columns_are_described(con: tqp.Connection) -> None:
    relation = con.sql("SELECT 1 AS a, 'x' AS s")
    assert [(name, str(kind), *rest) for name, kind, *rest in relation.description] == [
        ("a", "INTEGER", None, None, None, None, None), ("s", "VARCHAR", None, None, None, None, None),
    ]  # fmt: skip
    assert relation.dtypes == relation.types
    assert "a" in relation and "A" in relation and "b" not in relation and 1 not in relation


def test_other_forms_of_results() -> None:
    con = tqp.connect(threads=1)
    relation = con.sql("SELECT i, if(i = 1, NULL, DATE '2020-01-01' + i::INT) AS d FROM range(3) r(i)")
    assert relation.df(date_as_object=True)["d"].tolist() == [date(2020, 1, 1), None, date(2020, 1, 3)]
    assert relation.pl(lazy=True).collect().equals(relation.pl())
    assert relation.arrow(2).column("i").num_chunks == 2 and relation.arrow(2).equals(relation.arrow())
    assert [batch.num_rows for batch in relation.fetch_record_batch(2)] == [2, 1]
    assert relation.fetchone() is not None
    relation.close()
    assert relation._table is relation._arrow is None and relation.fetchone() == (0, date(2020, 1, 1))
