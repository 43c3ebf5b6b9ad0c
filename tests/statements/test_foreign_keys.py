"""Foreign keys where there is no answer of DuckDB: messages, other threads, and what it keeps under an old name."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

import tqp
from tqp.errors import BindError, ConstraintError, ParseError, TransactionError


@pytest.fixture
def con() -> tqp.Connection:
    con = tqp.connect(threads=1)
    con.sql("CREATE TABLE p(a INT PRIMARY KEY, b INT); CREATE TABLE c(x INT REFERENCES p)")
    con.sql("INSERT INTO p VALUES (1, 1), (2, 2); INSERT INTO c VALUES (1)")
    return con


def elsewhere(con: tqp.Connection, text: str) -> None:
    """Run it on another thread, which is outside of the transaction."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(con.sql, text).result()


def test_messages_name_both_tables_and_the_key(con: tqp.Connection) -> None:
    with pytest.raises(ConstraintError, match=r'FOREIGN KEY \(x\) of c: key "a: 3" does not exist in p'):
        con.sql("INSERT INTO c VALUES (3)")
    with pytest.raises(ConstraintError, match=r'FOREIGN KEY \(x\) of c: key "x: 1" is still referenced'):
        con.sql("DELETE FROM p")
    with pytest.raises(BindError, match="the table c has a FOREIGN KEY to p"):
        con.sql("DROP TABLE p")
    with pytest.raises(ParseError, match="never changes rows") as raised:
        con.sql("CREATE TABLE d(x INT REFERENCES p ON DELETE CASCADE)")
    assert str(raised.value).splitlines()[2].index("^") == 44


def test_a_renamed_table_keeps_its_foreign_keys(con: tqp.Connection) -> None:
    con.sql("CREATE TABLE t(id INT PRIMARY KEY, parent INT REFERENCES t)")
    con.sql("ALTER TABLE t RENAME TO u; ALTER TABLE c RENAME TO d; INSERT INTO u VALUES (1, NULL)")
    with pytest.raises(ConstraintError, match="does not exist in u"):
        con.sql("INSERT INTO u VALUES (2, 9)")
    con.sql("INSERT INTO u VALUES (2, 1)")
    with pytest.raises(ConstraintError, match="of d: key"):
        con.sql("DELETE FROM p")
    con.sql("DROP TABLE d; DROP TABLE p; DROP TABLE u")


def test_a_transaction_sees_its_own_rows(con: tqp.Connection) -> None:
    con.sql("BEGIN; DELETE FROM c; DELETE FROM p WHERE a = 1; COMMIT")
    assert con.sql("SELECT a FROM p").fetchall() == [(2,)]


@pytest.mark.parametrize(
    ("own", "others"),
    [
        ("INSERT INTO c VALUES (2)", "DELETE FROM p WHERE a = 2"),
        ("DELETE FROM p WHERE a = 2", "INSERT INTO c VALUES (2)"),
        ("UPDATE c SET x = 2", "DELETE FROM p WHERE a = 2"),
        ("CREATE TABLE d(x INT REFERENCES p)", "DELETE FROM c; DROP TABLE c; DROP TABLE p"),
        ("DELETE FROM c; DROP TABLE c; DROP TABLE p", "CREATE TABLE d(x INT REFERENCES p)"),
    ],
)
def test_what_a_commit_was_checked_against_is_still_there(con: tqp.Connection, own: str, others: str) -> None:
    con.sql(f"BEGIN; {own}")
    elsewhere(con, others)
    with pytest.raises(TransactionError):
        con.sql("COMMIT")


def test_rows_beside_those_that_others_put_there(con: tqp.Connection) -> None:
    """Neither side was checked against what the other did."""
    con.sql("BEGIN; INSERT INTO c VALUES (2)")
    elsewhere(con, "INSERT INTO c VALUES (1)")
    con.sql("COMMIT")
    assert sorted(con.sql("FROM c").fetchall()) == [(1,), (1,), (2,)]


def test_a_registered_object_is_no_partner(con: tqp.Connection) -> None:
    con.register("frame", {"a": [1, 2]})
    with pytest.raises(BindError, match="registered object"):
        con.sql("CREATE TEMP TABLE d(x INT REFERENCES frame)")
    con.sql("CREATE TEMP TABLE q(a INT PRIMARY KEY); CREATE TEMP TABLE d(x INT REFERENCES q)")
    with pytest.raises(BindError, match="FOREIGN KEY"):
        con.register("q", {"a": [1]})
