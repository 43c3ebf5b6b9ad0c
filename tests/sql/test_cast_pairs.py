"""TRY_CAST of a value of each type to each other one, beside DuckDB: a cast that tqp lacks is an error, and never a NULL."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

import tqp
from tqp.errors import TqpError

VALUES: dict[str, list[str]] = {
    "BOOLEAN": ["true"], "TINYINT": ["5::TINYINT"], "SMALLINT": ["300::SMALLINT"], "INTEGER": ["70000"], "BIGINT": ["-5000000000"],
    "HUGEINT": ["1701411834604692317316873037158841::HUGEINT"], "UTINYINT": ["200::UTINYINT"], "USMALLINT": ["40000::USMALLINT"],
    "UINTEGER": ["3000000000::UINTEGER"], "UBIGINT": ["18446744073709551615::UBIGINT"], "UHUGEINT": ["5::UHUGEINT"],
    "FLOAT": ["1.5::FLOAT", "'nan'::FLOAT"], "DOUBLE": ["2.5::DOUBLE", "1e300::DOUBLE"], "DECIMAL(9,2)": ["12345.67::DECIMAL(9,2)"],
    "VARCHAR": ["'abc'", "'12'", "'[1,2]'", "'{a: 1}'", "'2020-01-01'", "'{k=1}'"], "BLOB": ["'ab\\x00'::BLOB"],
    "DATE": ["DATE '2020-02-29'"], "TIME": ["TIME '12:34:56.789'"], "TIMESTAMP": ["TIMESTAMP '2020-02-29 12:34:56.789'"],
    "TIMESTAMPTZ": ["TIMESTAMPTZ '2020-02-29 12:34:56+00'"], "TIMESTAMP_S": ["'2020-02-29 12:34:56'::TIMESTAMP_S"],
    "TIMESTAMP_NS": ["'2020-02-29 12:34:56.123456'::TIMESTAMP_NS"], "INTERVAL": ["INTERVAL '1 month 2 days'"],
    "UUID": ["'00eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID"], "ENUM('a', '12')": ["'12'::ENUM('a', '12')"],
    "JSON": ["""'{"a":1}'::JSON""", "'12'::JSON", "'[1,2]'::JSON"], "INTEGER[]": ["[1, 2, NULL]"], "VARCHAR[]": ["['1', 'x']"],
    "INTEGER[2]": ["array_value(1, 2)"], "INTEGER[][]": ["[[1], [2, 3]]"], "STRUCT(a INTEGER, b VARCHAR)": ["{'a': 1, 'b': 'x'}"],
    "STRUCT(a INTEGER)": ["{'a': 7}"], "STRUCT(c INTEGER)": ["{'c': 7}"], "MAP(VARCHAR, INTEGER)": ["MAP {'a': 1}"],
    "MAP(INTEGER, VARCHAR)": ["MAP {1: '5'}"], "STRUCT(a INTEGER)[]": ["[{'a': 1}]"], "MAP(VARCHAR, INTEGER)[]": ["[MAP {'a': 1}]"],
}  # fmt: skip
PLACED = [(f"{have}-{number}", value) for have, values in VALUES.items() for number, value in enumerate(values)]
# An array has no NULL elements in tqp, which says so.
LACKING = {("['1', 'x']", "INTEGER[2]"), ("[[1], [2, 3]]", "INTEGER[2]")}


@pytest.fixture(scope="module")
def con() -> tqp.Connection:
    return tqp.connect(threads=1)


@pytest.mark.parametrize("value", [pytest.param(value, id=name) for name, value in PLACED])
def test_each_pair(con: tqp.Connection, value: str) -> None:
    rows = f"FROM (SELECT {value} AS x UNION ALL SELECT NULL)"
    expected: list[tuple[Any, ...]] = []
    taken: list[str] = []
    for to in VALUES:
        if (value, to) in LACKING:
            with pytest.raises(TqpError, match="NULL, which tqp does not hold"):
                con.sql(f"SELECT TRY_CAST(x AS {to}) {rows}").fetchall()
            continue
        try:
            expected.append(tuple(one for (one,) in duckdb.sql(f"SELECT TRY_CAST(x AS {to}) {rows}").fetchall()))
            taken.append(to)
        except duckdb.Error:
            with pytest.raises(TqpError):
                con.sql(f"SELECT TRY_CAST(x AS {to}) {rows}").fetchall()
    casts = ", ".join(f"TRY_CAST(x AS {to}) AS c{place}" for place, to in enumerate(taken))
    found = list(zip(*con.sql(f"SELECT {casts} {rows}").fetchall(), strict=True))
    wrong = [
        (to, mine, theirs)
        for to, mine, theirs in zip(taken, found, expected, strict=True)
        if str(mine) != str(theirs) and mine != theirs
    ]
    assert not wrong
