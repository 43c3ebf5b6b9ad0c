"""Variances of integers from their sums: DuckDB's answers, and no more rounding than one division and one root have."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from statistics import pvariance, variance

import pyarrow as pa
import pytest

from tests.engines import Engines

ROWS = range(500)
COLUMNS = {
    "k": pa.array([n % 7 for n in ROWS], pa.int8()),
    "own": pa.array(ROWS, pa.int32()),
    "small": pa.array([None if n % 7 in (0, 3) or n == 1 else n * n % 300 - 100 for n in ROWS], pa.int16()),
    "far": pa.array([2**26 + n % 3 for n in ROWS], pa.int32()),
    "large": pa.array([2**62 + n for n in ROWS], pa.int64()),
    "near": pa.array([n % 90 for n in ROWS], pa.int64()),
    "d": pa.array([n / 4 for n in ROWS]),
}
TABLE = pa.table(COLUMNS)


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    both = Engines({"t": TABLE})
    yield both
    both.close()


EXACT = [
    "SELECT k, stddev_samp(small), stddev_pop(small), var_samp(small), var_pop(small) FROM t GROUP BY k ORDER BY k",
    "SELECT variance(small), avg(small), count(*), stddev(near) FROM t",
    "SELECT own, stddev(small), var_pop(small) FROM t GROUP BY own ORDER BY own",
    "SELECT k, stddev(near) FILTER (own < 100), stddev(near) FILTER (own < 6), stddev(near) FROM t GROUP BY k ORDER BY k",
    "SELECT stddev(small), var_pop(near) FROM t WHERE own < 0",
    "SELECT k FROM t GROUP BY k HAVING stddev(near) / avg(near) > 0.5 ORDER BY k",
]
ROUNDED = [
    "SELECT stddev(d), var_pop(d) FROM t",
    "SELECT stddev(DISTINCT near) FROM t",
    "SELECT stddev(near + own) FROM t",
    "SELECT stddev(own) OVER (PARTITION BY k) AS s FROM t ORDER BY s",
]


@pytest.mark.parametrize("query", EXACT)
def test_from_sums(engines: Engines, query: str) -> None:
    engines(query)
    assert "exact_moments" in engines.tqp.sql(query).explain()


@pytest.mark.parametrize("query", ROUNDED)
def test_from_floats(engines: Engines, query: str) -> None:
    engines(query)
    assert "exact_moments" not in engines.tqp.sql(query).explain()


def test_of_numbers_too_large_to_be_squared(engines: Engines) -> None:
    query = "SELECT var_pop(large) FROM t"
    assert "exact_moments" not in engines.tqp.sql(query).explain()


@pytest.mark.parametrize("column", ["small", "far", "near"])
def test_as_exact_as_fractions(engines: Engines, column: str) -> None:
    values = [Fraction(value) for value in COLUMNS[column].to_pylist() if value is not None]
    found = engines.tqp.sql(f"SELECT var_samp({column}), var_pop({column}) FROM t").fetchall()
    assert found == [(float(variance(values)), float(pvariance(values)))]
