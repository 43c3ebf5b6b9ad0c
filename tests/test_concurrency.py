"""Several threads, one connection and several: every answer is that of one moment, whatever others do meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest

import tqp
from tqp.errors import QueryInterruptedError, TqpError

ROWS = 3 * 2**18
THREADS = 4


def together(*works: Callable[[], None]) -> None:
    """All at the same time, each on a thread of its own."""
    start = threading.Barrier(len(works))

    def begin(work: Callable[[], None]) -> None:
        start.wait()
        work()

    with ThreadPoolExecutor(len(works)) as pool:
        for future in [pool.submit(begin, work) for work in works]:
            future.result()


def version(number: int) -> pa.Table:
    """A table whose rows all say which version it is."""
    return pa.table({"v": [number] * 1000, "k": range(1000), "s": [f"s{number % 3}"] * 1000})


def test_one_connection_with_registrations() -> None:
    """A query sees one version of a table, even where it names it several times."""
    done = threading.Event()
    queries = [
        "SELECT min(v), max(v), count(*) FROM t",
        "SELECT min(a.v), max(b.v), count(*) FROM t a JOIN t b ON a.k = b.k",
        "SELECT min(v), max(v), count(DISTINCT k) FROM (SELECT * FROM t UNION ALL SELECT * FROM t)",
        "SELECT min(v), (SELECT max(v) FROM t), count(*) FROM t WHERE k IN (SELECT k FROM t)",
    ]
    with tqp.connect(threads=2) as con:
        con.register("t", version(0))

        def register() -> None:
            for number in range(1, 60):
                con.register("t", version(number))
                con.register(f"other{number}", version(number))
                con.unregister(f"other{number}")
                con.tables()
            done.set()

        def ask(query: str) -> Callable[[], None]:
            def work() -> None:
                last = -1
                while not done.is_set():
                    ((low, high, count),) = con.sql(query).fetchall()
                    assert low == high and count == 1000
                    # What was registered before is not seen again.
                    assert low >= last
                    last = low

            return work

        together(register, *map(ask, queries))
        assert con.sql("SELECT DISTINCT v FROM t").fetchall() == [(59,)]
        assert con.tables() == ["t"]


def test_an_unregistered_table_is_there_or_not() -> None:
    done = threading.Event()
    with tqp.connect(threads=2, variables=False) as con:

        def register() -> None:
            for number in range(100):
                con.register("t", version(number))
                con.unregister("t")
            done.set()

        def ask() -> None:
            while not done.is_set():
                try:
                    ((low, high),) = con.sql("SELECT min(v), max(v) FROM t").fetchall()
                except TqpError as error:
                    assert "t" in str(error) and type(error).__name__ in ("BindError", "SourceError")
                else:
                    assert low == high

        together(register, *[ask] * THREADS)


@pytest.mark.parametrize("shared", [True, False], ids=["one connection", "a connection each"])
def test_many_queries(shared: bool) -> None:
    table = pa.table({"a": range(ROWS), "g": [n % 5 for n in range(ROWS)]})
    queries = {
        "SELECT sum(a) FROM t": [(sum(range(ROWS)),)],
        "SELECT g, count(*) FROM t GROUP BY g ORDER BY g": [(g, len(range(g, ROWS, 5))) for g in range(5)],
        "SELECT a FROM t ORDER BY a DESC LIMIT 2": [(ROWS - 1,), (ROWS - 2,)],
        "SELECT count(*) FROM t x JOIN t y ON x.a = y.a + 1 WHERE y.g = 0": [(len(range(0, ROWS - 1, 5)),)],
        "SELECT 42": [(42,)],
    }
    cons = [tqp.connect(threads=2) for _ in range(1 if shared else THREADS)]
    for con in cons:
        con.register("t", table)

    def ask(con: tqp.Connection) -> Callable[[], None]:
        def work() -> None:
            for query, expected in queries.items():
                for _ in range(3):
                    assert con.sql(query).fetchall() == expected

        return work

    together(*(ask(cons[number % len(cons)]) for number in range(THREADS)))
    for con in cons:
        con.close()


def test_interruptions_leave_answers_whole() -> None:
    """A run gives the whole answer or says that it was interrupted; nobody else's is stopped."""
    done = threading.Event()
    table = pa.table({"a": range(ROWS)})
    interrupted = answered = 0
    with tqp.connect(threads=2) as con, tqp.connect(threads=2) as other:
        con.register("t", table)
        other.register("t", table)

        def ask() -> None:
            nonlocal interrupted, answered
            try:
                for number in range(40):
                    relation = con.sql(f"SELECT sum(a + {number}), count(*) FROM t WHERE a >= {number}")
                    expected = (sum(range(2 * number, ROWS + number)), ROWS - number)
                    try:
                        found = relation.fetchone()
                    except QueryInterruptedError:
                        interrupted += 1
                    else:
                        answered += 1
                        assert found == expected
            finally:
                done.set()

        def interrupt() -> None:
            while not done.wait(0.01):
                con.interrupt()

        def undisturbed() -> None:
            while not done.is_set():
                assert other.sql("SELECT sum(a) FROM t").fetchall() == [(sum(range(ROWS)),)]

        together(ask, interrupt, undisturbed)
        assert interrupted + answered == 40
        assert con.sql("SELECT count(*) FROM t").fetchall() == [(ROWS,)]


def test_one_relation_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    with tqp.connect(threads=2) as con:
        con.register("t", pa.table({"a": range(ROWS)}))
        relation = con.sql("SELECT a FROM t WHERE a % 3 = 1")
        run = relation._query.run
        monkeypatch.setattr(relation._query, "run", lambda *args: (runs.append(1), run(*args))[1])
        tables = []
        together(*[lambda: tables.append(relation.result())] * THREADS)
        assert len(runs) == 1 and all(table is tables[0] for table in tables)


@pytest.mark.parametrize("size", [1, 7])
def test_each_row_is_fetched_once(size: int) -> None:
    found: list[int] = []
    with tqp.connect(threads=2) as con:
        con.register("t", pa.table({"a": range(2000)}))
        relation = con.sql("SELECT a FROM t")

        def fetch() -> None:
            while rows := relation.fetchmany(size) if size > 1 else [row for row in [relation.fetchone()] if row]:
                found.extend(a for (a,) in rows)

        together(*[fetch] * THREADS)
        assert sorted(found) == list(range(2000))
        assert relation.fetchone() is None and relation.fetchmany(-1) == []
