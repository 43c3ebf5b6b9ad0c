"""What is no scalar function of the user's own, or does not do as it says, is refused, and the connection goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
import torch

import tqp
from tests.own.tables import connected
from tqp.errors import BindError, ExecutionError


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with connected() as made:
        yield made


def shout(s: str, times: int) -> str:
    return s.upper() * times


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: x - x.sum(), "when other rows come with it"),
        (lambda x: x.cumsum(0), "when other rows come with it"),
        (lambda x: x.flip(0), "when other rows come with it"),
        (lambda x: x.sort().values, "when other rows come with it"),
        (lambda x: x + torch.arange(len(x), device=x.device), "when other rows come with it"),
        (lambda x: x + len(x), "when other rows come with it"),
        (lambda x: x.sum(), r"shape \(\)"),
        (lambda x: x[:1], r"shape \(1,\)"),
        (lambda x: x.double(), "float64, not torch.int64"),
        (lambda x: x.tolist(), "a list, not a tensor"),
        (lambda x: (x, x > 0), "2 values"),
        (lambda x: x / 0 + {}["no"], "KeyError"),
        (lambda x: x.view(6, -1).view(-1), "RuntimeError"),
    ],
)
def test_what_is_no_function_of_rows_is_refused(con: tqp.Connection, f: Any, message: str) -> None:
    with pytest.raises(BindError, match=message):
        con.create_function("bad", f, ["BIGINT"], "BIGINT", type="torch")
    assert con.functions() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("upper", shout), "already"),
        (("SUM", shout), "already"),
        (("coalesce", shout), "already"),
        (("row_number", shout), "already"),
        (("date_add", shout), "already"),
        (("date_trunc", shout), "already"),
        (("no name", shout), "no name"),
        (("", shout), "no name"),
        ((3, shout), "no name"),
        (("f", "text"), "cannot be called"),
        (("f", lambda a: a), "no annotation"),
        (("f", lambda *a: 1, None, "BIGINT"), "any number"),
        (("f", lambda a: a, ["BIGINT"]), "what it gives"),
        (("f", lambda a: a, ["NOTHING"], "BIGINT"), "no type"),
        (("f", lambda a: a, "BIGINT", "BIGINT"), "a list of types"),
        (("f", lambda a: a, [list], "BIGINT"), "no type"),
    ],
)
def test_what_is_no_function_is_refused(con: tqp.Connection, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(BindError, match=message):
        con.create_function(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"type": "rust"}, "choose torch, arrow, python"),
        ({"null_handling": "some"}, "default, special"),
        ({"exception_handling": "no"}, "return_null"),
        ({"type": "arrow", "exception_handling": "return_null"}, "python"),
        ({"type": "torch"}, "VARCHAR is no type of tensors"),
    ],
)
def test_options_that_are_none_are_refused(con: tqp.Connection, options: dict[str, str], message: str) -> None:
    with pytest.raises(BindError, match=message):
        con.create_function("f", shout, **options)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT twice(1, 2)", "takes 1 argument, not 2"),
        ("SELECT twice()", "takes 1 argument, not 0"),
        ("SELECT twice(1.5)", "does not become one by itself"),
        ("SELECT twice(f) FROM t", "does not become one by itself"),
        ("SELECT twice(sum(x)) FROM t", "HUGEINT does not become"),
        ("SELECT twice(t) FROM t", "DATE does not become"),
        ("SELECT id FROM t GROUP BY twice(id)", "neither grouped by"),
    ],
)
def test_calls_that_do_not_fit(con: tqp.Connection, query: str, message: str) -> None:
    con.create_function("twice", lambda x: 2 * x, ["BIGINT"], "BIGINT")
    with pytest.raises(BindError, match=message):
        con.sql(query)


@pytest.mark.parametrize(
    ("f", "options", "message"),
    [
        (lambda x: 1 // (x - 3), {}, r"fails failed: ZeroDivisionError.*test_refused_functions\.py:\d+"),
        (lambda x: "a", {}, "no BIGINT"),
        (lambda x: object(), {}, "of no type"),
        (lambda x: None, {}, "gave NULL"),
        (lambda x: 2**80, {}, "beyond 64 bits"),
        (lambda a: a.slice(1), {"type": "arrow"}, "values for"),
        (lambda a: a.to_pylist(), {"type": "arrow"}, "a list, not an Arrow array"),
        (lambda a: pa.nulls(len(a)), {"type": "arrow"}, "gave NULL"),
        (lambda x: x if x.max() < 30 else x[:1], {"type": "torch"}, "shape"),
        (lambda x: x if x.max() < 30 else 1 / 0, {"type": "torch"}, "ZeroDivisionError"),
    ],
)
def test_errors_name_the_function_and_the_connection_goes_on(
    con: tqp.Connection, f: Any, options: dict[str, Any], message: str
) -> None:
    con.create_function("fails", f, ["BIGINT"], "BIGINT", **options)
    relation = con.sql("SELECT fails(id) FROM t")
    for _ in range(2):
        with pytest.raises(ExecutionError, match=message):
            relation.fetchall()
    assert con.sql("SELECT count(*) FROM t").fetchall() == [(60,)]
