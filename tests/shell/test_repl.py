"""The prompt, in a terminal of its own."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pexpect
import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from tqp.shell.prompt import PromptLines
from tqp.shell.repl import is_whole

_CODES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|[\r\x08]")
_WITHOUT = """
import importlib.util, sys
from tqp.shell.main import main

found = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name in ("prompt_toolkit", "pygments") else found(name)
sys.exit(main())
"""


class Terminal:
    """What a person types, and sees; all that was shown since something was typed is `shown`."""

    def __init__(self, arguments: list[str], folder: Path, lines: int = 40, **environment: str) -> None:
        environment = {**os.environ, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", **environment}
        environment["XDG_STATE_HOME"] = str(folder / "state")
        self._process = pexpect.spawn(
            sys.executable, arguments, env=environment, cwd=folder, encoding="utf-8", dimensions=(lines, 100)
        )
        self._process.delaybeforesend = None
        self.shown = ""
        self.wait("tqp>")

    def type(self, text: str, until: str = "\n", more: bool = False) -> str:
        """Type the text; what is shown up to `until`, and to the next prompt unless there is `more` to type."""
        self.shown = ""
        self._process.send(text)
        return self.wait(until) if more else self.wait(until, "tqp>")

    def wait(self, *until: str) -> str:
        pattern = re.compile(".*".join(map(re.escape, until)), re.DOTALL)
        end = time.monotonic() + 40
        while not pattern.search(self.shown):
            assert time.monotonic() < end, f"no {until} in {self.shown!r}"
            try:
                self.shown += _CODES.sub("", self._process.read_nonblocking(10_000, timeout=1))
            except pexpect.TIMEOUT:
                continue
            except pexpect.EOF:
                raise AssertionError(f"it ended: {self.shown}") from None
        return self.shown

    def end(self, text: str) -> int:
        """Type what ends it; the exit code."""
        self._process.send(text)
        self._process.expect(pexpect.EOF)
        self._process.close()
        assert self._process.exitstatus is not None
        return self._process.exitstatus


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sales.csv").write_text("shop,amount\n1,10\n2,25\n")
    return tmp_path


@pytest.fixture
def terminal(folder: Path) -> Iterator[Terminal]:
    found = Terminal(["-m", "tqp", "sales.csv"], folder, PAGER="no such pager")
    yield found
    found._process.close(force=True)


def test_a_session(terminal: Terminal, folder: Path) -> None:
    terminal.type("SELECT 41 +\r", "..>", more=True)
    assert "42" in terminal.type("1 AS answer;\r", "1 row\n")
    assert "no column foo (line 1, column 8)" in terminal.type("SELECT foo;\r", "Hint")
    assert "10" in terminal.type("FROM sales;\r", "2 rows")
    assert "1 row written" in terminal.type("CREATE TABLE t AS SELECT 1 AS a;\r", "written")
    assert "amount BIGINT" in terminal.type(".explain steps\r", "result 0")
    terminal.type(".timer on\r", "on\n")
    terminal.type("SELECT 1; SELECT 2;\r", "of the CPU")
    assert "BIGINT" in terminal.type(".schema sales\r", "2 rows")
    terminal.type(".mode csv\r", "csv\n")
    assert "shop,amount\n1,10\n2,25\n" in terminal.type("FROM sales;\r", "of the CPU")
    assert "did you mean .tables?" in terminal.type(".tabels\r", "Hint")
    assert terminal.end("\x04") == 0
    typed = (folder / "state" / "tqp" / "history").read_text()
    assert "+SELECT 41 +\n+1 AS answer;\n" in typed and "+.timer on\n" in typed


def test_ctrl_c_stops_the_query_or_forgets_the_line(terminal: Terminal) -> None:
    terminal.type("SELECT 1;\r", "1 row\n")  # tqp is loaded
    query = "SELECT count(*) FROM range(200000) a(x), range(200000) b(y) WHERE x * y % 7 = 1;"
    terminal.type(f"{query}\r", "pipeline 1", more=True)  # the bar: it runs
    begun = time.monotonic()
    assert "the query: SELECT count(*)" in terminal.type("\x03", "tqp stopped a query after"), "what was stopped"
    assert time.monotonic() - begun < 20
    terminal.type("SELECT nothing", "nothing", more=True)
    terminal.type("\x03")
    assert "nothing" not in terminal.type("SELECT 7 AS seven;\r", "1 row\n").partition("seven;")[2]
    assert terminal.end(".quit\r") == 0


def test_what_is_typed_before_the_tables_are_opened(folder: Path) -> None:
    """The prompt is there at once, and what is typed meanwhile runs when they are; where they cannot be opened, it ends."""
    terminal = Terminal(["-m", "tqp", "sales.csv"], folder)
    assert "35" in terminal.type("SELECT sum(amount) AS s FROM sales;\r", "1 row\n")
    assert terminal.end(".exit 3\r") == 3
    terminal = Terminal(["-m", "tqp", "nothing.parquet"], folder)
    assert terminal.end("") == 2


def test_tables_are_opened_for_who_types_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("TERM", "xterm")
    started: list[bool] = []
    with create_pipe_input() as typed, create_app_session(input=typed, output=DummyOutput()):
        typed.send_text("SELECT 1;\rSELECT 2;\r")
        lines = PromptLines(Future(), lambda: started.append(True), is_whole)
        assert lines.read() == "SELECT 1;" and started == [True]
        assert lines.read() == "SELECT 2;" and started == [True]


def test_habits(terminal: Terminal) -> None:
    for typed, shown in (("help", ".tables"), ("\\d", "sales"), ("\\x", "no command .x")):
        assert shown in terminal.type(f"{typed}\r", shown)
    assert terminal.end("exit\r") == 0


def test_tab_completes(terminal: Terminal) -> None:
    terminal.type("SELECT 1;\r", "1 row\n")  # nothing is offered before the tables are opened
    terminal.type("SELECT amo", "amount", more=True)
    terminal.type("\t", "amount", more=True)
    terminal.type(" * 2 - 15 AS n FROM sal", "sales", more=True)
    terminal.type("\t", "sales", more=True)
    assert "35" in terminal.type(" WHERE shop = 2;\r", "1 row\n")
    assert terminal.end("\x04") == 0


def test_long_results_go_to_a_pager(folder: Path) -> None:
    terminal = Terminal(["-m", "tqp"], folder, lines=20, PAGER="sed -e s/^/paged/")
    assert "paged" not in terminal.type("FROM range(5);\r", "5 rows")
    assert "paged" in terminal.type("FROM range(500);\r", "500 rows")
    terminal.type(".pager off\r", "off\n")
    assert "paged" not in terminal.type("FROM range(500);\r", "500 rows")
    assert terminal.end("\x04") == 0


def test_without_the_extra_it_says_so_and_takes_lines(folder: Path) -> None:
    (folder / "plain.py").write_text(_WITHOUT)
    terminal = Terminal(["plain.py"], folder)
    assert 'pip install "tensor-query-processor[shell]"' in terminal.shown
    terminal.type("SELECT 41\r", "...>", more=True)
    assert "42" in terminal.type("+ 1 AS answer;\r", "1 row")
    terminal.type("SELECT nothing", "nothing", more=True)
    time.sleep(1)  # a signal that comes just before input() waits is seen when that has a line
    terminal.type("\x03")
    assert terminal.end("\x04") == 0


def test_a_terminal_that_cannot_move_its_cursor_has_plain_lines(folder: Path) -> None:
    terminal = Terminal(["-m", "tqp"], folder, TERM="dumb")
    terminal.type("SELECT 41\r", "...>", more=True)
    assert "42" in terminal.type("+ 1 AS answer;\r", "1 row")
    assert terminal.end("\x04") == 0
