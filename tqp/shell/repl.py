"""Statements one after the other, as they are typed."""

from __future__ import annotations

import sys
import traceback
from importlib.util import find_spec
from typing import Final, Protocol

from tqp import __version__
from tqp.errors import TqpError
from tqp.shell import commands
from tqp.shell.arguments import Options
from tqp.shell.batch import connected
from tqp.shell.completion import Names
from tqp.shell.output import Output
from tqp.shell.pager import pager
from tqp.shell.session import Session, told
from tqp.statements import is_ended

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

    def read(self) -> str:
        text = input("tqp> ")
        while not is_whole(text):
            text += "\n" + input("...> ")
        return text


def is_whole(text: str) -> bool:
    """Whether the text can be run as it is: statements with a semicolon behind the last, or a command."""
    return not text.strip() or commands.is_command(text) or is_ended(text)


def run(options: Options) -> int:
    """Open a prompt; the exit code."""
    print(f"tqp {__version__}: statements end with a semicolon, .help lists commands, Ctrl-D leaves")
    connection = connected(options, has_progress=sys.stderr.isatty() and find_spec("rich") is not None)
    output = Output(options.format, width=options.width)
    if options.rows is not None:
        output.rows = options.rows
    elif pager() is not None:
        output.rows = _PAGED_ROWS
    names = Names(connection)
    _loop(Session(connection, output, options.timeout), _lines(names), names)
    return 0


def _lines(names: Names) -> Lines:
    if not sys.stdout.isatty():
        return PlainLines()
    missing = [name for name in ("prompt_toolkit", "pygments") if find_spec(name) is None]
    if missing:
        print(
            f"Without {' and '.join(missing)} there is no completion and no history: "
            'pip install "tensor-query-processor[shell]"',
            file=sys.stderr,
        )
        return PlainLines()
    from tqp.shell.prompt import PromptLines

    return PromptLines(names, is_whole)


def _loop(session: Session, lines: Lines, names: Names) -> None:
    while True:
        try:
            text = lines.read()
        except KeyboardInterrupt:
            print()
            continue
        except EOFError:
            print()
            return
        try:
            if text.strip(" \n\t;"):
                commands.run_all(session, text)
        except commands.Leave:
            return
        except KeyboardInterrupt:
            print("\nInterrupted", file=sys.stderr)
        except TqpError as error:
            print(told(error), file=sys.stderr)
        except Exception:
            # A bug of tqp shall not cost the tables of the prompt.
            traceback.print_exc()
        names.forget()
