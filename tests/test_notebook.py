"""`%sql` and `%%sql` in a shell of IPython, what a notebook shows, and the cells of docs/notebook.md."""

from __future__ import annotations

import builtins
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

import tqp
from tqp.connection import default
from tqp.errors import BindError, ExecutionError, ParseError, QueryInterruptedError, QueryTimeoutError
from tqp.interrupt import checkpoint
from tqp.operators.collect import Gathered
from tqp.runtime import workers

PAGE = Path(__file__).parents[1] / "docs" / "notebook.md"
CELL = re.compile(r"(?<=```ipython\n)(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)

TABLE = pa.table({"a": [1, 2, 3], "s": ["x", "y", None]})

Cell = Callable[[str], Any]

NO_INTEGER = [
    "ExecutionError: could not convert string 'x' to INTEGER (line 1, column 13)",
    "SELECT CAST(s AS INTEGER) FROM t",
    "            ^",
    "In CAST(s AS INTEGER)",
    "Hint: TRY_CAST gives NULL instead",
]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """A shell without variables that knows the magics, and a default connection of its own."""
    monkeypatch.setattr(default, "_default", None)
    # Examples of docstrings leave it behind in this process; then IPython sets no `_`.
    monkeypatch.delattr(builtins, "_", raising=False)
    found = InteractiveShell.instance()
    found.colors = "nocolor"
    found.reset()
    found.extension_manager.loaded.discard("tqp")  # whatever an earlier test has named is forgotten
    found.run_line_magic("load_ext", "tqp")
    found.user_ns.update(t=TABLE, tqp=tqp)
    yield found
    found.reset()


@pytest.fixture
def cell(shell: InteractiveShell) -> Cell:
    """Runs a cell: its value, or its error raised again."""

    def run(text: str) -> Any:
        with redirect_stdout(StringIO()):
            done = shell.run_cell(text, store_history=True)
        done.raise_error()
        return done.result

    return run


def shown(shell: InteractiveShell, text: str) -> str:
    """What a cell prints and shows."""
    printed = StringIO()
    with redirect_stdout(printed):
        shell.run_cell(text, store_history=True)
    return re.sub(r"^Out\[\d+\]: ?\n?", "", printed.getvalue(), flags=re.MULTILINE)


def test_variables_are_tables_and_parameters(cell: Cell) -> None:
    cell('limit = 2; text = "it\'s {limit}"')
    assert cell("%sql SELECT a FROM t WHERE a >= $limit").fetchall() == [(2,), (3,)]
    assert cell("_").fetchall() == [(2,), (3,)]
    assert cell("%sql SELECT $text || '{limit} $limit' AS x").fetchall() == [("it's {limit}{limit} $limit",)]
    assert cell("%%sql\nSELECT $text AS x, $limit + 1 -- $nothing").fetchall() == [("it's {limit}", 3)]
    cell("limit = 3")
    assert cell("%sql SELECT a FROM t WHERE a >= $limit;").fetchall() == [(3,)]
    assert cell("%sql CREATE TABLE k AS SELECT 1 AS b; SELECT b + $limit FROM k").fetchall() == [(4,)]
    with pytest.raises(BindError, match=r"no variable for the parameter \$nothing"):
        cell("%sql SELECT $nothing")


def test_variables_of_a_function(cell: Cell) -> None:
    cell(
        "def f(k):\n    rows = {'z': [1, 2]}\n    found = %sql SELECT z + $k FROM rows, t WHERE a = 1\n    return found\nz = f(5)"
    )
    assert cell("z").fetchall() == [(6,), (7,)]
    with pytest.raises(BindError, match="rows"):
        cell("%sql SELECT * FROM rows")


@pytest.mark.parametrize(
    "text",
    [
        "%sql big << SELECT a * 2 AS b FROM t",
        "%sql big<<SELECT a * 2 AS b FROM t",
        "%%sql big <<\nSELECT a * 2 AS b\nFROM t",
        "%%sql big << SELECT a * 2 AS b\nFROM t",
        "%%sql --timeout 100   big <<\n\nSELECT a * 2 AS b FROM t;",
    ],
)
def test_results_get_names(cell: Cell, text: str) -> None:
    assert cell(text) is None
    assert cell("%sql SELECT sum(b) FROM big").fetchall() == [(12,)]
    assert cell("big.columns") == ["b"]


def test_shifts_are_no_names(cell: Cell) -> None:
    assert cell("%sql SELECT 1 << 3").fetchall() == [(8,)]
    assert cell("%%sql\nSELECT a << 1 FROM t").fetchall() == [(2,), (4,), (6,)]


def test_statements(cell: Cell) -> None:
    assert cell("%sql CREATE TABLE made AS FROM t").fetchall() == [(3,)]
    assert cell("%sql SET threads = 1") is None
    assert cell("tqp.sql('SELECT count(*) FROM made').fetchone()") == (3,)


def test_connections(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    cell("con = tqp.connect(threads=1).register('u', {'q': [7]})")
    assert cell("%sql --con con FROM u").fetchall() == [(7,)]
    with pytest.raises(BindError, match="u"):
        cell("%sql FROM u")
    assert cell("%sql --con=con") is None
    assert cell("%sql SELECT q + a FROM u, t WHERE a = 1").fetchall() == [(8,)]
    on_device = cell("%sql --device cpu SELECT a FROM t")
    assert on_device.fetchall() == [(1,), (2,), (3,)] and on_device.connection is not default._default
    assert cell("%sql --device cpu FROM t").connection is on_device.connection
    for text, said in (
        ("%sql --con nope SELECT 1", "no connection called nope.*\n.*connections are con"),
        ("%sql --con t SELECT 1", "no connection called t"),
        ("%sql --con con --device cpu SELECT 1", "two connections"),
        ("%sql --device", "has no value"),
        ("%sql --colour red SELECT 1", "no option --colour.*\n.*--timeout"),
        ("%sql --timeout soon SELECT 1", "not a number of seconds"),
        ("%sql --timeout -1 SELECT 1", "not a number of seconds"),
        ("%sql", "there is no query"),
        ("%sql x <<", "there is no query"),
        ("%%sql --con con x <<\n ", "there is no query"),
    ):
        with pytest.raises(BindError, match=re.compile(said, re.DOTALL)):
            cell(text)


def test_a_query_runs_before_it_is_shown(cell: Cell) -> None:
    """So its error is the cell's, and is shown once."""
    with pytest.raises(ExecutionError, match="could not convert"):
        cell("%sql SELECT CAST(s AS INTEGER) FROM t")
    with pytest.raises(ExecutionError, match="could not convert"):
        cell("%sql x << SELECT CAST(s AS INTEGER) FROM t")


def test_the_result_shows_as_html(shell: InteractiveShell, cell: Cell) -> None:
    bundle, _ = shell.display_formatter.format(cell("%sql SELECT a, s FROM t"))
    assert bundle["text/html"].count("<tr") == 4 and "│" in bundle["text/plain"]
    bundle, _ = shell.display_formatter.format(cell("%sql SELECT a, s FROM t").plot_plan())
    assert "<svg" in bundle["text/html"] and len(bundle["text/plain"]) < 200


@pytest.mark.parametrize(
    "text, lines",
    [
        ("%%sql\nSELECT a,\n  nope FROM t", ["BindError: no column nope (line 2, column 3)", "  nope FROM t", "  ^", "Hint: columns: a, s"]),
        ("%sql SELECT 1 +", ["ParseError: syntax error: the query ends too early (line 1, column 10)", "SELECT 1 +", "         ^"]),
        (
            "def g(q):\n    return tqp.sql(q)\n\ng('SELECT 1 +')",
            [
                "Traceback (most recent call last):", "  Cell In[N], line 4", "    g('SELECT 1 +')", "  Cell In[N], line 2",
                "    return tqp.sql(q)", "ParseError: syntax error: the query ends too early (line 1, column 10)", "SELECT 1 +",
                "         ^",
            ],
        ),
        (
            "tqp.sql('SELECT CAST(s AS INTEGER) FROM t').df()",
            [
                "Traceback (most recent call last):", "  Cell In[N], line 1", "    tqp.sql('SELECT CAST(s AS INTEGER) FROM t').df()",
                *NO_INTEGER,
            ],
        ),
        ("tqp.sql('SELECT CAST(s AS INTEGER) FROM t')", NO_INTEGER),
    ],
)  # fmt: skip
def test_errors_are_short(shell: InteractiveShell, text: str, lines: list[str]) -> None:
    printed = shown(shell, text).strip("\n").splitlines()
    printed = [re.sub(r"In\[\d+\]", "In[N]", line).rstrip() for line in printed]
    assert [re.sub("string '[xy]'", "string 'x'", line) for line in printed] == lines


def test_errors_of_others_are_named(shell: InteractiveShell) -> None:
    text = "con = tqp.connect()\ncon.create_function('f', lambda x: 1 // 0, ['BIGINT'], 'BIGINT')\ncon.sql('SELECT f(a) FROM t').result()"
    assert "Cause: ZeroDivisionError" in shown(shell, text)


def test_a_bug_shows_all_of_its_traceback(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(Gathered, "consume", fail)
    printed = shown(shell, "%sql SELECT a + 1 FROM t")
    assert "InternalError: tqp failed on this query" in printed and "ValueError: a bug" in printed
    assert "in fail" in printed and printed.count("\n") > 30


def endless(self: Gathered, *args: object) -> None:
    while True:
        checkpoint()


def test_interrupts(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    began = threading.Event()

    def press(*args: object) -> bool:
        """What the thread that waits does when Ctrl-C comes."""
        assert began.wait(60)
        raise KeyboardInterrupt

    def begin(self: Gathered, *args: object) -> None:
        began.set()
        endless(self)

    with monkeypatch.context() as patch:
        patch.setattr(Gathered, "consume", begin)
        patch.setattr(workers, "_stirred", press)
        with pytest.raises(
            QueryInterruptedError, match=r"stopped a query after .* s, in pipeline 0: scan t\(a\)"
        ) as caught:
            cell("%sql SELECT a + 1 FROM t")
        assert str(caught.value).splitlines()[1:] == ["the query: SELECT a + 1 FROM t"]
        patch.undo()
        patch.setattr(Gathered, "consume", endless)
        with pytest.raises(QueryTimeoutError, match="timeout of 0.1 s"):
            cell("%sql --timeout 0.1 SELECT a + 1 FROM t")
    assert cell("%sql SELECT a + 1 FROM t").fetchall() == [(2,), (3,), (4,)]


def test_kernels_have_a_bar(shell: InteractiveShell, cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not cell("%sql SELECT a FROM t").connection.settings.progress
    monkeypatch.setattr(shell, "kernel", object(), raising=False)
    tqp.load_ipython_extension(shell)
    assert cell("%sql SELECT a FROM t").connection.settings.progress


def test_the_page(
    shell: InteractiveShell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """The cells of docs/notebook.md run, one after the other, and show what stands below them."""
    monkeypatch.chdir(tmp_path)
    shell.extension_manager.loaded.discard("tqp")  # the page loads it
    text = PAGE.read_text()
    rewritten, end = [], 0
    for found in CELL.finditer(text):
        printed = shown(shell, found[1]).strip("\n")
        printed = printed and f"{printed}\n"
        if found[2] is None:
            assert printed == "", found[1]
            continue
        if not request.config.getoption("--update-golden"):
            assert printed == found[2]
        rewritten += [text[end : found.start(2)], printed]
        end = found.end(2)
    if request.config.getoption("--update-golden"):
        PAGE.write_text("".join(rewritten) + text[end:])
    assert (tmp_path / "plan.html").exists()


@pytest.mark.parametrize("written", [":limit", "{limit}", "{{ limit }}", "{{limit}}"])
def test_other_ways_to_write_a_variable_are_told_of(cell: Cell, written: str) -> None:
    cell("limit = 2")
    with pytest.raises(
        ParseError, match=re.escape(f"the value of the variable limit is written $limit, not {written}")
    ):
        cell(f"%sql SELECT {written} FROM t")


def test_results_of_cells_are_no_connections_by_name(cell: Cell) -> None:
    cell("con = tqp.connect(threads=1)")
    cell("con")
    with pytest.raises(BindError, match=r"connections are con$"):
        cell("%sql --con nope SELECT 1")


def test_columns_are_completed(shell: InteractiveShell, cell: Cell) -> None:
    cell("found = tqp.sql('FROM t')")
    with provisionalcompleter():
        offered = [one.text for one in shell.Completer.completions("found['", 7)]
    assert offered[:2] == ["a", "s"]
