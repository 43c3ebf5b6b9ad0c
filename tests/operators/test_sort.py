"""Sinks that order and cut rows; a LIMIT reads no more than it needs."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.engines import Engines
from tests.functions.columns import integers, values
from tqp.config import Settings
from tqp.errors import ExecutionError
from tqp.operators.batch import Batch
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Run
from tqp.operators.sort import LimitSink

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
