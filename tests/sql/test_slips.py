"""Hints for what was probably meant: syntax errors, names, functions of other systems, calls."""

from __future__ import annotations

import pytest

from tests.sql.tables import plan_of
from tqp.errors import BindError, Location, ParseError, UnsupportedError


@pytest.mark.parametrize(
    ("text", "hint", "column"),
    [
        ("SELEC a FROM t", "did you mean SELECT?", 1),
        ("FROM data/x.parquet", "a path is quoted: 'data/x.parquet'", 10),
        ("FROM data/*.parquet", "a path is quoted: 'data/*.parquet'", 10),
        ("SELECT a FROM data/*/x.parquet, data/*.csv", "a path is quoted: 'data/*/x.parquet'", 19),
        ("FROM data\\x.parquet", "a path is quoted: 'data\\x.parquet'", 10),
        ("SELECT a FROM ./x.csv WHERE a = 1", "a path is quoted: './x.csv'", 15),
        ("SELECT a FROM t JOIN /tmp/x.csv USING (a)", "a path is quoted: '/tmp/x.csv'", 22),
        ("SELECT a FROM s3://bucket/x.parquet", "a path is quoted: 's3://bucket/x.parquet'", 18),
        ("SELECT a FORM t", "did you mean FROM?", 15),
        ("SELECT a FROM t WHRE a = 1", "did you mean WHERE?", 22),
        ("SELECT a FROM t LIMT 3", "did you mean LIMIT?", 22),
        ("SELECT a FROM order", 'ORDER is a reserved word of SQL; as a name it is written "order"', 15),
        ("SELECT a FROM t ORDER a", "write ORDER BY", 23),
        ("SELECT sum(a) OVER (PARTITION a) FROM t", "write PARTITION BY", 31),
        ("SELECT FROM t", "say which columns: SELECT * FROM …", 8),
        ("SELECT TOP 5 a FROM t", "write LIMIT 5 at the end of the query", 12),
        ("SELECT a FROM t JOIN u", "a JOIN needs ON or USING; without a condition it is a CROSS JOIN", 22),
        ("SELECT (a + 1 FROM t", "a ( is not closed", 15),
        ("SELECT a + 1) FROM t", "no ( is open here", 13),
        ("SELECT CASE WHEN a = 1 THEN 2", "CASE ends with END", 29),
        ("SELECT a FROM t WHERE a => 1", "is it >= that is meant?", 25),
        ("SELECT [1, 2", "a [ is not closed", 12),
        ("SELECT :name", "a parameter is written $name, $1 or ?", 1),
        ("SELECT a FORM t WHERE b = ' :noon'", "did you mean FROM?", 15),
        ("SELECT 'it's'", "a quote within a text is written twice: 'it''s'", 13),
        ("SELECT 'a', \"b", None, 13),
        ("SELECT a /* never closed", None, 10),
        ("SELECT a AS FROM t", None, 18),
    ],
)
def test_slips(text: str, hint: str | None, column: int) -> None:
    with pytest.raises(ParseError) as caught:
        plan_of(text)
    assert (caught.value.hint, caught.value.location) == (hint, Location(1, column))


@pytest.mark.parametrize(
    ("text", "kind", "hint"),
    [
        ("SELECT upper(1, 2)", BindError, "upper(string)"),
        ("SELECT upper()", BindError, "upper(string)"),
        ("SELECT substring('a')", BindError, "substring(string, start) or substring(string, start, length)"),
        ("SELECT count(a, b) FROM t", BindError, "count() or count(arg)"),
        ("SELECT averge(a) FROM t", UnsupportedError, "write avg(x)"),
        ("SELECT concat()", BindError, "concat(value, …)"),
        ("SELECT a.x FROM t", BindError, "a struct or JSON has fields: as in s.field"),
        ("SELECT date_trunc('yer', DATE '2020-01-01')", BindError, "did you mean year?"),
        ("SELECT ? + 1", BindError, "pass values: params=[…]"),
        ("SELECT a + 1e FROM t", BindError, "an exponent has digits: 1e6"),
        ("SELECT struct_concat()", BindError, "struct_concat(…)"),
        ("SELECT to_timestamp(1, a = a) FROM t", BindError, "to_timestamp(sec)"),
        ("SELECT nvl(a, 1) FROM t", UnsupportedError, "write coalesce(x, y)"),
        ("SELECT charindex('a', 'b')", UnsupportedError, "write strpos(text, part)"),
        ("SELECT summ(a) FROM t", UnsupportedError, "did you mean sum, fsum?"),
        ("SELECT xyzzy(a) FROM t", UnsupportedError, "docs/sql.md lists the functions that there are"),
        ("SELECT \"ann\" FROM t", BindError, "a text is written in single quotes: 'ann'; did you mean a?"),
        ("SELECT zzzz FROM u", BindError, "columns: a, c, y"),
    ],
)  # fmt: skip
def test_hints(text: str, kind: type[Exception], hint: str) -> None:
    with pytest.raises(kind) as caught:
        plan_of(text)
    assert caught.value.hint == hint
