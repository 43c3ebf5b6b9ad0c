"""Functions are called by DuckDB's names alone, and a call that does not fit is an error in SQL's words."""

from __future__ import annotations

import duckdb
import pytest
from sqlglot import exp

import tqp
from tqp.errors import InternalError, ParseError, TqpError, UnsupportedError
from tqp.functions import registry
from tqp.functions.aggregates import registry as aggregates
from tqp.functions.names import _FUNCTIONS, INNER, is_named

ARGUMENTS = ("", "1", "'a', 1", "[1]", "1, 1, 1, 1, 1, 1, 1")
WORDS = ("syntax error:", "ANONYMOUS", "exp.", "Token")


@pytest.fixture(scope="module")
def connection() -> tqp.Connection:
    return tqp.connect()


def test_the_names_are_those_of_duckdb() -> None:
    rows = duckdb.sql("SELECT DISTINCT lower(function_name) FROM duckdb_functions()").fetchall()
    assert {name for (name,) in rows if name.isidentifier() and not name.startswith(("__", "st_"))} == _FUNCTIONS


def test_every_call_is_answered_or_refused_in_words_of_sql(connection: tqp.Connection) -> None:
    for name in sorted({*_FUNCTIONS, *filter(str.isidentifier, (*registry.names(), *aggregates.names()))}):
        for arguments in ARGUMENTS:
            text = f"SELECT {name}({arguments})"
            try:
                connection.sql(text)
            except TqpError as error:
                assert not isinstance(error, InternalError), text
                assert not any(word in error.message for word in WORDS), (text, error.message)


def test_names_of_other_systems_are_no_functions(connection: tqp.Connection) -> None:
    foreign = {name.lower() for name in exp.FUNCTION_BY_NAME if not is_named(name)} | INNER
    # Words of SQL that stand before parentheses.
    for name in sorted(foreign - {"and", "or", "not", "like", "case", "is", "in", "predict_proba"}):
        for arguments in ("1", "'a', 'b'"):
            with pytest.raises((UnsupportedError, ParseError)):
                connection.sql(f"SELECT {name}({arguments})")


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("SELECT tobase64('a')", "there is no function tobase64", "base64"),
        ("SELECT bitwiseand(1, 2)", "there is no function bitwiseand", None),
        ("SELECT explode([1])", "there is no function explode", None),
        ("SELECT eq()", "there is no function eq", None),
        ("SELECT regexp_like('a')", "there is no function regexp_like", None),
        ("SELECT pow(1)", "pow needs more arguments", None),
        ("SELECT 1 + lpad('a') FROM range(3)", "lpad needs more arguments", None),
        ("SELECT reduce([1])", "reduce takes a list and a lambda", None),
    ],
)
def test_what_is_wrong_is_said_by_the_name_in_the_text(
    connection: tqp.Connection, text: str, message: str, hint: str | None
) -> None:
    with pytest.raises(TqpError) as caught:
        connection.sql(text)
    assert caught.value.message == message
    assert caught.value.location is not None
    assert hint is None or hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT (1", "syntax error: the query ends too early"),
        ("SELECT 1 +", "syntax error: the query ends too early"),
        ("SELECT ~~1", "syntax error at or near '~~'"),
        ("SELECT 1 2", "syntax error at or near '2'"),
    ],
)
def test_syntax_errors_name_the_word(connection: tqp.Connection, text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        connection.sql(text)
    assert caught.value.message == message


def test_functions_of_the_user_may_have_names_of_other_systems() -> None:
    connection = tqp.connect()
    connection.create_function("tobase64", lambda text: text * 2, ["VARCHAR"], "VARCHAR")
    assert connection.sql("SELECT tobase64('ab')").fetchall() == [("abab",)]
    connection.sql("CREATE MACRO explode(x) AS x + 1")
    assert connection.sql("SELECT explode(1)").fetchall() == [(2,)]
