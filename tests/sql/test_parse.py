"""Text to syntax tree: what the parser is told, and that sqlglot itself stays as it is."""

from __future__ import annotations

import logging

import pytest
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

from tqp.errors import UnsupportedError
from tqp.sql.parse import parse


@pytest.mark.parametrize("statement", ["EXPLAIN SELECT 1", "CALL f()", "SHOW TABLES", "SELECT 1; VACUUM"])
def test_statements_that_are_no_queries_are_refused_without_a_warning(
    statement: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(UnsupportedError, match="is not supported"):
        parse(statement)
    assert not caplog.records


def test_predict_is_a_plain_call_here_and_sqlglot_keeps_its_own() -> None:
    tree = parse("SELECT predict(m, a, b, c, d), predict FROM t")
    call, column = tree.expressions
    assert isinstance(call, exp.Anonymous) and call.name.lower() == "predict" and len(call.expressions) == 5
    assert isinstance(column, exp.Column)
    assert "PREDICT" in DuckDB.Parser.FUNCTIONS
    assert not logging.getLogger("sqlglot").filters
