"""Recursive queries end when they are told to, and hold no more than they may; what does not change runs once."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

import tqp
from tqp.errors import OutOfMemoryError, QueryTimeoutError

_ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t) SELECT count(*) FROM t"


def test_a_timeout_stops_a_recursion() -> None:
    with tqp.connect() as con, pytest.raises(QueryTimeoutError):
        con.sql(_ENDLESS, timeout=0.5).fetchall()


def test_a_memory_limit_stops_a_recursion() -> None:
    doubling = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT a.n FROM t a, range(2)) SELECT count(*) FROM t"
    with tqp.connect(memory_limit="4MB") as con, pytest.raises(OutOfMemoryError):
        con.sql(doubling).fetchall()


def test_a_limit_ends_a_recursion() -> None:
    with tqp.connect() as con:
        rows = con.sql(
            "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t LIMIT 3"
        ).fetchall()
    assert rows == [(1,), (2,), (3,)]


def test_what_does_not_depend_on_the_recursion_runs_before_it() -> None:
    edges = pa.table({"a": [1, 2, 3, 3], "b": [2, 3, 1, 4]})
    query = """
        WITH RECURSIVE r(n) AS (
            SELECT 1 UNION SELECT b FROM r JOIN (SELECT a, max(b) AS b FROM edges GROUP BY a) e ON a = n
        ) SELECT n FROM r ORDER BY n
    """
    with tqp.connect() as con:
        con.register("edges", edges)
        relation = con.sql(query)
        assert relation.fetchall() == [(1,), (2,), (3,), (4,)]
        lines = relation.explain("steps").splitlines()
    (grouped,) = [place for place, line in enumerate(lines) if "= group(" in line or " group(" in line]
    (read,) = [place for place, line in enumerate(lines) if "= working(" in line and "whole" not in line]
    assert grouped < read


def test_a_table_with_several_rows_a_key_is_indexed_once() -> None:
    nodes = list(range(40_000))
    edges = pa.table({"a": [*nodes, *nodes[::3]], "b": [*(node + 1 for node in nodes), *(0 for _ in nodes[::3])]})
    step = "SELECT e.b, d + 1 FROM r JOIN edges e ON e.a = r.n WHERE d < 300 AND e.b > 0"
    query = f"WITH RECURSIVE r(n, d) AS (SELECT 5, 0 UNION ALL {step}) SELECT count(*), sum(n), max(d) FROM r"
    with tqp.connect(threads=1) as con:
        con.register("edges", edges)
        relation = con.sql(query)
        assert relation.fetchall() == [(301, sum(range(5, 306)), 300)]
        shown = relation.explain(True)
        lines = relation.explain("steps").splitlines()
    assert "look up what is the same in each step" in shown
    (scanned,) = [place for place, line in enumerate(lines) if "= scan(" in line]
    (read,) = [place for place, line in enumerate(lines) if "= working(" in line and "whole" not in line]
    assert scanned < read


@pytest.mark.parametrize("width", [1, 300])
def test_a_row_of_several_columns_comes_once(width: int) -> None:
    """Few rows of a step are looked up one by one, many at once, and after those few again."""
    query = f"""
        WITH RECURSIVE r(n, m) AS (
            SELECT * FROM (VALUES (0, NULL::INTEGER), (0, NULL), (1, 2))
            UNION SELECT (n * 7 + i) % 1000, CASE WHEN n % 5 = 0 THEN NULL ELSE i % 3 END FROM r, range({width}) t(i)
        ) SELECT count(*), count(DISTINCT (n, m)), sum(n), count(m) FROM r
    """
    expected = duckdb.sql(query).fetchall()
    with tqp.connect(threads=1) as con:
        assert con.sql(query).fetchall() == expected
