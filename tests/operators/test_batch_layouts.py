"""Aggregates whose batches differ in layout: their own dictionaries, their own widths."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import pyarrow as pa
import pytest

import tqp
from tqp.verify.compare import compare

VALUES = [1, 40, 3, 3, 200, -128, 7, 30_000, None, -2_000_000_000, 5, 12, None, None, 99, 2**40, -(2**62), 4]


@pytest.mark.parametrize("batch_rows", [1, 2, 5])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "value",
    [
        "v::VARCHAR",
        "(v::VARCHAR)::BIGINT",
        "(v::VARCHAR)::HUGEINT * 4611686018427387904",
        "TRY_CAST(v::VARCHAR AS TINYINT)",
        "NULL",
    ],
)
@pytest.mark.parametrize("group", ["", " GROUP BY k"])
def test_extremes_over_all_batches(value: str, group: str, threads: int, batch_rows: int) -> None:
    table = pa.table({"v": pa.array(VALUES, pa.int64()), "k": [row % 3 for row in range(len(VALUES))]})
    connection = tqp.connect(threads=threads).register("t", table)
    connection.settings = replace(connection.settings, batch_rows=batch_rows)
    query = f"SELECT min({value}) AS low, max({value}) AS high, any_value({value}) IS NULL AS none FROM t{group}"
    oracle = duckdb.connect()
    oracle.register("t", table)
    assert compare(connection.sql(query).arrow(), oracle.sql(query).to_arrow_table()) is None
