"""INTERSECT and EXCEPT of many rows: DuckDB's answers, by any number of workers, whichever way tells the sides apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

from tests.engines import Engines
from tests.limits import limit
from tqp.kernels.loops.loop import mode

ROWS = 6_000
SMALL = {"batch_rows": 500, "smallest_batch": 100, "merged_at_once": 16, "divided_rows": 300, "divided_above": 0.5}
LIMITS = {
    "as they are": {},
    "marks": SMALL | {"marked_slots": 10**6},
    "records": SMALL | {"marked_slots": 0},
    "few shares": SMALL | {"marked_slots": 0, "divided_rows": 2**15},
    "never": SMALL | {"divided_above": None},
}


def _table(seed: int, names: list[str | None], rows: int = ROWS) -> pa.Table:
    random = np.random.default_rng(seed)

    def some(kind: pa.DataType, *values: object) -> pa.Array:
        return pa.array(values, kind).take(pa.array(random.integers(0, len(values), rows)))

    return pa.table(
        {
            "id": pa.array(random.integers(-700 * seed, 2_000, rows)),
            "wide": pa.array([None if n == 7 else n * 2**50 - 2**60 for n in random.integers(0, 2_000, rows).tolist()]),
            "ends": some(pa.int64(), None, -(2**63), 2**63 - 1, seed),
            "name": some(pa.string(), *names),
            "flag": some(pa.bool_(), None, True, False),
            "whole": some(pa.bool_(), True, False),
            "day": pa.array(random.integers(-500 * seed, 900, rows).astype("datetime64[D]")),
            "d": some(pa.float64(), None, 0.5, -0.0, 0.0, float("nan"), float(seed)),
            "span": pa.array([(0, 30, 0), (1, 0, 0), (0, seed, 0), None], pa.month_day_nano_interval()).take(
                pa.array(random.integers(0, 4, rows))
            ),
        }
    )


ANSWERS: dict[str, pa.Table] = {}


@pytest.fixture(scope="module", params=[1, 2], ids=["one worker", "two workers"])
def engines(request: pytest.FixtureRequest) -> Iterator[Engines]:
    tables = {"a": _table(1, [None, "x", "y", "zz"]), "b": _table(2, ["y", "w", "zz", "aa"], ROWS // 2)}
    both = Engines(tables | {"none": tables["a"].slice(0, 0)}, ANSWERS, threads=request.param)
    yield both
    both.close()


COLUMNS = ["id", "id % 50", "wide", "ends, flag", "name", "name, day", "flag, whole", "id, wide, ends, name, flag, day"]
OTHERS = ["d", "span::VARCHAR", "id, d", "wide::HUGEINT * 1000", "NULL, id", "5, name"]


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
def test_answers(engines: Engines, limits: dict[str, float], monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, **limits)
    engines.tqp.clear_cache()
    for columns in (*COLUMNS, *OTHERS):
        for word in ("INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"):
            engines(f"SELECT {columns} FROM a {word} SELECT {columns} FROM b")
    for columns in ("id", "name, flag"):
        for word in ("INTERSECT", "EXCEPT"):
            engines(f"SELECT {columns} FROM b WHERE id > 0 {word} SELECT {columns} FROM a WHERE id < 900 AND flag")
            engines(f"SELECT {columns} FROM a {word} SELECT {columns} FROM none")
            engines(f"SELECT {columns} FROM none {word} SELECT {columns} FROM a")
            engines(f"SELECT {columns} FROM a {word} SELECT {columns} FROM a")
            engines(
                f"SELECT count(*), count(DISTINCT id) FROM (SELECT id, name FROM a {word} SELECT id, name FROM b) WHERE id > 5"
            )


@pytest.mark.host_only("rows are divided on the CPU")
@pytest.mark.skipif(mode() == "off", reason="needs Numba")
@pytest.mark.parametrize("columns", COLUMNS)
def test_records_are_chosen(engines: Engines, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, **LIMITS["records"])
    engines.tqp.clear_cache()
    for word in ("INTERSECT", "EXCEPT"):
        query = f"SELECT {columns} FROM a {word} SELECT {columns} FROM b"
        assert "records divided by key" in engines.tqp.sql(query).explain(True)
        assert "divided" not in engines.tqp.sql(query.replace(word, f"{word} ALL")).explain(True)


def test_marks_are_chosen_where_few_rows_are_possible(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, **SMALL)
    engines.tqp.clear_cache()
    query = "SELECT name, flag FROM a EXCEPT SELECT name, flag FROM b"
    assert "marks: 18 different rows are possible" in engines.tqp.sql(query).explain(True)


def test_few_rows_are_grouped(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    for limits in (SMALL | {"smallest_batch": 2 * ROWS}, LIMITS["never"]):
        limit(monkeypatch, **limits)
        engines.tqp.clear_cache()
        plan = engines.tqp.sql("SELECT id FROM a INTERSECT SELECT id FROM b").explain(True)
        assert "records" not in plan and "marks" not in plan
