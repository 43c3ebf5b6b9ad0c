"""UPDATE, DELETE and their kin beside what DuckDB has a script for (`scripts/changing_rows.sql`): versions, threads, what is shared."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import tqp
from tqp.data.stored import StoredTable
from tqp.errors import BindError, ConstraintError, TqpError, TransactionError
from tqp.io.rows import Rows


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=2) as made:
        made.execute("CREATE TABLE t(a INTEGER NOT NULL, b VARCHAR); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z')")
        yield made


def rows(con: tqp.Connection, text: str = "FROM t ORDER BY ALL") -> list[tuple[Any, ...]]:
    return con.sql(text).fetchall()


def pieces(con: tqp.Connection, name: str = "t") -> Rows:
    entry = next(entry for entry in con.catalog.entries.values() if entry.name == name)
    assert isinstance(entry.meaning, StoredTable) and isinstance(entry.meaning.reader, Rows)
    return entry.meaning.reader


def test_a_relation_keeps_the_version_that_it_was_made_with(con: tqp.Connection) -> None:
    held = con.sql("SELECT count(*), sum(a) FROM t")
    con.execute("UPDATE t SET a = a * 10")
    con.execute("DELETE FROM t WHERE a = 20")
    assert held.fetchall() == [(3, 6)] and rows(con) == [(10, "x"), (30, "z")]
    assert rows(con, "SELECT count(*), sum(a) FROM t") == [(2, 40)]


def test_columns_and_pieces_that_do_not_change_are_shared(con: tqp.Connection) -> None:
    con.execute("TRUNCATE t; INSERT INTO t SELECT i, 'n' || i FROM range(1000) r(i); INSERT INTO t VALUES (-1, 'm')")
    first, second = pieces(con).pieces
    con.execute("UPDATE t SET a = 5 WHERE a = -1")
    after = pieces(con).pieces
    assert after[0] is first and after[1].columns[1] is second.columns[1]
    con.execute("DELETE FROM t WHERE b = 'n3'")
    assert pieces(con).pieces[1] is after[1] and pieces(con).rows == 1000


def test_values_are_stored_in_the_width_that_they_have_now(con: tqp.Connection) -> None:
    con.execute("UPDATE t SET a = 100000 WHERE a = 2")
    assert pieces(con).column("a").bounds == (1, 100000)
    con.execute("DELETE FROM t WHERE a = 100000")
    assert pieces(con).column("a").bounds == (1, 3) and str(pieces(con).column("a").data.dtype) == "torch.int8"


def test_values_that_nothing_has_any_more_are_let_go(con: tqp.Connection) -> None:
    con.execute("CREATE TABLE n AS SELECT i AS i, [i, i, i] AS l, {'a': i, 'b': [i]} AS s FROM range(100) r(i)")
    for step in range(6):
        con.execute(f"UPDATE n SET l = [i, {step}], s = {{'a': {step}, 'b': [i, i]}}")
    con.execute("DELETE FROM n WHERE i % 10 > 0")
    held = pieces(con, "n").pieces[0]
    assert len(held.columns[1].children[0]) <= 40 and len(held.columns[2].children[0]) <= 20
    assert rows(con, "SELECT * FROM n WHERE i = 20") == [(20, [20, 5], {"a": 5, "b": [20, 20]})]


def test_changes_of_several_threads_all_count(con: tqp.Connection) -> None:
    """Each is done on what the others left: none is lost, and none fails."""
    con.execute("CREATE TABLE n(k INTEGER, v INTEGER); INSERT INTO n SELECT i, 0 FROM range(4) r(i)")
    start = threading.Barrier(4)

    def work(k: int) -> None:
        start.wait()
        for _ in range(10):
            con.execute(f"UPDATE n SET v = v + 1 WHERE k = {k} OR k = 0")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert rows(con, "FROM n ORDER BY k") == [(0, 40), (1, 10), (2, 10), (3, 10)]


@pytest.mark.parametrize("change", ["UPDATE t SET b = 'q' WHERE a = 1", "DELETE FROM t WHERE a = 1"])
@pytest.mark.parametrize("other", ["UPDATE t SET b = 'p' WHERE a = 2", "INSERT INTO t VALUES (9, 'i')", "DROP TABLE t"])
def test_a_transaction_conflicts_with_what_others_did_to_the_table(
    con: tqp.Connection, change: str, other: str
) -> None:
    con.begin()
    con.execute(change)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(con.execute, other).result()
    with pytest.raises(TransactionError, match="changed by others"):
        con.commit()
    if "DROP" not in other:
        assert (1, "x") in rows(con)


def test_nothing_changes_where_something_fails(con: tqp.Connection) -> None:
    before = rows(con)
    for text, kind in (
        ("UPDATE t SET a = NULL WHERE a = 2", ConstraintError),
        ("UPDATE t SET a = a / 0", TqpError),
        ("UPDATE t SET b = 'w' RETURNING CAST(b AS INTEGER)", TqpError),
        ("DELETE FROM t WHERE CAST(b AS INTEGER) = 1", TqpError),
        ("DELETE FROM t RETURNING CAST(b AS INTEGER)", TqpError),
    ):
        with pytest.raises(kind):
            con.execute(text).fetchall()
        assert rows(con) == before


def test_what_is_registered_does_not_change(con: tqp.Connection) -> None:
    con.register("frame", {"a": [1, 2]})
    for text in ("UPDATE frame SET a = 3", "DELETE FROM frame"):
        with pytest.raises(BindError, match=r"registered.*only the rows of tables change") as caught:
            con.execute(text)
        assert "CREATE TABLE" in (caught.value.hint or "")


def test_parameters_and_counts(con: tqp.Connection) -> None:
    cursor = tqp.dbapi.connect().cursor()
    cursor.execute("CREATE TABLE t(a INTEGER, b VARCHAR)").executemany(
        "INSERT INTO t VALUES (?, ?)", [(1, "x"), (2, "y")]
    )
    assert cursor.execute("UPDATE t SET b = ? WHERE a = ?", ("z", 1)).rowcount == 1 and cursor.description is None
    assert cursor.execute("DELETE FROM t WHERE a > $least", {"least": 5}).rowcount == 0
    assert cursor.execute("DELETE FROM t RETURNING a, b").fetchall() == [(1, "z"), (2, "y")]
    assert con.sql("WITH d AS (DELETE FROM t WHERE a < ? RETURNING a) SELECT a + ? FROM d", [2, 10]).fetchall() == [
        (11,)
    ]


def test_errors_point_into_the_statement(con: tqp.Connection) -> None:
    for text, place in (
        ("UPDATE t SET a = 1, b = nope", 25),
        ("UPDATE t SET a = s.x FROM t s", 20),
        ("DELETE FROM t USING t s WHERE q = 1", 31),
    ):
        with pytest.raises(BindError) as caught:
            con.execute(text)
        assert caught.value.location is not None and caught.value.location.column == place
        assert caught.value.text == text


def test_two_that_insert_one_key(con: tqp.Connection) -> None:
    """Of two statements, or transactions, one is there first, and the other fails; rows of both stay where keys differ."""
    con.execute("CREATE TABLE k(a INTEGER PRIMARY KEY, b INTEGER CHECK (b > 0))")
    start = threading.Barrier(4)

    def work(number: int) -> int:
        start.wait()
        try:
            con.execute("INSERT INTO k VALUES (1, ?)", [number + 1])
        except ConstraintError:
            return 0
        return 1

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(4))) == 1
    con.begin()
    con.execute("INSERT INTO k VALUES (2, 2)")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(con.execute, "INSERT INTO k VALUES (2, 3), (4, 4)").result()
    with pytest.raises(ConstraintError, match="PRIMARY KEY"):
        con.commit()
    assert not con.in_transaction and rows(con, "SELECT a FROM k ORDER BY a") == [(1,), (2,), (4,)]
    con.begin()
    con.execute("INSERT INTO k VALUES (5, 5)")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(con.execute, "INSERT INTO k VALUES (6, 6)").result()
    con.commit()
    assert rows(con, "SELECT a FROM k ORDER BY a") == [(1,), (2,), (4,), (5,), (6,)]


def test_constraints_hold_whatever_brings_the_rows(con: tqp.Connection, tmp_path: Path) -> None:
    con.execute("CREATE TABLE k(a INTEGER PRIMARY KEY, b INTEGER CHECK (b > 0)); INSERT INTO k VALUES (1, 1)")
    con.sql("SELECT 1 AS a, 2 AS b").write_csv(str(tmp_path / "x.csv"))
    for bring in (
        lambda: con.execute(f"COPY k FROM '{tmp_path / 'x.csv'}'"),
        lambda: con.append("k", {"a": [1], "b": [2]}),
        lambda: con.append("k", {"a": [2], "b": [0]}),
        lambda: con.executemany("INSERT INTO k VALUES (?, ?)", [(1, 5)]),
        lambda: con.execute("UPDATE k SET b = 0"),
    ):
        with pytest.raises(ConstraintError):
            bring()
    assert rows(con, "FROM k") == [(1, 1)]


def test_parameters_of_a_statement_of_several_queries(con: tqp.Connection) -> None:
    con.execute("CREATE TABLE k(a INTEGER PRIMARY KEY, b INTEGER); INSERT INTO k VALUES (1, 1)")
    text = (
        "WITH q AS (SELECT ?::INTEGER AS a) INSERT INTO k SELECT a, ? FROM q "
        "ON CONFLICT DO UPDATE SET b = ? + excluded.b WHERE k.b < ? RETURNING *"
    )
    assert con.execute(text, [1, 5, 100, 7]).fetchall() == [(1, 105)]
    assert con.execute(text, [1, 5, 100, 7]).fetchall() == []
    con.execute("INSERT OR REPLACE INTO k VALUES ($a, $b)", {"a": 1, "b": 9})
    con.executemany("INSERT OR REPLACE INTO k VALUES (?, ?)", [(2, 6), (2, 7)])
    assert rows(con, "FROM k ORDER BY a") == [(1, 9), (2, 7)]
    with pytest.raises(BindError, match="no value for parameter"):
        con.execute(text, [1, 5])


def test_parameters_and_versions_of_merge(con: tqp.Connection) -> None:
    held = con.sql("FROM t WHERE a = 1")
    text = (
        "MERGE INTO t USING (SELECT ?::INTEGER AS a, ? AS b) s USING (a) WHEN MATCHED AND s.b = ? THEN UPDATE SET b = ? "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT RETURNING merge_action, b"
    )
    assert con.execute(text, [1, "k", "k", "new"]).fetchall() == [("UPDATE", "new")]
    assert con.execute(text, [2, "k", "l", "new"]).fetchall() == [("DELETE", "y")]
    assert con.execute(text, [4, "k", "l", "new"]).fetchall() == [("INSERT", "k")]
    assert rows(con) == [(1, "new"), (3, "z"), (4, "k")] and held.fetchall() == [(1, "x")]
    with pytest.raises(ConstraintError):
        con.execute("MERGE INTO t USING (SELECT NULL::INTEGER AS a, 'n' AS b) s USING (a) WHEN NOT MATCHED THEN INSERT")
    assert "Join" in con.sql("EXPLAIN MERGE INTO t USING t s USING (a) WHEN MATCHED THEN DELETE").fetchall()[0][1]


def test_altering_a_table_that_others_fill(con: tqp.Connection) -> None:
    """What was read under other columns is not put there."""
    held = con.sql("SELECT b FROM t WHERE a = 1")
    con.begin()
    con.execute("INSERT INTO t VALUES (7, 'q')")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(con.execute, "ALTER TABLE t DROP COLUMN b").result()
    with pytest.raises(TransactionError):
        con.commit()
    assert rows(con) == [(1,), (2,), (3,)] and held.fetchall() == [("x",)]
