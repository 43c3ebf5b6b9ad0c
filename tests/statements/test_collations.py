"""Collations that tables and settings have: columns, views, `default_collation`, and the names of all, compared with DuckDB."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

import tqp
from tqp.errors import BindError, UnsupportedError

TABLES = (
    "CREATE TABLE t(c VARCHAR COLLATE NOCASE, d VARCHAR(9) COLLATE NOCASE.NOACCENT NOT NULL DEFAULT 'É', i INTEGER, p VARCHAR)",
    "INSERT INTO t VALUES ('A', 'é', 1, 'A'), ('a', 'E', 2, 'a'), ('B', 'x', 3, 'B'), (NULL, 'X', 4, NULL), ('', 'y', 5, ''),"
    " ('b', 'e', 6, 'b')",
    "INSERT INTO t(c, i) VALUES ('C', 0)",
    "UPDATE t SET i = 7 WHERE c = 'c'",
    "DELETE FROM t WHERE d = 'é' AND c = 'nobody'",
    "CREATE TABLE u AS SELECT c, [c] AS l, {'k': d} AS s, upper(c) AS m, i FROM t",
    "CREATE VIEW w AS SELECT c, d FROM t WHERE i < 7",
    "CREATE TABLE n(c VARCHAR COLLATE noaccent, e VARCHAR COLLATE \"C\")",
    "INSERT INTO n SELECT c, d FROM t",
)  # fmt: skip
QUERIES = (
    "DESCRIBE t",
    "SELECT typeof(c), c FROM t ORDER BY c, i",
    "SELECT i FROM t WHERE c = 'a' OR d = 'É' ORDER BY i",
    "SELECT c, count(*) FROM t GROUP BY c ORDER BY c DESC",
    "SELECT d, list(i ORDER BY i) FROM t GROUP BY d ORDER BY d",
    "SELECT DISTINCT d FROM t ORDER BY d",
    "SELECT i FROM u WHERE l = ['A'] AND s = {'k': 'e'} AND m = 'a' ORDER BY i",
    "SELECT count(DISTINCT l), count(DISTINCT s), min(c), max(c) FROM u",
    "SELECT a.i, b.i FROM t a JOIN u b USING (c) WHERE a.i <= b.i ORDER BY ALL",
    "SELECT a.i, b.i FROM t a JOIN t b ON a.c = b.p ORDER BY ALL",
    "SELECT count(*) FROM w WHERE c IN ('A', 'q') AND d IN (SELECT 'E')",
    "SELECT i FROM t WHERE c IN (SELECT p FROM t WHERE i = 2) ORDER BY i",
    "SELECT c FROM n WHERE c = 'A' UNION ALL SELECT e FROM n WHERE e = 'E'",
    "SELECT p FROM t UNION SELECT c FROM t ORDER BY 1",
    "SELECT c, i, row_number() OVER (PARTITION BY c ORDER BY i), rank() OVER (ORDER BY c) FROM t ORDER BY i",
    "SELECT i FROM t WHERE c LIKE 'B%' OR starts_with(d, 'É') ORDER BY i",
)
FAILING = ("SELECT t.c = n.c FROM t, n", "SELECT t.c || n.c FROM t, n", "SELECT c = d FROM t")

DEFAULTS = ("nocase", "NOCASE.NOACCENT", "noaccent", "c", "binary", "")
BY_DEFAULT = (
    "SELECT current_setting('default_collation')",
    "SELECT 'a' = 'A', 'a' < 'B', 'É' = 'E', 'a' IN ('A'), 'a' BETWEEN 'A' AND 'B', nullif('a', 'A'), CASE 'a' WHEN 'A' THEN 1 END",
    "SELECT {'x': 'b'} = {'x': 'B'}, ['b'] = ['B'], ('b', 0) = ('B', 0), [{'x': 'É'}] = [{'x': 'e'}], MAP {'a': 1} = MAP {'A': 1}",
    "SELECT contains('a', 'A'), 'a' LIKE 'A', starts_with('ab', 'A'), strpos('ba', 'A'), greatest('a', 'B'), regexp_matches('a', 'A')",
    "SELECT list_contains(['a'], 'A'), list_position(['a'], 'A'), list_sort(['b', 'A', 'a', 'B']), list_has_any(['a'], ['A'])",
    "SELECT 'a' COLLATE C = 'A', 'a' COLLATE NOCASE = 'A', 'é' COLLATE NOACCENT = 'e'",
    "SELECT p, count(*) FROM t GROUP BY p ORDER BY p",
    "SELECT DISTINCT p FROM t ORDER BY p",
    "SELECT i FROM t WHERE p = 'a' ORDER BY i",
    "SELECT i FROM t WHERE c = 'É' OR c = 'a' ORDER BY i",
    "SELECT min(p), max(p), count(DISTINCT p), list_sort(list(DISTINCT p)) FROM t",
    "SELECT a.i, b.i FROM t a JOIN t b ON a.p = b.p ORDER BY ALL",
    "SELECT p FROM t EXCEPT SELECT 'A' ORDER BY 1",
    "SELECT p, i, row_number() OVER (PARTITION BY p ORDER BY i) FROM t ORDER BY i",
    "SELECT p, grouping(p), count(*) FROM t GROUP BY ROLLUP (p) ORDER BY ALL",
    "SELECT i FROM t WHERE p IN (SELECT 'A') ORDER BY i",
    "SELECT * FROM (PIVOT (SELECT p, i FROM t WHERE p IS NOT NULL) ON p IN ('A', 'B') USING sum(i))",
)

_Both = tuple[tqp.Connection, duckdb.DuckDBPyConnection]


@pytest.fixture(scope="module")
def both() -> Iterator[_Both]:
    with tqp.connect() as mine, duckdb.connect() as other:
        for text in TABLES:
            mine.execute(text)
            other.execute(text)
        yield mine, other


def _same(both: _Both, query: str) -> None:
    mine, other = both
    answer, expected = mine.sql(query), other.sql(query)
    assert answer.columns == expected.columns
    assert answer.fetchall() == expected.fetchall()


@pytest.mark.parametrize("query", QUERIES)
def test_columns_keep_their_collation(both: _Both, query: str) -> None:
    _same(both, query)


@pytest.mark.parametrize("query", FAILING)
def test_columns_of_unlike_collations_do_not_meet(both: _Both, query: str) -> None:
    mine, other = both
    with pytest.raises(duckdb.BinderException):
        other.sql(query)
    with pytest.raises(BindError, match="collation"):
        mine.sql(query)


@pytest.fixture(scope="module", params=DEFAULTS)
def by_default(request: pytest.FixtureRequest, both: _Both) -> Iterator[_Both]:
    for connection in both:
        connection.execute(f"SET default_collation = '{request.param}'")
    yield both
    for connection in both:
        connection.execute("RESET default_collation")


@pytest.mark.parametrize("query", BY_DEFAULT)
def test_text_without_a_collation_has_that_of_the_setting(by_default: _Both, query: str) -> None:
    _same(by_default, query)


def test_a_query_that_was_asked_before_knows_the_collations_of_now() -> None:
    with tqp.connect() as con:
        query = "SELECT count(*) FROM t WHERE c = 'A'"
        con.execute("CREATE TABLE t AS SELECT 'a' AS c")
        assert con.sql(query).fetchall() == [(0,)]
        con.execute("CREATE OR REPLACE TABLE t(c VARCHAR COLLATE nocase)")
        con.execute("INSERT INTO t VALUES ('a')")
        assert con.sql(query).fetchall() == [(1,)]
        con.execute("CREATE OR REPLACE TABLE t AS SELECT 'a' AS c")
        assert con.sql(query).fetchall() == [(0,)]
        con.execute("PRAGMA default_collation = nocase")
        assert con.sql(query).fetchall() == [(1,)]
        con.execute("SET SESSION default_collation = ''")
        assert con.sql(query).fetchall() == [(0,)]


def test_relations_keep_collations() -> None:
    with tqp.connect() as con:
        relation = con.sql("SELECT * FROM (VALUES ('b' COLLATE nocase), ('A'), ('B')) t(c)")
        assert relation.filter("c = 'B'").fetchall() == [("b",), ("B",)]
        assert relation.sql("SELECT c, count(*) FROM self GROUP BY c ORDER BY c").fetchall() == [("A", 1), ("b", 2)]
        assert relation.order("c").distinct().fetchall() == [("A",), ("b",)]


def test_verify_knows_the_collations_of_stored_columns(both: _Both) -> None:
    mine, _ = both
    for query in QUERIES[1:]:
        mine.sql(query).verify()
    mine.execute("SET default_collation = 'noaccent'")
    mine.sql("SELECT count(*) FROM t WHERE p = 'A' OR d = 'E'").verify()
    mine.execute("RESET default_collation")
    mine.execute("CREATE TABLE deep AS SELECT [{'k': ['a' COLLATE nocase], 'n': 1}, NULL] AS x")
    mine.sql("SELECT x = [{'k': ['A'], 'n': 1}, NULL] FROM deep").verify()


def test_collations_have_names(both: _Both) -> None:
    mine, other = both
    names = mine.execute("PRAGMA collations").fetchall()
    assert names == mine.sql("SELECT collname FROM pragma_collations()").fetchall()
    assert set(names) < set(other.execute("PRAGMA collations").fetchall())


@pytest.mark.parametrize(
    "text",
    ["SET default_collation = 'de'", "SET default_collation = 'none'", "CREATE TABLE x(c VARCHAR COLLATE de)",
     "SELECT 'a' COLLATE \"nocase.de\" = 'b'", "CREATE TABLE x(c VARCHAR COLLATE nocase.binary)"],
)  # fmt: skip
def test_other_collations_are_refused(text: str) -> None:
    with tqp.connect() as con, pytest.raises(UnsupportedError, match="NOCASE"):
        con.execute(text)


def test_only_text_has_a_collation(both: _Both) -> None:
    mine, other = both
    with pytest.raises(duckdb.Error):
        other.execute("CREATE TABLE x(c INTEGER COLLATE nocase)")
    with pytest.raises(BindError, match="VARCHAR"):
        mine.execute("CREATE TABLE x(c INTEGER COLLATE nocase)")
