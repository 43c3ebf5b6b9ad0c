"""Values given for parameters, beside DuckDB: lists, structs and maps of whatever, and names close to one another."""

from __future__ import annotations

import uuid
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pytest
import torch

import tqp
from tqp.errors import TqpError

VALUES: list[Any] = [
    [1, 2], [1, 2**40], [2**63, 1], [2**70], [1, None], [], [None], [0.1, 2], [0.1, None], [True, False], ["a", None, "it's"],
    [[1], [2, None]], [date(2020, 1, 1), None], [datetime(2020, 1, 1, 2)], [time(1, 2)], [timedelta(1)], [b"a'\\"],
    [Decimal("1.5"), 2], [uuid.UUID(int=5)], {"a": 1, "b": "x"}, {"a": None}, {"k": {"v": [1.5]}}, [{"a": 1}, {"a": 2}],
    {"a'b": "c'd"}, (1, 2), np.array(["a", "b"]), np.array([[1, 2], [3, 4]]), np.array([True, False]), np.array([], np.int64),
]  # fmt: skip

TEXTS: list[tuple[str, Any]] = [
    ("SELECT $1+$2", [1, 2]), ("SELECT $a,$b", {"a": 1, "b": 2}), ("SELECT $a||$b||'$c,$d'", {"a": "1", "b": "2"}),
    ("SELECT ($1)*($2)", [2, 3]), ("SELECT $1::INT+$1::INT", [1]), ("SELECT 1 WHERE $1=$1", [1]),
    ("SELECT 'it''s $a,$b', $1,$2 -- $1,$2", [1, 2]), ("SELECT /* $1,$2 ' */ $1,$2", [1, 2]),
    ('SELECT "$a,$b",$1,$2 FROM (SELECT 5 AS "$a,$b")', [1, 2]), ("SELECT e'\\'$a,$b', $1-1e3+$2", [1, 2]),
    ("SELECT $$it's $a,$b$$, $1", [1]), ("SELECT $tag$it's $a,$b$tag$, $1,$2", [1, 2]), ("SELECT $é,$ü", {"é": 1, "ü": 2}),
    ("SELECT list_contains(?, 0.1::DOUBLE)", [[0.1]]), ("SELECT list_sum(?)", [[0.1, 0.2]]), ("SELECT unnest(?)", [["a", "b"]]),
    ("FROM (VALUES ('a'), ('b')) v(x) WHERE x IN ?", [["a", "c"]]), ("FROM range(5) r(i) WHERE i IN (SELECT unnest(?))", [[1, 2]]),
    ("SELECT $d.a, $d['b']", {"d": {"a": 1, "b": "it's"}}), ("SELECT list_transform(?, lambda x: x || '!')", [["a", "b"]]),
    ("SELECT ? || [3]", [[1, 2]]), ("SELECT ?::FLOAT[2]", [[0.1, 0.2]]), ("SELECT len(?)", [[]]), ("SELECT ? = ['a']", [["a"]]),
]  # fmt: skip


@pytest.fixture(scope="module")
def con() -> tqp.Connection:
    return tqp.connect(threads=1, time_zone="UTC")


def _answer(relation: Any) -> tuple[list[str], list[tuple[Any, ...]]]:
    return [str(kind).replace('"NULL"', "NULL") for kind in relation.types], relation.fetchall()


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:40])
def test_values_are_duckdbs(con: tqp.Connection, value: Any) -> None:
    kinds, rows = _answer(con.sql("SELECT ? AS x", [value]))
    expected, others = _answer(duckdb.sql("SELECT ? AS x", params=[value]))
    assert rows == others
    assert [kind.replace("BIGINT", "INTEGER") for kind in kinds] == [
        kind.replace("BIGINT", "INTEGER") for kind in expected
    ]
    if not isinstance(value, np.ndarray):
        assert kinds == expected


@pytest.mark.parametrize(("text", "params"), TEXTS)
def test_texts_are_duckdbs(con: tqp.Connection, text: str, params: Any) -> None:
    assert _answer(con.sql(text, params)) == _answer(duckdb.sql(text, params=params))


def test_tensors_of_any_shape(con: tqp.Connection) -> None:
    for value, expected in (
        (torch.tensor(5, device="cpu"), 5), (torch.tensor([True, False], device="cpu"), [True, False]),
        (torch.tensor([[1, 2], [3, 4]], device="cpu"), [[1, 2], [3, 4]]), (torch.ones(0, device="cpu"), []),
        (torch.tensor([0.5], device="cpu"), (0.5,)),
    ):  # fmt: skip
        assert con.sql("SELECT ?", [value]).fetchall() == [(expected,)]


def test_a_plan_is_not_that_of_another_value(con: tqp.Connection) -> None:
    for words in (["a"], ["a", "b"], ["b"], [], ["a"]):
        found = con.sql("FROM (VALUES ('a'), ('b')) v(x) WHERE list_contains(?, x)", [words]).fetchall()
        assert [row[0] for row in found] == words
    changed = ["a"]
    relation = con.sql("SELECT ? AS x", [changed])
    changed[0] = "b"
    assert relation.fetchall() == [(["a"],)]
    assert relation.verify().ok


def test_a_list_takes_the_type_of_an_array(con: tqp.Connection) -> None:
    con.register("v", {"v": np.array([[0.5, 1.0]], np.float32)})
    assert str(con.sql("SELECT array_distance(v, ?) FROM v", [[0.1, 0.2]]).types[0]) == "FLOAT"
    assert str(con.sql("SELECT list_distance(v, ?) FROM v", [[0.1, 0.2]]).types[0]) == "DOUBLE"


@pytest.mark.parametrize("value", [(1, "a"), (1, "2"), [(1, "a")], {"k": [1.5, "x"]}, [date(2020, 1, 1), "2020-01-01"]])
def test_texts_among_others_are_no_list(con: tqp.Connection, value: Any) -> None:
    with pytest.raises(TqpError, match="texts and other values"):
        con.sql("SELECT ?", [value])


def test_errors_say_the_parameter_and_the_place(con: tqp.Connection) -> None:
    for text, params, message in (
        ("SELECT $a,$b, nope FROM range(3)", {"a": 1, "b": 2}, r"no column nope \(line 1, column 15\)"),
        ("SELECT $1,$3", [1, 2], "parameter 3"),
        ("SELECT ?", [[object()]], "object is no constant"),
        ("SELECT ?", [{"a": {1}}], "set is no constant"),
    ):
        with pytest.raises(TqpError, match=message):
            con.sql(text, params)
