"""Functions of one text column run on the entries of its dictionary, in pieces by all threads: the answers are DuckDB's."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import tqp
from tests.limits import limit
from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions import entries, slices
from tqp.functions.lists import picking
from tqp.operators.evaluate import Evaluator
from tqp.operators.pieces import Pieces

ROWS = 600
TABLE = pa.table(
    {
        "i": range(ROWS),
        "s": [None if i % 11 == 0 else f"http://www.h{i % 17}.org/page/{i % 200}" for i in range(ROWS)],
        "n": [str(i % 90) for i in range(ROWS)],
        "m": ["x" if i == 77 else str(i % 150) for i in range(ROWS)],
    }
)
QUERIES = (
    r"SELECT regexp_replace(s, '^https?://(?:www\.)?([^/]+)/.*$', '\1') AS host, count(*), avg(length(s)), min(s) FROM t GROUP BY host",
    "SELECT upper(s) AS x, count(*) FROM t GROUP BY x",
    "SELECT split_part(s, '/', 3) AS x, max(n) FROM t GROUP BY x ORDER BY x",
    "SELECT count(*) FROM t WHERE s LIKE '%h1%7%'",
    "SELECT count(*) FROM t WHERE length(s) > 24 AND upper(n) <> '7'",
    "SELECT sum(length(s)), min(length(s)), count(length(s)) FROM t",
    "SELECT coalesce(upper(s), 'none') AS x, count(*) FROM t GROUP BY x",
    "SELECT s IS NULL AS x, count(*) FROM t GROUP BY x",
    "SELECT CASE WHEN s LIKE '%h3%' THEN substring(s, 8, 6) ELSE 'other' END AS x, count(*) FROM t GROUP BY x",
    "SELECT sum(CAST(n AS INTEGER)), max(CAST(n AS DOUBLE)) FROM t",
    "SELECT sum(TRY_CAST(m AS INTEGER)) FROM t",
    "SELECT sum(CAST(m AS INTEGER)) FROM t WHERE m <> 'x'",
    "SELECT n = 'nowhere' AS x, count(*) FROM t GROUP BY x",
    "SELECT CASE WHEN n < '3' THEN 'low' ELSE n END AS x, count(*) FROM t GROUP BY x",
)


@pytest.fixture(params=[(2, 7), (2, 1), (1, 7), (2, 200)])
def engines(request: pytest.FixtureRequest) -> Iterator[tuple[tqp.Connection, duckdb.DuckDBPyConnection]]:
    threads, size = request.param
    with pytest.MonkeyPatch.context() as patch, tqp.connect(threads=threads) as con, duckdb.connect() as oracle:
        limit(patch, entries_a_piece=size, batch_rows=200, smallest_batch=100)
        patch.setattr(entries, "SMALL", 3)
        patch.setattr(slices, "SMALL", 3)
        con.register("t", TABLE)
        oracle.register("t", TABLE)
        yield con, oracle


def test_as_duckdb(engines: tuple[tqp.Connection, duckdb.DuckDBPyConnection]) -> None:
    con, oracle = engines
    for query in QUERIES:
        found, wanted = con.sql(query).fetchall(), oracle.execute(query).fetchall()
        assert sorted(map(str, found)) == sorted(map(str, wanted)), query


def test_an_entry_that_a_row_has_may_fail(engines: tuple[tqp.Connection, duckdb.DuckDBPyConnection]) -> None:
    con, _ = engines
    with pytest.raises(ExecutionError, match="'x'"):
        con.sql("SELECT sum(CAST(m AS INTEGER)) FROM t").fetchall()


@pytest.mark.host_only("an accelerator evaluates all entries at once")
@pytest.mark.parametrize("threads", [1, 2])
def test_threads_make_pieces(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    limit(monkeypatch, entries_a_piece=7)
    asked: list[Any] = []
    one = Evaluator._for_entries
    monkeypatch.setattr(Evaluator, "_for_entries", lambda self, *args: asked.append(args[-2:]) or one(self, *args))
    with tqp.connect(threads=threads) as con:
        con.register("t", TABLE)
        con.sql("SELECT upper(s) AS x, count(*) FROM t GROUP BY x").fetchall()
    strings = len(set(TABLE["s"].to_pylist()))
    starts = range(0, strings, 7 if threads > 1 else strings)
    assert sorted(asked) == [(start, min(start + starts.step, strings)) for start in starts]


@pytest.mark.host_only("the dictionary is looked at")
def test_results_that_repeat_are_kept_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "SMALL", 50)
    monkeypatch.setattr(slices, "SMALL", 50)
    with tqp.connect(threads=1) as con:
        con.register("t", TABLE)
        (text,) = con.sql("SELECT substring(s, 12, 2) AS x FROM t").result().columns
    assert text.dictionary is not None and len(text.dictionary) < 30


def test_who_comes_while_pieces_are_done_helps() -> None:
    began, done = threading.Barrier(2, timeout=10), list[str]()

    def task(place: int) -> int:
        began.wait()  # with one thread this would never end
        done.append(threading.current_thread().name)
        return place

    work = Pieces([lambda place=place: task(place) for place in range(4)])
    found: list[list[int]] = []
    threads = [threading.Thread(target=lambda: found.append(work.result())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[0, 1, 2, 3]] * 2
    assert len(set(done)) == 2


def test_an_error_in_a_piece_reaches_all_who_wait() -> None:
    def fails() -> int:
        time.sleep(0.01)
        raise ExecutionError("a piece")

    work = Pieces([fails, lambda: 1])
    errors: list[str] = []

    def ask() -> None:
        try:
            work.result()
        except ExecutionError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == ["a piece"] * 2


PARTS = (
    "SELECT string_split_regex(s, '@')[2] AS h, count(*), min(i) FROM t GROUP BY h ORDER BY h NULLS LAST",
    "SELECT count(DISTINCT string_split(s, '@')[1]), min(string_split(s, '@')[-1]), max(string_split(s, '@')[3]) FROM t",
    "SELECT e, count(*) FROM (SELECT unnest(string_split(s, '@')) AS e FROM t) GROUP BY e ORDER BY count(*) DESC, e NULLS LAST LIMIT 9",
    "SELECT i, string_split(s, '@')[g] AS h FROM t WHERE i % 999 = 0 ORDER BY i",
)


@pytest.mark.parametrize("query", PARTS)
def test_parts_of_texts_have_strings_of_their_own(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second parts of texts repeat, where the first ones do not."""
    rows = 2**15
    texts = [None if i % 7 == 3 else f"é{i}@host{i % 5}" if i % 11 else "" for i in range(rows)]
    table = pa.table({"i": range(rows), "g": [i % 4 for i in range(rows)], "s": texts})
    kept: list[bool] = []
    real = picking.with_own_strings

    def watched(column: Column) -> Column:
        made = real(column)
        kept.append(made is column)
        return made

    monkeypatch.setattr(picking, "with_own_strings", watched)
    with tqp.connect(threads=2) as con, duckdb.connect() as oracle:
        con.register("t", table)
        oracle.register("t", table)
        assert con.sql(query).fetchall() == oracle.sql(query).fetchall()
    assert "GROUP BY h" not in query or not all(kept)


@pytest.mark.host_only("the pieces are slices of the dictionary there")
@pytest.mark.parametrize("place", [1, 2, -1, 7])
def test_a_piece_of_few_rows_of_many_texts(monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    limit(monkeypatch, entries_at_once=1, entries_a_row=0)
    query = f"SELECT string_split(s, '/')[{place}] AS x, count(*) FROM t WHERE i % 9 = 0 GROUP BY x"
    with tqp.connect(threads=2) as con, duckdb.connect() as oracle:
        con.register("t", TABLE)
        oracle.register("t", TABLE)
        found, wanted = con.sql(query).fetchall(), oracle.execute(query).fetchall()
    assert sorted(map(str, found)) == sorted(map(str, wanted))
