"""Transactions beside what DuckDB has a script for (`scripts/transactions.sql`): threads, conflicts, plans and what Python calls."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import tqp
from tqp.errors import BindError, ConstraintError, TqpError, TransactionError


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=2) as made:
        made.execute("CREATE TABLE t(a INTEGER NOT NULL, b VARCHAR DEFAULT 'none'); INSERT INTO t VALUES (1, 'x')")
        yield made


def elsewhere(work: Callable[[], Any]) -> Any:
    """What another thread gets."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def rows(con: tqp.Connection, text: str = "FROM t ORDER BY ALL") -> list[tuple[Any, ...]]:
    return con.sql(text).fetchall()


def test_others_see_nothing_before_commit(con: tqp.Connection) -> None:
    held = con.sql("FROM t")
    assert con.begin() is con and con.in_transaction
    con.execute("TRUNCATE t")
    con.execute("INSERT INTO t(a) VALUES (2), (3)")
    con.execute("CREATE TABLE u AS FROM t; CREATE MACRO f(x) AS x + 1")
    assert rows(con) == [(2, "none"), (3, "none")] and rows(con, "SELECT f(a) FROM u ORDER BY 1") == [(3,), (4,)]
    assert elsewhere(lambda: rows(con)) == [(1, "x")]
    assert not elsewhere(lambda: con.in_transaction) and elsewhere(con.tables) == ["t"]
    for text in ("FROM u", "SELECT f(1)"):
        with pytest.raises(TqpError):
            elsewhere(lambda text=text: rows(con, text))
    assert con.commit() is con and not con.in_transaction
    assert elsewhere(lambda: rows(con)) == [(2, "none"), (3, "none")]
    assert elsewhere(lambda: rows(con, "SELECT f(a) FROM u ORDER BY 1")) == [(3,), (4,)]
    assert held.fetchall() == [(1, "x")]


def test_reading_while_another_thread_replaces(con: tqp.Connection) -> None:
    """Two tables and a macro that change together: a query sees all of it as it was at one time."""
    con.execute("CREATE TABLE pair(a INTEGER NOT NULL); INSERT INTO pair VALUES (1); CREATE MACRO number() AS 1")
    con.execute("CREATE VIEW v AS SELECT t.a AS t, pair.a AS pair, number() AS m FROM t, pair")
    done = threading.Event()

    def read() -> int:
        seen = 0
        while not done.is_set() or not seen:
            ((first, second, third),) = rows(con, "FROM v")
            assert first == second == third
            seen += 1
        return seen

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        try:
            for step in range(2, 30):
                con.execute(
                    f"BEGIN; TRUNCATE t; INSERT INTO t(a) VALUES ({step}); TRUNCATE pair; INSERT INTO pair VALUES ({step}); "
                    f"CREATE OR REPLACE MACRO number() AS {step}; COMMIT"
                )
                con.begin().execute("TRUNCATE t")
                with pytest.raises(ConstraintError):
                    con.execute("INSERT INTO t VALUES (NULL, 'y')")
                con.rollback()
        finally:
            done.set()
        assert all(reader.result() for reader in readers)
    assert rows(con, "FROM v") == [(29, 29, 29)]


def test_conflicts(con: tqp.Connection) -> None:
    """Of two changes of one table the second to be committed is an error, unless both put rows there."""
    con.begin().execute("INSERT INTO t VALUES (2, 'mine')")
    con.execute("INSERT INTO t VALUES (3, 'mine')")
    elsewhere(lambda: con.execute("INSERT INTO t VALUES (4, 'theirs')"))
    assert rows(con) == [(1, "x"), (2, "mine"), (3, "mine")]
    con.commit()
    assert rows(con) == [(1, "x"), (2, "mine"), (3, "mine"), (4, "theirs")]
    con.begin().execute("INSERT INTO t VALUES (5, 'mine')")
    elsewhere(lambda: con.execute("TRUNCATE t"))
    con.commit()
    assert rows(con) == [(5, "mine")]
    changes = [
        ("TRUNCATE t", "INSERT INTO t VALUES (5, 'y')"),
        ("INSERT INTO t VALUES (6, 'z')", "CREATE OR REPLACE TABLE t AS SELECT 1 AS a, 'x' AS b"),
        ("DROP TABLE t", "INSERT INTO t VALUES (7, 'y')"),
        ("CREATE TABLE n AS SELECT 1 AS a", "CREATE TABLE n AS SELECT 2 AS a"),
        ("CREATE OR REPLACE MACRO f() AS 1", "CREATE MACRO f() AS 2"),
        ("CREATE TABLE other AS SELECT 1 AS a; TRUNCATE t", "TRUNCATE t"),
    ]
    for mine, theirs in changes:
        con.begin().execute(mine)
        elsewhere(lambda theirs=theirs: con.execute(theirs))
        after = elsewhere(lambda: rows(con))
        with pytest.raises(TransactionError, match="changed by others"):
            con.commit()
        assert not con.in_transaction and rows(con) == after
    assert rows(con, "FROM n") == [(2,)] and rows(con, "SELECT f()") == [(2,)] and "other" not in con.tables()


def test_changes_of_other_things_are_no_conflict(con: tqp.Connection) -> None:
    con.execute("CREATE MACRO f() AS 1")
    con.begin().execute("TRUNCATE t; CREATE MACRO g() AS 2")
    elsewhere(lambda: con.execute("CREATE TABLE u AS SELECT 1 AS a; DROP MACRO f; CREATE MACRO h() AS 3"))
    elsewhere(con.clear_cache)
    con.commit()
    assert rows(con) == [] and rows(con, "SELECT g() + h(), * FROM u") == [(5, 1)]
    with pytest.raises(TqpError, match="function f"):
        rows(con, "SELECT f()")


def test_what_python_registers(con: tqp.Connection) -> None:
    """Names of tables go the way of statements; functions are there at once, and stay."""
    con.begin().register("r", {"x": [1, 2]})
    con.create_function("twice", lambda x: x * 2, ["BIGINT"], "BIGINT")
    assert rows(con, "SELECT twice(x) FROM r ORDER BY 1") == [(2,), (4,)]
    con.rollback()
    assert con.tables() == ["t"] and rows(con, "SELECT twice(3)") == [(6,)]
    con.begin().register("r", {"x": [1, 2]}).commit()
    assert elsewhere(lambda: rows(con, "FROM r ORDER BY 1")) == [(1,), (2,)]


def test_deep_queries_are_asked_in_the_transaction(con: tqp.Connection) -> None:
    """The binder goes on as other threads for them."""
    con.begin().execute("CREATE TABLE u AS SELECT 5 AS a")
    text = "(SELECT a FROM " * 120 + "u" + ")" * 120
    assert rows(con, f"SELECT a, (SELECT count(*) FROM duckdb_tables()) FROM {text}") == [(5, 2)]
    con.rollback()


def test_plans_end_with_what_they_read(con: tqp.Connection) -> None:
    text = "SELECT sum(a) FROM t"
    assert rows(con, text) == [(1,)]
    con.begin().execute("INSERT INTO t(a) VALUES (10)")
    assert rows(con, text) == [(11,)]
    assert elsewhere(lambda: rows(con, text)) == [(1,)]
    con.rollback()
    assert rows(con, text) == [(1,)]
    con.begin().execute("CREATE MACRO f(x) AS x + 1")
    assert rows(con, "SELECT f(1)") == [(2,)]
    con.rollback().execute("CREATE MACRO f(x) AS x + 2")
    assert rows(con, "SELECT f(1)") == [(3,)]


def test_a_thread_that_ends_leaves_nothing(con: tqp.Connection) -> None:
    elsewhere(lambda: con.begin().execute("TRUNCATE t"))
    assert rows(con) == [(1, "x")] and not con.in_transaction
    con.begin().commit()


def test_errors(con: tqp.Connection) -> None:
    for end in (con.commit, con.rollback):
        with pytest.raises(TransactionError, match="no transaction began"):
            end()
    con.begin().execute("TRUNCATE t")
    with pytest.raises(TransactionError, match="began already"):
        con.begin()
    # Of Python's calls this one is no statement that failed.
    assert rows(con) == []
    with pytest.raises(TqpError):
        con.execute("SELECT 1 // a FROM nothing")
    with pytest.raises(TransactionError, match="aborted.*\n.*ROLLBACK"):
        con.table("t")
    con.commit()
    assert rows(con) == [(1, "x")]
    con.begin()
    con.close()
    with pytest.raises(BindError, match="closed"):
        con.commit()
