"""How far a run is: rows are counted exactly, wherever they go, and whoever shows it is told until the run has ended."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from io import StringIO

import pyarrow as pa
import pytest
from rich.console import Console

import tqp
from tqp.bars import NotebookBar, TerminalBar
from tqp.errors import BindError, ExecutionError, QueryInterruptedError
from tqp.operators.collect import Gathered
from tqp.runtime import executor
from tqp.runtime.progress import Progress, _Counter

ROWS = 40_000
BATCH = 1000

QUERIES = {
    "no stage": "SELECT a FROM t",
    "filter": "SELECT a FROM t WHERE b > 3",
    "nothing passes": "SELECT a FROM t WHERE a + b < 0",
    "groups": "SELECT b, count(*), sum(a) FROM t GROUP BY b",
    "join of many rows": "SELECT count(*) FROM t AS x JOIN t AS y USING (b) WHERE x.a + y.a < 100",
    "no rows": "SELECT a FROM (SELECT a FROM t LIMIT 0) WHERE a > 1",
    "sorted": "SELECT a FROM t ORDER BY b, a DESC",
}


class Ends(_Counter):
    """Rows that were counted when each pipeline ended, and what it had to do."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, int]] = []

    def end(self, run: object, result: object, work: object) -> None:
        self.found.append((self.rows, self.total))
        super().end(run, result, work)  # type: ignore[arg-type]


@pytest.fixture
def table() -> pa.Table:
    return pa.table({"a": range(ROWS), "b": [place % 50 for place in range(ROWS)]})


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", QUERIES)
def test_every_row_of_a_source_is_counted_once(
    monkeypatch: pytest.MonkeyPatch, table: pa.Table, name: str, threads: int
) -> None:
    counters: list[Ends] = []

    def make() -> Ends:
        counters.append(Ends())
        return counters[-1]

    con = tqp.connect(threads=threads)
    con.execute(f"SET batch_rows = {BATCH}")
    con.register("t", table)
    relation = con.sql(QUERIES[name])
    monkeypatch.setattr(executor, "EVERYWHERE", [*executor.EVERYWHERE, make])
    relation.result()
    (counter,) = counters
    assert counter.found and all(rows == total for rows, total in counter.found), counter.found
    if name != "no rows":
        assert ROWS in [total for _, total in counter.found]


def slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    consume = Gathered.consume

    def slow(self: Gathered, *args: object) -> None:
        time.sleep(0.02)
        consume(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Gathered, "consume", slow)


def slow_connection(table: pa.Table, progress: object) -> tqp.Connection:
    con = tqp.connect(threads=2, progress=progress)  # type: ignore[arg-type]
    con.execute("SET batch_rows = 1000; SET progress_bar_time = 0")
    con.register("t", table)
    return con


def test_a_function_is_told(monkeypatch: pytest.MonkeyPatch, table: pa.Table) -> None:
    told: list[Progress] = []
    con = slow_connection(table, told.append)
    slowly(monkeypatch)
    con.execute("SELECT a + 1 AS c FROM t WHERE b >= 0")
    assert len(told) >= 3 and [one.is_done for one in told] == [False] * (len(told) - 1) + [True]
    assert len({one.run for one in told}) == 1 and told[0].query == "SELECT a + 1 AS c FROM t WHERE b >= 0"
    at = [one for one in told if one.pipeline]
    assert {(one.pipeline, one.pipelines) for one in at} == {(1, 1)}
    rows = [one.rows for one in at if one.total]
    assert rows == sorted(rows) and 0 < rows[-1] <= ROWS and {one.total for one in at if one.total} == {ROWS}
    assert (
        str(at[1]).startswith("1 of 1, ")
        and "of 40,000 rows" in str(at[1])
        and " s, pipeline 0: scan t(a" in str(at[1])
    )
    seen = len(told)
    con.execute("SET enable_progress_bar = false")
    con.execute("SELECT a + 2 FROM t WHERE b >= 0")
    assert len(told) == seen
    con.execute("RESET enable_progress_bar")
    con.execute("SELECT a + 2 FROM t WHERE b >= 0")
    assert len(told) > seen and told[-1].run != told[0].run


def test_quick_queries_tell_nothing(table: pa.Table) -> None:
    told: list[Progress] = []
    con = tqp.connect(progress=told.append)
    con.register("t", table)
    con.execute("SELECT sum(a) FROM t")
    assert not told


def test_a_run_that_is_stopped_is_told_of_to_the_end(monkeypatch: pytest.MonkeyPatch, table: pa.Table) -> None:
    told: list[Progress] = []
    con = slow_connection(table, told.append)
    slowly(monkeypatch)
    relation = con.sql("SELECT a + 1 FROM t")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(relation.result)
        while not told:
            time.sleep(0.01)
        relation.interrupt()
        with pytest.raises(QueryInterruptedError):
            waiting.result(60)
    assert told[-1].is_done


def test_a_function_that_fails_ends_the_query(monkeypatch: pytest.MonkeyPatch, table: pa.Table) -> None:
    def fail(progress: Progress) -> None:
        raise ValueError("no")

    con = slow_connection(table, fail)
    slowly(monkeypatch)
    with pytest.raises(ExecutionError, match="told of progress failed: ValueError: no"):
        con.execute("SELECT a + 1 FROM t")


def test_settings(table: pa.Table) -> None:
    con = tqp.connect()
    text = "SELECT current_setting('enable_progress_bar'), current_setting('progress_bar_time')"
    assert con.sql(text).fetchall() == [(False, 1000)]
    con.execute("SET enable_progress_bar = true; SET progress_bar_time = 2000")
    assert con.sql(text).fetchall() == [(True, 2000)] and con.settings.progress_to is not None
    con.execute("RESET enable_progress_bar; RESET progress_bar_time")
    assert con.sql(text).fetchall() == [(False, 1000)]
    for wrong in ("SET enable_progress_bar = 'maybe'", "SET progress_bar_time = -1", "SET progress_bar_time = 'x'"):
        with pytest.raises(BindError):
            con.execute(wrong)
    with pytest.raises(BindError, match="neither True, False nor a function"):
        tqp.connect(progress="yes")  # type: ignore[arg-type]


def test_the_bar_of_a_terminal(monkeypatch: pytest.MonkeyPatch, table: pa.Table) -> None:
    """One line a run, of several that go on at once; nothing where there is no terminal."""
    written = StringIO()
    bar = TerminalBar(Console(file=written, force_terminal=True, width=160, color_system=None))
    first = Progress(1, "q", 1.5, 1, 2, "pipeline 0: scan t(a) … sort by a", 250, 1000)
    second = Progress(2, "q", 1.5, 0, 0, "planning and reading", 0, 0)
    bar(first)
    bar(second)
    shown = written.getvalue()
    assert "1 of 2, 250 of 1,000 rows (25%), 1.5 s, pipeline 0: scan t(a) … sort by a" in shown
    assert "planning and reading, 1.5 s" in shown
    for one in (first, second):
        bar(Progress(one.run, "q", 2.0, 1, 2, "", 0, 0, is_done=True))
    bar(Progress(3, "q", 1.5, 2, 2, "pipeline 1: the next", 0, 0))
    assert "2 of 2, 1.5 s, pipeline 1: the next" in written.getvalue()
    bar(Progress(3, "q", 2.0, 1, 2, "", 0, 0, is_done=True))

    nowhere = StringIO()
    con = slow_connection(table, TerminalBar(Console(file=nowhere)))
    slowly(monkeypatch)
    con.execute("SELECT a + 1 FROM t")
    assert not nowhere.getvalue().strip()


def test_a_narrow_terminal_cuts_the_name_of_the_pipeline() -> None:
    written = StringIO()
    bar = TerminalBar(Console(file=written, force_terminal=True, width=80, color_system=None))
    for rows in (0, 4_000_000):
        bar(Progress(1, "q", 1.5, 1, 2, f"pipeline 0: scan t(a) … {'aggregate ' * 9}", rows, 20_000_000))
    bar(Progress(1, "q", 2.0, 1, 2, "", 0, 0, is_done=True))
    assert "━━━━                 1 of 2, 4,000,000 of 20,000,000 rows (20%), 1.5 s, pipelin…" in written.getvalue()


def test_the_bar_of_a_notebook(monkeypatch: pytest.MonkeyPatch, table: pa.Table) -> None:
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    InteractiveShell.instance()  # without one what is displayed is printed
    con = slow_connection(table, NotebookBar())
    slowly(monkeypatch)
    with capture_output() as captured:
        con.execute("SELECT a + 1 FROM t WHERE b >= 0")
    pages = [output.data["text/html"] for output in captured.outputs]
    assert "<progress" in pages[0] and pages[-1] == ""
    assert any("of 40,000 rows" in page and 'value="0.' in page for page in pages)
