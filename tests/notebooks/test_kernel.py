"""`%sql` in a kernel of Jupyter: what a notebook gets to show, the bar, errors, and the button that interrupts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.notebooks.kernel import Kernel, kernel

ENDLESS = "SELECT count(*) FROM range(4_000_000) a(x), range(4_000_000) b(y) WHERE x * y % 7 = 3"


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    with kernel(tmp_path_factory.mktemp("notebook")) as found:
        found("t = {'a': [1, 2, 3], 's': ['x<b>', None, 'z']}")
        yield found


def test_results_are_tables_of_html(cell: Kernel) -> None:
    cell("least = 2")
    (shown,) = cell("%%sql\nSELECT a, s FROM t WHERE a >= $least OR s LIKE 'x%'")
    assert shown["kind"] == "execute_result" and set(shown["data"]) == {"text/plain", "text/html"}
    html = shown["data"]["text/html"]
    assert html.count("<tr") == 4 and "x&lt;b&gt;" in html and "NULL</em>" in html
    assert cell("%sql named << SELECT sum(a) AS total FROM t") == []
    assert cell.value("named.fetchall()") == "[(6,)]"
    assert "<svg" in cell("named.plot_plan()")[0]["data"]["text/html"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("%sql SELECT a, nope FROM t",
         "BindError: no column nope (line 1, column 11)\nSELECT a, nope FROM t\n          ^\nHint: columns: a, s"),
        ("%sql SELECT $missing", "BindError: there is no variable for the parameter $missing\nHint: missing = …"),
        ("%sql SELECT CAST(s AS INTEGER) FROM t WHERE a = 1",
         "ExecutionError: could not convert string 'x<b>' to INTEGER (line 1, column 13)\nSELECT CAST(s AS INTEGER) FROM t WHERE a = 1\n"
         "            ^\nIn CAST(s AS INTEGER)\nHint: TRY_CAST gives NULL instead"),
    ],
)  # fmt: skip
def test_errors_of_magics(cell: Kernel, text: str, said: str) -> None:
    assert cell.error(text) == said


def test_errors_of_calls_have_the_line_once(cell: Kernel) -> None:
    said = cell.error("found = [tqp.sql(text)\n    for text in ('SELECT 1', 'SELECT 1 +')]").splitlines()
    assert said[0] == "Traceback (most recent call last):" and said[-3].startswith("ParseError: syntax error")
    assert [line.rpartition(", ")[2] for line in said if line.startswith("  Cell In[")] in (
        ["line 1"],
        ["line 2", "line 1"],
    )
    assert len(said) < 10


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"%sql {ENDLESS}", "QueryInterruptedError"),
        (f"con.sql('{ENDLESS}').fetchall()", "KeyboardInterrupt"),
        (f"found = con.sql('{ENDLESS}')\nfound", "KeyboardInterrupt"),
        (f"con.sql('{ENDLESS}').plot_plan()", "KeyboardInterrupt"),
    ],
)
def test_an_interrupt_stops_the_query_and_says_so(cell: Kernel, text: str, kind: str) -> None:
    """The bar shows that the query runs; the kernel, the connection and its tables are there afterwards."""
    cell("con = tqp.connect().register('mine', {'q': [7]})\ncon.execute('SET enable_progress_bar = true')")
    for run in ("con.execute", "tqp.sql"):
        cell(f"{run}('SET progress_bar_time = 0')")
    bars: list[str] = []

    def press(kind: str, content: dict[str, Any]) -> None:
        if kind == "display_data":
            bars.append(content["data"]["text/html"])
            cell.interrupt()

    if "plot_plan" in text:  # draws a run of its own, without a bar
        text = (
            f"import signal, threading, os\nthreading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()\n{text}"
        )
    said = cell.error(text, meanwhile=press).splitlines()
    assert len(said) <= 7, said
    named = next(place for place, line in enumerate(said) if line.startswith(kind))
    told = " ".join(said[named:])
    assert "tqp stopped a query after" in told and f"the query: {ENDLESS}"[:60] in told
    assert "plot_plan" in text or bars and "<progress" in bars[0]
    assert cell.value("con.sql('SELECT q + 1 FROM mine').fetchall()") == "[(8,)]"
    assert "6" in cell.value("%sql SELECT sum(a) FROM t")


def test_the_bar_goes_when_the_query_ends(cell: Kernel) -> None:
    cell("%sql SET progress_bar_time = 0")
    shown = cell("%sql SELECT count(*) FROM range(6000) a(x), range(6000) b(y) WHERE x * y % 7 = 3")
    kinds = [content["kind"] for content in shown]
    assert kinds[0] == "display_data" and kinds[-1] == "execute_result" and kinds[-2] == "update_display_data"
    assert shown[-2]["data"]["text/html"] == ""
    assert "rows" in shown[0]["data"]["text/plain"]
