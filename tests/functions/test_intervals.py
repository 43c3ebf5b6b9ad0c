"""Intervals against DuckDB: every unit name × fraction × sign as text and as literal, and every part of many of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from tests.engines import Engines
from tqp.errors import TqpError
from tqp.functions.casts.intervals import interval_of
from tqp.functions.units import INTERVAL_WORDS, PARTS

AMOUNTS = [
    "0", "1", "7", "1.5", "0.005", "0.49", "0.125", "0.375", "1.9999999", "2.3333333", "0.00000049", "1.123456789",
    "12.", "0.0000005", "0.99999999999999999999", "1e2", "2147483647", "2147483648", "178956970.6", "9223372036854775807",
    "9223372036854775808", "106751991168",
]  # fmt: skip
MONTHS, DAYS = (0, 1, -5, 11, -13, 119, -121, 1201, -11999, 2**31 - 1, -(2**31)), (0, 1, -8, 35, 2**31 - 1, -(2**31))
MICROS = (0, 1, -999, 59_999_999, 3_600_000_001, -86_400_000_001, 2**63 - 1, -(2**63) + 1)


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    fields = [(m, d, u) for m in MONTHS for d in DAYS for u in MICROS]
    table = pa.table([pa.array(column) for column in zip(*fields, strict=True)], names=["m", "d", "u"])
    made = Engines({"t": table})
    yield made
    made.close()


def both_answer(engines: Engines, sql: str) -> bool:
    """Whether the query has an answer, which then is the same on both; else both refuse it."""
    try:
        engines.duckdb.sql(sql).to_arrow_table()
    except duckdb.Error:
        with pytest.raises(TqpError):
            engines.tqp.sql(sql).arrow()
        return False
    engines(sql)
    return True


@pytest.mark.parametrize("unit", sorted(INTERVAL_WORDS))
def test_literals(engines: Engines, unit: str) -> None:
    signed = [amount for plain in AMOUNTS for amount in (plain, f"-{plain}")]
    written = [f"INTERVAL {text} {unit}" for amount in signed for text in (f"'{amount}'", f"({amount})")]
    answers, refused = [], []
    for literal in [*written, *(f"INTERVAL {amount} {unit}" for amount in AMOUNTS)]:
        try:
            engines.duckdb.sql(f"SELECT ({literal})::VARCHAR").fetchall()
            answers.append(literal)
        except duckdb.Error:
            refused.append(literal)
    assert len(answers) > 60 and refused
    engines(f"SELECT {', '.join(f'({literal})::VARCHAR' for literal in answers)}")
    for literal in refused:
        with pytest.raises(TqpError):
            engines.tqp.sql(f"SELECT {literal}").arrow()
    engines(f"SELECT (INTERVAL ((d % 100) / 7) {unit})::VARCHAR FROM t")


def texts() -> list[str]:
    rng = random.Random(0)
    pieces = [f"{sign}{amount}{gap}{unit}" for sign in ("", "-") for amount in AMOUNTS for gap in ("", " ")
              for unit in (*PARTS, "days", "q", "ns", "")]  # fmt: skip
    clocks = ["1:02", "-1:02:03.5", "00:00:59.9999999", "1:60", "1:", ":1", "2562047788:00:54.775807", "100:1:2:3"]
    mixed = [" ".join(rng.choice([*pieces, *clocks]) for _ in range(rng.randrange(2, 5))) for _ in range(4000)]
    odd = [
        "",
        " ",
        "@",
        "@ 1 day",
        "@1 day ago",
        "1 ago",
        "+1 day",
        "- 1 day",
        "P1Y",
        "1 day a",
        "-1 day ago",
        "1 day-2 hours",
    ]
    return [*pieces, *clocks, *odd, *mixed, *(f"{text} ago" for text in pieces[::3])]


def test_text(engines: Engines) -> None:
    table = pa.table({"x": texts()})
    engines.register("texts", table)
    found = engines("SELECT x, TRY_CAST(x AS INTERVAL)::VARCHAR AS y FROM texts")
    assert 3000 < found["y"].null_count < len(found) - 3000


def test_text_that_is_none() -> None:
    assert interval_of("3 fortnights") is None and interval_of("") is None and interval_of("1 doy") is None


SPAN = "(to_months(m) + to_days(d) + to_microseconds(u))"


@pytest.mark.parametrize("part", sorted(set(PARTS.values())))
@pytest.mark.parametrize("what", ["date_trunc('{}', " + SPAN + ")::VARCHAR", "date_part('{}', " + SPAN + ")",
                                  "date_trunc('{}', DATE '2024-05-06' + d % 10000)", "date_part('{}', DATE '2024-05-06' + d % 10000)",
                                  "date_part('{}', TIME '01:02:03.456789')"])  # fmt: skip
def test_parts(engines: Engines, part: str, what: str) -> None:
    both_answer(engines, f"SELECT m, d, u, {what.format(part)} FROM t")


@pytest.mark.parametrize("name", sorted(PARTS))
def test_names_of_parts(engines: Engines, name: str) -> None:
    both_answer(engines, f"SELECT date_part('{name}', TIMESTAMP '2024-05-06 07:08:09.123456')")
    both_answer(engines, f"SELECT date_trunc('{name}', TIMESTAMP '2024-05-06 07:08:09.123456')")


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("INTERVAL '1.5' SECOND", "00:00:01.5"),
        ("INTERVAL '0.005 decade'", "1 month"),
        ("INTERVAL 1.9 DAY", "1 day"),
        ("INTERVAL 1.5 MILLISECONDS", "00:00:00.0015"),
        ("INTERVAL '1' d", "00:00:01"),
    ],
)
def test_known(engines: Engines, sql: str, value: Any) -> None:
    """`INTERVAL '1' d` is a second that is called d: there are no abbreviations behind a literal."""
    assert engines(f"SELECT x::VARCHAR FROM (SELECT {sql}) AS t(x)")[0].to_pylist() == [value]
