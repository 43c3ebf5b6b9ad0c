"""Rounds of a recursion that are computed row by row, beside DuckDB and beside tensors."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pyarrow as pa
import pytest

import tqp
from tests.limits import limit
from tqp.errors import ExecutionError, QueryTimeoutError
from tqp.runtime.rowrounds import RowRounds

pytestmark = pytest.mark.host_only("on an accelerator all rounds are tensors'")

_ROWS = 600
_TABLE = f"""
    SELECT i AS f, i + 1 AS t, i % 7 AS w, CASE WHEN i % 5 = 0 THEN NULL ELSE i % 11 END AS nw, 'n' || i AS from_name,
        CASE WHEN i % 50 = 17 THEN NULL ELSE 'n' || (i + 1) END AS to_name, i // 25 AS a, i % 25 AS b, (i + 1) // 25 AS a2,
        (i + 1) % 25 AS b2, i * 0.5::DOUBLE AS x, i * 1_000_000_007 % 9_000_000_000_000 AS far, i % 3 = 0 AS third
    FROM range({_ROWS}) r(i)
    UNION ALL SELECT i * 3, 0, 1, 2, 'n' || (i * 3), 'n0', i * 3 // 25, i * 3 % 25, 0, 0, 1.5, i, true FROM range({_ROWS // 3}) r(i)
"""


def _walk(
    columns: str, seed: str, step: str, condition: str = "g.t > 0", union: str = "UNION ALL", key: str = "g.f = r.n"
) -> str:
    return (
        f"WITH RECURSIVE r({columns}) AS (SELECT {seed} {union} SELECT {step} FROM r JOIN g ON {key} WHERE {condition})"
        " FROM r ORDER BY ALL"
    )


WRITTEN = [
    _walk("n, d", "3, 0", "g.t, d + 1"),
    _walk("n, d", "3, 0", "g.t, d + 1", "d < 100 AND g.t > 0 AND w <> 9", "UNION"),
    _walk("n", "3", "g.t", union="UNION"),
    _walk("n", "3", "CASE WHEN g.t > 550 THEN 500 ELSE g.t END", "true", "UNION"),
    _walk("n, d", "3, 0::BIGINT", "g.t, d + 2 * w"),
    _walk("n, c", "3, 0::BIGINT", "g.t, c + coalesce(nw, -1)"),
    _walk("n, c", "3, 0::BIGINT", "g.t, nw"),
    _walk("n, c", "3, NULL::BIGINT", "g.t, CASE WHEN nw > 5 THEN c ELSE nw END", union="UNION"),
    _walk("n, c", "3, 0::DOUBLE", "g.t, c * 0.5 + x"),
    _walk("n, c", "3, 0::DECIMAL(18, 2)", "g.t, (c + w * 0.25)::DECIMAL(18, 2)"),
    _walk("n, c", "3, DATE '2020-01-01'", "g.t, (c + 1)::DATE", union="UNION"),
    _walk("n, c", "3, TIMESTAMP '2020-01-01'", "g.t, c + INTERVAL 1 HOUR"),
    _walk("n, c", "3, false", "g.t, (third OR NOT c)"),
    _walk("a, b, d", "0::BIGINT, 3::BIGINT, 0", "a2, b2, d + 1", key="g.a = r.a AND g.b = r.b"),
    _walk("a, b", "0::BIGINT, 3::BIGINT", "a2, b2", union="UNION", key="g.a = r.a AND g.b = r.b"),
    _walk("n, d", "'n3', 0", "to_name, d + 1", key="g.from_name = r.n"),
    _walk("n", "'n3'", "to_name", "true", "UNION", key="g.from_name = r.n"),
    _walk("n, d", "'n3', 0", "to_name, d + 1", "d < 200 AND to_name <> 'n90'", "UNION", key="g.from_name = r.n"),
    _walk("n, d", "far, 0 FROM g WHERE f = 3", "far, d + 1", "d < 60", key="g.far = r.n"),
    _walk("n, d", "i * 50, 0 FROM range(8) t(i)", "g.t, d + 1", "d < 45 AND g.t > 0"),
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 100) FROM r ORDER BY ALL",
    "WITH RECURSIVE r(n, d) AS (SELECT 871::BIGINT, 0 UNION ALL SELECT CASE WHEN n % 2 = 0 THEN n // 2 ELSE 3 * n + 1 END, d + 1"
    " FROM r WHERE n > 1) FROM r ORDER BY ALL",
    "WITH RECURSIVE r(n, d) AS (SELECT 3, 0 UNION ALL SELECT n + 1, d + 1 FROM r WHERE EXISTS (FROM g WHERE g.f = r.n)) FROM r"
    " ORDER BY ALL",
    "WITH RECURSIVE r(n, d) AS (SELECT 3, 0 UNION ALL SELECT coalesce(u.t, 700)::INTEGER, d + 1 FROM r"
    " LEFT JOIN (SELECT DISTINCT f, f + 1 AS t FROM g) u ON u.f = r.n WHERE d < 620) FROM r ORDER BY ALL",
    "WITH RECURSIVE r(n, d) AS (SELECT 3, 0 UNION SELECT (n * 7 + i) % 1000, d + 1 FROM r, range(2) t(i) WHERE d < 8) FROM r ORDER BY ALL",
    *[
        f"WITH RECURSIVE r({columns}) USING KEY ({key}) AS (SELECT {seed} {union} SELECT {step} FROM r JOIN g ON g.f = r.n WHERE {condition})"
        " FROM r ORDER BY ALL"
        for union in ("UNION", "UNION ALL")
        for columns, key, seed, step, condition in (
            ("n, d", "n", "3, 0", "g.t, d + 1", "g.t > 0"),
            ("n, d", "n", "3, 0", "g.t % 90, d + 1", "d < 400 AND g.t > 0"),
            ("n, d", "n, min(d)", "3, 0", "g.t % 90, d + w - 2", "g.t > 0 AND abs(d) < 99"),
            ("n, d, e", "n, max(d), first(e)", "3, 0::BIGINT, 7", "g.t % 90, nw, e + 1", "e < 400 AND g.t > 0"),
        )
    ],
    # A row with many partners is unusual, and left to tensors.
    "WITH RECURSIVE hub AS (SELECT i // 300 AS f, i + 1 AS t FROM range(900) t(i)),"
    " r(n, d) AS (SELECT -60, 0 UNION ALL SELECT coalesce(t, n + 1), d + 1 FROM r JOIN (FROM hub UNION ALL"
    " SELECT i - 60, i - 59 FROM range(60) t(i)) e ON e.f = n WHERE n < 1) SELECT n, count(*) FROM r GROUP BY n ORDER BY n",
    # More and more rows, of which tensors take over, and few again.
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n * 2 + i FROM r, range(2) t(i) WHERE n * 2 + i < 700 AND (n < 60 OR n % 31 = 0))"
    " SELECT n, count(*) FROM r GROUP BY n ORDER BY n",
]  # fmt: skip


@pytest.fixture
def con() -> Iterator[tuple[tqp.Connection, duckdb.DuckDBPyConnection]]:
    with duckdb.connect() as peer, tqp.connect(threads=1) as con:
        peer.execute(f"CREATE TABLE g AS {_TABLE}")
        con.register("g", peer.sql("FROM g").to_arrow_table())
        yield con, peer


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rounds ran row by row, each time that some did."""
    ran: list[int] = []
    run = RowRounds.run

    def counted(self: RowRounds, most: int) -> int:
        ran.append(run(self, most))
        return ran[-1]

    monkeypatch.setattr(RowRounds, "run", counted)
    limit(monkeypatch, rowwise_after=2)
    return ran


@pytest.mark.parametrize("query", WRITTEN)
def test_rows_by_themselves_are_those_of_duckdb(
    query: str, con: tuple[tqp.Connection, duckdb.DuckDBPyConnection], rounds: list[int]
) -> None:
    mine, peer = con
    expected = peer.sql(query).fetchall()
    assert mine.sql(query).fetchall() == expected
    assert sum(rounds) > 2


@pytest.mark.parametrize(
    "query",
    [
        # A form that no number of Python has.
        "WITH RECURSIVE r(n, p) AS (SELECT 1, [1] UNION ALL SELECT n + 1, list_append(p, n) FROM r WHERE n < 50) SELECT max(len(p)) FROM r",
        "WITH RECURSIVE r(n, p) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, p || n FROM r WHERE n < 50) SELECT max(p) FROM r",
        "WITH RECURSIVE r(n, p) AS (SELECT 1, 1::HUGEINT << 100 UNION ALL SELECT n + 1, p + n FROM r WHERE n < 50) SELECT max(p) FROM r",
        "WITH RECURSIVE r(n, p) AS (SELECT 1, 1::FLOAT UNION ALL SELECT n + 1, p / 3::FLOAT FROM r WHERE n < 50) SELECT min(p) FROM r",
    ],
)  # fmt: skip
def test_other_rows_are_left_to_tensors(
    query: str, con: tuple[tqp.Connection, duckdb.DuckDBPyConnection], rounds: list[int]
) -> None:
    mine, peer = con
    assert mine.sql(query).fetchall() == peer.sql(query).fetchall()
    assert not rounds


@pytest.mark.parametrize("key", ["k", "v"])
def test_nan_is_the_value_that_it_was(
    key: str, con: tuple[tqp.Connection, duckdb.DuckDBPyConnection], rounds: list[int]
) -> None:
    mine, peer = con
    step = "SELECT k, CASE WHEN n < 20 THEN v + 1 ELSE 'nan'::DOUBLE END, least(n + 1, 40) FROM r"
    query = f"WITH RECURSIVE r(k, v, n) USING KEY ({key}) AS (SELECT 1, 0::DOUBLE, 0 UNION {step})"
    query += " SELECT k, isnan(v), n FROM r ORDER BY ALL"
    assert mine.sql(query).fetchall() == peer.sql(query).fetchall()
    assert (sum(rounds) > 2) == (key == "k")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT 2_147_483_600 UNION ALL SELECT n + 1 FROM r", "Overflow in addition of INT32"),
        ("SELECT 1::BIGINT UNION ALL SELECT n + n FROM r", "Overflow in addition of INT64"),
        ("SELECT 1::BIGINT UNION ALL SELECT n * 3 FROM r", "Overflow in multiplication of INT64"),
        ("SELECT 60 UNION ALL SELECT n - 1 + 0 * (7 // (n - 1)) FROM r", "division by zero"),
    ],
)
def test_what_is_out_of_range_is_said_by_tensors(
    query: str, message: str, con: tuple[tqp.Connection, duckdb.DuckDBPyConnection], rounds: list[int]
) -> None:
    text = f"WITH RECURSIVE r(n) AS ({query}) SELECT count(*), count(n), sum(n) FROM r"
    with pytest.raises(ExecutionError, match=message):
        con[0].sql(text).fetchall()
    assert sum(rounds) > 2


def test_a_limit_ends_them(con: tuple[tqp.Connection, duckdb.DuckDBPyConnection], rounds: list[int]) -> None:
    query = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) FROM r LIMIT 200"
    assert con[0].sql(query).fetchall() == [(one,) for one in range(1, 201)]
    assert sum(rounds) > 100


def test_a_timeout_stops_them(rounds: list[int]) -> None:
    endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT 1 - n FROM r) SELECT count(*) FROM r"
    with tqp.connect() as con, pytest.raises(QueryTimeoutError):
        con.sql(endless, timeout=0.5).fetchall()


def test_many_rows_become_tensors_on_the_way(rounds: list[int]) -> None:
    query = "WITH RECURSIVE r(n, d) AS (SELECT 1, 0 UNION SELECT n + 1, n % 3 FROM r WHERE n < 40_000) SELECT count(*), sum(n), sum(d) FROM r"
    with tqp.connect() as con:
        assert con.sql(query).fetchall() == duckdb.sql(query).fetchall()
    assert sum(rounds) > 30_000


def test_each_query_looks_into_its_own_tables(rounds: list[int]) -> None:
    """What is looked into is the table of the run, whatever the plan was made for."""
    query = "WITH RECURSIVE r(n) AS (SELECT 0 UNION SELECT t FROM r JOIN g ON f = n) SELECT count(*), max(n) FROM r"
    with tqp.connect() as con:
        for more in (1, 2, 3):
            con.register("g", pa.table({"f": list(range(0, 300, more)), "t": list(range(more, 300 + more, more))}))
            assert con.sql(query).fetchall() == [(300 // more + 1, 300)]
    assert len(rounds) == 3 and min(rounds) > 50
