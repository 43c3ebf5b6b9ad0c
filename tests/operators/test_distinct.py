"""DISTINCT aggregates and groups in shares: DuckDB's answer, by any number of workers, however pairs are kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from tests.engines import Engines
from tests.limits import limit
from tqp.data.column import Column
from tqp.kernels import hashing
from tqp.kernels.loops.loop import mode
from tqp.operators.records import Divided, Records

ROWS = 6_000


def _table() -> pa.Table:
    random = np.random.default_rng(11)

    def some(kind: pa.DataType, *values: object) -> pa.Array:
        return pa.array(values, kind).take(pa.array(random.integers(0, len(values), ROWS)))

    return pa.table(
        {
            "few": some(pa.int8(), None, 1, 2, 3),
            "text": some(pa.string(), None, "x", "y", "zz"),
            "many": pa.array(random.integers(0, 2_500, ROWS)),
            "wide": pa.array([None if n == 7 else n * 2**50 - 2**60 for n in random.integers(0, 2_000, ROWS).tolist()]),
            "v": some(pa.int16(), None, *range(-40, 60)),
            "d": some(pa.float64(), None, 0.5, -0.0, 0.0, float("nan"), float("inf"), 3.25),
            "m": some(
                pa.decimal128(30, 2), None, Decimal("1.25"), Decimal("12345678901234567890123456.75"), Decimal(-7)
            ),
            "span": pa.array([None if n == 5 else (0, n // 3, 0) for n in range(9)], pa.month_day_nano_interval()).take(
                pa.array(random.integers(0, 9, ROWS))
            ),
            "vec": pa.array(
                [[n % 7, n % 5 / 2] for n in random.integers(0, 35, ROWS).tolist()], pa.list_(pa.float32(), 2)
            ),
            "pass": some(pa.bool_(), None, True, False),
        }
    )


LIMITS = {
    "as they are": {},
    "small batches": {"batch_rows": 500, "smallest_batch": 100, "merged_at_once": 64},
    "no marks, all grouped": {"batch_rows": 500, "smallest_batch": 100, "merged_at_once": 16, "marked_slots": 0, "few_groups": 1, "grouped_below": 2.0},
    "divided": {"batch_rows": 500, "smallest_batch": 100, "merged_at_once": 4, "marked_slots": 0, "few_groups": 32, "divided_above": -1.0, "divided_rows": 300, "meeting_share": 0.0},
    "no slots, none grouped": {"batch_rows": 500, "smallest_batch": 100, "merged_at_once": 16, "group_slots": 0, "few_groups": 1, "grouped_below": 0.0},
}  # fmt: skip


ANSWERS: dict[str, pa.Table] = {}


@pytest.fixture(scope="module", params=[1, 2, 3], ids=["one worker", "two workers", "three workers"])
def engines(request: pytest.FixtureRequest) -> Iterator[Engines]:
    both = Engines({"t": _table(), "none": _table().slice(0, 0)}, ANSWERS, threads=request.param)
    yield both
    both.close()


QUERIES = [
    "SELECT count(DISTINCT v), sum(DISTINCT v), avg(DISTINCT v), count(*), sum(v) FROM {}",
    "SELECT count(DISTINCT wide), count(DISTINCT text), count(DISTINCT d), count(DISTINCT m), sum(DISTINCT m) FROM {}",
    "SELECT count(DISTINCT span), min(DISTINCT v), count(DISTINCT few) FILTER (v > 3), sum(DISTINCT v) FILTER (pass) FROM {}",
    "SELECT few, count(DISTINCT v), sum(DISTINCT v), count(DISTINCT v) FILTER (pass), count(v), max(d) FROM {} GROUP BY few",
    "SELECT few, text, count(DISTINCT wide), count(DISTINCT span), avg(DISTINCT d) IS NULL, avg(v) FROM {} GROUP BY few, text",
    "SELECT many, count(DISTINCT text), count(DISTINCT v), sum(DISTINCT m), sum(v), count(*) FROM {} GROUP BY many",
    "SELECT wide, few, count(DISTINCT v) FILTER (pass), sum(DISTINCT v), min(text) FROM {} GROUP BY wide, few",
    "SELECT d, count(DISTINCT m), count(DISTINCT d), count(DISTINCT wide) FROM {} GROUP BY d",
    "SELECT m, count(DISTINCT few) FROM {} GROUP BY m",
    "SELECT few, count(DISTINCT vec), sum(v) FROM {} GROUP BY few",
    "SELECT vec, many, count(DISTINCT v), count(*) FROM {} GROUP BY vec, many",
    "SELECT count(*) FROM (SELECT DISTINCT vec, few FROM {})",
    "SELECT span, text, count(DISTINCT wide) FROM {} GROUP BY span, text",
    "SELECT wide, few, many, sum(v), avg(v), min(text), max(m), sum(m), stddev(v) FROM {} GROUP BY wide, few, many",
    "SELECT DISTINCT wide, d, span FROM {}",
    "SELECT count(DISTINCT v) FROM {} WHERE v > 1000",
    "SELECT few, count(DISTINCT v) FROM {} WHERE v > 1000 GROUP BY few",
    "SELECT wide, count(DISTINCT v) FROM {} WHERE v > 1000 GROUP BY wide",
    "SELECT wide, v, few, count(*), sum(d) FROM {} WHERE isfinite(d) GROUP BY ROLLUP (wide, v, few)",
    "SELECT sum(n), count(*) FROM (SELECT wide, count(DISTINCT v) AS n, first(1) FROM {} GROUP BY wide)",
    "SELECT few, count(DISTINCT 1), count(DISTINCT NULL), sum(DISTINCT 1 + few) FROM {} GROUP BY few",
]


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
def test_answers(engines: Engines, limits: dict[str, float], monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, **limits)
    engines.tqp.clear_cache()
    for query in QUERIES:
        engines(query.format("t"))
        engines(query.format("none"))


def test_unlike_rows_with_one_hash(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes only say where to look: where all rows have one of two, answers stay the same."""
    limit(monkeypatch, batch_rows=500, smallest_batch=100, merged_at_once=16)
    mixed = hashing.mixed
    monkeypatch.setattr(hashing, "mixed", lambda keys: mixed(keys) & 1)
    engines("SELECT wide, d, few, count(*), sum(v), count(DISTINCT many) FROM t GROUP BY wide, d, few")


@pytest.mark.host_only("rows are divided on the CPU")
@pytest.mark.skipif(mode() == "off", reason="needs Numba")
def test_pairs_are_divided(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, **LIMITS["divided"])
    engines.tqp.clear_cache()
    for query in ("SELECT few, count(DISTINCT wide) FROM t GROUP BY few", "SELECT count(DISTINCT many), sum(v) FROM t"):
        assert "rows divided by key" in engines.tqp.sql(query).explain(True)
    assert "rows divided by key" not in engines.tqp.sql("SELECT count(DISTINCT d) FROM t").explain(True)


@pytest.mark.host_only("rows are divided on the CPU")
@pytest.mark.skipif(mode() == "off", reason="needs Numba")
@pytest.mark.parametrize(
    ("query", "most"),
    [
        ("SELECT count(DISTINCT many), sum(v) FROM t", 0),
        ("SELECT few, count(DISTINCT many), count(DISTINCT many) FROM t GROUP BY few", 1),
        ("SELECT few, count(DISTINCT many), sum(DISTINCT many) FROM t GROUP BY few", None),
    ],
)
def test_values_that_are_only_counted_are_not_read(
    engines: Engines, query: str, most: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, **LIMITS["divided"])
    engines.tqp.clear_cache()
    asked: list[int | None] = []
    distinct = Records.distinct

    def watched(records: Records, pieces: Sequence[Divided], most: int | None = None) -> list[tuple[int, list[Column]]]:
        asked.append(most)
        return distinct(records, pieces, most)

    monkeypatch.setattr(Records, "distinct", watched)
    engines(query)
    assert asked == [most]
