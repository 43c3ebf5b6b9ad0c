"""Generated columns where Python and files bring rows, and what they refuse that DuckDB does not have; scripts have the rest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import tqp
from tests.statements.runner import Sides
from tqp.errors import BindError, ExecutionError, TqpError, UnsupportedError


@pytest.fixture
def sides() -> Iterator[Sides]:
    made = Sides()
    yield made
    made.close()


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
@pytest.mark.parametrize("columns", ["", "(d, a)", "(a)", "(b)", "(a, b)"])
def test_copy_from_brings_the_other_columns(sides: Sides, tmp_path: Path, kind: str, columns: str) -> None:
    path = tmp_path / f"x.{kind}"
    wanted = columns.strip("()") or "a, d"
    sides.duckdb.execute(f"COPY (SELECT {wanted} FROM (VALUES (1, 2, 3), (4, 5, NULL)) t(a, b, d)) TO '{path}'")
    outcomes = []
    for run, failure in ((sides.tqp.execute, TqpError), (sides.duckdb.execute, duckdb.Error)):
        run("CREATE TABLE t(b AS (a * 10), a INTEGER, c AS (b + d), d INTEGER DEFAULT 7)")
        try:
            count = run(f"COPY t{columns} FROM '{path}'").fetchall()
        except failure:
            count = []
        outcomes.append((count, run("FROM t ORDER BY ALL").fetchall()))
    assert outcomes[0] == outcomes[1]


def test_append_brings_the_other_columns() -> None:
    con = tqp.connect(threads=1)
    con.execute("CREATE TABLE t(b AS (a * 10), a INTEGER, d INTEGER DEFAULT 7)")
    con.append("t", pa.table({"x": [1, 2], "y": [3, 4]}))
    con.append("t", pa.table({"a": [5]}), by_name=True)
    con.executemany("INSERT INTO t VALUES (?, ?)", [(6, 7), (8, 9)])
    expected = [(10, 1, 3), (20, 2, 4), (50, 5, 7), (60, 6, 7), (80, 8, 9)]
    assert con.sql("FROM t ORDER BY a").fetchall() == expected
    with pytest.raises(BindError, match="column b of t is generated"):
        con.append("t", pa.table({"a": [5], "b": [1]}), by_name=True)


def test_many_rows_and_pieces_have_their_own_values() -> None:
    con = tqp.connect(threads=1)
    con.execute("CREATE TABLE t(a BIGINT, b AS (a % 7), c AS (b || 'x'))")
    for start in range(0, 5000, 1000):
        con.execute(f"INSERT INTO t SELECT range FROM range({start}, {start + 1000})")
    con.execute("UPDATE t SET a = a + 1 WHERE a BETWEEN 990 AND 2010")
    wrong = "SELECT count(*) FROM t WHERE b IS DISTINCT FROM a % 7 OR c IS DISTINCT FROM (a % 7) || 'x'"
    assert con.sql(wrong).fetchall() == [(0,)]
    assert (
        con.sql("SELECT count(*), sum(b) FROM t").fetchall() == con.sql("SELECT count(*), sum(a % 7) FROM t").fetchall()
    )


def test_what_has_no_value_changes_nothing() -> None:
    con = tqp.connect(threads=1)
    con.execute("CREATE TABLE t(a VARCHAR, b INTEGER AS (a)); INSERT INTO t VALUES ('1')")
    for text in ("INSERT INTO t VALUES ('2'), ('x')", "UPDATE t SET a = 'x'", "INSERT INTO t VALUES ('x') RETURNING a"):
        with pytest.raises(ExecutionError, match="'x'"):
            con.execute(text)
    assert con.sql("FROM t").fetchall() == [("1", 1)]


def test_what_may_become_something_else_is_refused() -> None:
    con = tqp.connect(threads=1)
    con.create_function("twice", lambda x: x * 2, ["BIGINT"], "BIGINT")
    with pytest.raises(UnsupportedError, match="may be registered anew"):
        con.execute("CREATE TABLE t(a BIGINT, b AS (twice(a)))")
    con.execute("CREATE MACRO f(x) AS x + 1")
    with pytest.raises(UnsupportedError, match="the macro f"):
        con.execute("CREATE TABLE t(a BIGINT, b AS (f(a)))")
    # What is called like a function later does not come into its place.
    con.execute("CREATE TABLE t(a BIGINT, b AS (abs(a))); INSERT INTO t VALUES (-1); CREATE MACRO abs(x) AS 5")
    with pytest.raises(UnsupportedError, match="the macro abs"):
        con.execute("INSERT INTO t VALUES (-2)")
    assert con.sql("FROM t").fetchall() == [(-1, 1)]


def test_settings_of_order_mean_nothing_in_them() -> None:
    con = tqp.connect(threads=1)
    con.execute("CREATE TABLE t(a INTEGER[], b AS (list_sort(a))); SET default_order = 'DESC'")
    con.execute("INSERT INTO t VALUES ([2, 3, 1])")
    assert con.sql("SELECT b FROM t").fetchall() == [([1, 2, 3],)]
