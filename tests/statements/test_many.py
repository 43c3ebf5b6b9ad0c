"""`executemany`: many rows are those that one statement for each of them gives, and the same ones are there after an error."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import duckdb
import pytest

import tqp
from tqp.errors import QueryInterruptedError, TqpError
from tqp.statements import many

MADE = "CREATE TABLE t (a INTEGER, b VARCHAR DEFAULT 'none', c DECIMAL(9, 2), d DATE)"
ROWS: dict[str, tuple[str, list[Any]]] = {
    "values": ("INSERT INTO t VALUES (?, ?, ?, ?)", [(i, str(i), i / 4, date(2020, 1, 1 + i % 9)) for i in range(450)]),
    "NULLs": ("insert into t values (?, ?, ?, ?);", [(None if i % 3 else i, None, None, None) for i in range(9)]),
    "columns": ('INSERT INTO "t" (c, a)\nVALUES (?, ?)', [[Decimal("1.5"), 1], [Decimal("-0.25"), 2], [None, 3]]),
    "sizes": ("INSERT INTO t (a, b) VALUES (?, ?)", [(1, 2**70), (2, 1), (3, -5)]),
    "types that differ": ("INSERT INTO t (a, b) VALUES (?, ?)", [(1, "x"), ("2", 5), (3.0, date(2020, 1, 1))]),
    "expressions": ("INSERT INTO t (a, b) VALUES (? + 1, upper(?))", [(1, "x"), (2, "y")]),
    "names": ("INSERT INTO t (a, b) VALUES ($a, $b)", [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]),
    "none": ("INSERT INTO t VALUES (?, ?, ?, ?)", []),
}


@pytest.mark.parametrize("name", ROWS)
def test_many_rows_are_those_of_duckdb(name: str) -> None:
    text, rows = ROWS[name]
    found = []
    for con in (tqp.connect(threads=1), duckdb.connect()):
        con.execute(MADE)
        if rows:
            con.executemany(text, rows)
        found.append(con.table("t").order("ALL").fetchall())
    assert found[0] == found[1] and len(found[0]) == len(rows)


def test_several_rows_go_into_one_statement() -> None:
    taken = [len(rows) for _, _, rows in many.chunks("INSERT INTO t VALUES (?)", [(i,) for i in range(450)])]
    assert taken == [200, 200, 50]
    for text in (
        "INSERT INTO t VALUES (?), (?)",
        "INSERT INTO t VALUES (?) RETURNING a",
        "INSERT INTO t SELECT ?",
        "DROP TABLE t",
    ):
        assert [one[0] for one in many.chunks(text, [(1,), (2,)])] == [text, text]


@pytest.mark.parametrize("bad", [(3, "x", 1), (3, "x", 1, "no date"), (2**40, "x", 1, None)], ids=str)
def test_rows_before_one_that_fails_are_there(bad: tuple[object, ...]) -> None:
    con = tqp.connect(threads=1)
    con.execute(MADE)
    text, rows = "INSERT INTO t VALUES (?, ?, ?, ?)", [(1, "x", 1, None), (2, "x", 1, None), bad, (4, "x", 1, None)]
    with pytest.raises(TqpError):
        con.executemany(text, rows)
    assert con.sql("SELECT a FROM t ORDER BY a").fetchall() == [(1,), (2,)]
    con.begin()
    with pytest.raises(TqpError):
        con.executemany(text, rows)
    con.rollback()
    assert con.sql("SELECT count(*) FROM t").fetchall() == [(2,)]


def test_an_interrupt_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    con = tqp.connect(threads=1)
    con.execute("CREATE TABLE t (a INTEGER)")
    texts: list[str] = []

    def stopped(text: str, *_: object) -> None:
        texts.append(text)
        raise QueryInterruptedError("the query was interrupted")

    monkeypatch.setattr(con, "execute", stopped)
    with pytest.raises(QueryInterruptedError):
        con.executemany("INSERT INTO t VALUES (?)", [(1,), (2,)])
    assert texts == ["INSERT INTO t VALUES (?), (?)"]
