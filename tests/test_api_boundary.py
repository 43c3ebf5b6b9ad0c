"""Tracebacks: the caller's lines and the message; what is within tqp shows for its own bugs, or where it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from traceback import extract_tb
from typing import Any

import pytest

import tqp
from tqp import api_boundary
from tqp.errors import BindError, InternalError, TqpError


def _tenth(x: int) -> float:
    return 1 // x


ATTEMPTS: dict[str, Callable[[tqp.Connection], Any]] = {
    "syntax": lambda con: con.sql("SELEC 1"),
    "a name": lambda con: con.sql("SELECT b FROM t"),
    "a cast": lambda con: con.sql("SELECT s::INT FROM t").show(),
    "a step": lambda con: con.table("t").filter("b > 1"),
    "a column": lambda con: con.table("t")["b"],
    "a length": lambda con: len(con.sql("SELECT s::INT FROM t")),
    "a shape": lambda con: con.sql("SELECT s::INT FROM t").shape,
    "rows": lambda con: list(con.sql("SELECT s::INT FROM t")),
    "a file": lambda con: con.read_csv("absent.csv"),
    "own code": lambda con: con.sql("SELECT tenth(a) FROM t").df(),
}


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS.keys())
def test_tracebacks_end_at_the_caller(attempt: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    con = tqp.connect(threads=1).register("t", {"a": [1, 0], "s": ["1", "x"]})
    con.create_function("tenth", _tenth, ["BIGINT"], "BIGINT")
    with pytest.raises(TqpError) as full:
        attempt(con)
    monkeypatch.setattr(api_boundary, "_IS_FULL", False)
    with pytest.raises(TqpError) as short:
        attempt(con)
    # The test, the lambda, and where Python asks on its own for a length or rows what it asks.
    assert len(extract_tb(short.value.__traceback__)) <= 4 < len(extract_tb(full.value.__traceback__))
    cause = short.value.__cause__
    assert cause is None or extract_tb(cause.__traceback__)[-1].name == "_tenth"


class _Thing:
    def bug(self) -> None:
        self._deep(InternalError("a bug"))

    def wrong(self, name: str = "x") -> None:
        """Wrong."""
        self._deep(BindError(name))

    def _deep(self, error: Exception) -> None:
        raise error


def test_a_bug_shows_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_boundary, "_IS_FULL", False)
    made = api_boundary.api_boundary(type("Made", (_Thing,), {}))()
    with pytest.raises(BindError) as wrong:
        made.wrong()
    assert [entry.name for entry in wrong.traceback][1:] == []
    with pytest.raises(InternalError) as bug:
        made.bug()
    assert [entry.name for entry in bug.traceback][1:] == ["called", "bug", "_deep"]
    assert made.wrong.__doc__ == "Wrong." and list(signature(made.wrong).parameters) == ["name"]
