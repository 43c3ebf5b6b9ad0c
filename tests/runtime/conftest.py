"""A table with a column of each kind, so long that pipelines over it are compiled; and DuckDB with it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from tqp.runtime import rowloops

ROWS = 2**18 + 1000
WORDS = ["", "apple", "apricot", "banana", "cherry", "damson", "Elder", "fig"]


@pytest.fixture(scope="module")
def table() -> pa.Table:
    random = np.random.default_rng(11)
    rows = np.arange(ROWS)

    def column(values: Any, every: int, dtype: pa.DataType | None = None) -> pa.Array:
        return pa.array(values, dtype, mask=None if every == 0 else rows % every == 0)

    floats = random.integers(-80, 80, ROWS) / 8
    floats[rows % 37 == 0] = np.nan
    return pa.table({
        "t": column(random.integers(-120, 120, ROWS).astype("int8"), 0),
        "i": column(random.integers(-30_000, 30_000, ROWS).astype("int32"), 19),
        "b": column(random.integers(-(2**40), 2**40, ROWS), 23),
        "m": column([Decimal(int(n)).scaleb(-2) for n in random.integers(-9999, 9999, ROWS)], 31, pa.decimal128(12, 2)),
        "d": column(random.integers(8000, 10_000, ROWS).astype("datetime64[D]"), 17),
        "s": column(random.integers(10**15, 10**15 + 10**12, ROWS).astype("datetime64[us]"), 0),
        "f": column(floats, 13),
        "o": column(random.integers(0, 2, ROWS) == 1, 7),
        "w": column(random.choice(np.array(WORDS), ROWS), 11),
        "g": column(random.integers(0, 4, ROWS).astype("int8"), 0),
    })  # fmt: skip


@pytest.fixture(scope="module")
def oracle(table: pa.Table) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as con:
        con.register("arrow", table)
        con.execute("CREATE TABLE t AS FROM arrow")
        yield con


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows of each run of a loop."""
    found: list[int] = []
    run = rowloops.LoopAggregation.locals

    def noted(self: rowloops.LoopAggregation, *args: Any) -> Any:
        found.append(self.rows)
        return run(self, *args)

    monkeypatch.setattr(rowloops.LoopAggregation, "locals", noted)
    return found
