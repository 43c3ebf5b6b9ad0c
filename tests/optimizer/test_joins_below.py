"""Joins under aggregates and windows: moved or left out where that is safe, and the answers DuckDB's either way."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from tests.engines import Engines


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    left = pa.table({"k": range(100), "w": [n % 7 for n in range(100)]})
    right = pa.table({"rk": [n // 50 for n in range(95 * 50)], "v": [n % 11 or None for n in range(95 * 50)]})
    made = Engines({"l": left, "r": right})
    yield made
    made.close()


@pytest.mark.parametrize(
    ("calls", "pushed"),
    [
        ("count(v), sum(v), min(v + 1)", True),
        ("count(*), count(*) FILTER (v > 3), count(*) FILTER (v + 1 = 3)", True),
        ("count(rk), min(w), max(w), any_value(w), bool_and(v > 2)", True),
        ("sum(coalesce(v, 5))", False),
        ("count(1), sum(1)", False),
        ("min(v) FILTER (coalesce(v, 1) > 0)", True),
        ("count(*) FILTER (coalesce(v, 1) > 0)", False),
        ("count(*) FILTER (v IS NULL)", False),
        ("max(CASE WHEN v IS NULL THEN 7 ELSE v END)", False),
    ],
)
def test_padding_rows(engines: Engines, calls: str, pushed: bool) -> None:
    query = f"SELECT k, {calls} FROM l LEFT JOIN r ON k = rk GROUP BY k"
    engines(query)
    engines(query.replace("LEFT JOIN", "JOIN"))
    lines = engines.tqp.sql(query).explain().splitlines()
    join, aggregate = (next(n for n, line in enumerate(lines) if word in line) for word in ("Join", "Aggregate"))
    assert (join < aggregate) == pushed, "\n".join(lines)


def test_a_join_below_a_window_is_left_out(engines: Engines) -> None:
    query = "SELECT rk, sum(v) OVER (PARTITION BY rk) AS s FROM r LEFT JOIN l ON rk = k"
    engines(query)
    assert "Join" not in engines.tqp.sql(query).explain()
    read = "SELECT rk, w, count(*) OVER (PARTITION BY w) AS s FROM r LEFT JOIN l ON rk = k"
    engines(read)
    assert "Join" in engines.tqp.sql(read).explain()
