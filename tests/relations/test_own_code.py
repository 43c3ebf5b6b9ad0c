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


@pytest.mark.parametrize("rows", [0, 1, 2, 5, 6, 7])
def test_map_in_batches(con: tqp.Connection, rows: int) -> None:
    """No frame is larger; what comes out is what one call gives, with NULLs, texts and integers beyond 64 bits."""
    sizes: list[int] = []

    def changed(frame: pd.DataFrame) -> pd.DataFrame:
        sizes.append(len(frame))
        return frame.assign(twice=frame.i * 2, big=[2**100 + i for i in frame.i], name=[f"s{-i}" for i in frame.i])

    relation = con.sql(f"SELECT i, CASE WHEN i % 2 = 1 THEN 's' || i END AS s, i * 0.5 AS d FROM range({rows}) r(i)")
    if not rows:
        changed = lambda frame: (sizes.append(len(frame)), frame)[1]  # noqa: E731
    whole, parts = relation.map(changed), relation.map(changed, batch_size=3)
    assert sizes == [rows, *([3] * (rows // 3) + [rows % 3] * (rows % 3 > 0) if rows > 3 else [rows])]
    assert parts.fetchall() == whole.fetchall() and parts.columns == whole.columns and parts.types == whole.types
    assert "user code" in parts.explain()
    assert parts.filter("i >= 4").aggregate("count(*)").fetchall() == [(max(rows - 4, 0),)]


def test_map_in_batches_says_what_was_wrong(con: tqp.Connection) -> None:
    relation = con.sql("SELECT i FROM range(5) r(i)")
    with pytest.raises(ExecutionError, match="gave the columns i VARCHAR instead of i BIGINT"):
        relation.map(lambda frame: frame if frame.i[0] < 2 else frame.astype(str), batch_size=2)
    with pytest.raises(ExecutionError, match="instead of n BIGINT"):
        relation.map(lambda frame: frame, schema={"n": "BIGINT"}, batch_size=2)
    for size in (0, -1, True, 1.5, "2"):
        with pytest.raises(BindError, match="is no number of rows"):
            relation.map(lambda frame: frame, batch_size=size)


def test_many_parameters(con: tqp.Connection) -> None:
    db = duckdb.connect()
    for side in (con, db):
        side.execute("CREATE TABLE t(a INTEGER NOT NULL, b VARCHAR)")
        assert side.executemany("INSERT INTO t VALUES (?, ?)", [(1, "x"), [2, None]]) is side
        side.executemany("INSERT INTO t VALUES ($a, $b)", [{"a": 3, "b": "y"}])
        # Rows before the one that fails stay.
        with pytest.raises((TqpError, duckdb.Error)):
            side.executemany("INSERT INTO t VALUES (?, ?)", [(4, "z"), (None, "w"), (5, "v")])
        side.begin()
        side.executemany("INSERT INTO t VALUES (?, ?)", [(6, "gone")])
        side.rollback()
        with pytest.raises((TqpError, duckdb.Error)):
            side.executemany("INSERT INTO t VALUES (?, ?)", pd.DataFrame({"a": [7], "b": ["q"]}))
    rows = "FROM t ORDER BY a"
    assert con.sql(rows).fetchall() == db.sql(rows).fetchall() == [(1, "x"), (2, None), (3, "y"), (4, "z")]
    for wrong in ("x", {"a": 1}, 5):
        with pytest.raises(BindError, match="several sets of parameters"):
            con.executemany("INSERT INTO t VALUES (1, 'a')", wrong)  # type: ignore[arg-type]
    with pytest.raises(BindError, match="execute"):
        con.executemany("SELECT ?", [(1,)])


def test_rows_of_objects_go_below_those_of_tables(con: tqp.Connection) -> None:
    db = duckdb.connect()
    for side in (con, db):
        side.execute("CREATE TABLE t(a INTEGER NOT NULL, b VARCHAR DEFAULT 'none')")
        assert side.append("t", pd.DataFrame({"x": [1], "y": ["q"]})) is side
        side.append("t", pd.DataFrame({"b": ["by name"], "a": [2]}), by_name=True)
        side.append("t", pd.DataFrame({"A": [3]}), by_name=True)
        for wrong in ({"x": [1]}, {"a": [1], "b": ["x"], "c": [2]}):
            with pytest.raises((TqpError, duckdb.Error)):
                side.append("t", pd.DataFrame(wrong))
        for wrong in ({"b": ["no a"]}, {"a": [1], "c": [2]}):
            with pytest.raises((TqpError, duckdb.Error)):
                side.append("t", pd.DataFrame(wrong), by_name=True)
        with pytest.raises((TqpError, duckdb.Error)):
            side.append("nope", pd.DataFrame({"a": [1]}))
    rows = "FROM t ORDER BY a"
    assert con.sql(rows).fetchall() == db.sql(rows).fetchall() == [(1, "q"), (2, "by name"), (3, "none")]
    con.append("main.t", pa.table({"a": [4], "b": ["arrow"]})).append("t", [(5, "tuple")]).append(
        "t", con.sql("SELECT 6, 'own'")
    )
    assert con.sql("SELECT b FROM t WHERE a > 3 ORDER BY a").fetchall() == [("arrow",), ("tuple",), ("own",)]


def test_other_names_of_duckdb(con: tqp.Connection, tmp_path: Any) -> None:
    db = duckdb.connect()
    for side in (con, db):
        side.execute("CREATE TABLE t AS SELECT 1 AS a; CREATE VIEW v AS SELECT a + 1 AS b FROM t")
        assert side.view("v").fetchall() == [(2,)]
        assert side.query("FROM v").fetchall() == side.from_query("FROM v").fetchall() == [(2,)]
        assert side.table_function("range", [1, 7, 2]).fetchall() == [(1,), (3,), (5,)]
        assert side.sql("FROM v").materialize().fetchall() == [(2,)]
        side.sql("FROM t").write_csv(str(tmp_path / "t.csv"))
        side.sql("FROM t").write_parquet(str(tmp_path / "t.parquet"))
        assert side.from_csv_auto(str(tmp_path / "t.csv")).fetchall() == [(1,)]
        assert side.from_parquet(str(tmp_path / "t.parquet")).fetchall() == [(1,)]
    assert con.sql("FROM range(5)").fetch_record_batch(2).read_all().num_rows == 5
    with pytest.raises(BindError, match="are a list"):
        con.table_function("range", "x")


def test_what_there_is_not_says_what_to_write_instead(con: tqp.Connection) -> None:
    for name, hint in (
        ("fetchall", r"con\.execute\(text\)\.fetchall"),
        ("cursor", "use con itself"),
        ("nope", "no attribute 'nope'"),
    ):
        with pytest.raises(AttributeError, match=hint):
            getattr(con, name)
    assert not hasattr(con, "fetchdf")


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
