"""Parts of lists, structs and divided texts are read without them: the same answers, the same errors."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from tests.engines import Engines
from tqp.errors import ExecutionError


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    rows = range(200)
    table = pa.table({
        "k": pa.array([n % 3 for n in rows], pa.int8()),
        "a": pa.array([None if n % 7 == 0 else n for n in rows], pa.int32()),
        "b": pa.array([n * n for n in rows], pa.int64()),
        "d": pa.array([n / 4 for n in rows]),
        "s": pa.array([None if n % 5 == 0 else f"{n},{n % 4},x" for n in rows]),
        "word": pa.array([str(n) if n != 150 else "no number" for n in rows]),
    })  # fmt: skip
    both = Engines({"t": table})
    yield both
    both.close()


SEEN = [
    "SELECT sum(len(l)), sum(l[2]), count(l[1]), count(*) FROM (SELECT [a, b] AS l FROM t WHERE k <> 1)",
    "SELECT l[1], l[-1], l[0], l[3], l[-3], len(l), b FROM (SELECT [b, a, 7] AS l, b FROM t) ORDER BY b",
    "SELECT k, sum(l[1]) FROM (SELECT k, [a, k] AS l FROM t) GROUP BY k ORDER BY k",
    "SELECT s.y, sum(s.x), count(*) FROM (SELECT {'x': a, 'y': k} AS s FROM t) GROUP BY s.y ORDER BY s.y",
    "SELECT count(s.x) FROM (SELECT {'x': a, 'y': k} AS s FROM t) WHERE s.y = 2",
    "SELECT count(s) FROM (SELECT {'x': a, 'y': k} AS s FROM t) WHERE s.y = 2",
    "SELECT l FROM (SELECT [a, k] AS l FROM t) WHERE l[2] = 2 ORDER BY l",
    "SELECT l[1] FROM (SELECT l FROM (SELECT [b, a] AS l FROM t) ORDER BY l[1] DESC LIMIT 3) ORDER BY 1",
    "SELECT p[1] AS x, p[2] AS y, count(*) FROM (SELECT string_split(s, ',') AS p FROM t) GROUP BY ALL ORDER BY ALL",
    "SELECT l[1] AS x, l FROM (SELECT [b, a] AS l FROM t) ORDER BY x",
    "SELECT sum(x), sum(y) FROM (SELECT l[1] AS x, l[2] AS y FROM (SELECT [a, b] AS l FROM t)) WHERE x > 3",
    "SELECT l[1] FROM (SELECT [b, a] AS l FROM t WHERE a > 1000)",
]
MADE = [
    "SELECT l[k], b FROM (SELECT [b, a] AS l, k, b FROM t) ORDER BY b",
    "SELECT list_sum(l) FROM (SELECT [b, a] AS l FROM t) ORDER BY 1",
    "SELECT l[1] FROM (SELECT [a, b] AS l FROM t UNION ALL SELECT [1]) ORDER BY 1",
    "SELECT len(l) FROM (SELECT list(a) AS l FROM t GROUP BY k) ORDER BY 1",
    "SELECT l[2] FROM (SELECT [a + 1, k] AS l FROM t) ORDER BY 1",
    "SELECT l[1] BETWEEN 0 AND 1 FROM (SELECT [random(), d] AS l FROM t)",
]


@pytest.mark.parametrize("query", SEEN)
def test_seen_through(engines: Engines, query: str) -> None:
    engines(query)
    assert "see_through" in engines.tqp.sql(query).explain()


@pytest.mark.parametrize("query", MADE)
def test_made(engines: Engines, query: str) -> None:
    engines(query)
    assert "see_through" not in engines.tqp.sql(query).explain()


def test_no_list_is_made_for_its_parts(engines: Engines) -> None:
    shown = engines.tqp.sql(SEEN[0]).explain()
    assert "list_value" not in shown
    assert "sum(2)" in shown


@pytest.mark.parametrize("made", ["[b, word::INTEGER]", "{'x': b, 'y': word::INTEGER}"])
def test_what_fails_goes_on_failing(engines: Engines, made: str) -> None:
    """Elements that nobody asks for are computed where that may fail, as in DuckDB."""
    part = "[1]" if made.startswith("[") else ".x"
    query = f"SELECT sum(l{part}) FROM (SELECT {made} AS l FROM t)"
    with pytest.raises(ExecutionError):
        engines.tqp.sql(query).arrow()


def test_plans_serve_other_places(engines: Engines) -> None:
    for place in (1, 2, 3, -1, 0):
        engines(f"SELECT sum(l[{place}]) FROM (SELECT [a, b] AS l FROM t)")
