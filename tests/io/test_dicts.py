"""Columns of dicts in pandas frames: STRUCT, or MAP where their keys differ, as DuckDB reads them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import duckdb
import pandas as pd
import pytest

import tqp
from tqp.errors import UnsupportedError

COLUMNS: dict[str, list[Any]] = {
    "the same keys": [{"a": 1, "b": "x"}, None, {"a": 3, "b": "y"}],
    "other keys": [{"a": 1}, {"b": 2}],
    "some of the keys": [{"a": 1, "b": 2}, {"a": 3}],
    "another order": [{"a": 1, "b": 2}, {"b": 3, "a": 4}],
    "one is empty": [{}, {"a": 1}, None],
    "keys that are numbers": [{1: "x"}, {2: "y"}],
    "the same numbers": [{1: "x"}, {1: "y"}],
    "integers and floats": [{"a": 1}, {"b": 2.5}],
    "a value that is None": [{"a": 1}, {"b": None}],
    "large integers": [{"a": 1}, {"b": 2**40}],
    "texts and others": [{"id": 1, "name": "x"}, {"id": 2}, {"ok": True, "share": 1.5, "none": float("nan")}],
    "texts and others in one field": [{"a": 1}, {"a": "x"}],
    "decimals and dates beside texts": [{"a": Decimal("1.50")}, {"b": "x", "c": date(2020, 1, 2)}],
    "keys and values written out": [{"key": ["a", "b"], "value": [1, 2]}, {"key": ["c"], "value": [3]}],
    "other keys within": [{"a": {"x": 1}}, {"a": {"y": 1}}],
    "other keys within other keys": [{"a": {"x": 1}}, {"b": {"y": 1}}],
    "lists of them": [[{"a": 1}], [], None, [{"b": 2}, {"c": 3}]],
    "lists of the same keys": [[{"a": 1}], [{"a": 2}, {"a": 3}]],
    "lists in them": [{"a": [1, 2]}, {"b": [3]}],
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_as_duckdb(kind: str) -> None:
    frame = pd.DataFrame({"c": pd.Series(COLUMNS[kind], dtype=object), "i": range(len(COLUMNS[kind]))})
    con = tqp.connect(threads=1)
    con.register("t", frame)
    with duckdb.connect() as other:
        other.register("t", frame)
        for query in (
            "SELECT typeof(c), c FROM t ORDER BY i",
            "SELECT count(*) FROM t WHERE c IS NULL",
            "DESCRIBE FROM t",
        ):
            assert con.sql(query).fetchall() == other.sql(query).fetchall()


@pytest.mark.parametrize(
    "values",
    [[{"a": 1}, 2], [{"a": 1}, {"b": {"c": 1}}], [{"a": 1}, {"b": [1]}], [{1: "x", "1": "y"}, {}], [{"a": 2**70}, {}]],
)
def test_what_has_no_type_in_common_is_refused_for_that_column_alone(values: list[Any]) -> None:
    con = tqp.connect(threads=1)
    con.register("t", pd.DataFrame({"ok": [1, 2], "c": pd.Series(values, dtype=object)}))
    assert con.sql("SELECT ok FROM t").fetchall() == [(1,), (2,)]
    with pytest.raises(UnsupportedError, match="column 'c' of 't' cannot be read"):
        con.sql("FROM t")


def test_dicts_in_lists_of_python() -> None:
    con = tqp.connect(threads=1)
    con.register("t", {"c": [{"a": 1}, {"b": 2}]})
    assert con.sql("SELECT c['a'], typeof(c) FROM t").fetchall() == [
        (1, "MAP(VARCHAR, BIGINT)"),
        (None, "MAP(VARCHAR, BIGINT)"),
    ]
