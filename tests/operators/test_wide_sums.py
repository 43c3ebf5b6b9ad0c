"""Sums near the ends of 128 bits, of one batch and of several: right or refused, but never wrapped."""

from __future__ import annotations

import duckdb
import pytest

import tqp
from tqp.errors import ExecutionError

GREATEST = 2**127 - 1


def _connection(rows: list[tuple[int, int | None]], batch_rows: int, threads: int) -> tqp.Connection:
    con = tqp.connect(threads=threads)
    con.execute(f"SET batch_rows = {batch_rows}")
    con.execute("CREATE TABLE t (k INTEGER, v HUGEINT)")
    for k, v in rows:
        con.execute("INSERT INTO t VALUES (?, ?)", [k, v])
    return con


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch_rows", [1, 2, 100])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT sum(v) FROM t",
        "SELECT avg(v) FROM t",
        "SELECT k, sum(v) FROM t GROUP BY k",
        "SELECT k % 2, sum(v) FROM t GROUP BY ALL",
        "SELECT k, sum(v) FROM t GROUP BY ROLLUP (k)",
        "SELECT sum(v::DECIMAL(38, 0)) FROM t, range(4)",
    ],
)
def test_a_sum_beyond_128_bits_is_refused(query: str, sign: int, batch_rows: int, threads: int) -> None:
    top = 10**38 - 1 if "DECIMAL" in query else GREATEST
    con = _connection([(1, sign * top), (2, 5), (1, sign * 3), (3, None), (1, sign * 4)], batch_rows, threads)
    with pytest.raises(ExecutionError, match="128-bit|overflow"):
        con.sql(query).fetchall()
    con.close()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch_rows", [1, 2, 100])
def test_a_sum_that_ends_at_the_greatest_number(batch_rows: int, threads: int) -> None:
    rows = [(1, GREATEST - 7), (2, -GREATEST), (1, 3), (2, None), (2, -1), (1, 4)]
    con = _connection(rows, batch_rows, threads)
    found = con.sql("SELECT k, sum(v), avg(v), sum(v) FILTER (v < 0) FROM t GROUP BY k ORDER BY k").fetchall()
    assert [row[:2] for row in found] == [(1, GREATEST), (2, -GREATEST - 1)]
    oracle = duckdb.connect()
    oracle.execute("CREATE TABLE t (k INTEGER, v HUGEINT)")
    oracle.executemany("INSERT INTO t VALUES (?, ?)", rows)
    query = "SELECT k, sum(v), avg(v), sum(v) FILTER (v < 0) FROM t GROUP BY k ORDER BY k"
    assert found == oracle.sql(query).fetchall()
    con.close()
