"""Infinite dates and timestamps among others, in columns, under every function of instants, against DuckDB."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from tests.engines import Engines
from tqp.functions.units import PARTS

DAY_LIMIT, INSTANT_LIMIT = 2**31 - 1, 2**63 - 1
DAYS = [0, None, DAY_LIMIT, -DAY_LIMIT, 18_000, -719_163, 2_932_897]
INSTANTS = [0, INSTANT_LIMIT, None, -INSTANT_LIMIT, 1_700_000_000_123_456, -62_135_596_800_000_001, 86_399_999_999]


@pytest.fixture(scope="module", params=["infinite", "finite"])
def engines(request: pytest.FixtureRequest) -> Iterator[Engines]:
    """With infinite values and without any, where bounds rule them out."""
    last = None if request.param == "infinite" else 0
    days = [last if abs(day or 0) == DAY_LIMIT and last == 0 else day for day in DAYS]
    instants = [last if abs(at or 0) == INSTANT_LIMIT and last == 0 else at for at in INSTANTS]
    arrays = [pa.array(days, pa.int32()).cast(pa.date32()), pa.array(instants, pa.int64()).cast(pa.timestamp("us"))]
    made = Engines({"t": pa.table([*arrays, pa.array(range(len(DAYS)))], names=["d", "s", "i"])})
    yield made
    made.close()


@pytest.mark.parametrize("part", sorted(set(PARTS.values()) - {"timezone", "timezone_hour", "timezone_minute", "era"}))
def test_parts(engines: Engines, part: str) -> None:
    engines(f"SELECT i, date_part('{part}', d), date_part('{part}', s) FROM t")
    engines(f"SELECT i, date_trunc('{part}', d)::VARCHAR, date_trunc('{part}', s)::VARCHAR FROM t")
    engines(
        f"SELECT i, date_diff('{part}', s, TIMESTAMP '2020-01-01'), date_sub('{part}', DATE '2020-01-01', d) FROM t"
    )


@pytest.mark.parametrize(
    "expression",
    [
        "d::VARCHAR, s::VARCHAR, d::TIMESTAMP::VARCHAR, s::DATE::VARCHAR",
        "(d + INTERVAL 1 MONTH)::VARCHAR, (s - INTERVAL 1 DAY)::VARCHAR, (s + to_days(i::INTEGER))::VARCHAR",
        "(d + i::INTEGER)::VARCHAR, (d - 7)::VARCHAR, (d + TIME '10:00')::VARCHAR, d - DATE '2020-01-01'",
        "dayname(d), monthname(s), last_day(d), age(s, TIMESTAMP '2020-01-01')::VARCHAR, strftime(d, '%d.%m.')",
        "epoch_ms(d), epoch_us(s), epoch(s), isfinite(d), isinf(s), TRY_CAST(s AS TIME)::VARCHAR",
        "d = s, d > DATE '2020-01-01', s < 'infinity', d IN ('infinity', '2020-01-01'), greatest(d, DATE '2020-01-01')::VARCHAR",
    ],
)
def test_expressions(engines: Engines, expression: str) -> None:
    engines(f"SELECT i, {expression} FROM t")


def test_order_and_groups(engines: Engines) -> None:
    engines("SELECT i, d::VARCHAR FROM t ORDER BY d NULLS FIRST, i")
    engines("SELECT min(d)::VARCHAR, max(d)::VARCHAR, min(s)::VARCHAR, max(s)::VARCHAR, count(DISTINCT d) FROM t")
    engines("SELECT a.i, b.i FROM t a JOIN t b ON a.d = b.s::DATE")
    engines("SELECT i FROM t WHERE d::TIMESTAMP >= 'infinity' OR s <= '-infinity'")
