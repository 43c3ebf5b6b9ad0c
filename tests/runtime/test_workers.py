"""The threads of queries: torch's settings elsewhere stay as they are, and a forked child has threads of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest
import torch

import tqp
from tqp.interrupt import Interrupt
from tqp.locks import Lock, ReentrantLock
from tqp.runtime import workers

ROWS = 2**19 + 1


@pytest.fixture
def three_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """torch with three intra-op threads, and workers that are yet to start."""
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    monkeypatch.setattr(workers, "_crew", workers._Crew())
    yield
    torch.set_num_threads(before)


def test_threads_of_torch_stay_as_they_are(three_threads: None) -> None:
    started = threading.Barrier(4)
    seen: list[set[int]] = []

    def ask(con: tqp.Connection) -> None:
        found = {torch.get_num_threads()}
        started.wait()
        for number in range(10):
            assert con.sql(f"SELECT sum(a + {number}) FROM t").fetchall() == [(ROWS * number + sum(range(ROWS)),)]
            found.add(torch.get_num_threads())
        seen.append(found)

    with tqp.connect(threads=2) as con:
        con.register("t", pa.table({"a": range(ROWS)}))
        threads = [threading.Thread(target=ask, args=(con,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        started.wait()
        while any(thread.is_alive() for thread in threads):
            assert torch.get_num_threads() == 3
        assert seen == [{3}] * 3
    with ThreadPoolExecutor(1) as fresh:
        assert fresh.submit(torch.get_num_threads).result() == 3
    assert torch.get_num_threads() == 3
    assert workers.call(torch.get_num_threads, Interrupt()) == 1
    assert [future.result() for future in workers.help_with(torch.get_num_threads, None, 2, 2)] == [1, 1]


def test_threads_of_torch_where_pipelines_are_compiled(three_threads: None) -> None:
    with tqp.connect(threads=2, backend="compile") as con:
        con.register("t", pa.table({"a": range(ROWS)}))
        assert con.sql("SELECT sum(a) FROM t WHERE a > 5").fetchall() == [(sum(range(6, ROWS)),)]
        assert "compiled into one function" in con.sql("SELECT sum(a) FROM t WHERE a > 5").explain(True)
    assert torch.get_num_threads() == 3
    assert workers.call(torch.get_num_threads, Interrupt()) == 1


def test_helpers_that_are_busy_are_not_waited_for() -> None:
    """A query is answered by its own thread while others have all helpers."""
    release = threading.Event()
    busy = workers.help_with(release.wait, None, 3, 1)
    try:
        with tqp.connect(threads=2) as con:
            con.register("t", pa.table({"a": range(ROWS)}))
            assert con.sql("SELECT sum(a) FROM t").fetchall() == [(sum(range(ROWS)),)]
    finally:
        release.set()
    assert all(future.result() for future in busy)


@pytest.mark.parametrize("kind", [Lock, ReentrantLock])
def test_locks(kind: type[Lock]) -> None:
    lock = kind()
    order = []

    def other() -> None:
        with lock:
            order.append("other")

    with lock:
        thread = threading.Thread(target=other)
        thread.start()
        order.append("first")
    thread.join()
    assert order == ["first", "other"]
    with pytest.raises(ValueError), lock:
        raise ValueError
    with lock:
        pass


FORK = """
import multiprocessing, os, signal, sys, threading, time
import pyarrow as pa, torch
import tqp
from tqp.interrupt import checkpoint
from tqp.operators.collect import Gathered

torch.set_num_threads(3)
rows = 2**19 + 1
con = tqp.connect(threads=2)
con.register("t", pa.table({"a": range(rows), "s": [str(n % 7) for n in range(rows)]}))
relation = con.sql("SELECT s, sum(a) AS total FROM t GROUP BY s ORDER BY s")
whole = con.sql("SELECT a + 1 AS b FROM t")
expected = con.sql("SELECT s, sum(a) AS total FROM t GROUP BY s ORDER BY s").fetchall()
torch.rand(2_000_000).sort()  # OpenMP's threads of the main thread exist now

def child(_=None):
    signal.alarm(60)
    early = threading.Thread(target=con.sql("SELECT 42").fetchall)
    early.start()
    early.join()
    assert relation.fetchall() == expected
    assert con.sql("SELECT s, sum(a) AS total FROM t GROUP BY s ORDER BY s").fetchall() == expected
    assert len(whole.arrow()) == rows
    assert len(whole.torch()["b"].data) == rows
    con.register("u", {"x": [1, 2]})
    assert con.sql("SELECT sum(x) FROM u").fetchall() == [(3,)]
    assert tqp.sql("SELECT 42").fetchall() == [(42,)]
    seen = []
    fresh = threading.Thread(target=lambda: seen.append(torch.get_num_threads()))
    fresh.start()
    fresh.join()
    assert (torch.get_num_threads(), seen) == (1, [3])
    return os.getpid()

def forked():
    pid = os.fork()
    if pid == 0:
        try:
            child()
            os._exit(0)
        except BaseException:
            import traceback
            traceback.print_exc()
        os._exit(1)
    return os.waitpid(pid, 0)[1]

print("after a query", forked())
tqp.sql("SELECT 1").fetchall()
with multiprocessing.get_context("fork").Pool(2) as pool:
    print("pool", len(pool.map(child, range(4))))

# Fork while another thread holds the locks of the relation, and is at work.
started, end = threading.Event(), threading.Event()
consume = Gathered.consume

def waiting(self, *args):
    if os.getpid() == parent:
        started.set()
        end.wait()
    consume(self, *args)

parent = os.getpid()
Gathered.consume = waiting
thread = threading.Thread(target=relation.result)
thread.start()
started.wait()
print("during a query", forked())
end.set()
thread.join()
print(relation.fetchall() == expected)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
def test_fork() -> None:
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=240, check=False)
    said = ["after a query 0", "pool 4", "during a query 0", "True"]
    assert (done.stdout.splitlines(), done.returncode) == (said, 0), done.stderr


AT_EXIT = """
import atexit
import tqp
con = tqp.connect(threads=2)
con.register("t", {"a": list(range(10))})
con.sql("SELECT 1").fetchall()
atexit.register(lambda: print(con.sql("SELECT sum(a) FROM t").fetchall()))
"""


def test_queries_at_exit() -> None:
    done = subprocess.run([sys.executable, "-c", AT_EXIT], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout.strip(), done.returncode) == ("[(45,)]", 0), done.stderr
