"""The Python Database API: what PEP 249 says, and what libraries that read databases make of it."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

import tqp
from tqp import dbapi

TYPES = """SELECT 1 AS i, 2::BIGINT AS b, 1.25::DECIMAL(9, 2) AS d, 0.5::DOUBLE AS f, 0.25::FLOAT AS r, 'x' AS s,
    DATE '2020-01-02' AS day, TIMESTAMP '2020-01-02 03:04:05' AS t, true AS yes, 'a'::BLOB AS bytes, 5::HUGEINT AS h, 3::UTINYINT AS u
    UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"""


@pytest.fixture
def conn() -> Iterator[dbapi.Connection]:
    with dbapi.connect(threads=1) as connection:
        connection.engine.register("t", {"a": [1, 2, 3, 4], "s": ["x", None, "y", "x"]})
        yield connection


def test_the_module_says_what_it_is() -> None:
    assert (dbapi.apilevel, dbapi.threadsafety, dbapi.paramstyle) == ("2.0", 2, "qmark")
    for kind in (
        "DataError",
        "OperationalError",
        "IntegrityError",
        "InternalError",
        "ProgrammingError",
        "NotSupportedError",
    ):
        assert issubclass(getattr(dbapi, kind), dbapi.DatabaseError)
        assert getattr(dbapi.Connection, kind) is getattr(dbapi, kind)
    assert issubclass(dbapi.DatabaseError, dbapi.Error) and issubclass(dbapi.InterfaceError, dbapi.Error)
    assert issubclass(dbapi.Warning, Exception) and not issubclass(dbapi.Warning, dbapi.Error)
    now = 1_600_000_000
    assert dbapi.TimestampFromTicks(now).date() == dbapi.DateFromTicks(now)
    assert dbapi.TimeFromTicks(now) == dbapi.TimestampFromTicks(now).time()
    assert dbapi.Date(2020, 1, 2) == datetime.date(2020, 1, 2) and dbapi.Binary(b"x") == b"x"


def test_rows(conn: dbapi.Connection) -> None:
    cursor = conn.cursor()
    assert cursor.description is None and cursor.rowcount == -1 and cursor.arraysize == 1
    with pytest.raises(dbapi.ProgrammingError, match="no rows"):
        cursor.fetchone()
    assert cursor.execute("SELECT a FROM t WHERE a > ? ORDER BY a", (1,)) is cursor
    assert cursor.rowcount == 3
    assert cursor.fetchone() == (2,) and cursor.fetchmany() == [(3,)]
    cursor.arraysize = 5
    assert (
        cursor.fetchmany() == [(4,)]
        and cursor.fetchmany(2) == []
        and cursor.fetchone() is None
        and cursor.fetchall() == []
    )
    assert list(conn.cursor().execute("SELECT a FROM t ORDER BY a")) == [(1,), (2,), (3,), (4,)]
    cursor.execute("SELECT a FROM t WHERE a = $least OR s = $s ORDER BY a", {"least": 2, "s": "y"})
    assert cursor.fetchall() == [(2,), (3,)]
    assert cursor.execute("SELECT a FROM t WHERE false").fetchall() == [] and cursor.rowcount == 0


def test_columns_are_described(conn: dbapi.Connection) -> None:
    found = conn.cursor().execute(TYPES).description
    assert found is not None
    kinds = {column[0]: column[1] for column in found}
    assert all(len(column) == 7 for column in found)
    for group, names in (
        (dbapi.NUMBER, "i b d f r yes h u"), (dbapi.STRING, "s"), (dbapi.DATETIME, "day t"), (dbapi.BINARY, "bytes"), (dbapi.ROWID, ""),
    ):  # fmt: skip
        assert [name for name in kinds if kinds[name] == group] == names.split()
    assert found[2][4:6] == (9, 2)
    zoned = conn.cursor().execute("SELECT now()").description
    assert zoned is not None and zoned[0].type_code == dbapi.DATETIME


def test_statements(conn: dbapi.Connection) -> None:
    cursor = conn.cursor()
    cursor.execute("CREATE TABLE u (a INTEGER NOT NULL, b VARCHAR)")
    assert cursor.description is None
    assert cursor.execute("INSERT INTO u VALUES (?, ?), (2, 'y')", (1, "x")).rowcount == 2
    with pytest.raises(dbapi.ProgrammingError):
        cursor.fetchall()
    assert cursor.executemany("INSERT INTO u VALUES ($a, $b)", [{"a": 3, "b": "z"}, {"a": 4, "b": None}]).rowcount == 2
    assert cursor.executemany("INSERT INTO u VALUES (?, ?)", []).rowcount == 0
    assert cursor.execute("SELECT a, b FROM u ORDER BY a").fetchall() == [(1, "x"), (2, "y"), (3, "z"), (4, None)]
    assert [row[0] for row in cursor.execute("DESCRIBE u")] == ["a", "b"]
    assert cursor.execute("SELECT 5 AS Count").fetchall() == [(5,)]
    with pytest.raises(dbapi.ProgrammingError, match="execute"):
        cursor.executemany("SELECT ?", [(1,)])


def test_transactions(conn: dbapi.Connection) -> None:
    conn.cursor().execute("SELECT 1")
    conn.rollback()
    conn.cursor().execute("CREATE TABLE u AS SELECT 1 AS a")
    with pytest.raises(dbapi.NotSupportedError, match="no transaction began"):
        conn.rollback()
    conn.rollback()
    conn.cursor().execute("INSERT INTO u VALUES (2)")
    conn.commit()
    conn.rollback()
    cursor = conn.cursor()
    assert cursor.execute("SELECT count(*) FROM u").fetchone() == (2,)
    cursor.execute("BEGIN").execute("TRUNCATE u")
    conn.rollback()
    assert cursor.execute("SELECT count(*) FROM u").fetchone() == (2,)
    cursor.execute("BEGIN").execute("TRUNCATE u")
    conn.commit()
    assert cursor.execute("SELECT count(*) FROM u").fetchone() == (0,)
    with pytest.raises(dbapi.OperationalError, match="no transaction began"):
        cursor.execute("ROLLBACK")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SELEC 1", "ProgrammingError"),
        ("SELECT nope FROM t", "ProgrammingError"),
        ("SELECT ?", "ProgrammingError"),
        ("ATTACH 'x.db'", "NotSupportedError"),
        ("SELECT 'x'::INTEGER", "DataError"),
        ("SELECT 9223372036854775807 + a FROM t", "DataError"),
        ("FROM 'nope.parquet'", "OperationalError"),
        ("INSERT INTO strict VALUES (NULL)", "IntegrityError"),
    ],
)
def test_errors(conn: dbapi.Connection, text: str, kind: str) -> None:
    cursor = conn.cursor()
    cursor.execute("CREATE TABLE strict (a INTEGER NOT NULL)")
    with pytest.raises(dbapi.Error) as raised:
        cursor.execute(text)
    assert type(raised.value).__name__ == kind
    assert isinstance(raised.value.__cause__, tqp.errors.TqpError)
    assert str(raised.value) == str(raised.value.__cause__)
    assert cursor.description is None and cursor.rowcount == -1
    assert cursor.execute("SELECT 1").fetchall() == [(1,)]


def test_what_is_closed_is_not_asked() -> None:
    engine = tqp.connect(threads=1)
    conn = dbapi.Connection(engine)
    cursor, other = conn.cursor(), conn.cursor().execute("SELECT 1")
    with cursor as same:
        assert same is cursor
    with pytest.raises(dbapi.InterfaceError, match="cursor is closed"):
        cursor.execute("SELECT 1")
    with pytest.raises(dbapi.InterfaceError, match="cursor is closed"):
        cursor.fetchall()
    conn.close()
    conn.close()
    for use in (conn.cursor, conn.commit, conn.rollback, other.fetchall, lambda: other.execute("SELECT 1")):
        with pytest.raises(dbapi.InterfaceError, match="connection is closed"):
            use()
    assert engine.sql("SELECT 1").fetchall() == [(1,)], "it was made by somebody else"
    made = dbapi.connect(threads=1)
    inner = made.engine
    made.close()
    with pytest.raises(tqp.errors.BindError, match="closed"):
        inner.sql("SELECT 1")
    with pytest.raises(dbapi.OperationalError, match="nowhere"):
        dbapi.connect(device="nowhere")


def test_variables_are_no_tables_unless_they_are_asked_for(conn: dbapi.Connection) -> None:
    frame = {"x": [1, 2]}
    with pytest.raises(dbapi.ProgrammingError, match="frame"):
        conn.cursor().execute("SELECT * FROM frame")
    assert frame and dbapi.connect(threads=1, variables=True).cursor().execute("SELECT * FROM frame").rowcount == 2


def test_pandas_reads_it(conn: dbapi.Connection) -> None:
    with warnings.catch_warnings():
        # It says that it was tested with SQLAlchemy alone.
        warnings.simplefilter("ignore", UserWarning)
        frame = pd.read_sql("SELECT a, s FROM t WHERE a > ? ORDER BY a", conn, params=(1,))
        assert frame["a"].tolist() == [2, 3, 4] and frame["s"].tolist()[1:] == ["y", "x"] and frame["s"].isna()[0]
        parts = list(pd.read_sql("SELECT a FROM t ORDER BY a", conn, chunksize=3))
        assert [part["a"].tolist() for part in parts] == [[1, 2, 3], [4]]
        assert pd.read_sql("SELECT a FROM t WHERE false", conn).shape == (0, 1)
        assert pd.read_sql("SELECT d, day FROM (" + TYPES + ")", conn)["d"][0] == Decimal("1.25")
        with pytest.raises(Exception, match="nope"):
            pd.read_sql("SELECT nope FROM t", conn)


def test_polars_reads_it(conn: dbapi.Connection) -> None:
    query = "SELECT a, s FROM t WHERE a > ? ORDER BY a"
    frame = pl.read_database(query, conn, execute_options={"parameters": [1]})
    assert frame.to_dict(as_series=False) == {"a": [2, 3, 4], "s": [None, "y", "x"]}
    parts: Any = pl.read_database("SELECT a FROM t ORDER BY a", conn, iter_batches=True, batch_size=3)
    assert [part["a"].to_list() for part in parts] == [[1, 2, 3], [4]]
    found = pl.read_database(TYPES, conn)
    expected = conn.engine.sql(TYPES).pl().select(pl.exclude("h"))
    assert found.select(pl.exclude("h")).schema == expected.schema
    assert found.select(pl.exclude("h")).rows() == expected.rows() and found["h"].to_list() == [5, None]
    empty = pl.read_database(f"SELECT i, r, d, s, day, t FROM ({TYPES}) WHERE false", conn)
    assert empty.schema == expected.select("i", "r", "d", "s", "day", "t").schema


def test_a_cursor_is_an_iterator(conn: dbapi.Connection) -> None:
    cursor = conn.cursor().execute("SELECT a FROM t ORDER BY a")
    assert (
        next(cursor) == (1,) and iter(cursor) is cursor and cursor.fetchone() == (2,) and list(cursor) == [(3,), (4,)]
    )
    with pytest.raises(StopIteration):
        next(cursor)


@pytest.mark.filterwarnings("ignore:pandas only supports SQLAlchemy")
def test_pandas_writes_to_it(conn: dbapi.Connection) -> None:
    frame = pd.DataFrame({"n": [1, 2], "s": ["x", None]})
    assert frame.to_sql("written", conn, index=False) == 2
    frame.to_sql("written", conn, index=False, if_exists="append")
    with pytest.raises(ValueError, match="already exists"):
        frame.to_sql("written", conn, index=False)
    assert conn.engine.table("written").order("ALL").fetchall() == [(1, "x"), (1, "x"), (2, None), (2, None)]


def test_tables_are_listed_as_in_sqlite(conn: dbapi.Connection) -> None:
    oracle = duckdb.connect()
    for one in (conn.engine, oracle):
        one.execute("CREATE TABLE made (a INTEGER); CREATE VIEW seen AS SELECT a FROM made")
    text = "SELECT type, name, tbl_name, rootpage, if(type = 'view', sql, '') FROM sqlite_master WHERE name <> 't' ORDER BY name"
    assert conn.cursor().execute(text).fetchall() == oracle.execute(text).fetchall()
