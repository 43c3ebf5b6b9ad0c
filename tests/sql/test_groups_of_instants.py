"""Groups by parts of stored instants: of every unit, by the clock of a zone, before Christ, NULL, infinite, and none at all."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from tests.engines import Engines

DAY = 86_400_000_000
CLOCK = ("hour", "minute", "second", "millisecond", "microsecond")
PARTS = (*CLOCK, "dayofweek", "isodow", "day", "week", "month", "year")
RANGES = {
    "near": (18_000 * DAY, 18_400 * DAY),
    "one_day": (18_000 * DAY + 5, 18_001 * DAY - 5),
    "before_christ": (-1_000_000 * DAY, -990_000 * DAY),
    "lifetimes": (-40_000 * DAY, 20_000 * DAY),
    "far": (-80_000_000 * DAY, 90_000_000 * DAY),
}
INFINITE = 2**63 - 1


def _instants(low: int, high: int, count: int, unit: int) -> list[int | None]:
    """Instants in units of so many microseconds, often at the beginning of an hour or just before it, one in ten NULL."""
    turn = random.Random(f"{low} {high}")
    found: list[int | None] = []
    for _ in range(count):
        number = turn.randrange(low, high)
        if turn.random() < 0.4:
            number = max(number // 3_600_000_000 * 3_600_000_000 - turn.randrange(2), low)
        found.append(None if turn.random() < 0.1 else number // unit)
    return found


def _ask(table: pa.Table, parts: tuple[str, ...] = PARTS) -> None:
    engines = Engines({"e": table})
    for part in parts:
        engines(f"SELECT {part}(t) AS g, count(*), sum(v), count(t), min(t) FROM e GROUP BY g ORDER BY g")
    engines("SELECT hour(t) AS a, dayofweek(t) AS b, sum(v) FROM e WHERE v > 3 GROUP BY ALL ORDER BY ALL")
    engines.close()


@pytest.mark.parametrize("name", RANGES)
def test_microseconds(name: str) -> None:
    instants = _instants(*RANGES[name], 3000, 1)
    _ask(pa.table({"t": pa.array(instants, pa.timestamp("us")), "v": list(range(3000))}))


@pytest.mark.parametrize(("unit", "length"), [("s", 1_000_000), ("ms", 1000), ("ns", 1)])
def test_other_units(unit: str, length: int) -> None:
    _ask(pa.table({"t": pa.array(_instants(*RANGES["near"], 500, length), pa.timestamp(unit)), "v": list(range(500))}))


def test_a_time_zone() -> None:
    instants = pa.array(_instants(*RANGES["near"], 500, 1), pa.timestamp("us", "UTC"))
    engines = Engines({"e": pa.table({"t": instants, "v": list(range(500))})}, time_zone="Asia/Kathmandu")
    for part in PARTS:
        engines(f"SELECT {part}(t) AS g, count(*), sum(v) FROM e GROUP BY g ORDER BY g")
    engines.close()


def test_infinite_ones() -> None:
    instants = [*_instants(*RANGES["near"], 100, 1), INFINITE, -INFINITE, None, INFINITE]
    _ask(pa.table({"t": pa.array(instants, pa.timestamp("us")), "v": list(range(104))}))


@pytest.mark.parametrize("instants", [[], [None, None], [5 * DAY - 1]])
def test_few_rows(instants: list[int | None]) -> None:
    table = pa.table({"t": pa.array(instants, pa.timestamp("us")), "v": pa.array(range(len(instants)), pa.int64())})
    _ask(table)


def test_times_of_day() -> None:
    times = pa.array([None, 0, DAY - 1, 43_200_000_000, 3_599_999_999, DAY], pa.time64("us"))
    engines = Engines({"e": pa.table({"t": times, "v": list(range(6))})})
    for part in CLOCK:
        engines(f"SELECT {part}(t) AS g, count(*), sum(v) FROM e GROUP BY g ORDER BY g")
    engines.close()
