"""Table functions of the user's own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch

import tqp
from tests.own.tables import connected
from tqp.errors import BindError, ExecutionError, TqpError, UnsupportedError


def points(count: int, scale: float) -> Any:
    return {"i": np.arange(count), "v": torch.arange(count) * scale}


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with connected() as made:
        made.create_table_function("points", points)
        yield made


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT * FROM points(3, 0.5) ORDER BY i", [(0, 0.0), (1, 0.5), (2, 1.0)]),
        ("FROM points(0, 1)", []),
        ("SELECT points.v, p.a FROM points(1, 2), points(2, 1) p(a) ORDER BY 2", [(0.0, 0), (0.0, 1)]),
        ("SELECT count(*) FROM points(1 + 1, 2) p JOIN t ON p.i = t.id", [(2,)]),
        (
            "SELECT id, (SELECT max(v) FROM points(4, 2) WHERE i < id) FROM t WHERE id IN (1, 2) ORDER BY 1",
            [(1, 0.0), (2, 2.0)],
        ),
        ("WITH w AS (FROM points(3, 1)) SELECT sum(a.v) FROM w a, w b", [(9.0,)]),
        ("SELECT sum(i) FROM POINTS(length('abc'), -1) WHERE v < 0", [(3,)]),
        ("SELECT sum(i) FROM (SELECT * FROM points(3, 1) UNION ALL SELECT * FROM points(2, 1))", [(4,)]),
    ],
)
def test_in_queries(con: tqp.Connection, query: str, rows: list[Any]) -> None:
    assert con.sql(query).fetchall() == rows


def test_parameters_of_queries(con: tqp.Connection) -> None:
    for count in (2, 3):
        assert con.sql("SELECT count(*) FROM points(?, 1)", params=[count]).fetchall() == [(count,)]
        assert con.sql(f"SELECT count(*) FROM points({count}, 1)").fetchall() == [(count,)]


def test_each_query_makes_it_anew(con: tqp.Connection) -> None:
    made: list[tuple[Any, ...]] = []

    def note(*values: Any) -> pa.Table:
        made.append(values)
        return pa.table({"n": [len(made)]})

    con.create_table_function("note", note, ["DATE", "DECIMAL(9, 2)", "VARCHAR", "BOOLEAN"])
    query = "FROM note(DATE '2020-02-03', 1.5, 'x', NULL)"
    relation = con.sql(query)
    assert relation.fetchall() == [(1,)]
    assert relation.sql("FROM self").fetchall() == [(1,)]
    assert con.sql(query).fetchall() == [(2,)]
    assert made[0] == (date(2020, 2, 3), Decimal("1.50"), "x", None)
    con.sql("CREATE TABLE kept AS FROM note(NULL, NULL, NULL, NULL)")
    assert [con.sql("FROM kept").fetchall() for _ in range(2)] == [[(3,)]] * 2


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"x": [1, 2]}),
        pa.record_batch({"x": [1, 2]}),
        pd.DataFrame({"x": [1, 2]}),
        {"x": torch.tensor([1, 2])},
        {"x": [1, 2]},
    ],
    ids=["arrow", "batch", "pandas", "tensors", "lists"],
)
def test_what_it_may_give(con: tqp.Connection, table: Any) -> None:
    con.create_table_function("given", lambda: table, [])
    assert con.sql("SELECT sum(x) FROM given()").fetchall() == [(3,)]


def test_relations_of_the_connection(con: tqp.Connection) -> None:
    con.create_table_function("first_ids", lambda n: con.sql("SELECT id FROM t WHERE id < ?", params=[n]), ["BIGINT"])
    assert con.sql("SELECT sum(id) FROM first_ids(4)").fetchall() == [(6,)]


@pytest.mark.parametrize(
    ("query", "error", "message"),
    [
        ("SELECT points(1, 2)", BindError, "stands in FROM"),
        ("FROM points(1)", BindError, "takes 2 arguments, not 1"),
        ("FROM t, points(t.id, 1)", BindError, "may not be columns"),
        ("FROM points(1, 2) WITH ORDINALITY", UnsupportedError, "ORDINALITY"),
        ("FROM points('x', 1)", TqpError, "could not convert"),
        ("FROM points(NULL, 1)", ExecutionError, "points failed: TypeError"),
        ("FROM five()", ExecutionError, "an int, which is no table"),
        ("FROM scalar(1)", UnsupportedError, "gives no table"),
    ],
)
def test_calls_that_do_not_fit(con: tqp.Connection, query: str, error: type[TqpError], message: str) -> None:
    con.create_table_function("five", lambda: 5, [])
    con.create_function("scalar", lambda x: x, ["BIGINT"], "BIGINT")
    with pytest.raises(error, match=message):
        con.sql(query)
    assert con.sql("SELECT count(*) FROM points(3, 1)").fetchall() == [(3,)]


def test_names(con: tqp.Connection) -> None:
    assert con.functions() == ["points(BIGINT, DOUBLE) -> TABLE"]
    assert "Scan user code points" in con.sql("SELECT sum(v) FROM points(3, 1)").explain()
    for name in ("range", "points", "select", "sum"):
        with pytest.raises(BindError):
            con.create_table_function(name, points)
    con.remove_function("points")
    with pytest.raises(TqpError):
        con.sql("FROM points(1, 1)")
