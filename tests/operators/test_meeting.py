"""Groups of batches in the order of a key are merged where these meet: DuckDB's answers, and when that is chosen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest
import torch

from tests.engines import Engines
from tests.limits import limit
from tqp.data.column import Column
from tqp.operators.meeting import ascends, meeting
from tqp.types import BIGINT

ROWS = 5_000
CHOSEN = "where batches meet"
SMALL = {"batch_rows": 500, "smallest_batch": 100, "few_groups": 1, "group_slots": 0, "merged_at_once": 50}


def _column(*values: int) -> Column:
    return Column(torch.tensor(values, dtype=torch.int64, device="cpu"), BIGINT)


def _cut(*pieces: tuple[int, ...]) -> tuple[list[tuple[int, int]], list[list[int]]] | None:
    found = meeting([[_column(*piece)] for piece in pieces])
    return None if found is None else (found.within, [rows.tolist() for rows in found.ends])


def test_where_pieces_meet() -> None:
    assert _cut((1, 2, 3), (4, 5)) == ([(0, 3), (0, 2)], [[], []])
    assert _cut((1, 2, 3), (3, 5), (6,)) == ([(0, 2), (1, 2), (0, 1)], [[2], [0], []])
    assert _cut((1, 2), (2,), (2,), (2, 3)) == ([(0, 1), (0, 0), (0, 0), (1, 2)], [[1], [0], [0], [0]])
    assert _cut((1, 1, 2, 2), (2, 2, 3)) == ([(0, 2), (2, 3)], [[2, 3], [0, 1]]), "several groups of one key"
    assert _cut((1, 1), (1, 1)) == ([(0, 0), (2, 2)], [[0, 1], [0, 1]])
    assert _cut((1, 3, 2), (4, 5)) is None
    assert _cut((1, 4), (3, 5)) is None


def test_any_key_may_ascend() -> None:
    up, down = _column(1, 2, 2), _column(9, 8, 7)
    nulls = up.with_valid(torch.tensor([False, True, True], device="cpu"))
    assert ascends([down, up]) and ascends([up]) and not ascends([down]) and not ascends([nulls])
    later = _column(2, 3, 4)
    found = meeting([[down, up], [down, later]])
    assert found is not None and found.within == [(0, 1), (1, 3)]
    assert meeting([[nulls], [later]]) is None


def _table(order: str) -> pa.Table:
    random = np.random.default_rng(3)
    lead = (
        np.sort(random.integers(-(2**40), 2**40, ROWS // 4).repeat(4)) if order == "fours" else np.arange(ROWS) * 2**33
    )
    if order == "long":
        lead = np.arange(ROWS) // 1_700 * 2**50
    table = pa.table(
        {
            "lead": lead,
            "half": (lead // 2**41).astype(np.float64),
            "day": pa.array((np.arange(ROWS) // 7).astype("datetime64[D]")),
            "text": pa.array([f"name {number:012}" for number in lead.tolist()]),
            "other": random.integers(0, 3, ROWS) * 2**45,
            "v": pa.array(random.integers(-50, 50, ROWS), mask=random.integers(0, 5, ROWS) == 0),
            "d": random.standard_normal(ROWS),
        }
    )
    return table.take(pa.array(random.permutation(ROWS))) if order == "mixed" else table


ANSWERS: dict[str, pa.Table] = {}


@pytest.fixture(scope="module", params=[1, 3], ids=["one worker", "three workers"])
def engines(request: pytest.FixtureRequest) -> Iterator[Engines]:
    tables = {order: _table(order) for order in ("fours", "ones", "long", "mixed")}
    both = Engines({**tables, "nothing": tables["fours"].slice(0, 0)}, ANSWERS, threads=request.param)
    yield both
    both.close()


QUERIES = [
    "SELECT lead, sum(v), count(*), avg(d), min(v), max(text) FROM {} GROUP BY lead",
    "SELECT lead, other, sum(v), count(v), stddev(d) FROM {} GROUP BY other, lead",
    "SELECT half, count(*), sum(d) FROM {} GROUP BY half",
    "SELECT text, sum(v) FROM {} GROUP BY text",
    "SELECT day, lead, count(DISTINCT other), sum(v) FROM {} GROUP BY day, lead",
    "SELECT DISTINCT lead, other FROM {}",
    "SELECT lead, sum(v) FROM {} WHERE v > 20 GROUP BY lead HAVING count(*) > 1",
    "SELECT day, other, sum(v) FROM {} GROUP BY ROLLUP (day, other)",
]


@pytest.mark.parametrize("table", ["fours", "ones", "long", "mixed", "nothing"])
@pytest.mark.parametrize("query", QUERIES)
def test_answers(engines: Engines, query: str, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for limits in ({"divided_above": None}, {"grouped_below": 0.0, "divided_above": None}, {}):
        limit(monkeypatch, **SMALL | limits)
        engines.tqp.clear_cache()
        engines(query.format(table))


@pytest.mark.parametrize(("table", "is_chosen"), [("fours", True), ("ones", True), ("long", False), ("mixed", False)])
def test_when_it_is_chosen(engines: Engines, table: str, is_chosen: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, **SMALL)
    engines.tqp.clear_cache()
    text = f"SELECT lead, sum(v) FROM {table} GROUP BY lead"
    assert (CHOSEN in engines.tqp.sql(text).explain(True)) == is_chosen
    limit(monkeypatch, **SMALL | {"meeting_share": 0.0})
    engines.tqp.clear_cache()
    assert CHOSEN not in engines.tqp.sql(text).explain(True)
