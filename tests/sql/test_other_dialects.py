"""Texts of other dialects give their dialect's answer or are refused.

`postgres.jsonl` holds what PostgreSQL 15.18 answered over the tables of the case files: rows sorted by their text, numbers
rounded to 9 digits, other values as text; or the error that it raised.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
import sqlglot
from sqlglot import ErrorLevel

from tests.engines import Engines
from tests.sql.case_tables import TABLES
from tests.sql.test_cases import statements
from tqp.errors import InternalError, ParseError, TqpError, UnsupportedError
from tqp.verify.compare import compare_query

ANSWERS = [json.loads(line) for line in (Path(__file__).parent / "postgres.jsonl").read_text().splitlines()]

# Where sqlglot writes something else than it read: casts of typed literals, TRY_CAST, what infinite dates become, FULL JOIN for MySQL,
# count_if of no rows, samples, json(…), types of 8 bits and without a sign, casts of what is rounded, IN of a list, digits and signs of
# numbers, short units, a percentage of rows, a column by one of two equal names.
MISWRITTEN = re.compile(
    r"\"position\"|(DATE|TIME|TIMESTAMP|INTERVAL)\s*'[^']*'\s*::|TRY_CAST|date_?diff|infinity|FULL JOIN|count_?if|DISTINCT ON|SELECT.*\bLIKE\b.*FROM emp$"
    r"|POSITIONAL|SAMPLE|\bjson\(|TINYINT|tinyint|UBIGINT|, 2147483647|NULL::DATE|IN \[|SELECT [.+]|mins'|date_add\(|date_trunc\(m|@|[-+*/] ~|[\d)]%|SELECT u FROM \(VALUES|QUALIFY.*ORDER BY a\)",
    re.S,
)


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    made = Engines(TABLES)
    yield made
    made.close()


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value.removesuffix("+00:00")
    if isinstance(value, int | float | Decimal):
        number = float(f"{float(value):.9g}")
        return "nan" if math.isnan(number) else number if math.isfinite(number) else str(value)
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    return str(value)


def _rows(rows: list[tuple[Any, ...]]) -> list[list[Any]]:
    return sorted(([_cell(value) for value in row] for row in rows), key=repr)


def test_as_postgres_or_refused(engines: Engines) -> None:
    equal = 0
    for answer in ANSWERS:
        try:
            rows = _rows(engines.tqp.sql(answer["sql"], read="postgres").fetchall())
        except TqpError as error:
            assert not isinstance(error, InternalError), answer["sql"]
            continue
        if "rows" in answer:
            assert rows == sorted(([_cell(value) for value in row] for row in answer["rows"]), key=repr), answer["sql"]
            equal += 1
        else:
            # It refuses some types that DuckDB takes; but what has no answer there has none here.
            assert "division by zero" not in answer["error"], answer["sql"]
    assert equal >= 500


@pytest.mark.parametrize("place", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("read", "every", "least"),
    [("postgres", 4, 100), *((read, 10, 35) for read in ("snowflake", "trino", "oracle", "mysql", "spark"))],
)
def test_what_another_dialect_says_is_read_back(
    engines: Engines, read: str, every: int, least: int, place: int
) -> None:
    equal, wrong = 0, []
    for statement in statements():
        if crc32(statement.encode()) % every != place * every // 2:
            continue
        if "refuse" in statement:
            continue
        statement = "\n".join(line for line in statement.splitlines() if not line.startswith("--")).rstrip(";")
        if MISWRITTEN.search(statement) or read != "postgres" and re.search(r"FROM.*,.*JOIN", statement, re.S):
            continue
        try:
            written = sqlglot.transpile(statement, read="duckdb", write=read, unsupported_level=ErrorLevel.RAISE)[0]
        except Exception:  # sqlglot's writers fail in many ways
            continue
        try:
            answer = engines.tqp.sql(written, read=read).arrow()
        except TqpError as error:
            assert not isinstance(error, InternalError), statement
            continue
        expected = engines.duckdb.sql(statement).to_arrow_table()
        if compare_query(statement, answer, expected, strict=False) is None:
            equal += 1
        else:
            wrong.append((statement, written))
    assert not wrong
    assert equal >= least


@pytest.mark.parametrize(
    ("read", "text", "what"),
    [
        (
            "postgres",
            "SELECT extract(second FROM TIMESTAMP '2024-01-01 00:00:00.5')",
            "extract(second FROM …) of postgres",
        ),
        ("postgres", "SELECT round(score) FROM emp", "round of DOUBLE of postgres"),
        ("postgres", "SELECT score::text FROM emp", "the text of DOUBLE of postgres"),
        ("postgres", "SELECT concat(name, active) FROM emp", "the text of BOOLEAN of postgres"),
        ("postgres", "SELECT sum(id) / count(*) FROM emp", "a sum divided by `/`"),
        ("postgres", "SELECT regexp_replace(name, 'a', 'b') FROM emp", "REGEXPREPLACE of postgres"),
        ("postgres", "SELECT name ~ 'a' FROM emp", "REGEXPLIKE of postgres"),
        ("mysql", "SELECT concat('a', NULL)", "CONCAT of mysql"),
        ("mysql", "SELECT 1 / 3", "DIV of mysql"),
        ("mysql", "SELECT dayofweek(hired) FROM emp", "DAYOFWEEK of mysql"),
        ("spark", "SELECT regexp_replace(name, 'a', 'b') FROM emp", "REGEXPREPLACE of spark"),
        ("snowflake", "SELECT CAST(salary AS INT) FROM emp", "the cast from DECIMAL(10,2) to INTEGER of snowflake"),
        ("sqlite", "SELECT name LIKE 'A%' FROM emp", "LIKE of sqlite"),
    ],
)
def test_what_means_something_else_is_named(engines: Engines, read: str, text: str, what: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        engines.tqp.sql(text, read=read)
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("7 / 2.0", 3.5),
        ("'a_c' LIKE 'a\\_c'", True),
        ("'abc' LIKE 'a\\_c'", False),
        ("nullif(4, 0) / 2", 2),
    ],
)
def test_operators_of_postgres(engines: Engines, text: str, value: object) -> None:
    assert engines.tqp.sql(f"SELECT {text}", read="postgres").fetchall() == [(value,)]


@pytest.mark.parametrize("text", ["1 / 0", "1.0 / 0", "1::float8 / 0", "1 % 0"])
def test_zero_divides_nothing_in_postgres(engines: Engines, text: str) -> None:
    with pytest.raises(TqpError, match="division by zero"):
        engines.tqp.sql(f"SELECT {text}", read="postgres").fetchall()


def test_what_breaks_the_parser_is_an_error_of_syntax(engines: Engines) -> None:
    with pytest.raises(ParseError):
        engines.tqp.sql("SELECT (CAST(ARRAY(1, 2) AS ARRAY<INT>[2]))[1]", read="oracle")
