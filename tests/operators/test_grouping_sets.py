"""The sink of grouping sets: the answer is DuckDB's however the sets are spread over steps, batches and workers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

from tests.engines import Engines
from tests.limits import limit
from tqp.operators import coarser
from tqp.optimizer.rules import distinct_sets

ROWS = 600_000


def _table() -> pa.Table:
    random = np.random.default_rng(7)

    def some(kind: pa.DataType, *values: object) -> pa.Array:
        return pa.array(values, kind).take(pa.array(random.integers(0, len(values), ROWS)))

    return pa.table(
        {
            "a": some(pa.int32(), None, 1, 2, 3),
            "b": some(pa.string(), None, "x", "y"),
            "c": some(pa.float64(), 0.5, None, 2.0, -0.0, 0.0),
            "wide": random.integers(-(2**62), 2**62, ROWS),
            "half": random.integers(0, ROWS // 2, ROWS).astype(np.float64) * 2.0**50,
            "v": some(pa.int64(), None, 1, 2**62, -(2**61)),
            "d": some(pa.float64(), None, 1.5, 2.5, 100.0),
        }
    )


QUERIES = [
    "SELECT a, b, c, count(*), sum(v), min(v), max(b), count(d) FROM t GROUP BY CUBE (a, b, c)",
    "SELECT a, b, avg(d), stddev(d), var_pop(d), avg(v), any_value(b) IS NULL FROM t GROUP BY ROLLUP (a, b)",
    "SELECT a, count(DISTINCT v), count(DISTINCT b) FILTER (WHERE d > 2) FROM t GROUP BY ROLLUP (a, c)",
    "SELECT count(*), sum(n), max(k) FROM (SELECT wide AS k, a, count(*) AS n FROM t GROUP BY ROLLUP (a, wide))",
    "SELECT a, b, c, count(*), sum(v), avg(d), min(b), grouping(a, b, c) FROM t GROUP BY GROUPING SETS ((a, b), (c), (b, c), (), (c))",
    "SELECT count(*), sum(n), sum(s), max(k), count(k), count(h) FROM (SELECT wide AS k, half AS h, a, count(*) AS n, sum(v) AS s, "
    "grouping(a, wide) FROM t GROUP BY GROUPING SETS ((wide, half), (half, a), (a, wide), (a), (half), (a), ()))",
    "SELECT a, a, b, count(*), sum(d), any_value(a) FROM t WHERE a > 5 GROUP BY GROUPING SETS ((a), (b), (a, b), (), ())",
    "SELECT a, b, count(*) FROM t WHERE a > 5 GROUP BY GROUPING SETS ((a), (b))",
]
LIMITS = {
    "one after the other": {"coarsened_at_once": 0},
    "in shares": {"coarsened_at_once": 0, "merged_at_once": 2, "few_groups": 0, "group_slots": 0},
    "apart": {"united_groups": 0.0},
    "all apart, one after the other": {"united_groups": 0.0, "coarsened_at_once": 0, "batch_rows": 50_000, "smallest_batch": 1000},
    "at once": {"united_groups": 2.0**62, "coarsened_at_once": 2**62},
}  # fmt: skip


DISTINCT = [
    "SELECT a, c, count(DISTINCT v), sum(DISTINCT v), avg(DISTINCT d), count(*), sum(v), stddev(d), grouping(c, a) FROM t GROUP BY CUBE (a, c)",
    "SELECT a, b, count(DISTINCT b) FILTER (WHERE d > 2), count(DISTINCT a), count(DISTINCT b), min(v) FROM t GROUP BY ROLLUP (a, b)",
    "SELECT a, b, count(DISTINCT v), count(d), max(d), any_value(a) FROM t WHERE a > 5 GROUP BY GROUPING SETS ((a), (b), (a, b), ())",
    "SELECT a, b, count(DISTINCT v) FROM t GROUP BY CUBE (a, b) HAVING count(DISTINCT v) > 3 AND grouping(b) = 1",
    "SELECT a, b, count(DISTINCT c + 1), sum(DISTINCT c) FROM t GROUP BY GROUPING SETS ((a), (b))",
    "SELECT a, b, count(DISTINCT v), sum(d) FROM t GROUP BY GROUPING SETS ((a), (b), (a))",
    "SELECT a, count(DISTINCT b || 'x'), count(DISTINCT CASE WHEN v > 1 THEN b ELSE 'z' END) FROM t GROUP BY ROLLUP (a)",
]  # fmt: skip


OVER_ROWS = [
    "SELECT a, b, median(d), quantile_disc(v, 0.3), count(*), sum(v) FROM t GROUP BY GROUPING SETS ((a), (b), ())",
    "SELECT a, a, b, median(c), grouping(a, b), count(DISTINCT b) FILTER (WHERE d > 2) FROM t GROUP BY CUBE (a, b, c)",
    "SELECT a, b, median(d), mad(wide % 1000), min(b) FROM t WHERE a > 2 GROUP BY GROUPING SETS ((a), (b), (), (a, b), (), (a))",
    "SELECT a, b, median(d) FROM t WHERE a > 5 GROUP BY GROUPING SETS ((a), (), (b))",
    "SELECT a, b, median(d) FROM t WHERE a > 5 GROUP BY GROUPING SETS ((a), (b))",
    "SELECT a, mad(wide % 1000), mad(d), mad(DATE '2020-01-01' + (wide % 30)::INTEGER) FROM t GROUP BY ROLLUP (a)",
    "SELECT wide % 5000 AS k, a, quantile_cont(d, [0.1, 0.9]), median(v IS NULL) FROM t GROUP BY GROUPING SETS ((k, a), (k), ())",
]
OF_ROWS = {
    "some at once": {},
    "all at once": {"grouped_at_once": 2**62},
    "each apart": {"grouped_at_once": 1},
    "each apart, in many pieces": {"grouped_at_once": 1, "window_rows": 3},
    "each apart, in one piece": {"grouped_at_once": 1, "window_rows": None},
}  # fmt: skip


ANSWERS: dict[str, pa.Table] = {}


@pytest.fixture(scope="module", params=[1, 2])
def engines(request: pytest.FixtureRequest) -> Iterator[Engines]:
    made = Engines({"t": _table()}, ANSWERS, threads=request.param)
    yield made
    made.close()


@pytest.mark.parametrize("query", QUERIES)
def test_answers(engines: Engines, query: str) -> None:
    engines(query)


@pytest.mark.parametrize("name", LIMITS)
def test_ways(engines: Engines, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    limit(monkeypatch, **LIMITS[name])
    for query in QUERIES:
        engines(query)


@pytest.mark.parametrize("name", OF_ROWS)
def test_sets_over_rows(engines: Engines, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    limit(monkeypatch, **OF_ROWS[name])
    for query in OVER_ROWS:
        engines(query)


@pytest.mark.parametrize("name", [None, "all apart, one after the other"])
@pytest.mark.parametrize("share", [math.inf, 0.0])
def test_distinct_values(engines: Engines, monkeypatch: pytest.MonkeyPatch, name: str | None, share: float) -> None:
    monkeypatch.setattr(distinct_sets, "_REPEATED", share)
    limit(monkeypatch, **LIMITS.get(name or "", {}))
    for query in DISTINCT:
        engines(query)


def test_a_set_at_a_time(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, grouped_at_once=1)
    for query in QUERIES[:2]:
        engines(query)
    engines("SELECT a, b, sum(v) FROM t WHERE a > 5 GROUP BY GROUPING SETS ((a), (), (b), ())")


def test_keys_whose_codes_do_not_fit_one_number(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coarser, "_INT64_MAX", 20)
    engines(QUERIES[0])


def test_many_sets(engines: Engines) -> None:
    keys = ", ".join(f"k{i}" for i in range(12))
    made = ", ".join(f"(a + {i}) % {i % 3 + 2} AS k{i}" for i in range(12))
    relation = f"(SELECT {made}, v FROM t LIMIT 40)"
    rows = engines.tqp.sql(
        f"SELECT {keys}, count(*) AS n, grouping({keys}) AS g FROM {relation} GROUP BY CUBE ({keys})"
    )
    assert rows.sql("SELECT count(DISTINCT g), min(g), max(g) FROM self").fetchall() == [(4096, 0, 4095)]
    # Every row is in one group of each set.
    assert rows.sql("SELECT DISTINCT s FROM (SELECT g, sum(n) AS s FROM self GROUP BY g)").fetchall() == [(40,)]
