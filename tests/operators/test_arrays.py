"""Arrays through batches, workers and joins: large enough that every path of them runs, compared with DuckDB."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

from tests.engines import Engines
from tqp.data.column import Column
from tqp.operators.batch import Part

ROWS, SIZE = 600_000, 4


def _vectors(rows: int, size: int, seed: int, nulls: float) -> pa.Array:
    random = np.random.default_rng(seed)
    # Halves of small numbers: all sums of their products are exact, so that ties are ties on both sides.
    values = pa.array((random.integers(-6, 7, rows * size) / 2).astype(np.float32))
    return pa.FixedSizeListArray.from_arrays(values, size, mask=pa.array(random.random(rows) < nulls))


@pytest.fixture(scope="module")
def both() -> Iterator[Engines]:
    random = np.random.default_rng(3)
    tables = {
        "docs": pa.table({
            "id": np.arange(ROWS), "k": random.integers(0, 50, ROWS), "v": _vectors(ROWS, SIZE, 1, 0.01),
            "w": _vectors(ROWS, SIZE, 2, 0.0),
        }),
        "few": pa.table({"id": np.arange(3000), "k": random.integers(0, 50, 3000), "v": _vectors(3000, SIZE, 4, 0.05)}),
        "q": pa.table({"qid": np.arange(9), "v": _vectors(9, SIZE, 6, 0.2)}),
    }  # fmt: skip
    engines = Engines(tables, threads=2)
    yield engines
    engines.close()


@pytest.mark.parametrize("order", ["DESC", "ASC", "DESC NULLS LAST", "NULLS FIRST"])
@pytest.mark.parametrize("function", ["array_inner_product", "array_distance", "array_cosine_similarity"])
def test_nearest_of_many_batches(both: Engines, function: str, order: str) -> None:
    both(f"SELECT id, {function}(v, [1, 0.5, -2, 0]::FLOAT[4]) AS s FROM docs ORDER BY s {order}, id LIMIT 25 OFFSET 5")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id, v FROM docs WHERE k < 30 ORDER BY array_distance(v, [1, 0.5, -2, 0]::FLOAT[4]), id LIMIT 10",
        "SELECT id, w FROM docs ORDER BY w, id LIMIT 7",
        "SELECT id, w FROM docs ORDER BY k, w DESC, id DESC LIMIT 7",
        "SELECT k, id FROM docs ORDER BY k DESC, id LIMIT 30",
        "SELECT id FROM docs ORDER BY id % 7, id LIMIT 0",
        "SELECT id FROM few ORDER BY id LIMIT 5000",
        "SELECT v, count(*) FROM docs WHERE k = 7 GROUP BY v",
        "SELECT count(DISTINCT v), count(v) FROM docs",
        "SELECT k, count(DISTINCT w) FROM docs GROUP BY k",
        "SELECT sum(v[1]), sum(v[k % 6]), count(v[-2]) FROM docs",
        "SELECT count(*) FROM docs WHERE v = w OR v < w",
        "SELECT count(*) FROM docs WHERE k = 3 AND array_distance(v, w) < 2",
        "SELECT sum(array_inner_product(v, w)) FROM docs WHERE k <> 7",
        "SELECT sum(array_inner_product(v, [1, 2, 3, 4]::FLOAT[4])) FROM docs WHERE k <> 7",
        "SELECT qid, sum(array_inner_product(q.v, few.v)), max(array_distance(few.v, q.v)) FROM q, few GROUP BY qid",
        "SELECT qid, few.id FROM q, few WHERE array_cosine_similarity(q.v, few.v) > 0.99",
        "SELECT few.id, array_distance(few.v, docs.v) FROM few LEFT JOIN docs ON few.id * 200 = docs.id",
        "SELECT few.id, docs.v FROM few LEFT JOIN docs ON few.id * 300 = docs.id AND docs.k > 10",
        "SELECT a.id, b.id, array_inner_product(a.v, b.v) FROM few a JOIN few b ON a.k = b.k AND a.id < b.id WHERE a.id < 200",
        "SELECT id, v FROM few WHERE id < 50 UNION ALL SELECT id, w FROM docs WHERE id < 50",
        "SELECT CASE WHEN id % 2 = 0 THEN v ELSE [0, 0, 0, 0] END AS c, count(*) FROM few WHERE k = 1 GROUP BY c",
    ],
)
def test_rows_of_arrays(both: Engines, text: str) -> None:
    both(text)


def test_of_queries_and_documents_no_pair_is_gathered(both: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    gathered: list[str] = []
    before = Part.column

    def watched(part: Part, symbol: str) -> Column:
        column = before(part, symbol)
        if column.dtype.is_array and len(column) and part.rows is not None:
            gathered.append(symbol)
        return column

    monkeypatch.setattr(Part, "column", watched)
    both.tqp.sql("SELECT sum(array_inner_product(q.v, few.v)) FROM q, few").fetchall()
    both.tqp.sql("SELECT sum(array_distance(v, [1, 2, 3, 4]::FLOAT[4])) FROM few WHERE k = 3").fetchall()
    assert gathered == []
    both.tqp.sql("SELECT v FROM few WHERE k = 3").fetchall()
    assert gathered == ["v"]


def test_arrays_run_beside_compiled_functions() -> None:
    rows = 2**18 + 10
    table = pa.table({"x": pa.array([None, *range(1, rows)], pa.int32()), "v": _vectors(rows, 2, 1, 0.1)})
    engines = Engines({"t": table}, backend="compile")
    try:
        engines("SELECT sum(([x, 2]::INTEGER[2])[1]) FROM t WHERE x IS NOT NULL")
        engines("SELECT count(*), max(array_distance(v, [1, 2]::FLOAT[2])) FROM t WHERE x > 5")
        engines("SELECT sum(array_inner_product(v, [x, 1]::FLOAT[2])) FROM t WHERE x < 9000")
    finally:
        engines.close()
