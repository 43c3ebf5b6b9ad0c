"""The compiled backend gives the eager one's answers, on the rows it takes and on those it leaves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

import tqp
from tqp.errors import BindError, InternalError
from tqp.runtime import compile as fused
from tqp.runtime import masked

ROWS = 600_000
FUSED = [
    "SELECT sum(a * b), count(*), count(a) FROM t WHERE d BETWEEN 2 AND 7 AND a < 90",
    "SELECT g, h, sum(a), sum(a * (100 - b)), avg(b), count(*), count(a), sum(f) FROM t WHERE b > 5 GROUP BY g, h ORDER BY g, h",
    "SELECT g, sum(a) FROM t WHERE b > 1000 GROUP BY g ORDER BY g",
]  # fmt: skip
NOT_FUSED = [
    "SELECT g, min(a), max(b) FROM t GROUP BY g ORDER BY g",
    "SELECT d, b, sum(a) FROM t GROUP BY d, b ORDER BY d, b",
    "SELECT a, b FROM t WHERE a = 3 AND b = 4 ORDER BY d, f LIMIT 10",
]


@pytest.fixture(scope="module")
def table() -> pa.Table:
    random = np.random.default_rng(3)
    rows = np.arange(ROWS)
    return pa.table({
        "a": pa.array(random.integers(-100, 100, ROWS), mask=rows % 17 == 0),
        "b": random.integers(0, 50, ROWS),
        "d": pa.array(random.integers(0, 10, ROWS).astype("int16"), mask=rows % 23 == 0),
        "f": random.integers(0, 1000, ROWS) / 8,
        "g": pa.array(random.choice(np.array(["x", "y", "z"]), ROWS), mask=rows % 29 == 0),
        "h": random.integers(0, 2, ROWS) == 1,
    })  # fmt: skip


@pytest.fixture(scope="module")
def connections(table: pa.Table) -> Iterator[tuple[tqp.Connection, tqp.Connection]]:
    with tqp.connect(threads=2) as eager, tqp.connect(threads=2, backend="compile") as compiled:
        eager.register("t", table)
        compiled.register("t", table)
        yield eager, compiled


@pytest.mark.parametrize("query", [*FUSED, *NOT_FUSED])
def test_compile_equals_eager(
    connections: tuple[tqp.Connection, tqp.Connection], query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []
    locals = fused.FusedAggregation.locals
    monkeypatch.setattr(
        fused.FusedAggregation, "locals", lambda self, *args: (taken.append(self.rows), locals(self, *args))[1]
    )
    eager, compiled = connections
    # Numbers are multiples of 1/8: sums of them are exact in any order.
    expected = eager.sql(query).fetchall()
    assert compiled.sql(query).fetchall() == expected
    assert compiled.sql(query).fetchall() == expected
    assert taken == ([2 * 2**18] * 2 if query in FUSED else [])


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("SELECT g, min(a), max(b) FROM t GROUP BY g", "min is not compiled"),
        ("SELECT d, b, sum(a) FROM t GROUP BY d, b", "groups, more than 16"),
        ("SELECT a FROM t WHERE a = 3 LIMIT 10", "it does not end in an aggregation by few groups"),
        ("SELECT count(*) FROM t JOIN t u ON t.a = u.b WHERE u.d = 3 AND u.h AND u.f < 1", "it joins"),
        ("SELECT count(f::BIGINT * 3) FROM t", "a value out of range is an error"),
        ("SELECT sum(x) FROM (VALUES (1), (2)) v(x)", "it does not read a stored table"),
        ("SELECT sum(a) FROM (SELECT a FROM t LIMIT 7)", "it does not read a stored table"),
        ("SELECT count(*), sum(n) FROM few", "fewer than 262,144 rows"),
        ("SELECT count(array_distance(v, [1, 2])) FROM arrays", "a column holds more than a number a row"),
    ],
)
def test_why_not(connections: tuple[tqp.Connection, tqp.Connection], query: str, why: str) -> None:
    eager, compiled = connections
    for connection in connections:
        connection.register("few", pa.table({"n": range(10)}))
        connection.register("arrays", {"v": np.zeros((ROWS, 2), np.float32)})
    said = compiled.sql(query).explain(True)
    assert "not compiled: " in said and why in said
    assert why in compiled.sql(query).explain(True)  # the reason is kept
    assert "compiled" not in eager.sql(query).explain(True)


def test_bugs_are_not_hidden(table: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise InternalError("a bug")

    with tqp.connect(threads=2, backend="compile") as con:
        con.register("t", table)
        with monkeypatch.context() as patch, pytest.raises(InternalError, match="a bug"):
            patch.setattr(masked.Masked, "partials", broken)
            con.sql("SELECT sum(b) FROM t").fetchall()
        assert con.sql("SELECT sum(b) FROM t").fetchone() == (sum(table.column("b").to_pylist()),)


def test_unknown_backend() -> None:
    with pytest.raises(BindError, match="magic") as caught:
        tqp.connect(backend="magic").sql("SELECT 1").fetchall()
    assert caught.value.hint and "compile" in caught.value.hint
