"""Subqueries that DuckDB has no plan for: the answer is that of the same query in words that it has one for."""

from __future__ import annotations

import pytest

from tests.engines import Engines
from tests.sql.case_tables import TABLES

PAIRS = [
    (
        "SELECT a.k, q.w FROM n a LEFT JOIN LATERAL (SELECT k, w FROM m WHERE m.k <= a.k) q"
        " ON q.k IN (SELECT e.id FROM emp e WHERE e.id < a.v)",
        "SELECT a.k, q.w FROM n a LEFT JOIN LATERAL (SELECT k, w FROM m WHERE m.k <= a.k"
        " AND m.k IN (SELECT e.id FROM emp e WHERE e.id < a.v)) q ON true",
    ),
    (
        "SELECT a.k, q.x FROM n a LEFT JOIN LATERAL (SELECT a.k + 1 AS x) q ON q.x NOT IN (SELECT k FROM m WHERE k < 4)",
        "SELECT a.k, CASE WHEN a.k + 1 NOT IN (SELECT k FROM m WHERE k < 4) THEN a.k + 1 END AS x FROM n a",
    ),
    (
        "SELECT k, v, (k, v) IN (SELECT b.k, b.v FROM n b WHERE b.v > a.k * 10) AS x FROM n a",
        "SELECT k, v, CASE WHEN EXISTS (SELECT 1 FROM n b WHERE b.v > a.k * 10 AND b.k = a.k AND b.v = a.v) THEN true"
        " WHEN EXISTS (SELECT 1 FROM n b WHERE b.v > a.k * 10 AND (b.k = a.k AND b.v = a.v) IS NULL) THEN NULL"
        " ELSE false END AS x FROM n a",
    ),
    (
        "SELECT k, v FROM n WHERE (k, v) <> ANY (SELECT b.k, b.v FROM n b WHERE b.k = 2)",
        "SELECT k, v FROM n WHERE EXISTS (SELECT 1 FROM n b WHERE b.k = 2 AND (b.k <> n.k OR b.v <> n.v))",
    ),
]


@pytest.mark.parametrize(("query", "same"), PAIRS)
def test_the_answer_is_that_of_other_words(query: str, same: str) -> None:
    engines = Engines(TABLES)
    expected = sorted(engines.duckdb.sql(same).fetchall(), key=repr)
    assert sorted(engines.tqp.sql(query).fetchall(), key=repr) == expected
    assert expected
    engines.close()
