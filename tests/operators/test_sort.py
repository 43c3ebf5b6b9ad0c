"""Sinks that order and cut rows; a LIMIT reads no more than it needs."""

from __future__ import annotations

import itertools
import random
from datetime import date
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
import torch

import tqp
from tests.engines import Engines
from tests.functions.columns import integers, texts, values
from tests.limits import limit
from tqp.config import Settings
from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.ir.expr import ColumnRef, SortKey
from tqp.kernels import sort
from tqp.operators.batch import Batch
from tqp.operators.bound import FirstKeyBound
from tqp.operators.keys import order_keys
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Run
from tqp.operators.sort import LimitSink
from tqp.types import BIGINT, DOUBLE, VARCHAR

ROWS = 2**20


def test_limit_sink_has_enough_as_soon_as_the_first_batches_do() -> None:
    run = Run(Settings())
    first, second = (Batch.of({"a": integers([1, 2, 3])}, 3, index) for index in range(2))
    sink = LimitSink(3, 2, ("a",)).prepare(
        run, Layouts(run.evaluator, lambda layouts: layouts.join({"a": integers([])}))
    )
    local = sink.local()
    sink.consume(local, second)
    sink.consume(local, second)
    # Rows of the first batch, should it have some, come before those of the second.
    assert not sink.has_enough(0) and sink.has_enough(1) and sink.has_enough(2)
    sink.consume(local, first)
    assert not sink.has_enough(0) and sink.has_enough(1)
    sink.consume(local, first)
    assert sink.has_enough(0)
    relation = sink.finish([local])
    assert relation.rows == 3 and values(relation.columns["a"]) == [3, 1, 2]


def test_limit_stops_early(both: Engines) -> None:
    """The division that would fail lies in a batch that no one needs."""
    both.register("t", pa.table({"text": [*(["1"] * (ROWS - 1)), "x"]}))
    with pytest.raises(ExecutionError, match="could not convert"):
        both.tqp.sql("SELECT sum((text || '0')::INTEGER) FROM t").fetchall()
    both.register("n", pa.table({"a": list(range(ROWS))}))
    query = "SELECT 1 // (a - 1000000) FROM n LIMIT {}"
    assert len(both.tqp.sql(query.format(5)).fetchall()) == 5


VALUES = {
    "i": (pa.int32(), [None, -3, -1, 0, 0, 2, 5]),
    "b": (pa.int64(), [None, 2**62, -(2**62), 0, 1]),
    "d": (pa.decimal128(12, 2), [None, Decimal("-1.25"), Decimal("0.00"), Decimal("7.50")]),
    "h": (pa.decimal128(38, 3), [None, Decimal(10**25), Decimal(-(10**25)), Decimal("0.001")]),
    "f": (pa.float64(), [None, float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 1.5, -2.5]),
    "s": (pa.string(), [None, "", "a", "Ab", "ä", "zz"]),
    "o": (pa.bool_(), [None, True, False]),
    "t": (pa.date32(), [None, date(2024, 2, 29), date(1969, 12, 31)]),
}


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("seed", range(10))
def test_random_top_rows(seed: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches leave out what lies behind the best rows of batches before: over NULLs, NaN, -0.0 and ties."""
    limit(monkeypatch, smallest_batch=7, batch_rows=11)
    rng = random.Random(seed)
    rows = rng.choice((1, 30, 120))
    table = {"id": pa.array(rng.sample(range(rows), rows))}
    table |= {
        name: pa.array([rng.choice(values) for _ in range(rows)], kind) for name, (kind, values) in VALUES.items()
    }
    both = Engines(threads=threads)
    try:
        both.register("t", pa.table(table))
        for first in VALUES:
            keys = [first, *rng.sample(list(VALUES), rng.randint(0, 2)), "id"]
            order = ", ".join(
                f"{key} {rng.choice(('ASC', 'DESC'))} NULLS {rng.choice(('FIRST', 'LAST'))}" for key in keys
            )
            cut = rng.choice(("LIMIT 1", "LIMIT 3", "LIMIT 4 OFFSET 3"))
            both(f"SELECT *, i + 1 AS j FROM t WHERE id % 7 > 0 ORDER BY {order} {cut}")
            both(f"SELECT id, s || 'x' AS x, f FROM t ORDER BY {first if first == 's' else 'i'} || 'y' DESC, id {cut}")
    finally:
        both.close()


@pytest.mark.parametrize(("descending", "nulls_first"), list(itertools.product((False, True), repeat=2)))
@pytest.mark.parametrize("kind", ["integers", "floats"])
def test_a_bound_leaves_out_what_comes_after_enough_rows(kind: str, descending: bool, nulls_first: bool) -> None:
    key = SortKey(ColumnRef("a", BIGINT if kind == "integers" else DOUBLE), descending, nulls_first)
    rng = np.random.default_rng(3)
    number = rng.integers(-(2**40), 2**40, ROWS // 8)
    data = torch.from_numpy(number if kind == "integers" else np.where(number % 50 == 0, np.nan, number / 8))
    column = Column(data, key.expr.dtype, torch.from_numpy(rng.random(ROWS // 8) > 1e-4))
    order = sort.argsort(order_keys(column, key))
    for wanted in (20, 5000):
        bound = FirstKeyBound(key, wanted)
        chosen = bound.candidates(column)
        # The first 20 may be NULL or NaN, which bound nothing.
        if chosen is not None:
            assert set(order[:wanted].tolist()) <= set(chosen.tolist()) and len(chosen) < ROWS // 16
        for rows in torch.arange(len(column)).split(3 * wanted // 2):
            bound.learn(column.take(rows))
        best = bound.candidates(column)
        # NULL and NaN bound nothing: those that come first are candidates beside as many others as are wanted.
        plain = torch.ones(len(column), dtype=torch.bool) if column.valid is None else column.valid & ~data.isnan()
        first = int((~plain[order[: len(order) // 2]]).sum())
        assert best is not None and set(order[:wanted].tolist()) <= set(best.tolist()) and len(best) == wanted + first
        bound.learn(column.take(order[-1:]))
        assert len(bound.candidates(column)) == len(best), "a worse row changes nothing"


def test_texts_are_bounded_within_their_dictionary() -> None:
    """Codes of another dictionary say nothing."""
    key = SortKey(ColumnRef("a", VARCHAR), False, False)
    bound = FirstKeyBound(key, 1)
    bound.learn(texts(["b", "c"]))
    assert bound.candidates(texts(["a", "b"])) is None


@pytest.mark.parametrize("order", ["a, n", "a DESC NULLS LAST, n", "s NULLS FIRST, n DESC", "d, n", "a + n, s, n"])
@pytest.mark.parametrize("cut", ["", "LIMIT 7", "LIMIT 7 OFFSET 5", "LIMIT 0", "OFFSET 95"])
def test_order(both: Engines, order: str, cut: str) -> None:
    numbers = range(100)
    both.register("t", pa.table({
        "n": list(numbers),
        "a": [None if n % 9 == 0 else n * 37 % 11 for n in numbers],
        "s": [None if n % 8 == 0 else f"s{n * 13 % 17}" for n in numbers],
        "d": [float("nan") if n % 6 == 0 else n * 31 % 19 / 4 - 2 for n in numbers],
    }))  # fmt: skip
    both(f"SELECT n, a, s, d FROM t ORDER BY {order} {cut}")


def test_the_first_of_structs_that_were_made_in_batches() -> None:
    """Where a struct lies says nothing about its order: rows are not left out by that."""
    with tqp.connect(threads=2) as con:
        con.execute(
            "CREATE TABLE t AS SELECT i, {'a': CASE WHEN i % 3 > 0 THEN i % 7 END, 'b': CASE WHEN i < 200000 THEN 'z' ELSE 'y' END} AS r"
            " FROM range(600000) s(i)"
        )
        made = "SELECT CASE WHEN i % 2 = 0 THEN r ELSE {'a': 6, 'b': 'q' || (i % 9)} END AS x FROM t"
        for _ in range(8):
            assert con.sql(f"{made} ORDER BY x DESC LIMIT 3").fetchall() == [({"a": None, "b": "z"},)] * 3
