"""`sum` and `avg` of arrays of floats, which DuckDB refuses: element by element, as NumPy adds."""

from __future__ import annotations

import numpy as np
import pytest

import tqp
from tqp.errors import BindError

ROWS, WIDTH = 3000, 5
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(ROWS, WIDTH)).astype(np.float32)
GROUPS = RANDOM.integers(0, 7, ROWS)
LACKS = (RANDOM.random(ROWS) < 0.1) | (GROUPS == 6)


@pytest.fixture(scope="module", params=[1, 2])
def con(request: pytest.FixtureRequest) -> tqp.Connection:
    made = tqp.connect(threads=request.param)
    masked = np.ma.MaskedArray(X, np.repeat(LACKS[:, None], WIDTH, 1))
    made.register(
        "t",
        {"id": np.arange(ROWS), "g": GROUPS, "v": masked, "d": X.astype(np.float64), "i": np.ones((ROWS, 2), np.int32)},
    )
    return made


def test_of_all_and_of_groups(con: tqp.Connection) -> None:
    found = con.sql("SELECT sum(v), avg(v), sum(d), avg(d) FILTER (WHERE id < 10) FROM t")
    assert [str(kind) for kind in found.types] == [f"DOUBLE[{WIDTH}]"] * 4
    ((total, mean, wide, few),) = found.fetchall()
    known = X[~LACKS].astype(np.float64)
    np.testing.assert_allclose(total, known.sum(0), rtol=1e-9)
    np.testing.assert_allclose(mean, known.mean(0), rtol=1e-9)
    np.testing.assert_allclose(wide, X.astype(np.float64).sum(0), rtol=1e-9)
    np.testing.assert_allclose(few, X[:10].astype(np.float64).mean(0), rtol=1e-9)
    groups = con.sql("SELECT g, sum(v), avg(v), count(v) FROM t GROUP BY g ORDER BY g").fetchall()
    assert groups[6] == (6, None, None, 0)
    for group, total, mean, count in groups[:6]:
        own = X[(group == GROUPS) & ~LACKS].astype(np.float64)
        assert count == len(own)
        np.testing.assert_allclose(total, own.sum(0), rtol=1e-9)
        np.testing.assert_allclose(mean, own.mean(0), rtol=1e-9)


def test_of_no_rows_windows_and_distinct(con: tqp.Connection) -> None:
    assert con.sql("SELECT sum(v), avg(v) FROM t WHERE id < 0").fetchall() == [(None, None)]
    query = "SELECT sum(d) OVER w, avg(d) OVER w FROM t WINDOW w AS (ORDER BY id ROWS 2 PRECEDING) ORDER BY id LIMIT 3"
    wide = X[:3].astype(np.float64)
    for row, (total, mean) in enumerate(con.sql(query).fetchall()):
        np.testing.assert_allclose(total, wide[: row + 1].sum(0), rtol=1e-9)
        np.testing.assert_allclose(mean, wide[: row + 1].mean(0), rtol=1e-9)
    twice = con.sql("SELECT sum(DISTINCT v) FROM (SELECT [1, 2]::FLOAT[2] AS v FROM range(3))").fetchall()
    assert twice == [((1.0, 2.0),)]
    assert con.sql("SELECT avg(v) FROM (VALUES ([1, 2]::DOUBLE[2]), ([3, 6]::DOUBLE[2])) s(v)").fetchall() == [
        ((2.0, 4.0),)
    ]
    joined = "SELECT t.g, sum(d)[1] FROM t JOIN range(2) r(k) ON r.k < 2 GROUP BY t.g ORDER BY t.g"
    for group, total in con.sql(joined).fetchall():
        assert total == pytest.approx(2 * X[group == GROUPS, 0].astype(np.float64).sum())
    sets = con.sql("SELECT g, sum(d)[1] FROM t GROUP BY ROLLUP (g) ORDER BY g NULLS LAST").fetchall()
    assert sets[-1][1] == pytest.approx(X[:, 0].astype(np.float64).sum())


@pytest.mark.parametrize("call", ["sum(i)", "avg(i)", "sum([1.0, 2.0])", "sum(v, v)"])
def test_what_is_refused(con: tqp.Connection, call: str) -> None:
    with pytest.raises(BindError):
        con.sql(f"SELECT {call} FROM t")
