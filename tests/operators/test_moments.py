"""Moments of groups over several batches: DuckDB's answer, by one worker or two, with rows that are NULL or filtered out."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tests.engines import Engines
from tests.limits import limit

ROWS = 5_000


def _table() -> pa.Table:
    random = np.random.default_rng(3)
    x, y = random.normal(3, 2, ROWS), random.normal(-1, 5, ROWS)
    return pa.table(
        {
            "k": pa.array(random.integers(0, 7, ROWS)),
            "many": pa.array(random.integers(0, 2**40, ROWS) // 2**30),
            "x": pa.array(x, mask=random.integers(0, 5, ROWS) == 0),
            "y": pa.array(y),
            "same": pa.array(np.full(ROWS, 0.1)),
            "i": pa.array(random.integers(-1000, 1000, ROWS)),
        }
    )


CALLS = [
    "corr(x, y), corr(y, x), covar_samp(y, i), regr_slope(y, x), regr_r2(x, i), regr_count(x, y), regr_intercept(i, y)",
    "skewness(x), kurtosis(y), kurtosis_pop(i), skewness(same), stddev(same)",
    "stddev(x), var_pop(y), sem(i), variance(x) FILTER (y > 0), corr(x, y) FILTER (i > 0), skewness(y) FILTER (i > 5000)",
]


@pytest.mark.parametrize("threads", [1, 2])
def test_answers(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, batch_rows=900, smallest_batch=100)
    engines = Engines({"t": _table(), "none": _table().slice(0, 0), "one": _table().slice(0, 1)}, threads=threads)
    for calls in CALLS:
        for table in ("t", "none", "one"):
            for keys in ("k", "many", "CASE WHEN k > 2 THEN k END", "i"):
                engines(f"SELECT {keys} AS g, {calls} FROM {table} GROUP BY g")
            engines(f"SELECT {calls} FROM {table}")
    engines.close()
