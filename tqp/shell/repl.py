"""Statements one after the other, as they are typed."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from importlib.util import find_spec
from threading import Thread
from typing import TYPE_CHECKING, Final, Protocol

from tqp import __version__
from tqp.errors import TqpError
from tqp.shell.arguments import Options
from tqp.shell.pager import pager
from tqp.shell.typed import is_command, meant

if TYPE_CHECKING:
    from tqp.shell.completion import Opened

__all__ = ["is_whole", "run"]

_PAGED_ROWS: Final = 1000
"""Rows that a table shows where a pager shows the table."""


class Lines(Protocol):
    """Where statements come from."""

    def read(self) -> str:
        """The next whole one. EOFError at the end, KeyboardInterrupt where what was typed shall be forgotten."""
        ...


class PlainLines:
    """Lines of standard input without colours, completion or a history."""

    def __init__(self, opened: Future[Opened]) -> None:
        self._opened = opened

    def read(self) -> str:
        self._opened.result()
        text = input("tqp> ")
        while not is_whole(text):
            text += "\n" + input("...> ")
        return text


def is_whole(text: str) -> bool:
    """Whether the text can be run as it is: statements with a semicolon behind the last, or a command."""
    from tqp.statements import is_ended

    return not text.strip() or is_command(meant(text)) or is_ended(text)


def run(options: Options) -> int:
    """Open a prompt; the exit code."""
    print(f"tqp {__version__}: statements end with a semicolon, .help lists commands, Ctrl-D leaves")
    opened: Future[Opened] = Future()
    # To load torch and what runs queries takes seconds: they pass while the first statement is typed.
    opening = Thread(target=_open, args=(options, opened))
    return _loop(opened, _lines(opened, opening.start))


def _open(options: Options, opened: Future[Opened]) -> None:
    """Load what runs statements, and open the tables."""
    try:
        from tqp.shell.batch import connected
        from tqp.shell.completion import Names
        from tqp.shell.output import Output
        from tqp.shell.session import Session

        connection = connected(options, has_progress=sys.stderr.isatty() and find_spec("rich") is not None)
        output = Output(options.format, width=options.width)
        if options.rows is not None:
            output.rows = options.rows
        elif pager() is not None:
            output.rows = _PAGED_ROWS
        opened.set_result((Session(connection, output, options.timeout), Names(connection)))
    except BaseException as error:
        opened.set_exception(error)


def _lines(opened: Future[Opened], start: Callable[[], None]) -> Lines:
    """What reads statements; `start` is called before the first is read."""
    missing = [name for name in ("prompt_toolkit", "pygments") if find_spec(name) is None]
    if sys.stdout.isatty() and missing:
        print(
            f"Without {' and '.join(missing)} there is no completion and no history: "
            'pip install "tensor-query-processor[shell]"',
            file=sys.stderr,
        )
    # A terminal that cannot move its cursor has lines alone.
    if sys.stdout.isatty() and not missing and os.environ.get("TERM", "").lower() not in ("dumb", "unknown"):
        from tqp.shell.prompt import PromptLines

        return PromptLines(opened, start, is_whole)
    start()
    return PlainLines(opened)


def _loop(opened: Future[Opened], lines: Lines) -> int:
    """Run what is typed, until the end; the exit code."""
    while True:
        try:
            text = lines.read()
        except KeyboardInterrupt:
            print()
            continue
        except EOFError:
            print()
            return 0
        if not text.strip(" \n\t;"):
            continue
        try:
            session, names = opened.result()
        except KeyboardInterrupt:
            print("\nInterrupted while tqp was loading", file=sys.stderr)
            continue
        from tqp.shell import commands
        from tqp.shell.session import told

        try:
            commands.run_all(session, meant(text))
        except commands.Leave as leave:
            return leave.code
        except KeyboardInterrupt as stopped:
            print("\n".join(["", "Interrupted", *getattr(stopped, "__notes__", ())]), file=sys.stderr)
        except TqpError as error:
            print(told(error), file=sys.stderr)
        except Exception:
            # A bug of tqp shall not cost the tables of the prompt.
            traceback.print_exc()
        names.forget()
