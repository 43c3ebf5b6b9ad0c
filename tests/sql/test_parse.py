"""Text to syntax tree: what the parser is told, and that sqlglot itself stays as it is."""

from __future__ import annotations

import logging
import sys
import unicodedata
from typing import Any

import duckdb
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


_SPACES = [
    chr(code)
    for code in range(1, sys.maxunicode + 1)
    if unicodedata.category(chr(code)) in ("Zs", "Zl", "Zp", "Cc") or chr(code).isspace() or code in (0x200B, 0x200C, 0x2060, 0xFEFF)
]  # fmt: skip


def _asked(engine: Any, text: str) -> Any:
    """Names and rows; None for an error."""
    try:
        answer = engine.sql(text)
        return list(answer.columns), answer.fetchall()
    except (tqp.TqpError, duckdb.Error):
        return None


@pytest.mark.parametrize("space", _SPACES, ids=[f"{ord(space):04X}" for space in _SPACES])
def test_white_space_is_duckdbs(space: str) -> None:
    ours, theirs = tqp.connect(), duckdb.connect()
    found = [
        (text, _asked(ours, text), _asked(theirs, text))
        for text in (
            f"SELECT 1{space}AS b", f"SELECT{space}1", f"{space}SELECT 1", f"SELECT 1 + 2{space}+{space}3", f"SELECT 'a{space}b'",
            f'SELECT 1 AS "a{space}b"', f"SELECT 1 AS a{space}b", f"SELECT x{space}y FROM (SELECT 1 AS x)",
            f'SELECT a{space}, \'{space}\' FROM (SELECT 1 AS "a{space}")', f"SELECT -- c{space}1\n2", f"SELECT /* {space} */ 2",
            f"SELECT $${space}$$", f"SELECT 1;{space}SELECT 2", f"SELECT sum(x) FROM (SELECT 1 AS x){space}GROUP{space}BY x",
        )
    ]  # fmt: skip
    assert [one for one in found if one[1] != one[2]] == []


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 'a'\n'b'", "SELECT 'a' \r\n  'b'\n'c' AS x", "SELECT 'a' -- more\n'b', 'it''s'\n'' = 'it''s'", "SELECT x'41'\n'42'",
        "SELECT DATE '2020-'\n'01-02'", "SELECT 'a' 'b'", "SELECT 'a' /*\n*/ 'b'", "SELECT $$a$$\n'b'", "SELECT 'a',\n'b'",
        "SELECT 'a\n', '\n'", "SELECT 'a'\n\"b\"",
    ],
)  # fmt: skip
def test_a_text_goes_on_in_the_next_line(text: str) -> None:
    assert _asked(tqp.connect(), text) == _asked(duckdb.connect(), text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 AS ☃", "SELECT 1 ☃", "SELECT ☃.☺, ☺ + 1 AS y FROM (SELECT 1 AS ☺) ☃", "SELECT 1 AS a\u00adb", "SELECT 1 ٣",
        "WITH 😀 AS (SELECT 1 AS \u20ac) SELECT \u20ac FROM 😀 ORDER BY \u20ac", "SELECT list_transform([1], lambda ☃: ☃ + 1) AS x",
    ],
)  # fmt: skip
def test_any_character_beyond_ascii_is_a_letter(text: str) -> None:
    found = _asked(tqp.connect(), text)
    assert found is not None and found == _asked(duckdb.connect(), text)
