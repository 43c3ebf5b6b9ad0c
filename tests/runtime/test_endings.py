"""Steps that would take minutes, each of another kind: who stops one has control back, and the process is idle and can end."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

import tqp
from tqp.ending import Ended, Ending
from tqp.errors import OutOfMemoryError, QueryInterruptedError, QueryTimeoutError, TqpError

TIMEOUT = 0.3
SLACK = 4.0
"""Seconds of a busy machine; each step takes ten times as long at least."""

PATIENCE = 30.0
"""Seconds that a busy machine needs for the end of a process."""

STEPS = [
    "SELECT levenshtein(repeat('ab', 100000), repeat('ba', 100000))",
    "SELECT jaro_similarity(repeat('ab', 100000), repeat('ba', 100000))",
    "SELECT max(i) FROM range(30000000000) t(i) WHERE i % 7 = 3",
    "SELECT sum(a.i * b.i) FROM range(1000000) a(i), range(1000000) b(i) WHERE a.i * b.i % 7 = 1",
    "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t WHERE i < 100000000) SELECT count(*) FROM t",
    "PIVOT (SELECT i % 90000 AS k, i AS v FROM range(900000) t(i)) ON k USING sum(v), max(v), min(v)",
    *(
        f"SELECT max({call}) FROM range(200000000) t(i)"
        for call in (
            "strptime(strftime(TIMESTAMP '2000-01-01' + to_seconds(i), '%d.%m.%Y %H:%M:%S'), '%d.%m.%Y %H:%M:%S')",
            "strftime(TIMESTAMP '2000-01-01' + to_seconds(i), '%A %d. %B %Y')",
            "md5(i::VARCHAR)",
            "format('{:>20d} {}', i, i)",
            "printf('%20d', i)",
            "reverse('ä' || i)",
            "levenshtein(i::VARCHAR, (i * 7)::VARCHAR)",
            "regexp_replace(i::VARCHAR, '(\\d)1', '\\1x')",
            "length(string_split(i::VARCHAR, '1'))",
            "('{\"a\": ' || i || '}')::JSON ->> '$.a'",
            "try_cast(i::VARCHAR AS DATE)",
            "length(list_sort([i, -i, i % 7]))",
            "hash(i::VARCHAR)",
            "bar(i % 100, 0, 100)",
            "url_encode('ü' || i)",
            "to_base64((i::VARCHAR)::BLOB)",
        )
    ),
]


@pytest.fixture(scope="module")
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=2) as connection:
        for query in STEPS[6:]:
            # What is imported and compiled at the first use is no part of the step.
            connection.sql(query.replace("200000000", "10")).fetchall()
        # Loops are compiled behind the scenes.
        assert is_idle(10 * PATIENCE)
        yield connection


def is_idle(seconds: float) -> bool:
    """Whether the process stops computing within so many seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        before = time.process_time()
        time.sleep(0.1)
        if time.process_time() - before < 0.05:
            return True
    return False


@pytest.mark.host_only("on an accelerator a step is one of its kernels")
@pytest.mark.parametrize("query", STEPS)
def test_a_timeout_ends_the_step(con: tqp.Connection, query: str) -> None:
    begun = time.monotonic()
    with pytest.raises(QueryTimeoutError):
        con.sql(query, timeout=TIMEOUT).fetchall()
    assert time.monotonic() - begun < TIMEOUT + SLACK
    assert is_idle(SLACK)
    assert con.sql("SELECT 42").fetchall() == [(42,)]


@pytest.mark.host_only("on an accelerator a step is one of its kernels")
def test_interrupt_ends_the_step(con: tqp.Connection) -> None:
    threading.Timer(TIMEOUT, con.interrupt).start()
    begun = time.monotonic()
    with pytest.raises(QueryInterruptedError):
        con.sql(STEPS[0]).fetchall()
    assert time.monotonic() - begun < TIMEOUT + SLACK
    assert is_idle(SLACK)


def test_a_timeout_ends_the_export(con: tqp.Connection) -> None:
    relation = con.sql(
        "SELECT i, i / 7 AS d, DATE '2000-01-01' + (i % 1000)::INTEGER AS t FROM range(8000000) t(i)"
    ).materialize()
    relation._timeout = 0.1
    for export in (relation.fetchall, relation.to_dicts):
        begun = time.monotonic()
        with pytest.raises(QueryTimeoutError, match="while its rows were handed out"):
            export()
        assert time.monotonic() - begun < SLACK


@pytest.mark.parametrize(
    "call",
    [
        "length(lpad('x', 2000000000, 'ab'))",
        "length(rpad('x', 2000000000, 'a'))",
        "length(format('{:1000000000}', 1))",
        "length(printf('%1000000000d', 1))",
        "length(repeat('abc', 1500000000))",
        "length(repeat('abc', 9223372036854775807))",
        "length(replace(repeat('a', 100000), 'a', repeat('b', 100000)))",
        "length(concat(s, s, s, s, s, s)) FROM (SELECT repeat('abc', 40000000) AS s)",
        "len(range(3000000000))",
        "len(list_resize([1], 2000000000))",
        "sum(n) FROM (SELECT unnest(range(3000000000)) AS n)",
    ],
)
def test_what_a_row_asks_for_is_bounded(call: str) -> None:
    bounds = r"functions make texts of at most 536,870,912|memory limit reached: .* 1,000,000,000 allowed"
    with tqp.connect(threads=1, memory_limit="1GB") as con, pytest.raises(TqpError, match=bounds):
        con.sql(f"SELECT {call}").fetchall()


def test_the_limit_of_memory_is_that_of_the_run() -> None:
    query = "SELECT len(range(20000000))"
    with tqp.connect(threads=1, memory_limit="50MB") as con, pytest.raises(OutOfMemoryError):
        con.sql(query).fetchall()
    with tqp.connect(threads=1, memory_limit="1GB") as con:
        assert con.sql(query).fetchall() == [(20000000,)]


def test_work_is_ended_once_and_nothing_after_it() -> None:
    """Whenever the end is asked for, it arrives within the work or never."""
    ending, turns = Ending(), 300
    ended = 0
    is_over = threading.Event()

    def press() -> None:
        while not is_over.is_set():
            ending.end()

    presser = threading.Thread(target=press)
    presser.start()
    try:
        for turn in range(turns):
            try:
                ending.do(lambda turn=turn: [number for number in range(turn * 100)])  # type: ignore[misc]
            except Ended:
                ended += 1
            sum(range(1000))
    finally:
        is_over.set()
        presser.join()
    assert 0 < ended <= turns


EXIT = """
import sys, tqp
try:
    tqp.sql({query!r}, timeout=0.5).fetchall()
except tqp.errors.QueryTimeoutError:
    print("stopped", flush=True)
sys.exit(3)
"""
LIBRARY = "SELECT length(regexp_replace(repeat('ab', 200000000), '(a)(b)', '\\2\\1', 'g'))"
"""A call into a library that nothing ends."""


@pytest.mark.host_only("the call is one of the CPU")
@pytest.mark.parametrize("query", [STEPS[0], LIBRARY])
def test_the_process_ends_with_its_own_code(query: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", EXIT.format(query=query)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "stopped\n"
    begun = time.monotonic()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 3 and not re.search("terminate|Abort", errors)
    assert time.monotonic() - begun < PATIENCE


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another thing there")
@pytest.mark.parametrize("query", [STEPS[0], LIBRARY])
@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_ends_the_command(query: str, presses: int) -> None:
    command = [sys.executable, "-m", "tqp", "-c", f"SELECT 41 + 1 AS ready; {query}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    while "42" not in process.stdout.readline():
        pass
    time.sleep(0.5)
    for _ in range(presses):
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    begun = time.monotonic()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert not re.search("KeyboardInterrupt|terminate|Abort", errors)
    assert time.monotonic() - begun < PATIENCE
