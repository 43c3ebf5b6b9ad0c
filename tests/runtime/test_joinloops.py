"""Aggregations behind joins as compiled loops give DuckDB's answers, or say why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import tqp
from tests.limits import limit
from tests.runtime.constants import check
from tqp.kernels.loops.loop import mode
from tqp.runtime import codes, rowloops

pytestmark = [
    pytest.mark.host_only("loops run on the CPU"),
    pytest.mark.skipif(mode() == "off", reason="needs Numba"),
]

ROWS = 2**18 + 1000


def nulls(values: Any, every: int) -> pa.Array:
    return pa.array(values, mask=np.arange(len(values)) % every == every - 1)


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    """Sales of items and shops: items are dense, shops have gaps and are out of order, codes of kinds repeat."""
    random = np.random.default_rng(5)
    shops = random.permutation(np.arange(-500, 20_000, 7))
    return {
        "sales": pa.table({
            "item": random.integers(0, 1000, ROWS).astype("int16"),
            "unsure": nulls(random.integers(-5, 1010, ROWS).astype("int32"), 13),
            "shop": random.integers(-600, 21_000, ROWS),
            "amount": nulls(random.integers(-50, 1000, ROWS).astype("int16"), 11),
            "price": random.integers(0, 10_000, ROWS) / 4,
            "day": random.integers(10_000, 10_700, ROWS).astype("datetime64[D]"),
        }),
        "items": pa.table({
            "id": np.arange(1000),
            "name": np.array([f"item {n % 90}" for n in range(1000)]),
            "weight": nulls(random.integers(0, 100, 1000), 7),
            "kind": random.integers(0, 9, 1000),
            "cost": random.integers(0, 10_000, 1000) / 4,
        }),
        "shops": pa.table({
            "id": shops,
            "town": np.array([f"town {n % 12}" for n in range(len(shops))]),
            "opened": random.integers(10_000, 10_700, len(shops)).astype("datetime64[D]"),
        }),
        "kinds": pa.table({"kind": [3, 1, 4, 5, 9, 2, 6], "label": ["c", None, "d", "e", "x", "b", "f"]}),
        "pairs": pa.table({"a": np.repeat(np.arange(40), 30), "b": np.tile(np.arange(30), 40), "c": np.arange(1200)}),
        "empty": pa.table({"id": np.zeros(0, dtype=np.int64), "v": np.zeros(0, dtype=np.int64)}),
    }  # fmt: skip


@pytest.fixture(scope="module")
def peer(tables: dict[str, pa.Table]) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as con:
        for name, table in tables.items():
            con.register(f"{name}_arrow", table)
            con.execute(f"CREATE TABLE {name} AS FROM {name}_arrow")
        yield con


@pytest.fixture
def con(tables: dict[str, pa.Table], monkeypatch: pytest.MonkeyPatch) -> Iterator[tqp.Connection]:
    """Pipelines become loops the first time that they run."""
    limit(monkeypatch, looped_after=0)
    monkeypatch.setattr(rowloops, "_MODE", "now")
    with tqp.connect(threads=2) as con:
        for name, table in tables.items():
            con.register(name, table)
        yield con


LOOPED = [
    "SELECT count(*), sum(amount * weight) FROM sales JOIN items ON item = id",
    "SELECT kind, count(*), sum(amount), avg(weight) FROM sales JOIN items ON item = id GROUP BY kind ORDER BY kind",
    "SELECT kind, count(weight) FROM sales JOIN items ON unsure = id WHERE amount > 400 GROUP BY kind ORDER BY kind",
    "SELECT town, sum(amount) FROM sales JOIN shops ON shop = id GROUP BY town ORDER BY town",
    "SELECT town, kind, sum(amount + weight) FROM sales JOIN shops ON shop = shops.id JOIN items ON item = items.id"
    " WHERE amount BETWEEN 5 AND 700 GROUP BY ALL ORDER BY ALL",
    "SELECT count(*) FROM sales JOIN items ON item = id WHERE weight > 50 AND name LIKE '%7%'",
    "SELECT count(*) FROM sales JOIN items ON item = id WHERE price > cost AND weight IS NOT NULL",
    "SELECT label, count(*) FROM sales JOIN items ON item = id JOIN kinds ON items.kind = kinds.kind GROUP BY ALL ORDER BY ALL",
    "SELECT label, count(*), sum(amount) FROM sales LEFT JOIN kinds ON amount = kind GROUP BY label ORDER BY label",
    "SELECT count(*), sum(amount) FROM sales WHERE unsure IN (SELECT id FROM items WHERE weight < 20)",
    "SELECT count(*), sum(amount) FROM sales WHERE NOT EXISTS (FROM items WHERE id = unsure AND weight < 20)",
    "SELECT count(*), sum(amount) FROM sales WHERE EXISTS (FROM items WHERE id = unsure AND weight > amount)",
    "SELECT sum(c), count(*) FROM sales JOIN (SELECT a + 0 AS a, b + 0 AS b, c FROM pairs) ON item = a AND amount = b",
    "SELECT round(sum(cost), 3), round(stddev(cost), 6) FROM sales JOIN items ON item = id",
    "SELECT opened <= day AS k, count(*) FROM sales JOIN shops ON shop = id GROUP BY k ORDER BY k",
    "SELECT year(opened), sum(CASE WHEN town = 'town 3' THEN amount END) FROM sales JOIN shops ON shop = id GROUP BY 1 ORDER BY 1",
]
NOT_LOOPED = {
    "SELECT count(*) FROM sales JOIN kinds ON item = kind JOIN pairs ON item = a": "several rows",
    "SELECT count(*) FROM sales WHERE item NOT IN (SELECT weight FROM items)": "another kind",
    "SELECT min(cost > 3) FROM sales JOIN items ON item = id": "truth value",
}


@pytest.mark.parametrize("query", LOOPED)
def test_answers(con: tqp.Connection, peer: duckdb.DuckDBPyConnection, query: str, taken: list[int]) -> None:
    for _ in range(2):
        check(con, peer, query, [])
    assert taken.count(ROWS) == 2
    assert "one compiled loop" in con.sql(query).explain(True)


@pytest.mark.parametrize(("query", "why"), NOT_LOOPED.items())
def test_why_not(con: tqp.Connection, peer: duckdb.DuckDBPyConnection, query: str, why: str, taken: list[int]) -> None:
    check(con, peer, query, [])
    assert ROWS not in taken
    assert why in con.sql(query).explain(True)


def test_constants(con: tqp.Connection, peer: duckdb.DuckDBPyConnection, taken: list[int]) -> None:
    """Build sides are other ones with each of them."""
    query = (
        "SELECT town, count(*), sum(amount) FROM sales JOIN shops ON shop = shops.id JOIN items ON item = items.id"
        " WHERE weight > ? AND opened > DATE '1997-06-01' + CAST(? AS INTEGER) AND amount < ? GROUP BY town ORDER BY town"
    )
    values = [[5, 3, 700], [80, 300, 30], [99, 0, 5], [0, 600, 900], [50, -500, 1000], [200, 0, 0]]
    for given in values:
        check(con, peer, query, given)
    assert taken.count(ROWS) == len(values)


def test_build_sides_of_ever_other_forms(
    con: tqp.Connection, peer: duckdb.DuckDBPyConnection, taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loop for each of them would cost more than it gains."""
    monkeypatch.setattr(codes, "_MOST_JOINED", 2)
    query = "SELECT sum(more), count(*) FROM sales JOIN (SELECT id, weight * CAST(? AS INTEGER) AS more FROM items) ON item = id"
    for factor in (3, 40, 500, 6000):
        check(con, peer, query, [factor])
    assert taken.count(ROWS) == 2


def test_no_rows_on_the_other_side(con: tqp.Connection, peer: duckdb.DuckDBPyConnection) -> None:
    for kind in ("JOIN", "LEFT JOIN", "SEMI JOIN", "ANTI JOIN"):
        check(con, peer, f"SELECT count(*), sum(amount) FROM sales {kind} empty ON item = id", [])


def test_build_sides_are_let_go(con: tqp.Connection, taken: list[int]) -> None:
    """What a loop was given of them is not kept with it."""
    query = "SELECT sum(amount) FROM sales JOIN (SELECT kind * 3 AS k FROM kinds) ON item = k"
    con.sql(query).fetchall()
    kept = {(kind, key): size for kind, key, size, _, _ in con.cache().fetchall()}
    assert taken and kept["compiled", query] < 100
