"""JOIN … NEAREST by a matrix product and by pairs: beside the definition, written out with windows."""

from __future__ import annotations

import math
import random

import numpy as np
import pyarrow as pa
import pytest

import tqp
from tests.limits import limit

FUNCTIONS = {
    "array_distance": False,
    "array_inner_product": True,
    "array_negative_inner_product": False,
    "array_cosine_similarity": True,
    "array_cosine_distance": False,
}


def vectors(rng: np.random.Generator, rows: int, size: int, kind: str, dtype: type, nulls: float) -> pa.Table:
    """Rows with a number, a group and a vector: small integers, whose measures are exact, or numbers far from 0, or anything."""
    data = {
        "integers": lambda: rng.integers(-2, 3, (rows, size)),
        "far": lambda: 1000 + rng.standard_normal((rows, size)),
        "odd": lambda: rng.choice([0, 0, 1, 2.0**70, math.inf, math.nan], (rows, size)),
        "tiny": lambda: rng.choice([0, 2.0**-80, 2.0**-79], (rows, size)),
    }[kind]()
    flat = pa.array(data.astype(dtype).ravel())
    mask = pa.array(rng.random(rows) < nulls)
    values = pa.FixedSizeListArray.from_arrays(flat, size, mask=mask)
    return pa.table({"id": range(rows), "g": rng.integers(0, 3, rows), "v": values})


def asked(function: str, descending: bool, most: int, *, left: bool = False, where: str = "", rank: str = "") -> str:
    rank = rank or f"{function}(q.v, b.v)"
    by = "SIMILARITY" if descending else "DISTANCE"
    rows = f"(SELECT * FROM b WHERE {where}) b" if where else "b"
    return f"SELECT q.id, b.id AS b FROM q {'LEFT ' * left}JOIN {rows} NEAREST {most} BY {by} {rank}"


def meant(function: str, descending: bool, most: int, *, left: bool = False, where: str = "", rank: str = "") -> str:
    rank = rank or f"{function}(q.v, b.v)"
    pairs = f"SELECT q.id, b.id AS b, {rank} AS d FROM q, b {f'WHERE {where}' * bool(where)}"
    number = f"row_number() OVER (PARTITION BY id ORDER BY d {'DESC' * descending}, b)"
    first = f"SELECT id, b FROM ({pairs}) WHERE d IS NOT NULL QUALIFY {number} <= {most}"
    return f"SELECT q.id, f.b FROM q LEFT JOIN ({first}) f USING (id)" if left else first


def rows(con: tqp.Connection, query: str) -> list[tuple[object, ...]]:
    return con.sql(f"SELECT * FROM ({query}) ORDER BY ALL").fetchall()


@pytest.fixture(params=["whole", "tiles"])
def con(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tqp.Connection:
    if request.param == "tiles":
        limit(monkeypatch, batch_rows=64, smallest_batch=64, pairs=256, few_pairs=64)
    return tqp.connect(threads=2)


@pytest.mark.parametrize(("kind", "dtype"), [("integers", np.float32), ("odd", np.float64), ("tiny", np.float32)])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_first_are_those_of_the_definition(con: tqp.Connection, function: str, kind: str, dtype: type) -> None:
    """Ties, NULLs, vectors of length 0, of no number: as a window over all pairs has them."""
    rng = np.random.default_rng(len(function))
    con.register("q", vectors(rng, 9, 3, kind, dtype, 0.2))
    con.register("b", vectors(rng, 120, 3, kind, dtype, 0.1))
    usual = FUNCTIONS[function]
    for descending, most in ((usual, 1), (usual, 4), (not usual, 4), (usual, 200)):
        assert rows(con, asked(function, descending, most)) == rows(con, meant(function, descending, most))
    where = "(b.g <> q.g OR b.id % 5 = 0)"
    for options in ({"where": where}, {"left": True, "where": where}, {"left": True, "where": "b.g = q.g"}):
        assert rows(con, asked(function, usual, 5, **options)) == rows(con, meant(function, usual, 5, **options))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_the_product_loses_changes_nothing(con: tqp.Connection, function: str) -> None:
    """Far from 0 a product of float32 tells hardly anything: the function itself decides."""
    rng = np.random.default_rng(7)
    con.register("q", vectors(rng, 5, 8, "far", np.float32, 0))
    con.register("b", vectors(rng, 400, 8, "far", np.float32, 0))
    q, b = (np.array(con.sql(f"SELECT v FROM {name} ORDER BY id").fetchall(), np.float64)[:, 0] for name in "qb")
    if function == "array_distance":
        exact = np.sqrt(((q[:, None] - b[None]) ** 2).sum(-1))
        first = np.sort(exact, 1)[:, :10]
        found = con.sql(
            "SELECT q.id, array_distance(q.v, b.v) FROM q JOIN b NEAREST 10 BY DISTANCE array_distance(q.v, b.v) ORDER BY ALL"
        ).fetchall()
        assert np.allclose([value for _, value in found], first.ravel(), rtol=1e-5)
    descending = FUNCTIONS[function]
    by_pairs = asked(function, descending, 10, rank=f"(CASE WHEN q.id >= 0 THEN {function}(q.v, b.v) END)")
    product = rows(con, asked(function, descending, 10))
    assert len(product) == 50
    values = f"SELECT n.id, {function}(q.v, b.v) AS d FROM ({{}}) n JOIN q ON q.id = n.id JOIN b ON b.id = n.b"
    pairs = [np.array(rows(con, values.format(one))) for one in (asked(function, descending, 10), by_pairs)]
    assert np.allclose(*pairs, rtol=1e-6, atol=5e-7)


@pytest.mark.parametrize(
    "rank",
    [
        "1 - array_cosine_similarity(b.v, q.v)",
        "-array_inner_product(q.v, b.v)",
        "array_distance(q.v, b.v)::DOUBLE + 1000000",
        "100000000 - array_distance(q.v, b.v)",
        "array_distance(q.v, b.v) * 2",
        "array_distance([1, 2, 3]::FLOAT[3], b.v)",
        "array_distance(q.v, [1, 2, 3]::FLOAT[3])",
    ],
)
def test_measures_within_arithmetic(con: tqp.Connection, rank: str) -> None:
    """What is added may make equal what is not; then the first rows count."""
    rng = np.random.default_rng(3)
    con.register("q", vectors(rng, 9, 3, "integers", np.float32, 0.1))
    con.register("b", vectors(rng, 200, 3, "integers", np.float32, 0.1))
    by_product = "b.v" in rank and "*" not in rank
    assert ("nearest rows: a matrix product" in con.sql(asked("", False, 6, rank=rank)).explain(True)) == by_product
    for descending in (False, True):
        assert rows(con, asked("", descending, 6, rank=rank)) == rows(con, meant("", descending, 6, rank=rank))


def test_explain_says_how(con: tqp.Connection) -> None:
    rng = np.random.default_rng(3)
    con.register("q", vectors(rng, 9, 3, "integers", np.float32, 0.1))
    con.register("b", vectors(rng, 50, 3, "integers", np.float32, 0.1))
    by_product = con.sql(asked("array_distance", False, 3))
    assert "Nearest join inner 3 by [array_distance(v, v_2)], not NULL" in by_product.explain()
    assert "a matrix product" in by_product.explain(True)
    by_pairs = con.sql(asked("array_distance", False, 3, where="b.g = q.g"))
    assert "there are keys" in by_pairs.explain(True)


def test_products_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    tables = {name: vectors(rng, count, 3, "integers", np.float32, 0.1) for name, count in (("q", 9), ("b", 120))}
    query = asked("array_distance", False, 5)
    found = []
    for way in ("a matrix product", "the value of each pair"):
        con = tqp.connect(threads=1)
        for name, table in tables.items():
            con.register(name, table)
        assert f"nearest rows: {way}" in con.sql(query).explain(True)
        found.append(rows(con, query))
        limit(monkeypatch, nearest_products=False)
    assert found[0] == found[1]


def test_the_first_of_each_row_by_the_columns_before_it_are_the_same(con: tqp.Connection) -> None:
    rng = np.random.default_rng(5)
    con.register("q", vectors(rng, 9, 3, "integers", np.float32, 0.2))
    con.register("b", vectors(rng, 90, 3, "integers", np.float32, 0.2))
    lateral = (
        "SELECT q.id, l.b, l.d FROM q LEFT JOIN LATERAL (SELECT b.id AS b, array_distance(q.v, b.v) AS d FROM b"
        " WHERE b.id <> q.id ORDER BY d, b.id LIMIT 3) l ON true"
    )
    assert "Nearest join left 3" in con.sql(lateral).explain()
    pairs = "SELECT q.id, b.id AS b, array_distance(q.v, b.v) AS d FROM q, b WHERE b.id <> q.id"
    first = f"SELECT * FROM ({pairs}) QUALIFY row_number() OVER (PARTITION BY id ORDER BY d, b) <= 3"
    assert rows(con, lateral) == rows(con, first)
    scalar = "SELECT id, (SELECT b.id FROM b ORDER BY array_distance(q.v, b.v), b.id LIMIT 1) AS b FROM q"
    assert "Nearest join left 1" in con.sql(scalar).explain()
    assert [row[0] for row in rows(con, scalar)] == list(range(9))


def test_random_ranks_by_pairs(con: tqp.Connection) -> None:
    """Any expression, with keys and conditions."""
    rng = random.Random(2)
    numbers = [None, *range(-9, 10)]
    for name, count in (("q", 30), ("b", 200)):
        table = {
            "id": range(count),
            "x": [rng.choice(numbers) for _ in range(count)],
            "g": [rng.randrange(3) for _ in range(count)],
        }
        con.register(name, pa.table(table))
    for rank in (
        "abs(q.x - b.x)",
        "b.x",
        "q.x",
        "b.x % 3 = q.x % 3",
        "q.x::VARCHAR || b.x",
        "{'a': b.x, 'b': q.x}",
        "q.x * b.x / 7",
    ):
        for where in ("", "b.g = q.g", "b.x > q.x", "b.g = q.g AND b.id <> q.id"):
            for most in (3, 1000):
                options = {"where": where, "rank": rank, "left": rng.random() < 0.5}
                descending = rng.random() < 0.5
                assert rows(con, asked("", descending, most, **options)) == rows(
                    con, meant("", descending, most, **options)
                )
