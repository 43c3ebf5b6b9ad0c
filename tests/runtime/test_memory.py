"""The memory limit: an error that names the step, and a connection that lives on."""

from __future__ import annotations

import pyarrow as pa
import pytest

import tqp
from tqp.errors import OutOfMemoryError


@pytest.mark.parametrize(
    ("query", "step"),
    [
        ("SELECT a FROM t ORDER BY b", "sort by b"),
        ("SELECT count(*) FROM t JOIN (SELECT DISTINCT a * b AS k FROM t) s ON t.a * 2 = s.k", "aggregate by|build on"),
        ("SELECT sum(a) OVER (ORDER BY b) FROM t", "window over .ORDER BY b.: sum_a = sum.a."),
        ("SELECT a * b, count(*) FROM t GROUP BY ALL", "aggregate by"),
    ],
)
def test_limit(query: str, step: str) -> None:
    rows = 20_000
    with tqp.connect(threads=1, memory_limit=20_000) as con:
        con.register("t", pa.table({"a": list(range(rows)), "b": [n * 7919 % rows for n in range(rows)]}))
        with pytest.raises(OutOfMemoryError, match=step) as caught:
            con.sql(query).fetchall()
        assert "20,000 allowed" in str(caught.value) and caught.value.hint and "memory_limit" in caught.value.hint
        assert con.sql("SELECT sum(a) FROM t WHERE a < 10").fetchall() == [(45,)]
