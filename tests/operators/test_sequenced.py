"""Lists of groups whose rows are put in order batch by batch: DuckDB's answer, by any number of batches and workers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

from tests.engines import Engines
from tests.limits import limit
from tqp.operators.enough import ALL
from tqp.operators.sequenced import SEQUENCED

ROWS = 4_000


def _table() -> pa.Table:
    random = np.random.default_rng(3)

    def some(kind: pa.DataType, *values: object) -> pa.Array:
        return pa.array(values, kind).take(pa.array(random.integers(0, len(values), ROWS)))

    return pa.table(
        {
            "id": pa.array(range(ROWS), pa.int32()),
            "few": some(pa.int8(), None, 1, 2, 3),
            "one": pa.array([7] * ROWS, pa.int16()),
            "rising": pa.array([n // 40 for n in range(ROWS)], pa.int16()),
            "text": some(pa.string(), None, "x", "y", "zz"),
            "unlike": pa.array(random.permutation(ROWS) * 2**40),
            "flag": some(pa.bool_(), None, True, False),
            "d": some(pa.float64(), None, 0.5, float("nan"), -3.5),
            "f": some(pa.float32(), 0.25, -1.5),
            "wide": pa.array([None if n % 9 == 0 else n * 2**70 for n in range(ROWS)], pa.decimal128(38, 0)),
            "span": some(pa.month_day_nano_interval(), None, (1, 2, 3000)),
            "deep": some(pa.list_(pa.int32()), None, [], [1, None], [5]),
            "pair": some(pa.struct({"a": pa.int8(), "b": pa.string()}), None, {"a": 1, "b": None}, {"a": 2, "b": "q"}),
        }
    )


SMALL = {"batch_rows": 500, "smallest_batch": 100, "sequenced_slots": 10.0}
LIMITS = {
    "as they are": {},
    "many batches": SMALL,
    "one batch": {"sequenced_slots": 10.0},
    "all rows at once": {**SMALL, "sequenced_slots": 0.0},
}


ANSWERS: dict[str, pa.Table] = {}


@pytest.fixture(scope="module", params=[1, 2], ids=["one worker", "two workers"])
def engines(request: pytest.FixtureRequest) -> Iterator[Engines]:
    both = Engines({"t": _table(), "none": _table().slice(0, 0)}, ANSWERS, threads=request.param)
    yield both
    both.close()


QUERIES = [
    "SELECT few, list(id), list(text), list(flag) FROM {} GROUP BY few",
    "SELECT few, text, list(d), list(f), list(wide), list(span) FROM {} GROUP BY few, text",
    "SELECT rising, list(id), list(unlike) FROM {} GROUP BY rising",
    "SELECT one, list(few) FROM {} GROUP BY one",
    "SELECT text, list(deep), list(pair) FROM {} GROUP BY text",
    "SELECT few, list(1), list(NULL), list(id + 1), list(text || 'a') FROM {} GROUP BY few",
    "SELECT few, e, count(*) FROM (SELECT few, unnest(l) AS e FROM (SELECT few, list(text) AS l FROM {} GROUP BY few)) GROUP BY ALL",
    "SELECT few, list_sum(l), len(l), l[3], l[-1] FROM (SELECT few, list(id) AS l FROM {} GROUP BY few)",
]
FEW_ROWS = [
    "SELECT few, list(id) FROM {} WHERE id % 97 = 5 GROUP BY few",
    "SELECT few, list(id) FROM {} WHERE id >= 3700 AND few = 2 GROUP BY few",
]
OTHERS = [
    "SELECT list(id) FROM {}",
    "SELECT few, list(id ORDER BY id DESC) FROM {} GROUP BY few",
    "SELECT few, list(id) FILTER (flag), list(text) FROM {} GROUP BY few",
    "SELECT few, list(id), count(*) FROM {} GROUP BY few",
    "SELECT unlike, list(id) FROM {} GROUP BY unlike",
    "SELECT few, text, list_sort(list(id)) FROM {} GROUP BY ROLLUP (few, text)",
]


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
def test_answers(engines: Engines, limits: dict[str, float], monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, **limits)
    engines.tqp.clear_cache()
    for query in (*QUERIES, *FEW_ROWS, *OTHERS):
        engines(query.format("t"))
        engines(query.format("none"))


def test_ways(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    for query in QUERIES:
        assert f"; {SEQUENCED}]" in engines.tqp.sql(query.format("t")).explain(True), query
    for query in OTHERS:
        assert SEQUENCED not in engines.tqp.sql(query.format("t")).explain(True), query
    limit(monkeypatch, sequenced_slots=0.0)
    engines.tqp.clear_cache()
    assert f"; {ALL}]" in engines.tqp.sql(QUERIES[0].format("t")).explain(True)
