"""Recursive queries end when they are told to, and hold no more than they may; what does not change runs once."""

from __future__ import annotations

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
