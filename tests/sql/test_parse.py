"""Text to syntax tree: what the parser is told, and that sqlglot itself stays as it is."""

from __future__ import annotations

import logging

import pytest
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

import tqp
from tqp.errors import ParseError, UnsupportedError
from tqp.sql.parse import parse


@pytest.mark.parametrize("statement", ["EXPLAIN SELECT 1", "CALL f()", "SHOW TABLES", "SELECT 1; VACUUM"])
def test_statements_that_are_no_queries_are_refused_without_a_warning(
    statement: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(UnsupportedError, match="is not supported"):
        parse(statement)
    assert not caplog.records


@pytest.mark.parametrize(
    ("text", "word", "column"),
    [
        ("foo", "foo", 1), ("not even SQL", "not", 1), ("  1 + 1", "1", 3), ("encode('a')", "encode", 1), ("a.b = 'c'", "a", 1),
        ("interval 1 day", "interval", 1), ("#1", "#", 1), ("list[1]", "list", 1), ("*", "*", 1), ("'a'", "'a'", 1),
        ("(SELECT 1) x", "x", 12),
    ],
)  # fmt: skip
def test_expressions_alone_are_no_queries(text: str, word: str, column: int) -> None:
    with pytest.raises(ParseError) as caught:
        tqp.connect().sql(text)
    assert caught.value.message == f"syntax error at or near {word!r}"
    assert caught.value.location is not None and caught.value.location.column == column


def test_predict_is_a_plain_call_here_and_sqlglot_keeps_its_own() -> None:
    tree = parse("SELECT predict(m, a, b, c, d), predict FROM t")
    call, column = tree.expressions
    assert isinstance(call, exp.Anonymous) and call.name.lower() == "predict" and len(call.expressions) == 5
    assert isinstance(column, exp.Column)
    assert "PREDICT" in DuckDB.Parser.FUNCTIONS
    assert not logging.getLogger("sqlglot").filters
