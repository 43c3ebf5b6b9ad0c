"""Text that hardly repeats is an unsorted dictionary: what is grouped, compared, ordered and put together of it, as DuckDB does."""

from __future__ import annotations

import random
from collections.abc import Iterator

import duckdb
import pyarrow as pa
import pytest

import tqp
from tests.limits import limit
from tqp.data import dictionary
from tqp.io import text
from tqp.operators.evaluate import Evaluator

_ROWS = 400


def _texts(rng: random.Random, rows: int) -> list[str | None]:
    """Strings of which some repeat: empty ones, with zeros in them, with characters of several bytes; and NULLs."""

    def one() -> str | None:
        number = rng.randrange(260)
        known = [f"https://\u00e9.x/{number}", f"p{number}", "", "a\0b", f"\u65e5\u672c{number % 200}"]
        return rng.choice([None, *known * 4])

    return [one() for _ in range(rows)]


def _tables() -> dict[str, pa.Table]:
    rng = random.Random(3)
    return {
        "t": pa.table(
            {
                "i": range(_ROWS),
                "g": [rng.randrange(9) for _ in range(_ROWS)],
                "s": _texts(rng, _ROWS),
                "u": _texts(rng, _ROWS),
                "f": [rng.choice("xyz") for _ in range(_ROWS)],
            }
        ),
        "r": pa.table({"k": range(0, _ROWS, 3), "s": _texts(rng, len(range(0, _ROWS, 3)))}),
    }


QUERIES = (
    "SELECT s, count(*) FROM t GROUP BY s",
    "SELECT min(s), max(s), min(u) FROM t",
    "SELECT g, min(s), max(u) FROM t WHERE i < 50 GROUP BY g",
    "SELECT g, min(s), max(u) FROM t GROUP BY g",
    "SELECT g, f, min(s) FROM t WHERE i % 40 = 0 GROUP BY ROLLUP (g, f)",
    "SELECT i, min(s) FROM t WHERE i < 77 GROUP BY i",
    "SELECT s FROM t WHERE i < 40 ORDER BY s DESC NULLS FIRST, i LIMIT 9",
    "SELECT s, i FROM t ORDER BY s, i LIMIT 9",
    "SELECT s, i FROM t ORDER BY s, i",
    "SELECT g, s FROM t ORDER BY g, s DESC LIMIT 12",
    "SELECT DISTINCT s FROM t",
    "SELECT s FROM t UNION SELECT s FROM r",
    "SELECT s FROM t INTERSECT SELECT u FROM t",
    "SELECT s FROM t EXCEPT ALL SELECT s FROM r",
    "SELECT count(*) FROM t JOIN r ON t.s = r.s",
    "SELECT count(*) FROM t a JOIN t b ON a.s = b.u AND a.g = b.g",
    "SELECT count(*) FROM t WHERE s IN (SELECT s FROM r WHERE s IS NOT NULL)",
    "SELECT CASE WHEN g = 1 THEN s ELSE '' END AS x, count(*) FROM t GROUP BY x",
    "SELECT CASE WHEN g = 1 THEN s ELSE 'nowhere' END AS x, u, count(*) FROM t GROUP BY x, u",
    "SELECT CASE WHEN g = 1 THEN s WHEN g = 2 THEN u ELSE f END AS x, min(u), count(*) FROM t GROUP BY x",
    "SELECT CASE WHEN g = 1 THEN s WHEN g = 2 THEN u END AS x, count(*) FROM t GROUP BY x",
    "SELECT CASE WHEN g = 1 THEN 'a' WHEN g = 2 THEN 'b' WHEN g < 5 THEN NULL ELSE 'c' END AS x, count(*) FROM t GROUP BY x",
    "SELECT CASE WHEN g = 1 THEN f ELSE 'ya' END AS x, max(CASE WHEN g = 1 THEN f ELSE 'ya' END), count(*) FROM t GROUP BY x",
    "SELECT coalesce(s, u, 'none') AS x, count(*) FROM t GROUP BY x",
    "SELECT coalesce(s, 'none') AS x, count(*) FROM t GROUP BY x ORDER BY x LIMIT 5",
    "SELECT nullif(s, '') AS x, count(DISTINCT u) FROM t GROUP BY x",
    "SELECT greatest(s, u, 'm') AS x, least(s, f) AS y, count(*) FROM t GROUP BY ALL",
    "SELECT arg_min(s, u), arg_max(i, u), arg_min(u, s) FROM t WHERE i < 30",
    "SELECT g, arg_max(s, u) FROM t GROUP BY g",
    "SELECT i, rank() OVER (PARTITION BY g ORDER BY s) AS k, min(s) OVER (PARTITION BY g ORDER BY i) AS m, first_value(u) OVER (ORDER BY s, i) FROM t WHERE i < 60",
    "SELECT i, rank() OVER (PARTITION BY s ORDER BY u) AS k, max(s) OVER (PARTITION BY u) AS m FROM t",
    "SELECT min(s || 'x'), max(upper(u)) FROM t",
    "SELECT f, min(upper(s)), count(DISTINCT lower(u)) FROM t GROUP BY f",
    "SELECT lower(s) AS x, count(*) FROM t GROUP BY x",
    "SELECT s FROM t WHERE g < 4 UNION ALL SELECT f FROM t",
    "SELECT x, count(*) FROM (SELECT s AS x FROM t UNION ALL SELECT u FROM t UNION ALL SELECT 'const' FROM t) GROUP BY x",
    "SELECT s = u, count(*) FROM t GROUP BY ALL",
    "SELECT CASE WHEN g / (i - 5) > 1 THEN s ELSE 'zz' END AS x, count(*) FROM t WHERE i <> 5 GROUP BY x",
    "SELECT CASE WHEN g = 1 THEN s ELSE CAST(CAST('1' || f AS VARCHAR) AS VARCHAR) END AS x, count(*) FROM t GROUP BY x",
    "SELECT CASE WHEN i > 6 THEN 'k' ELSE s END AS x, min(CASE WHEN i > 6 THEN 'k' ELSE s END) FROM t GROUP BY x",
    "SELECT CASE WHEN CAST(CASE WHEN i > 6 THEN '1' ELSE f END AS VARCHAR) = '1' THEN 'k' ELSE s END AS x, count(*) FROM t GROUP BY x",
    "SELECT first(s ORDER BY u, i) FROM t",
)


@pytest.fixture(scope="module", params=["ranked piecemeal", "ranked at once"])
def engines(request: pytest.FixtureRequest) -> Iterator[tuple[tqp.Connection, duckdb.DuckDBPyConnection]]:
    with pytest.MonkeyPatch.context() as patch, tqp.connect(threads=2) as con, duckdb.connect() as oracle:
        patch.setattr(text, "is_near_unique", lambda array: not pa.types.is_dictionary(array.type) and len(array) > 10)
        patch.setattr(dictionary, "_SMALL", 0 if request.param == "ranked piecemeal" else 10**9)
        patch.setattr(dictionary, "_SHARE", 1)
        for name, table in _tables().items():
            con.register(name, table)
            oracle.register(name, table)
            stored = con.catalog.lookup(name)
            assert stored is not None
            strings = stored.column("s").dictionary
            assert strings is not None and not strings.is_sorted and strings.firsts() is not None
        yield con, oracle


@pytest.mark.parametrize("query", QUERIES)
def test_as_duckdb(engines: tuple[tqp.Connection, duckdb.DuckDBPyConnection], query: str) -> None:
    con, oracle = engines
    found, wanted = con.sql(query).fetchall(), oracle.execute(query).fetchall()
    if " LIMIT " not in query:
        found, wanted = (sorted(rows, key=lambda row: [(x is None, str(x)) for x in row]) for rows in (found, wanted))
    assert found == wanted


@pytest.mark.parametrize(
    ("query", "is_ranked"),
    [
        ("SELECT s, count(*) FROM t GROUP BY s", False),
        ("SELECT DISTINCT s, u FROM t", False),
        ("SELECT count(*) FROM t JOIN r ON t.s = r.s", False),
        ("SELECT s FROM t INTERSECT SELECT s FROM r", False),
        ("SELECT CASE WHEN g = 1 THEN s ELSE 'x' END AS x, count(*) FROM t GROUP BY x", False),
        ("SELECT min(s), arg_max(i, s) FROM t WHERE i % 40 = 0", False),
        ("SELECT g, max(s) FROM t WHERE i % 40 = 0 GROUP BY g", False),
        ("SELECT s, rank() OVER (ORDER BY s) FROM t WHERE i % 40 = 0 ORDER BY s", False),
        ("SELECT min(s) FROM t", True),
        ("SELECT i FROM t ORDER BY s", True),
    ],
)
def test_all_strings_are_ranked_only_where_most_are_ordered(
    monkeypatch: pytest.MonkeyPatch, query: str, is_ranked: bool
) -> None:
    monkeypatch.setattr(
        text, "is_near_unique", lambda array: not pa.types.is_dictionary(array.type) and len(array) > 10
    )
    monkeypatch.setattr(dictionary, "_SMALL", 0)
    monkeypatch.setattr(dictionary, "_SHARE", 4)
    with tqp.connect(threads=2) as con:
        for name, table in _tables().items():
            con.register(name, table)
        stored = con.catalog.lookup("t")
        assert stored is not None
        strings = stored.column("s").dictionary
        assert strings is not None and not strings.is_sorted
        con.sql(query).fetchall()
        assert (strings._ranked is not None) == is_ranked


@pytest.mark.host_only("an accelerator computes one condition for the rows of all")
@pytest.mark.parametrize(
    ("query", "entries"),
    [
        ("SELECT count(*) FROM t WHERE i % 9 = 0 AND s LIKE '%7%'", 0),
        ("SELECT count(*) FROM t WHERE i % 9 = 0 AND NOT contains(s, '7')", 0),
        ("SELECT count(*) FROM t WHERE s LIKE '%7%'", 1),
        ("SELECT count(*) FROM t WHERE i % 9 = 0 AND upper(s) = 'P7'", 0),
        ("SELECT count(*) FROM t WHERE upper(s) = 'P7'", 1),
        ("SELECT lower(s), length(u) FROM t WHERE i % 9 = 0 ORDER BY i", 0),
        ("SELECT sum(length(s)) FROM t WHERE i % 9 = 0 AND i < 9999", 0),
        ("SELECT upper(s) AS x, count(*) FROM t WHERE i = 9 GROUP BY x", 0),
        ("SELECT max(upper(s)), count(DISTINCT lower(u)) FROM t WHERE i = 9", 0),
        ("SELECT upper(s) AS x, count(*) FROM t WHERE i > 9 GROUP BY x ORDER BY x", 1),
    ],
)
def test_conditions_on_few_rows_are_for_their_strings_alone(
    monkeypatch: pytest.MonkeyPatch, query: str, entries: int
) -> None:
    table = _tables()["t"]
    found: list[object] = []
    one = Evaluator._for_entries
    monkeypatch.setattr(Evaluator, "_for_entries", lambda self, *args: found.append(args) or one(self, *args))
    limit(monkeypatch, entries_at_once=0)
    monkeypatch.setattr(text, "is_near_unique", lambda array: False)
    with tqp.connect(threads=1) as con, duckdb.connect() as oracle:
        con.register("t", table)
        oracle.register("t", table)
        assert con.sql(query).fetchall() == oracle.execute(query).fetchall()
    assert (len(found) > 0) == (entries > 0)
