"""What is asked while a query is bound: the answer is that of now, and no later query is given the plan of an earlier one for it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tqp
from tqp.errors import BindError, ExecutionError, TqpError, UnsupportedError
from tqp.sql import bind


def table(*values: str) -> pa.Table:
    return pa.table({"c": list(values), "x": range(len(values))})


PIVOT = "PIVOT t ON c USING sum(x)"


def test_columns_are_those_of_the_table_that_the_name_means_now() -> None:
    con = tqp.connect(threads=1)
    con.register("t", table("a", "b"))
    assert con.sql(PIVOT).columns == ["a", "b"]
    con.register("t", table("b", "d", "e"))
    assert con.sql(PIVOT).columns == ["b", "d", "e"]


def test_columns_are_those_of_the_file_as_it_is_now(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    con = tqp.connect(threads=1)
    query = f"PIVOT '{path}' ON c USING sum(x)"
    pq.write_table(table("a"), path)
    assert con.sql(query).fetchall() == [(0,)]
    pq.write_table(table("a", "z"), path)
    assert con.sql(query).columns == ["a", "z"]
    assert con.sql(query).fetchall() == [(0, 1)]


def test_a_query_over_a_relation_and_over_a_variable() -> None:
    con = tqp.connect(threads=1)
    t = table("a", "b", "a")
    assert con.sql(PIVOT).fetchall() == [(2, 1)]
    assert con.sql("FROM t WHERE c = 'a'").sql("PIVOT self ON c USING count(*)").columns == ["x", "a"]
    assert t.num_rows == 3


def test_parameters_in_what_is_asked() -> None:
    con = tqp.connect(threads=1)
    con.register("t", table("a", "b", "c"))
    query = "PIVOT (FROM t WHERE x >= ?) ON c USING sum(x)"
    assert con.sql(query, [1]).columns == ["b", "c"]
    assert con.sql(query, [2]).columns == ["c"]
    assert con.sql("SELECT COLUMNS(?) FROM t", ["x"]).columns == ["x"]
    assert con.sql("SELECT COLUMNS(?) FROM t", ["c"]).columns == ["c"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("SELECT x FROM t LIMIT 1 + 1", "SELECT x FROM t LIMIT 1 + 2", 3),
        ("SELECT x FROM t LIMIT 50%", "SELECT x FROM t LIMIT 25%", 1),
        ("SELECT x FROM t LIMIT (SELECT 1)", "SELECT x FROM t LIMIT (SELECT 3)", 3),
        ("SELECT x FROM t USING SAMPLE 1", "SELECT x FROM t USING SAMPLE 2", 2),
        ("SELECT x FROM t WHERE c IN (VALUES ('a'))", "SELECT x FROM t WHERE c IN (VALUES ('z'))", 0),
        ("PIVOT t ON c IN ('a') USING sum(x) GROUP BY x", "PIVOT t ON c IN ('b') USING sum(x) GROUP BY x", 4),
    ],
)
def test_other_constants_are_asked_for_anew(first: str, second: str, expected: int) -> None:
    con = tqp.connect(threads=1)
    con.register("t", table("a", "b", "c", "d"))
    con.sql(first).fetchall()
    assert len(con.sql(second).fetchall()) == expected


@pytest.mark.parametrize(("pattern", "columns"), [("c", ["c"]), ("x", ["x"]), ("[cx]", ["c", "x"])])
def test_other_names_are_asked_for_anew(pattern: str, columns: list[str]) -> None:
    con = tqp.connect(threads=1)
    con.register("t", table("a"))
    for text in ("SELECT COLUMNS('nosuch|c') FROM t", "SELECT * SIMILAR TO 'c' FROM t"):
        con.sql(text).fetchall()
    assert con.sql(f"SELECT COLUMNS('{pattern}') FROM t").columns == columns
    assert con.sql(f"SELECT * SIMILAR TO '{pattern}' FROM t").columns == columns


def test_what_fails_when_it_is_asked_leaves_the_connection_alone() -> None:
    con = tqp.connect(threads=1)
    con.register("t", table("a", "b"))
    with pytest.raises(ExecutionError, match="zero"):
        con.sql("SELECT x FROM t LIMIT 1 // 0")
    with pytest.raises(TqpError):
        con.sql("PIVOT t ON c::INTEGER USING sum(x)")
    assert con.sql(PIVOT).fetchall() == [(0, 1)]


def test_without_a_connection_nothing_can_be_asked() -> None:
    with pytest.raises(UnsupportedError, match="without a connection"):
        bind("SELECT 1 LIMIT 1 + 1", lambda name: None)
    with pytest.raises(BindError):
        bind("PIVOT nosuch ON a", lambda name: None)


@pytest.mark.parametrize("count", [2, 1500])
def test_a_value_of_pivot_stands_once_however_many_there_are(count: int) -> None:
    con = tqp.connect(threads=1)
    con.register("t", table("a"))
    listed = ", ".join(map(str, range(count)))
    with pytest.raises(BindError, match="1 stands twice"):
        con.sql(f"PIVOT t ON x IN ({listed}, 1) USING sum(x)")
