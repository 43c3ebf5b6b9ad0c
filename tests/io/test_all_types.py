"""`test_all_types()`: a column for each type of DuckDB, with its extremes and NULL."""

from __future__ import annotations

import duckdb
import pytest

import tqp
from tests.engines import Engines
from tqp.errors import BindError, UnsupportedError

COLUMNS = [name for name, *_ in duckdb.sql("DESCRIBE FROM test_all_types()").fetchall()]
UNREAD = {
    "geometry": "no such type", "uhugeint": "beyond 2", "fixed_int_array": "NULLs in them",
    "fixed_nested_int_array": "NULLs in them", "struct_of_fixed_array": "NULLs in them", "list_of_fixed_int_array": "NULLs in them",
}  # fmt: skip
"""Columns that tqp cannot hold, and why."""
BEYOND_ARROW = ("hugeint", "timestamp_tz_ns")
"""Columns whose values are more than Arrow's decimal of 128 bits holds, or than the tests compare of its timestamps."""


@pytest.fixture(scope="module")
def engines() -> Engines:
    return Engines()


@pytest.mark.parametrize("name", [name for name in COLUMNS if name not in UNREAD])
def test_values(engines: Engines, name: str) -> None:
    if name not in BEYOND_ARROW:
        engines(f'SELECT "{name}" AS v FROM test_all_types()')
    engines(f'SELECT "{name}"::VARCHAR AS v, typeof("{name}") AS t FROM test_all_types() AS t')


@pytest.mark.parametrize("name", UNREAD)
def test_what_tqp_does_not_hold_is_refused_for_that_column_alone(name: str) -> None:
    with pytest.raises(UnsupportedError, match=f"column '{name}' of .* cannot be read: .*{UNREAD[name]}"):
        tqp.sql(f"SELECT {name} FROM test_all_types()").fetchall()


def test_the_table() -> None:
    described = "SELECT column_name, column_type FROM (DESCRIBE FROM test_all_types())"
    assert tqp.sql(described).fetchall() == duckdb.sql(described).fetchall()
    assert tqp.sql("SELECT count(*) FROM test_all_types()").fetchall() == [(3,)]
    left_out = f"FROM (SELECT * EXCLUDE ({', '.join(UNREAD)}) FROM test_all_types())"
    assert len(tqp.sql(left_out).fetchall()) == 3
    with pytest.raises(BindError, match="takes no arguments"):
        tqp.sql("FROM test_all_types(use_large_enum := true)").fetchall()
