"""LIMIT and EXISTS look at no more pairs of rows than they need, and nobody ever has too many pairs at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import trunc

import pyarrow as pa
import pytest
from torch import Tensor

import tqp
from tests.engines import Engines
from tests.limits import limit as limited
from tqp.errors import ExecutionError
from tqp.kernels import rows
from tqp.operators import pairs

MANY = 100_000
on_the_cpu = pytest.mark.host_only("how many pairs are looked at depends on the device; this is what the CPU takes")


class LookedAt:
    """Pairs looked at: all, and the most at once."""

    def __init__(self) -> None:
        self.total = 0
        self.most = 0

    def expand(self, starts: Tensor, counts: Tensor, *sizes: tuple[int, int]) -> tuple[Tensor, Tensor]:
        found = rows.expand(starts, counts, *sizes)
        self.total += found[0].shape[0]
        self.most = max(self.most, found[0].shape[0])
        return found


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> LookedAt:
    counter = LookedAt()
    monkeypatch.setattr(pairs, "expand", counter.expand)
    return counter


@pytest.fixture(scope="module", params=[1, 2])
def con(request: pytest.FixtureRequest) -> Iterator[tqp.Connection]:
    with tqp.connect(threads=request.param) as connection:
        connection.register("m", pa.table({"x": range(MANY), "one": [1] * MANY}))
        yield connection


@on_the_cpu
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT a.x, b.x FROM m a, m b LIMIT 3", [(0, 0), (0, 1), (0, 2)]),
        ("SELECT a.x, b.x FROM m a, m b LIMIT 2 OFFSET 5", [(0, 5), (0, 6)]),
        ("SELECT a.x, b.x FROM m a, m b WHERE a.x + b.x > 50 LIMIT 2", [(0, 51), (0, 52)]),
        ("SELECT a.x, b.x FROM m a JOIN m b USING (one) LIMIT 2", [(0, 0), (0, 1)]),
        ("SELECT a.x, b.x FROM m a LEFT JOIN m b ON a.one = b.one AND b.x > 3 LIMIT 2", [(0, 4), (0, 5)]),
        ("SELECT a.x, b.x, c.x FROM m a, m b, m c LIMIT 2", [(0, 0, 0), (0, 1, 0)]),
        ("SELECT a.x FROM m a, m b UNION ALL SELECT a.x FROM m a, m b LIMIT 2", [(0,), (0,)]),
        ("SELECT * FROM (SELECT a.x FROM m a, m b UNION ALL SELECT a.x FROM m a, m b) WHERE x >= 0 LIMIT 1", [(0,)]),
        ("SELECT a.x FROM m a, m b WHERE EXISTS (SELECT 1 FROM m c WHERE c.x <> a.x) LIMIT 1", [(0,)]),
        ("SELECT EXISTS (SELECT 1 FROM m a, m b WHERE a.x + b.x > 10)", [(True,)]),
        ("SELECT count(*) FROM m WHERE EXISTS (SELECT 1 FROM m a, m b WHERE a.x + b.x > 10)", [(MANY,)]),
        ("SELECT count(*) FROM m WHERE NOT EXISTS (SELECT 1 FROM m a, m b)", [(0,)]),
        ("SELECT count(*) FROM m a WHERE EXISTS (SELECT 1 FROM m b WHERE (a.x + b.x) % 3 = 1)", [(MANY,)]),
        ("SELECT count(*) FROM m a WHERE NOT EXISTS (SELECT 1 FROM m b WHERE b.one = a.one AND b.x <> a.x)", [(0,)]),
        ("SELECT count(*) FILTER (EXISTS (SELECT 1 FROM m b WHERE b.x % 7 <> a.x % 7)) FROM m a", [(MANY,)]),
        ("SELECT a.x FROM m a, m b LIMIT 0", []),
        ("SELECT count(*) FROM m a, m b GROUP BY a.x + b.x LIMIT 0", []),
        ("SELECT a.x FROM m a, m b ORDER BY a.x * b.x LIMIT 0", []),
    ],
)
def test_few_pairs(con: tqp.Connection, looked_at: LookedAt, query: str, expected: object) -> None:
    found = con.sql(query).fetchall()
    assert found == expected
    # Of 10,000,000,000.
    assert looked_at.total <= 8_000_000
    assert looked_at.most <= 2**21


@on_the_cpu
def test_a_scalar_subquery_of_many_rows_fails_at_the_second(con: tqp.Connection, looked_at: LookedAt) -> None:
    with pytest.raises(ExecutionError, match="More than one row"):
        con.sql("SELECT (SELECT a.x FROM m a, m b)").fetchall()
    assert looked_at.total <= 2**18


@on_the_cpu
def test_pairs_come_in_pieces(con: tqp.Connection, looked_at: LookedAt) -> None:
    few = "(SELECT x FROM m WHERE x < 200)"
    both = f"SELECT count(*), sum(a.x), sum(b.x) FROM {few} a, m b"
    assert con.sql(both).fetchall() == [(200 * MANY, MANY * sum(range(200)), 200 * sum(range(MANY)))]
    assert 2**20 < looked_at.most <= 2**21 and looked_at.total == 200 * MANY
    outer = f"SELECT count(*), count(b.x) FROM {few} a LEFT JOIN m b ON a.x % 2 = b.one AND b.x >= 0"
    assert con.sql(outer).fetchall() == [(100 * MANY + 100, 100 * MANY)]
    assert looked_at.most <= 2**21


@pytest.fixture(scope="module", params=[1, 2])
def small(request: pytest.FixtureRequest) -> Iterator[Engines]:
    """Batches and pieces of few rows."""
    with pytest.MonkeyPatch.context() as patch:
        limited(patch, pairs=16, few_pairs=2, smallest_batch=8, first_batch=2)
        made = Engines(threads=request.param)
        made.register("l", pa.table({"a": [n * 7 % 10 for n in range(60)], "n": range(60)}))
        made.register(
            "r",
            pa.table({"a": [None if n % 9 == 0 else n * 3 % 13 for n in range(40)], "n": range(40), "s": ["x"] * 40}),
        )
        yield made
        made.close()


JOINS = [
    "SELECT l.n, r.n FROM l, r",
    "SELECT l.n, r.n FROM l JOIN r ON l.a = r.a",
    "SELECT l.n, r.n FROM l JOIN r ON l.a = r.a AND l.n < r.n",
    "SELECT l.n, r.n FROM l LEFT JOIN r ON l.a = r.a",
    "SELECT l.n, r.n FROM l LEFT JOIN r ON l.a = r.a AND l.n < r.n",
    "SELECT l.n, r.n FROM l RIGHT JOIN r ON l.a < r.a",
    "SELECT l.n, r.n FROM l FULL JOIN r ON l.a = r.a AND l.n < r.n",
    "SELECT l.n FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.n % 5 < l.a)",
    "SELECT l.n FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.a = l.a AND r.n > l.n)",
    "SELECT l.n FROM l WHERE a NOT IN (SELECT r.a FROM r WHERE r.n > l.n)",
    "SELECT l.n, l.a IN (SELECT r.a FROM r WHERE r.n < l.n) FROM l",
    "SELECT l.n, (l.a, 'x') IN (SELECT r.a, r.s FROM r WHERE r.n > 3) FROM l",
    "SELECT l.n, EXISTS (SELECT 1 FROM r WHERE r.n + l.n = 70) FROM l",
    "SELECT l.n, (SELECT r.n FROM r WHERE r.n = l.n + 3 AND r.s = 'x') FROM l",
    "SELECT l.n, r.n, k.n FROM l JOIN r ON l.a = r.a JOIN l k ON r.a <> k.a",
]


@pytest.mark.parametrize("query", JOINS)
def test_pieces_give_the_same_rows(small: Engines, query: str) -> None:
    small(f"{query} ORDER BY ALL")


@pytest.mark.parametrize("query", JOINS)
def test_limit_gives_the_first_rows(small: Engines, query: str) -> None:
    whole = small.tqp.sql(query).fetchall()
    for limit, offset in ((0, 0), (1, 0), (5, 0), (17, 4), (30, 20), (10_000, 3)):
        found = small.tqp.sql(f"{query} LIMIT {limit} OFFSET {offset}").fetchall()
        assert Counter(found) <= Counter(whole)
        assert len(found) == len(whole[offset : offset + limit])
        if "RIGHT" not in query and "FULL" not in query and "LEFT" not in query:
            assert found == whole[offset : offset + limit]


def test_what_is_not_needed_does_not_fail(small: Engines) -> None:
    """A search that is cut off leaves no row behind that only the uncut one would remove."""
    kept = "FROM l, r WHERE NOT EXISTS (SELECT 1 FROM r r2 WHERE l.n = 30 AND r2.n = 39)"
    found = small.tqp.sql(f"SELECT 100 // (l.n - 30) {kept} LIMIT 20").fetchall()
    assert found == [(trunc(100 / (n - 30)),) for (n,) in small.tqp.sql(f"SELECT l.n {kept}").fetchall()[:20]]
    small("SELECT count(*) FROM (SELECT (SELECT r.n FROM r WHERE r.n = l.n) FROM l)")
    with pytest.raises(ExecutionError, match="More than one row"):
        small.tqp.sql("SELECT (SELECT r.n FROM r WHERE r.n >= l.n) FROM l").fetchall()
