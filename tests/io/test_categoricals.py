"""Categoricals of pandas are ENUMs, in the order of their categories; those of others are text."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tqp

OWN_ORDER = pd.DataFrame({
    "x": pd.Categorical(["lo", "hi", None, "mid", "hi"], ["lo", "mid", "hi"], ordered=True),
    "y": pd.Categorical(["mid", "hi", "lo", None, "hi"], ["lo", "mid", "hi"]),
    "s": ["a", "b", "c", "d", "e"],
    "i": [1, 2, 3, 4, 5],
})  # fmt: skip

ORDERED = [
    "SELECT x FROM t ORDER BY x",
    "SELECT i FROM t ORDER BY s, y DESC",
    "SELECT x FROM t ORDER BY ALL",
    "SELECT min(x) FROM t",
    "SELECT s, max(y) FROM t GROUP BY s",
    "SELECT i FROM t WHERE x < y",
    "SELECT i FROM t WHERE x BETWEEN y AND y",
    "SELECT greatest(x, y) FROM t",
    "SELECT rank() OVER (ORDER BY x) FROM t",
    "SELECT max(x) OVER () FROM t",
    "SELECT arg_min(s, x) FROM t",
    "SELECT * FROM (SELECT x AS z FROM t UNION ALL SELECT y FROM t) ORDER BY z",
    "SELECT coalesce(x, NULL, y) AS z FROM t ORDER BY z",
    "SELECT CASE WHEN i > 2 THEN x END AS z FROM t ORDER BY z",
    "SELECT nullif(x, 'lo') AS z FROM t ORDER BY z",
    "SELECT any_value(x) AS z FROM t GROUP BY i ORDER BY z",
    "SELECT lag(x) OVER (ORDER BY i) AS z FROM t ORDER BY z",
    "WITH w AS (SELECT x AS z FROM t) SELECT a.z FROM w a, w b ORDER BY a.z",
    "SELECT i FROM t WHERE x > (SELECT y FROM t WHERE i = 2)",
    "SELECT i, (SELECT u.x FROM t u WHERE u.i = t.i) AS z FROM t ORDER BY z",
    "SELECT i FROM t WHERE EXISTS (SELECT * FROM t u WHERE u.x < t.x)",
]

ANSWERED = [
    "SELECT * FROM t",
    "SELECT x, count(*) FROM t GROUP BY x",
    "SELECT DISTINCT x, y FROM t",
    "SELECT i FROM t WHERE x = 'hi' OR x IN ('lo', 'nowhere')",
    "SELECT i FROM t WHERE x < 'hj'",
    "SELECT i FROM t WHERE x BETWEEN 'a' AND 'k'",
    "SELECT a.i, b.i FROM t a JOIN t b ON a.x = b.y",
    "SELECT coalesce(x, 'q') AS z FROM t ORDER BY z",
    "SELECT upper(x) AS z FROM t ORDER BY z",
    "SELECT min(x || '') FROM t",
    "SELECT x FROM t ORDER BY i",
    "SELECT least(x, s) FROM t",
    "SELECT x FROM t WHERE x LIKE '%i%' ORDER BY length(x), i",
    "SELECT * FROM (SELECT x AS z FROM t UNION SELECT s FROM t) ORDER BY z",
    "SELECT count(DISTINCT x), count(x) FROM t",
    "SELECT x, row_number() OVER (PARTITION BY x ORDER BY i) FROM t",
]


def _ours(table: Any) -> tqp.Connection:
    return tqp.connect(threads=1).register("t", table)


def _theirs(table: Any, query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(config={"threads": 1}) as connection:
        return connection.register("t", table).sql(query).fetchall()


@pytest.mark.parametrize("query", [*ORDERED, *ANSWERED])
def test_categories_in_the_order_of_their_text_are_as_text(query: str) -> None:
    frame = OWN_ORDER.assign(
        x=OWN_ORDER["x"].astype("str").astype("category"), y=pd.Categorical(OWN_ORDER["y"].astype("str"))
    )
    found = _ours(frame).sql(query).fetchall()
    expected = _theirs(frame, query)
    assert found == expected if "ORDER BY" in query.partition(" OVER ")[0] else sorted(found, key=repr) == sorted(expected, key=repr)  # fmt: skip


@pytest.mark.parametrize("query", [*ORDERED, *ANSWERED])
def test_the_order_of_categories_that_is_not_that_of_text(query: str) -> None:
    relation = _ours(OWN_ORDER).sql(query)
    found, expected = relation.fetchall(), _theirs(OWN_ORDER, query)
    is_ordered = "ORDER BY" in query.partition(" OVER ")[0] or "LIMIT" in query
    assert (
        found == expected if is_ordered and "z" not in query else sorted(found, key=repr) == sorted(expected, key=repr)
    )
    assert relation.verify()


def test_the_order_follows_a_relation_and_its_name() -> None:
    con = _ours(OWN_ORDER)
    con.register("v", con.sql("SELECT x AS z FROM t"))
    assert con.sql("SELECT z FROM v ORDER BY z").fetchall() == [("lo",), ("mid",), ("hi",), ("hi",), (None,)]
    assert con.sql("SELECT x FROM t").sql("SELECT max(x) FROM self").fetchall() == [("hi",)]


def test_categories_go_out_as_they_came() -> None:
    frame = _ours(OWN_ORDER).sql("SELECT x FROM t").df()
    assert list(frame["x"].cat.categories) == ["lo", "mid", "hi"] and frame["x"].cat.ordered
    assert frame["x"].equals(OWN_ORDER["x"])


def test_categoricals_without_labels_are_text() -> None:
    frame = pd.DataFrame({"x": pd.Categorical([None, None], []), "n": pd.Categorical([2, 1], [2, 1])})
    con = _ours(frame)
    assert con.sql("SELECT x FROM t").fetchall() == [(None,), (None,)]
    assert con.sql("SELECT n FROM t ORDER BY n").fetchall() == [(1,), (2,)]


VALUES = {
    "BIGINT": [7, None, -2],
    "DOUBLE": [1.5, None, float("inf")],
    "BOOLEAN": [True, None, False],
    "DATE": [date(2020, 1, 2), None, date(1969, 1, 1)],
    "DECIMAL(3,1)": [Decimal("10.5"), None, Decimal("-1")],
    "UUID": [UUID(int=1), None, UUID(int=2)],
    "BLOB": [b"x", None, b"\xff"],
}


@pytest.mark.parametrize("dtype", VALUES)
def test_categories_that_are_no_text_keep_their_type(dtype: str) -> None:
    con = _ours(pd.DataFrame({"x": pd.Categorical(VALUES[dtype])}))
    assert con.sql("SELECT x, typeof(x) FROM t").fetchall() == [(value, dtype) for value in VALUES[dtype]]
    assert con.sql("SELECT count(*), count(DISTINCT x) FROM t WHERE x IS NOT NULL").fetchall() == [(2, 2)]


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame({"x": pl.Series(["z", "a"], dtype=pl.Enum(["z", "a"]))}),
        pl.DataFrame({"x": pl.Series(["z", "a"], dtype=pl.Categorical)}),
        pa.table({"x": pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["z", "a"]), ordered=True)}),
    ],
    ids=["polars Enum", "polars Categorical", "Arrow ordered dictionary"],
)
def test_others_sort_as_text_in_duckdb_too(table: Any) -> None:
    query = "SELECT x, min(x) OVER () FROM t ORDER BY x"
    assert _ours(table).sql(query).fetchall() == _theirs(table, query) == [("a", "a"), ("z", "a")]
