"""Sums of a column and constants: one sum of the column, the same answers, the same errors."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from tests.engines import Engines
from tqp.errors import ExecutionError


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    rows = range(500)
    table = pa.table({
        "k": pa.array([n % 3 for n in rows], pa.int8()),
        "own": pa.array(rows, pa.int32()),
        "small": pa.array([None if n % 7 == 0 else n - 200 for n in rows], pa.int16()),
        "tiny": pa.array([n % 100 - 50 for n in rows], pa.int8()),
        "large": pa.array([2**63 - 1 - n for n in rows], pa.int64()),
        "int": pa.array([2**31 - 1000 + n for n in rows], pa.int32()),
        "d": pa.array([n / 4 for n in rows]),
    })  # fmt: skip
    both = Engines({"t": table})
    yield both
    both.close()


SPLIT = [
    "SELECT sum(small), sum(small + 1), sum(small + 2), sum(3 + small), sum(small - 4) FROM t",
    "SELECT k, sum(small + 1), count(*), sum(small - 100), avg(small), max(d) FROM t GROUP BY k ORDER BY k",
    "SELECT sum(small + 1) FILTER (k = 1), sum(small + 5) FILTER (k = 1), sum(small + 5), sum(small) FROM t",
    "SELECT sum(tiny + 1::TINYINT), sum(tiny + 77::TINYINT) FROM t",
    "SELECT sum(int + 1), sum(int - 2), sum(int + 500) FROM t",
    "SELECT k, sum(small + 1), sum(small + 2) FROM t WHERE own + 0 < 0 GROUP BY k",
]
WHOLE = [
    "SELECT sum(small + 1), sum(tiny + 2) FROM t",
    "SELECT sum(large - 1), sum(large - 2), sum(large) FROM t",
    "SELECT sum(d + 1), sum(d + 2) FROM t",
    "SELECT sum(DISTINCT small + 1), sum(DISTINCT small + 2) FROM t",
    "SELECT sum(small + NULL), sum(small) FROM t",
    "SELECT own, sum(small + 1), sum(small + 2) FROM t GROUP BY own ORDER BY own",
    "SELECT sum(s + 1), sum(s + 2) FROM (SELECT small AS s FROM t WHERE k = 1 UNION ALL SELECT 4)",
    "SELECT sum(1 - small), sum(2 - small) FROM t",
]


@pytest.mark.parametrize("query", SPLIT)
def test_split(engines: Engines, query: str) -> None:
    engines(query)
    assert "split_sums" in engines.tqp.sql(query).explain()


@pytest.mark.parametrize("query", WHOLE)
def test_whole(engines: Engines, query: str) -> None:
    engines(query)
    assert "split_sums" not in engines.tqp.sql(query).explain()


@pytest.mark.parametrize(
    "query", ["SELECT sum(tiny + 100::TINYINT), sum(tiny) FROM t", "SELECT sum(int + 900), sum(int + 1) FROM t"]
)
def test_overflow_is_an_error_still(engines: Engines, query: str) -> None:
    with pytest.raises(ExecutionError):
        engines.tqp.sql(query).arrow()


def test_the_plan_serves_other_constants(engines: Engines) -> None:
    """Those with which nothing overflows either; others are planned anew."""
    for first, second in ((1, 2), (30, 40), (300, -300), (32_000, 2_147_400_000)):
        engines(f"SELECT sum(small + {first}), sum(small + {second}) FROM t")
    with pytest.raises(ExecutionError):
        engines.tqp.sql("SELECT sum(int + 800), sum(int + 900) FROM t").arrow()
