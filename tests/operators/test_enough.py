"""Rows of batches that are enough for aggregates of whole groups: DuckDB's answer, whatever is kept, by any number of workers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

from tests.engines import Engines
from tests.limits import limit
from tqp.functions.aggregates import names
from tqp.functions.aggregates.registry import find_aggregate
from tqp.operators.enough import ALL, CHOSEN, COUNTED

ROWS = 4_000


def _table() -> pa.Table:
    random = np.random.default_rng(5)

    def some(kind: pa.DataType, *values: object) -> pa.Array:
        return pa.array(values, kind).take(pa.array(random.integers(0, len(values), ROWS)))

    return pa.table(
        {
            "id": pa.array(random.permutation(ROWS)),
            "few": some(pa.int8(), None, 1, 2, 3),
            "text": some(pa.string(), None, "x", "y", "zz"),
            "many": pa.array(random.integers(0, 1_500, ROWS)),
            "v": some(pa.int16(), None, *range(-40, 60)),
            "d": some(pa.float64(), None, 0.5, 0.0, -3.5, float("inf"), 3.25),
            "wide": pa.array([None if n % 9 == 0 else n * 2**50 for n in random.permutation(ROWS).tolist()]),
            "n": some(pa.int64(), 1, 2, 5),
            "pass": some(pa.bool_(), None, True, False),
        }
    )


SMALL = {"batch_rows": 500, "smallest_batch": 100, "merged_at_once": 1}
LIMITS = {
    "as they are": {},
    "few rows of each batch": {**SMALL, "kept_below": 2.0},
    "as it pays": SMALL,
    "all rows": {**SMALL, "kept_below": 0.0},
}


ANSWERS: dict[str, pa.Table] = {}


@pytest.fixture(scope="module", params=[1, 2], ids=["one worker", "two workers"])
def engines(request: pytest.FixtureRequest) -> Iterator[Engines]:
    both = Engines({"t": _table(), "none": _table().slice(0, 0)}, ANSWERS, threads=request.param)
    yield both
    both.close()


CHOSEN_QUERIES = [
    "SELECT few, max(v, 3), min(d, 2), arg_max(id, wide, 4), arg_min(wide, id, 2) FROM {} GROUP BY few",
    "SELECT max(v, 3), min(wide, 1000), max(1, 2) FROM {}",
    "SELECT few, text, max(id, 3) FILTER (pass), max(id, 2) FILTER (id < 0) FROM {} GROUP BY few, text",
    "SELECT many, max(id, 3), arg_min(text, id, 1) FROM {} GROUP BY many",
    "SELECT id % 3 = 1 AS k, max(id, CASE WHEN id % 3 = 1 THEN 4 ELSE 2 END) FROM {} GROUP BY k",
    "SELECT few, max(text, 5), min(CASE WHEN pass THEN 'p' ELSE text END, 3) FROM {} GROUP BY few",
    "SELECT few, max([v, id], 2), max(DISTINCT v, 3) FROM {} GROUP BY few",
    "SELECT few, string_agg(DISTINCT text, ',' ORDER BY text), list(DISTINCT v ORDER BY v) FROM {} GROUP BY few",
    "SELECT few, string_agg(DISTINCT text || v, '' ORDER BY text || v) FILTER (pass), max(id, 2) FROM {} GROUP BY few",
    "SELECT string_agg(DISTINCT 'a'), list(DISTINCT few ORDER BY few NULLS FIRST) FROM {}",
    "SELECT text, first(d ORDER BY id), last(v ORDER BY id), first(id ORDER BY v DESC NULLS LAST, id) FROM {} GROUP BY text",
    "SELECT text, arg_max(v, id), arg_min(d, wide), last(id ORDER BY text, id) FILTER (NOT pass) FROM {} GROUP BY text",
    "SELECT many, first(v ORDER BY d, text DESC, id), arg_max(text, id), arg_min(id, id) FILTER (pass) FROM {} GROUP BY many",
    "SELECT last(v ORDER BY d DESC, wide, few, id), arg_max(d, wide), arg_min(wide, id), first(id ORDER BY id > 0, n, id) FROM {}",
    "SELECT few, arg_max(v, id) FILTER (id < 0), last(v ORDER BY id) FILTER (id < 0) FROM {} GROUP BY few",
    "SELECT DISTINCT text || few FROM {}",
    "SELECT text || few AS k, count(DISTINCT v), sum(DISTINCT v) FROM {} GROUP BY k",
    "SELECT few, max(v, n) IS NULL FROM (SELECT * FROM {} WHERE n = 5) GROUP BY few",
]

COUNTED_QUERIES = [
    "SELECT few, histogram(v), entropy(d), histogram(text) FILTER (pass) FROM {} GROUP BY few",
    "SELECT histogram(few), entropy(v), approx_top_k(CASE WHEN few = 1 THEN 7 ELSE few END, 1) FROM {}",
    "SELECT many % 5 AS k, entropy(many % 3), histogram([few]) FROM {} GROUP BY k",
    "SELECT few, mode(least(v, 3)), entropy(v) FILTER (v > 1000) FROM {} GROUP BY few",
    "SELECT many, histogram(many), round(entropy(many), 9) + 0.0 FROM {} GROUP BY many",
]

ALL_QUERIES = [
    "SELECT few, max(id, 3), count(*), sum(v) FROM {} GROUP BY few",
    "SELECT few, histogram(v), histogram(DISTINCT v), mode(least(v, 3) ORDER BY id) FROM {} GROUP BY few",
    "SELECT few, histogram(v), max(id, 2), median(v) FROM {} GROUP BY few",
]


SETS = [
    "SELECT few, text, max(id, 2), string_agg(DISTINCT text, '' ORDER BY text) FROM {} GROUP BY CUBE (few, text)",
    "SELECT few, max(id, 2), arg_max(id, id, 1) FROM {} WHERE id % 7 = 3 GROUP BY ROLLUP (few)",
    "SELECT few, text, histogram(v % 5), entropy(v) FROM {} GROUP BY GROUPING SETS ((few, text), (few), ())",
]


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
def test_answers(engines: Engines, limits: dict[str, float], monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, **limits)
    engines.tqp.clear_cache()
    for query in (*CHOSEN_QUERIES, *COUNTED_QUERIES, *ALL_QUERIES, *SETS):
        engines(query.format("t"))
        engines(query.format("none"))


@pytest.mark.parametrize(
    ("queries", "way"),
    [(CHOSEN_QUERIES, CHOSEN), (COUNTED_QUERIES, COUNTED), (ALL_QUERIES, ALL)],
    ids=[CHOSEN, COUNTED, ALL],
)
def test_ways(engines: Engines, queries: list[str], way: str) -> None:
    for query in queries:
        assert f"; {way}]" in engines.tqp.sql(query.format("t")).explain(True), query


def test_fewer_rows_are_kept(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number of rows that is wrong is refused by what is kept, too."""
    limit(monkeypatch, **SMALL)
    engines.tqp.clear_cache()
    with pytest.raises(Exception, match="number of rows"):
        engines.tqp.sql("SELECT few, max(v, 3 - id) FROM t GROUP BY few").arrow()


def test_who_says_what_is_enough() -> None:
    functions = [find_aggregate(name) for name in names()]
    assert {one.name for one in functions if one is not None and one.by_times} == {
        "approx_top_k", "entropy", "histogram", "mode",
    }  # fmt: skip
