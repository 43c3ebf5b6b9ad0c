"""`default_order` and `default_null_order`: what queries that do not say it sort by, compared with DuckDB."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

import tqp
from tqp.errors import BindError, UnsupportedError

ORDERS = (
    "default_null_order = 'nulls_first'", "default_null_order = 'NULLS LAST'", "default_null_order = 'sqlite'",
    "default_null_order = 'postgres'", "default_order = 'desc'", "null_order = 'first'",
)  # fmt: skip

QUERIES = (
    "SELECT i FROM t ORDER BY i",
    "SELECT i FROM t ORDER BY i DESC",
    "SELECT i FROM t ORDER BY i ASC",
    "SELECT i FROM t ORDER BY (i) NULLS LAST",
    "SELECT i FROM t ORDER BY i ASC NULLS FIRST",
    "SELECT i FROM t ORDER BY ALL",
    "SELECT i FROM t UNION ALL SELECT 5 ORDER BY 1",
    "SELECT i FROM t ORDER BY i LIMIT 2",
    "SELECT i, row_number() OVER (ORDER BY i), first_value(i) OVER (ORDER BY i DESC) FROM t ORDER BY 2",
    "SELECT list(i ORDER BY i), list(i ORDER BY i DESC), list(i ORDER BY i NULLS LAST) FROM t",
    "SELECT DISTINCT ON (i % 2) i FROM t ORDER BY i % 2, i",
    "SELECT list_sort(l), list_sort(l, 'DESC'), list_sort(l, 'ASC', 'NULLS LAST'), list_sort(l, 'DEFAULT', 'DEFAULT') FROM u",
    "SELECT list_reverse_sort(l), list_reverse_sort(l, 'NULLS FIRST'), list_grade_up(l), array_sort(l) FROM u",
    "SELECT current_setting('default_null_order')",
    "SELECT list_sort(m) FROM v",
)
TABLES = (
    "CREATE TABLE t AS SELECT * FROM (VALUES (1), (3), (NULL), (2)) v(i)",
    "CREATE TABLE u AS SELECT [2, NULL, 3, 1] AS l",
    "CREATE VIEW v AS SELECT list(i ORDER BY i) AS m FROM t",
)


@pytest.fixture(params=ORDERS)
def both(request: pytest.FixtureRequest) -> Iterator[tuple[tqp.Connection, duckdb.DuckDBPyConnection]]:
    with tqp.connect() as mine, duckdb.connect() as other:
        for text in (*TABLES, f"SET {request.param}"):
            mine.execute(text)
            other.execute(text)
        yield mine, other


@pytest.mark.parametrize("query", QUERIES)
def test_rows_come_in_the_order_that_is_set(both: tuple[tqp.Connection, duckdb.DuckDBPyConnection], query: str) -> None:
    mine, other = both
    answer = mine.sql(query)
    expected = other.sql(query)
    assert answer.columns == expected.columns
    assert answer.fetchall() == expected.fetchall()


def test_the_order_changes_between_two_runs_of_a_query() -> None:
    with tqp.connect() as con:
        con.execute(TABLES[0])
        query = "SELECT i FROM t ORDER BY i"
        assert con.sql(query).fetchall()[-1] == (None,)
        con.execute("SET default_null_order = 'nulls_first'")
        assert con.sql(query).fetchall()[0] == (None,)
        assert con.sql(query).verify() is not None
        con.execute("RESET default_null_order")
        assert con.sql(query).fetchall()[-1] == (None,)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("default_order = 'up'", BindError),
        ("default_null_order = 'nowhere'", BindError),
        ("calendar = 'hebrew'", UnsupportedError),
    ],
)
def test_other_words_are_errors(text: str, error: type[tqp.TqpError]) -> None:
    with tqp.connect() as con, pytest.raises(error):
        con.execute(f"SET {text}")
