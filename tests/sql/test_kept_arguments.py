"""The parser hands on each argument of each function of DuckDB's as what it is: none is left out, none becomes a word."""

from __future__ import annotations

from datetime import datetime

import duckdb
import pytest
from sqlglot import exp

import tqp
from tqp.errors import TqpError, UnsupportedError
from tqp.sql.parse import parse_strictly

_KINDS = "function_type IN ('scalar', 'aggregate', 'macro', 'table', 'table_macro')"


def _functions() -> list[str]:
    text = f"SELECT DISTINCT function_name FROM duckdb_functions() WHERE {_KINDS} AND function_name SIMILAR TO '[a-z_][a-z0-9_]*'"
    return sorted(name for (name,) in duckdb.sql(text).fetchall())


def test_no_argument_is_lost() -> None:
    lost = []
    for name in _functions():
        for count in range(1, 7):
            columns = [f"c{place}" for place in range(count)]
            try:
                tree, _ = parse_strictly(f"SELECT {name}({', '.join(columns)})")
            except TqpError:
                continue
            if sorted(column.name for column in tree.find_all(exp.Column)) != columns:
                lost.append(f"{name} of {count}")
    assert not lost


@pytest.mark.parametrize(
    "text",
    [
        "SELECT date_trunc(?, DATE '2024-05-17')", "SELECT date_part(?, TIMESTAMP '2024-05-17 01:02:03')",
        "SELECT date_diff(?, DATE '2020-01-01', DATE '2024-05-17')", "SELECT date_sub(?, DATE '2020-01-01', DATE '2024-05-17')",
        "SELECT date_trunc($1, d) FROM (VALUES (DATE '2024-05-17')) v(d)",
        "SELECT list_transform([DATE '2024-05-17'], lambda d: date_trunc(?, d))",
    ],
)  # fmt: skip
def test_a_part_may_be_a_parameter(text: str) -> None:
    con = tqp.connect()
    for part in ("month", "year", "day", "month", None):
        relation, expected = con.sql(text, [part]), duckdb.sql(text, params=[part])
        assert (relation.fetchall(), list(map(str, relation.types))) == (
            expected.fetchall(), list(map(str, expected.types))
        )  # fmt: skip


def test_a_part_may_be_a_variable() -> None:
    con, other = tqp.connect(), duckdb.connect()
    for part in ("month", "year"):
        for one in (con, other):
            one.execute(f"SET VARIABLE part = '{part}'")
        text = "SELECT date_trunc(getvariable('part'), DATE '2024-05-17'), date_part(getvariable('part'), DATE '2024-05-17')"
        assert con.sql(text).fetchall() == other.sql(text).fetchall()


def test_in_postgres_a_name_is_a_column() -> None:
    con = tqp.connect()
    values = "FROM (VALUES ('month', TIMESTAMP '2024-05-17 13:14:15')) v(m, ts)"
    assert con.sql(f"SELECT date_trunc('month', ts) {values}", read="postgres").fetchall() == [(datetime(2024, 5, 1),)]
    # Centuries begin elsewhere there, so that a part which only rows can tell is refused.
    with pytest.raises(UnsupportedError, match="century"):
        con.sql(f"SELECT date_trunc(m, ts) {values}", read="postgres")
