"""Variables and prepared statements beside what DuckDB has a script for (`scripts/variables.sql`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

import tqp
from tqp.errors import BindError, ParseError, TqpError, UnsupportedError


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=1) as made:
        yield made


def test_plans_end_with_the_values_that_they_read(con: tqp.Connection) -> None:
    """A query is planned anew only where a variable that it reads has another value."""
    reads, other = "SELECT getvariable('x') + 1", "SELECT 1 + 1"
    con.sql("SET VARIABLE x = 1")
    first, beside = con.sql(reads), con.sql(other)
    assert con.sql(reads).bound_query is first.bound_query
    con.sql("SET VARIABLE y = 1")
    assert con.sql(reads).bound_query is first.bound_query
    con.sql("SET VARIABLE x = 2")
    assert con.sql(reads).fetchall() == [(3,)] and first.fetchall() == [(2,)]
    assert con.sql(other).bound_query is beside.bound_query
    con.sql("RESET VARIABLE x")
    assert con.sql(reads).fetchall() == [(None,)]
    con.sql("SET VARIABLE x = 5")
    assert con.sql("SELECT getvariable('x') + 7").fetchall() == [(12,)]
    assert con.sql("SELECT getvariable('y') + 7").fetchall() == [(8,)]


def test_values_from_python(con: tqp.Connection) -> None:
    con.execute("SET VARIABLE x = ?", [[1.5, None]])
    assert con.sql("SELECT getvariable('x')").fetchall() == [([1.5, None],)]
    con.execute("SET VARIABLE x = $v", {"v": "it's"})
    assert con.sql("SELECT getvariable('x')").fetchall() == [("it's",)]
    con.execute("SET VARIABLE instant = TIMESTAMPTZ '2024-03-31 01:30:00+00'; SET TimeZone = 'Europe/Berlin'")
    assert con.sql("SELECT getvariable('instant')::VARCHAR").fetchall() == [("2024-03-31 03:30:00+02",)]


def test_variables_are_of_their_connection(con: tqp.Connection) -> None:
    con.execute("SET VARIABLE x = 1; PREPARE p AS SELECT 1")
    with tqp.connect() as other:
        assert other.sql("SELECT getvariable('x')").fetchall() == [(None,)]
        with pytest.raises(BindError, match="no statement 'p' is prepared\n.*none"):
            other.sql("EXECUTE p")


def test_prepared_statements(con: tqp.Connection) -> None:
    con.execute("CREATE TABLE t(a INTEGER NOT NULL, b VARCHAR)")
    con.execute("PREPARE put AS INSERT INTO t VALUES ($a, $b) RETURNING a + 1 AS next")
    assert con.sql("EXECUTE put(b := 'x', a := 1)").fetchall() == [(2,)]
    with pytest.raises(TqpError, match="NOT NULL"):
        con.execute("EXECUTE put(a := NULL, b := 'x')")
    con.execute("PREPARE ask AS SELECT a FROM t WHERE b = ? AND a < ?::BIGINT")
    assert con.sql("EXECUTE ask('x', 5)").filter("a > 0").fetchall() == [(1,)]
    con.execute("SET VARIABLE most = (SELECT max(a) + 1 FROM t)")
    assert con.sql("EXECUTE ask('x', getvariable('most'))").fetchall() == [(1,)]


def test_what_is_wrong(con: tqp.Connection) -> None:
    for text, kind, match in (
        ("SET VARIABLE x = INTERVAL '1 month' || [INTERVAL '1 day']", TqpError, ""),
        ("SET VARIABLE x = [INTERVAL '1 month']", UnsupportedError, "INTERVAL.*keep it in a table"),
        ("SET VARIABLE x = (SELECT 1, 2)", TqpError, ""),
        ("SELECT getvariable(lower('X'))", BindError, "a text constant"),
        ("PREPARE p AS DROP TABLE t", ParseError, "queries are, and statements that change rows"),
        ("PREPARE p(INTEGER) AS SELECT 1", UnsupportedError, "cast the parameters"),
        ("PREPARE p AS SELECT ?; EXECUTE p((SELECT 1))", BindError, "SET VARIABLE"),
        ("PREPARE p AS SELECT $a, $b; EXECUTE p(1, b := 2)", ParseError, "not both"),
    ):
        with pytest.raises(kind) as caught:
            con.execute(text)
        assert all(part in str(caught.value) for part in match.split(".*")), caught.value


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("SELECT $x, $X + 1 AS y, typeof($x) AS t", None),
        ("SELECT $l[1] AS first, $l", None),
        ("SELECT a FROM range(9) r(a) WHERE a > $x ORDER BY a LIMIT $x", None),
        ("FROM range($x)", None),
        ("SELECT $x", {"x": 9}),
        ("SELECT $x", []),
        ("SELECT $nope", None),
        ("SELECT $x + $nope", None),
        ("SELECT $x", [1]),
        ("SELECT $x + ?", [1]),
        ("SELECT $1", None),
    ],
)
def test_variables_are_parameters(text: str, params: Any) -> None:
    """A parameter by name that has no value is the variable of that name, as it is when the query is asked."""
    ours, theirs = tqp.connect(threads=1), duckdb.connect()
    for value in (3, 4):
        for con in (ours, theirs):
            con.execute(f"SET VARIABLE x = {value}")
            con.execute("SET VARIABLE l = [1, 2]")
        try:
            expected = theirs.execute(text, params)
        except duckdb.Error:
            with pytest.raises(TqpError):
                ours.sql(text, params)
        else:
            actual = ours.sql(text, params)
            assert actual.columns == [name for name, *_ in expected.description]
            assert actual.fetchall() == expected.fetchall()
    ours.execute("RESET VARIABLE x")
    with pytest.raises(BindError, match=r"no value for parameter \$x"):
        ours.sql("SELECT $x")


def test_parameters_of_rows_that_are_written(con: tqp.Connection) -> None:
    """Each part of the statement takes the values that it would have in the whole, and none is left over."""
    con.execute("CREATE TABLE t(a INTEGER, b VARCHAR)")
    by_place = (
        "WITH i AS (INSERT INTO t VALUES (?, ?) RETURNING a) SELECT a + ?, (SELECT count(*) FROM t WHERE a = ?) FROM i"
    )
    assert con.sql(by_place, [50, "k", 100, 50]).fetchall() == [(150, 1)]
    by_name = "WITH i AS (INSERT INTO t VALUES ($a, '?') RETURNING a) SELECT a + $b FROM i WHERE a = $a"
    assert con.sql(by_name, {"a": 1, "b": 2}).fetchall() == [(3,)]
    for params in ({"a": 1}, {"b": 1}, {"a": 1, "b": 2, "c": 3}):
        with pytest.raises(BindError, match=r"\$[abc]"):
            con.sql(by_name, params)
    assert con.sql("SELECT count(*) FROM t").fetchall() == [(2,)] and not con.in_transaction
