"""Joins without conditions of so many tables that the product of their rows is no number."""

from __future__ import annotations

import pytest

import tqp
from tqp.optimizer.cardinality import MOST_ROWS, estimate

_JOINED = ", ".join(f"h AS h{place}" for place in range(80))


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT h1.n, h2.n FROM {_JOINED}",
        f"SELECT h0.n, h1.n FROM {_JOINED} WHERE h0.n = h1.n AND h2.n > 5",
        f"SELECT h1.n, avg(DISTINCT h2.n), sum(DISTINCT h3.n + h1.n) FROM {_JOINED} GROUP BY h1.n",
    ],
)
def test_estimates_stay_finite(text: str) -> None:
    ours = tqp.connect(threads=1)
    ours.execute("CREATE TABLE h AS SELECT i AS n FROM range(20000) t(i)")
    query = ours.sql(text)
    assert 1 <= estimate(query._query.plan) <= MOST_ROWS and 1 <= estimate(query._query.optimized) <= MOST_ROWS
    assert "Scan h" in query.explain() and "pipeline" in query.explain("steps")
