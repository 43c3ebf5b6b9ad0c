"""APPROX NEAREST by inverted lists: what is found of what EXACT finds, when lists are made, and when they are let go."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest

import tqp
from tests.limits import limit
from tests.operators.test_nearest import asked, rows

ROWS, SIZE = 6000, 24
BY = {"array_distance": False, "array_negative_inner_product": False, "array_cosine_similarity": True}


def table(seed: int, count: int, kind: str, nulls: float = 0.0, size: int = SIZE) -> pa.Table:
    """Vectors anywhere, or near some of 60 points, some of them NULL; a few of them of length 0."""
    rng = np.random.default_rng(seed)
    data = rng.standard_normal((count, size))
    if kind == "clustered":
        data = 0.3 * data + np.random.default_rng(99).standard_normal((60, size))[rng.integers(0, 60, count)]
    data[::997] = 0
    flat = pa.array(data.astype(np.float32).ravel())
    values = pa.FixedSizeListArray.from_arrays(flat, size, mask=pa.array(rng.random(count) < nulls))
    return pa.table({"id": range(count), "g": rng.integers(0, 3, count), "v": values})


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, listed_vectors=2000, listed_share=0.75, index_asks=1)


def opened(kind: str = "clustered", nulls: float = 0.0, threads: int = 2) -> tqp.Connection:
    con = tqp.connect(threads=threads)
    con.register("q", table(1, 40, kind, nulls))
    con.register("b", table(2, ROWS, kind, nulls))
    return con


def approx(query: str) -> str:
    return query.replace(" NEAREST", " APPROX NEAREST")


def found(con: tqp.Connection, query: str) -> float:
    """The share of what EXACT finds; as many rows are found of each row."""
    exact, near = rows(con, query), rows(con, approx(query))
    assert [row[0] for row in near] == [row[0] for row in exact]
    return len(set(exact) & set(near)) / len(exact)


def told(con: tqp.Connection, query: str) -> str:
    """What EXPLAIN says of the rows that are read."""
    return next(line for line in con.sql(approx(query)).explain(True).splitlines() if "inverted lists" in line)


def sizes(con: tqp.Connection) -> list[int]:
    """The bytes of the lists that the connection keeps."""
    return [size for kind, key, size, _, _ in con.cache().fetchall() if kind == "index" and key.endswith("v")]


@pytest.mark.parametrize("kind", ["clustered", "uniform"])
@pytest.mark.parametrize("function", BY)
def test_nearly_all_are_found(function: str, kind: str) -> None:
    con = opened(kind, 0.05)
    for options in ({}, {"where": "b.g <> 1"}, {"left": True, "where": "b.g <> 1"}):
        query = asked(function, BY[function], 10, **options)
        assert found(con, query) > 0.85
        assert re.search(r"each row looks at \d+ that have (9[5-9]|100)\.\d% of the first 1[0-7]", told(con, query))
    if kind == "clustered":
        query = asked(function, BY[function], 10)
        assert re.match(r"\s+7[5-7] inverted lists of b\.v: each row looks at \d that", told(con, query))


@pytest.mark.parametrize("function", BY)
def test_all_are_found_where_all_lists_are_looked_at(function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of EXACT, ties and vectors of length 0 included."""
    limit(monkeypatch, near_recall=1.0, listed_share=1.0)
    con = opened("uniform", 0.05)
    for threads in (1, 2):
        con.execute(f"SET threads = {threads}")
        for options in ({}, {"where": "b.g <> 1"}):
            assert found(con, asked(function, BY[function], 10, **options)) > 0.97


def test_a_row_finds_as_many_as_it_asks_for() -> None:
    """Where the lists that it would look at have hardly a row left by a filter, it looks at more."""
    con = opened()
    con.sql(
        "SELECT *, row_number() OVER (ORDER BY array_distance(v, (SELECT v FROM q WHERE id = 5))) AS n FROM b"
    ).create("c")
    query = asked("array_distance", False, 20).replace("JOIN b", "JOIN (SELECT * FROM c WHERE n > 900) b")
    assert "looks at" in told(con, query)
    assert found(con, query) > 0.85


def test_all_rows_are_read_where_lists_do_not_help(monkeypatch: pytest.MonkeyPatch) -> None:
    con = opened()
    plain = asked("array_distance", False, 10)
    for query, why in (
        (asked("array_distance", False, 10, where="b.id < 60"), "how many to look at for the first 1,000 is not known"),
        (asked("array_distance", False, 200), "how many to look at for the first 200 is not known"),
    ):
        assert found(con, query) == 1 and why in told(con, query)
    for query in (
        asked("array_distance", True, 10),
        asked("array_distance", False, 10, where="b.g = q.g"),
        asked("array_distance", False, 10, where="b.id <> q.id"),
        asked("", False, 10, rank="array_distance(q.v, b.v) * 2"),
        plain.replace("JOIN b", "JOIN (SELECT id, v FROM b ORDER BY id LIMIT 5000) b"),
    ):
        assert "inverted lists" not in con.sql(approx(query)).explain(True)
        assert found(con, query) == 1
    assert "inverted lists" not in con.sql(plain).explain(True)
    limit(monkeypatch, listed_vectors=None)
    con = opened()
    assert "inverted lists" not in con.sql(approx(plain)).explain(True)


def test_they_are_made_when_it_is_likely_to_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, index_asks=2)
    con = opened()
    query = asked("array_distance", False, 3)
    assert "they are made when 2 queries asked for them, and 1 did" in told(con, query)
    assert not sizes(con)
    assert "they were made" in told(con, query)
    assert "they are there" in told(con, query)
    con = opened()
    con.register("q", table(3, 200, "clustered"))
    assert "they were made" in told(con, query), "as many rows ask as there are lists"


def test_they_are_kept_within_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    query = asked("array_distance", False, 3)
    con = opened()
    assert "they were made" in told(con, query)
    (kept,) = sizes(con)
    assert 4 * ROWS < kept < 4 * ROWS + 4 * 78 * (SIZE + 1) + 8 * 79 + 2 * 256 * 128
    con.clear_cache()
    assert "they were made" in told(con, query)
    limit(monkeypatch, index_bytes=kept)
    con = opened()
    assert "they were made" in told(con, query)
    assert "they were made" in told(con, asked("array_cosine_similarity", True, 3))
    assert "they were made" in told(con, query), "the others took its room"
    limit(monkeypatch, index_bytes=50_000)
    con = opened()
    assert "bytes, and 50,000 are allowed" in told(con, query)
    assert found(con, query) == 1


def test_other_rows_have_other_lists() -> None:
    con = opened()
    query = asked("array_distance", False, 3)
    assert found(con, query) > 0.85
    con.register("b", table(7, ROWS, "clustered"))
    assert "they were made" in told(con, query)
    assert found(con, query) > 0.85
    con.sql("SELECT * FROM b").create("c")
    query = query.replace("JOIN b", "JOIN c b")
    assert found(con, query) > 0.85
    con.execute("INSERT INTO c SELECT id + 100000, g, v FROM q")
    assert "they were made" in told(con, query)
    nearest = con.sql(approx(query.replace("NEAREST 3", "NEAREST 1"))).fetchall()
    assert sum(b == 100000 + q for q, b in nearest) > 30


def test_no_lists_of_vectors_that_no_product_ranks() -> None:
    con = opened()
    zeros = np.zeros((ROWS, SIZE), np.float32)
    values = pa.FixedSizeListArray.from_arrays(pa.array(zeros.ravel()), SIZE)
    con.register("b", pa.table({"id": range(ROWS), "v": values}))
    query = asked("array_cosine_similarity", True, 3)
    assert "no lists can be made of its vectors" in told(con, query)
    assert found(con, query) == 1
