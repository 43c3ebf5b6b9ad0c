"""Queries that somebody stops: from another thread, by Ctrl-C, by a timeout; what is asked next gets its answer."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pyarrow as pa
import pytest

import tqp
from tqp.errors import BindError, ExecutionError, QueryInterruptedError, QueryTimeoutError
from tqp.interrupt import Interrupt, Signal, checkpoint
from tqp.operators.collect import Gathered

ROWS = 2**19 + 1
"""More than a batch for each of two workers."""
PATIENCE = 60


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=2) as connection:
        connection.register("t", pa.table({"a": range(ROWS)}))
        yield connection


class Stuck:
    """Collecting never ends, but for its checkpoints; `inside` counts the workers that are at it."""

    def __init__(self) -> None:
        self.inside = 0
        self.both = threading.Event()
        self._lock = threading.Lock()

    def consume(self, *args: object) -> None:
        with self._lock:
            self.inside += 1
            if self.inside == 2:
                self.both.set()
        try:
            while True:
                checkpoint()
        finally:
            with self._lock:
                self.inside -= 1


@contextmanager
def stuck() -> Iterator[Stuck]:
    state = Stuck()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Gathered, "consume", lambda self, *args: state.consume(*args))
        yield state


@pytest.mark.parametrize("by", ["relation", "connection"])
def test_interrupt_reaches_all_workers(con: tqp.Connection, by: str) -> None:
    relation = con.sql("SELECT a + 1 AS b FROM t")
    relation.interrupt()  # nothing runs: nothing happens
    with stuck() as state, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(relation.result)
        assert state.both.wait(PATIENCE)
        (relation if by == "relation" else con).interrupt()
        with pytest.raises(QueryInterruptedError, match=r"interrupted after .* s, in pipeline 0: scan t\(a\)"):
            waiting.result(PATIENCE)
        assert state.inside == 0
    assert con.sql("SELECT 42").fetchall() == [(42,)]
    assert len(relation) == ROWS and relation.fetchone() == (1,)


def test_interrupt_of_one_relation_leaves_the_others(con: tqp.Connection) -> None:
    first, second = con.sql("SELECT a FROM t"), con.sql("SELECT a + 1 FROM t")
    with stuck() as state, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(first.result)
        assert state.both.wait(PATIENCE)
        second.interrupt()
        assert not waiting.done() and state.inside == 2
        first.interrupt()
        assert isinstance(waiting.exception(PATIENCE), QueryInterruptedError)


def test_timeout(con: tqp.Connection) -> None:
    relation = con.sql("SELECT a + 1 FROM t", timeout=0.05)
    with stuck() as state:
        for _ in range(2):
            with pytest.raises(QueryTimeoutError, match=r"longer than its timeout of 0.05 s") as caught:
                relation.result()
            assert caught.value.hint and "timeout=" in caught.value.hint and isinstance(caught.value, ExecutionError)
        with pytest.raises(QueryTimeoutError):
            con.execute("SELECT a FROM t", timeout=0.05)
        with pytest.raises(QueryTimeoutError):
            con.sql("SELECT a FROM t").sql("SELECT a + 2 FROM self", timeout=0.05).fetchall()
        with pytest.raises(QueryTimeoutError):
            relation.explain(True)
        assert state.inside == 0
    assert len(con.sql("SELECT a + 1 FROM t", timeout=PATIENCE)) == ROWS
    assert con.sql("SELECT 1", timeout=float("inf")).fetchall() == [(1,)]


def test_a_step_that_does_not_end_keeps_nobody_waiting(con: tqp.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller has its error, and others their answers, while an operation without checkpoints goes on."""
    release = threading.Event()
    consume = Gathered.consume

    def long(self: Gathered, *args: object) -> None:
        release.wait()
        consume(self, *args)  # type: ignore[arg-type]

    relation = con.sql("SELECT a + 1 FROM t", timeout=0.05)
    with monkeypatch.context() as patch:
        patch.setattr(Gathered, "consume", long)
        with pytest.raises(QueryTimeoutError):
            relation.result()
        patch.setattr(Gathered, "consume", consume)
        assert con.sql("SELECT a FROM t WHERE a < 2").fetchall() == [(0,), (1,)]
        release.set()
    assert len(con.sql("SELECT a + 1 FROM t")) == ROWS


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), True, "1", [1]])
def test_bad_timeout(con: tqp.Connection, timeout: object) -> None:
    for ask in (con.sql, con.execute, con.sql("SELECT 1").sql):
        with pytest.raises(BindError, match="not a number of seconds"):
            ask("SELECT 1", timeout=timeout)  # type: ignore[operator]


QUERIES = [
    "SELECT a * 2 + 1, s || 'x' FROM u WHERE a % 7 > 1 OR s LIKE '%1%'",
    "SELECT s, sum(a), avg(d), count(DISTINCT a), max(s) FROM u GROUP BY s",
    "SELECT a * 1000003, sum(d), min(s) FROM u GROUP BY 1",
    "SELECT * FROM u ORDER BY s DESC, d, a",
    "SELECT a FROM u ORDER BY d LIMIT 5",
    "SELECT sum(a) OVER (PARTITION BY s ORDER BY d, a), rank() OVER (ORDER BY d), min(d) OVER (ORDER BY a ROWS 3 PRECEDING) FROM u",
    "SELECT x.a, y.s FROM u x JOIN u y ON x.d = y.d WHERE x.a < y.a",
    "SELECT x.a, y.s FROM u x LEFT JOIN u y ON x.d = y.d AND x.a < y.a - 90",
    "SELECT x.a, y.a FROM u x FULL JOIN u y ON x.a = y.a + 50",
    "SELECT x.a FROM u x WHERE NOT EXISTS (SELECT 1 FROM u y WHERE y.d > x.d AND y.a < x.a)",
    "SELECT a FROM u WHERE d NOT IN (SELECT d FROM u WHERE a > 50)",
    "SELECT a, s FROM u EXCEPT SELECT a + 3, s FROM u",
    "SELECT CASE WHEN a > 5 THEN 100 // (a - 5) ELSE (SELECT max(a) FROM u) END FROM u",
]


@pytest.mark.parametrize("query", QUERIES)
def test_interrupt_at_every_checkpoint(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a run is stopped, it raises, and the next one gives the whole answer."""
    rows = range(100)
    table = pa.table({"a": rows, "s": [f"s{row % 13}" for row in rows], "d": [row * 37 % 11 / 4 for row in rows]})
    slot = Interrupt.__dict__["stopped"]
    passed = stop_at = 0

    def looked_at(self: Interrupt) -> bool:
        nonlocal passed
        passed += 1
        if passed == stop_at:
            slot.__set__(self, True)
        return bool(slot.__get__(self))

    monkeypatch.setattr(Interrupt, "stopped", property(looked_at, slot.__set__))
    with tqp.connect(threads=1) as con:
        con.register("u", table)
        expected = con.sql(query).fetchall()
        passed = 0
        assert con.sql(query).fetchall() == expected
        points = passed
        assert points >= 5
        for stop_at in range(1, points + 1):
            passed = 0
            relation = con.sql(query)
            with pytest.raises(QueryInterruptedError):
                relation.fetchall()
            if stop_at % 5 == 0:
                assert relation.fetchall() == expected


CTRL_C = """
import os, signal, threading, time
import pyarrow as pa
import tqp
from tqp.interrupt import checkpoint
from tqp.operators.collect import Gathered

inside, both, lock = 0, threading.Event(), threading.Lock()
consume = Gathered.consume

def endless(self, *args):
    global inside
    with lock:
        inside += 1
        if inside == 2:
            both.set()
    try:
        while True:
            checkpoint()
    finally:
        with lock:
            inside -= 1

def press():
    both.wait(60)
    os.kill(os.getpid(), signal.SIGINT)

con = tqp.connect(threads=2)
con.register("t", pa.table({"a": range(2**19 + 1)}))
relation = con.sql("SELECT a + 1 FROM t")
for _ in range(2):
    both.clear()
    Gathered.consume = endless
    threading.Thread(target=press).start()
    try:
        relation.result()
    except KeyboardInterrupt as error:
        print("stopped", inside, *error.__notes__)
    Gathered.consume = consume
    print(con.sql("SELECT 42").fetchall())
print(len(relation))
"""


def test_ctrl_c() -> None:
    done = subprocess.run([sys.executable, "-c", CTRL_C], capture_output=True, text=True, timeout=120, check=False)
    note = r"stopped 0 tqp stopped a query after \d+\.\d s, in pipeline 0: scan t\(a\) … .* \(1 of 1\) the query: SELECT a \+ 1 FROM t"
    assert re.fullmatch(rf"({note}\n\[\(42,\)\]\n){{2}}{ROWS}\n", done.stdout), (done.stdout, done.stderr)
    assert done.returncode == 0


def test_a_signal_is_set_once_for_all() -> None:
    signal = Signal()
    assert not signal.wait(0)
    assert not signal.wait(0.001)
    with ThreadPoolExecutor(6) as pool:
        waiting = [pool.submit(signal.wait, PATIENCE) for _ in range(3)]
        setting = [pool.submit(signal.set) for _ in range(3)]
        assert [future.result(PATIENCE) for future in setting] == [None] * 3
        assert [future.result(PATIENCE) for future in waiting] == [True] * 3
    assert signal.wait() and signal.wait(0)
