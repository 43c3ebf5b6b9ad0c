"""The aggregate sink: every way of grouping gives DuckDB's answer, on one worker and on two."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from tests.engines import Engines

ROWS = 700_000
CALLS = "count(*), count(v), sum(v), min(v), max(v), avg(v), min(s), max(d)"


ANSWERS: dict[str, pa.Table] = {}


@pytest.fixture(scope="module", params=[1, 2], ids=["one worker", "two workers"])
def engines(request: pytest.FixtureRequest) -> Iterator[Engines]:
    numbers = range(ROWS)
    table = pa.table({
        "few": [None if n % 31 == 0 else n % 5 for n in numbers],
        "many": [n * 7919 % 150_001 for n in numbers],
        "far": [(n * 104_729 % 3_001) * 2**41 for n in numbers],
        "v": pa.array([None if n % 10 == 3 else n % 1000 - 500 for n in numbers], pa.int32()),
        "s": [f"t{n % 90}" for n in numbers],
        "d": [n % 97 / 4 for n in numbers],
    })  # fmt: skip
    both = Engines({"t": table}, ANSWERS, threads=request.param)
    yield both
    both.close()


@pytest.mark.parametrize("keys", ["few", "many", "far", "s", "few, s", "far, few"])
def test_keys(engines: Engines, keys: str) -> None:
    engines(f"SELECT {keys}, {CALLS} FROM t GROUP BY {keys} ORDER BY ALL")


def test_no_keys(engines: Engines) -> None:
    engines(f"SELECT {CALLS} FROM t")
    engines(f"SELECT {CALLS} FROM t WHERE few = 99")
    engines(f"SELECT few, {CALLS} FROM t WHERE few = 99 GROUP BY few")


def test_distinct_and_filter(engines: Engines) -> None:
    engines(
        "SELECT few, count(DISTINCT s), sum(DISTINCT v), sum(v) FILTER (many < 50) FROM t GROUP BY few ORDER BY few"
    )


def test_moments(engines: Engines) -> None:
    engines("SELECT few, stddev(d), var_pop(d), stddev_pop(v) FROM t GROUP BY few ORDER BY few")


def test_sums_beyond_64_bits(engines: Engines) -> None:
    engines("SELECT few, sum(far * 1000) FROM t GROUP BY few ORDER BY few")
    engines("SELECT sum(many::HUGEINT * 9000000000000000) FROM t")


@pytest.mark.parametrize("grouping", ["", "GROUP BY few ORDER BY few"])
def test_extremes_of_wide_numbers(engines: Engines, grouping: str) -> None:
    key = "few, " if grouping else ""
    engines(f"SELECT {key}min(v * 1e30::DECIMAL(34, 0)), max(v * 1e30::DECIMAL(34, 0)) FROM t {grouping}")


def test_limits_of_hugeint(both: Engines) -> None:
    both("""
        SELECT g, min(x)::VARCHAR, max(x)::VARCHAR, count(x) FROM (VALUES
            (1, 170141183460469231731687303715884105727::HUGEINT), (1, -5), (2, NULL), (3, 7), (3, NULL),
            (3, -170141183460469231731687303715884105727)) v(g, x) GROUP BY g ORDER BY g
    """)
