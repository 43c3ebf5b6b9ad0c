"""Groups of many different keys, divided as records: DuckDB's answers, by any number of workers; and whether that was chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
import torch

from tests.engines import Engines
from tests.limits import limit
from tqp.kernels import records
from tqp.kernels.loops.loop import mode

pytestmark = [
    pytest.mark.host_only("rows are divided on the CPU"),
    pytest.mark.skipif(mode() == "off", reason="needs Numba"),
]

ROWS = 6_000
ALWAYS = {
    "batch_rows": 500,
    "smallest_batch": 100,
    "merged_at_once": 4,
    "divided_rows": 300,
    "few_groups": 1,
    "group_slots": 0,
    "divided_above": -1.0,
    "meeting_share": 0.0,
}


def _table() -> pa.Table:
    random = np.random.default_rng(5)

    def some(kind: pa.DataType, *values: object) -> pa.Array:
        return pa.array(values, kind).take(pa.array(random.integers(0, len(values), ROWS)))

    return pa.table(
        {
            "many": pa.array(random.integers(-2_000, 2_000, ROWS)),
            "wide": pa.array([None if n == 7 else n * 2**50 - 2**60 for n in random.integers(0, 2_000, ROWS).tolist()]),
            "ends": some(pa.int64(), None, -(2**63), 2**63 - 1, 0, -1, 1),
            "whole": some(pa.int64(), -(2**63), 2**63 - 1, 0, -1, 1),
            "least": some(pa.int64(), None, -(2**63), 1 - 2**63, -9, -2),
            "text": some(pa.string(), None, "x", "y", "zz", ""),
            "near": pa.array([f"name {n}" for n in random.integers(0, 4_000, ROWS).tolist()]),
            "flag": some(pa.bool_(), None, True, False),
            "day": pa.array(random.integers(-9_000, 9_000, ROWS).astype("datetime64[D]")),
            "moment": pa.array(random.integers(-(10**15), 10**15, ROWS).astype("datetime64[us]")),
            "v": some(pa.int16(), None, *range(-40, 60)),
            "big": some(pa.int32(), 2**31 - 1, -(2**31), 5),
            "huge": some(pa.int64(), 2**62, -(2**62), None),
            "money": some(pa.decimal128(9, 2), None, Decimal("1.25"), Decimal("-99999.99"), Decimal(7)),
            "d": some(pa.float64(), None, 0.5, -0.0, 0.0, float("nan"), float("inf"), 3.25),
            "f": some(pa.float32(), None, 0.5, 1.25, -8.0),
        }
    )


ANSWERS: dict[str, pa.Table] = {}


@pytest.fixture(scope="module", params=[1, 2, 3], ids=["one worker", "two workers", "three workers"])
def engines(request: pytest.FixtureRequest) -> Iterator[Engines]:
    both = Engines({"t": _table(), "none": _table().slice(0, 0)}, ANSWERS, threads=request.param)
    yield both
    both.close()


DIVIDED = [
    "SELECT many, sum(v), sum(money), count(*), count(v), avg(v) FROM {} GROUP BY many",
    "SELECT wide, count(*), avg(money), sum(d), avg(f), count(text) FROM {} GROUP BY wide",
    "SELECT ends, whole, many, sum(v), sum(f) FROM {} GROUP BY ends, whole, many",
    "SELECT ends, count(*) FROM {} GROUP BY ends",
    "SELECT least, sum(least), avg(least), count(*) FROM {} GROUP BY least",
    "SELECT many, least, sum(v) FROM {} GROUP BY many, least",
    "SELECT DISTINCT wide, ends, whole, text, flag FROM {}",
    "SELECT text, flag, day, sum(v) FILTER (flag), count(*) FILTER (v > 3), count(money) FILTER (v > 3) FROM {} GROUP BY text, flag, day",
    "SELECT near, sum(v) FROM {} GROUP BY near",
    "SELECT moment, avg(v), avg(d) FROM {} GROUP BY moment",
    "SELECT many, v, sum(v), sum(w) FROM (SELECT many, v, v * 3 AS w FROM {} WHERE v > 10) GROUP BY many, v",
    "SELECT many, day, sum(v), count(*), sum(money) FROM {} GROUP BY ROLLUP (many, day)",
    "SELECT many, sum(big + 0), count(*) FROM {} GROUP BY many HAVING sum(v) > 10",
    "SELECT wide, sum(1), count(5), sum(v + 3) FROM {} GROUP BY wide",
    "SELECT many, min(v), max(text), sum(v), min(ends), max(huge), min(d), max(f), max(day) FROM {} GROUP BY many",
    "SELECT many, sum(huge), sum(big::BIGINT * 4), avg(huge), bit_xor(ends), bool_or(flag), min(near) FROM {} GROUP BY many",
    "SELECT wide, stddev(v), corr(v, f), max(text) FILTER (flag), sum(huge) FILTER (v > 3), avg(d) FROM {} GROUP BY wide",
    "SELECT near, flag, any_value(v) IS NULL, min(moment), product(f / 8) FROM {} GROUP BY near, flag",
    "SELECT many, count(*) FROM {} WHERE v > 1000 GROUP BY many",
]
BATCHES = [
    "SELECT many, sum(huge::HUGEINT * 4), count(*) FROM {} GROUP BY many",
    "SELECT d, wide, count(*) FROM {} GROUP BY d, wide",
    "SELECT wide, stddev(v), count(DISTINCT v) FROM {} GROUP BY wide",
]


@pytest.mark.parametrize("query", [*DIVIDED, *BATCHES])
def test_answers(engines: Engines, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, **ALWAYS)
    engines.tqp.clear_cache()
    engines(query.format("t"))
    engines(query.format("none"))


@pytest.mark.parametrize("query", DIVIDED[:-1])
def test_chosen(engines: Engines, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, **ALWAYS)
    engines.tqp.clear_cache()
    assert "rows divided by key" in engines.tqp.sql(query.format("t")).explain(True)


@pytest.mark.parametrize("query", BATCHES)
def test_not_chosen(engines: Engines, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, **ALWAYS)
    engines.tqp.clear_cache()
    assert "rows divided by key" not in engines.tqp.sql(query.format("t")).explain(True)


def test_rows_that_repeat_are_grouped_in_batches(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, **ALWAYS | {"divided_above": 0.5, "merged_at_once": 100})
    engines.tqp.clear_cache()
    plan = engines.tqp.sql("SELECT text, flag, v % 2, count(*) FROM t GROUP BY ALL").explain(True)
    assert "batches grouped" in plan and "of 100 rows differ" in plan
    assert "rows divided by key" in engines.tqp.sql("SELECT many, v, count(*) FROM t GROUP BY ALL").explain(True)


def test_one_batch_is_grouped_as_it_is(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, **ALWAYS | {"smallest_batch": 2 * ROWS, "batch_rows": 2 * ROWS})
    engines.tqp.clear_cache()
    for query in (DIVIDED[0], "SELECT count(DISTINCT many) FROM {}"):
        assert "rows divided by key" not in engines.tqp.sql(query.format("t")).explain(True)


@pytest.mark.parametrize(
    ("condition", "shares"), [("v IS NOT NULL OR many < 0", 32), ("abs(many) < 150", 2), ("abs(many) < 50", 1)]
)
def test_few_rows_are_few_shares(
    engines: Engines, condition: str, shares: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, **ALWAYS)
    engines.tqp.clear_cache()
    numbered: list[int] = []

    def number(rows: torch.Tensor, masks: Sequence[int], bits: int) -> tuple[torch.Tensor, torch.Tensor]:
        numbered.append(bits)
        return records.number(rows, masks, bits)

    monkeypatch.setattr("tqp.operators.records.number", number)
    engines(f"SELECT many, wide, sum(v), sum(d), max(text) FROM t WHERE {condition} GROUP BY many, wide")
    assert len(numbered) == shares and {1 << bits for bits in numbered} == {shares}
