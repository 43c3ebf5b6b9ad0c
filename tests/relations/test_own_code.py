"""Functions over all rows, rows put into tables, and tables without a name."""

from __future__ import annotations

from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

import tqp
from tqp.errors import BindError, ExecutionError, SourceError, TqpError, UnsupportedError


@pytest.fixture
def con() -> tqp.Connection:
    return tqp.connect(threads=1)


def test_map_gives_what_duckdbs_gives(con: tqp.Connection) -> None:
    def doubled(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(twice=frame.i * 2)

    query = "SELECT i, i * 0.5::DOUBLE AS h FROM range(5) r(i)"
    for condition in ("true", "i > 100"):
        ours, theirs = [side.sql(query).filter(condition).map(doubled) for side in (con, duckdb.connect())]
        assert ours.columns == theirs.columns == ["i", "h", "twice"]
        assert list(map(str, ours.types)) == list(map(str, theirs.types))
        assert ours.fetchall() == theirs.fetchall()
        assert "user code doubled" in ours.explain()
    assert ours.filter("twice > 4").aggregate("count(*)").fetchall() == [(0,)]


def test_map_calls_once_with_all_rows(con: tqp.Connection) -> None:
    sizes: list[int] = []

    def counted(frame: pd.DataFrame) -> dict[str, list[int]]:
        sizes.append(len(frame))
        return {"n": [len(frame)]}

    relation = con.sql("SELECT * FROM range(5000) r(i)").map(counted, schema={"n": "bigint"})
    assert relation.fetchall() == relation.fetchall() == [(5000,)] and sizes == [5000]


def test_map_says_what_was_wrong(con: tqp.Connection) -> None:
    relation = con.sql("SELECT 1 AS a")
    with pytest.raises(ExecutionError, match="gave what is no table"):
        relation.map(lambda frame: 5)
    with pytest.raises(ExecutionError, match=r"failed: ZeroDivisionError.*test_own_code.py"):
        relation.map(lambda frame: 1 / 0)
    with pytest.raises(ExecutionError, match="columns a INTEGER instead of a BIGINT"):
        relation.map(lambda frame: frame, schema={"a": "BIGINT"})
    with pytest.raises(BindError, match="takes a function"):
        relation.map("f")  # type: ignore[arg-type]


def test_rows_are_inserted_into_tables(con: tqp.Connection) -> None:
    db = duckdb.connect()
    for side in (con, db):
        side.sql("CREATE TABLE \"a b\" AS SELECT 1::BIGINT AS n, 'x' AS s")
        side.table('"a b"' if side is db else "a b").insert([2, "it's"])
    assert con.sql('FROM "a b"').fetchall() == db.sql('FROM "a b"').fetchall() == [(1, "x"), (2, "it's")]
    assert con.table("a b").type == db.table('"a b"').type == "TABLE_RELATION"
    assert con.sql("SELECT 1").type == db.sql("SELECT 1").type == "QUERY_RELATION"
    with pytest.raises(BindError, match="all of a table"):
        con.sql("SELECT 1").insert([2])
    with pytest.raises(UnsupportedError, match="CREATE OR REPLACE TABLE"):
        con.table("a b").update({"n": tqp.ColumnExpression("n") + 1})
    with pytest.raises(TqpError):
        con.register("view", pa.table({"a": [1]})).table("view").insert([2])


def test_tables_without_a_name(con: tqp.Connection) -> None:
    frame = pd.DataFrame({"a": [1, None]})
    assert con.from_df(frame).fetchall() == duckdb.connect().from_df(frame).fetchall() == [(1.0,), (None,)]
    assert con.from_arrow(pa.table({"a": [1]})).columns == ["a"]
    with pytest.raises(SourceError):
        con.from_df(5)
    for rows in ((1, "a"), ((1, "a"), (2, None))):
        ours, theirs = con.values(*rows), duckdb.connect().values(*rows)
        assert (ours.columns, ours.fetchall()) == (theirs.columns, theirs.fetchall())
    with pytest.raises(BindError):
        con.values()


def test_frames_have_duckdbs_other_names(con: tqp.Connection) -> None:
    relation: Any = con.sql("SELECT 1 AS a, NULL::INTEGER AS b")
    theirs: Any = duckdb.sql("SELECT 1 AS a, NULL::INTEGER AS b")
    pd.testing.assert_frame_equal(relation.to_df(), relation.fetchdf())
    assert relation.to_arrow_table().equals(theirs.to_arrow_table())
    assert [repr(one) for one in relation.fetchnumpy().values()] == [repr(one) for one in theirs.fetchnumpy().values()]
