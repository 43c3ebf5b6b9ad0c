"""What is typed with a dot before it. A command is one function here: its words and its help stand above it.

What people type by habit of other shells is taken too, or answered with what works here (`tqp.shell.typed`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from tqp.errors import BindError, SourceError
from tqp.keywords import identifier
from tqp.shell.arguments import FILES_ALONE, FORMATS
from tqp.shell.session import Session
from tqp.shell.tables import open_table
from tqp.shell.typed import ELSEWHERE, is_command
from tqp.statements import blank, is_ended, is_open

__all__ = ["COMMANDS", "Command", "Leave", "pieces", "run", "run_all"]

_COMMAND: Final = re.compile(r"^[ \t]*\.[A-Za-z][^\n]*", re.MULTILINE)


class Leave(Exception):
    """The prompt or script shall end, with this exit code."""

    def __init__(self, code: int = 0) -> None:
        self.code = code
        super().__init__(code)


@dataclass(frozen=True, slots=True)
class Command:
    """`takes` says what may stand behind it: "table", "file", "sql", or its words."""

    run: Callable[[Session, str], None]
    shown: str
    takes: str | tuple[str, ...]
    help: str


COMMANDS: Final[dict[str, Command]] = {}
_SHOWN_FORMATS: Final = tuple(name for name in FORMATS if name not in FILES_ALONE)
_PLANS: Final = ("analyze", "steps", "program")


def pieces(text: str) -> Iterator[str]:
    """The commands of a text, each a line where no statement is open, and the statements between them.

    Statements stand on the lines on which they stand in the text. A text without either is given as it is.
    """
    start = 0
    for line in _COMMAND.finditer(text):
        before = text[start : line.start()]
        if is_open(before):
            continue  # a part of a statement
        if is_ended(before):
            yield blank(text[:start]) + before
        yield line.group()
        start = line.end()
    rest = text[start:]
    if not start or is_open(rest) or is_ended(rest):
        yield blank(text[:start]) + rest


def run_all(session: Session, text: str) -> None:
    """Run the statements and commands of a text."""
    for piece in pieces(text):
        if is_command(piece):
            run(session, piece)
        else:
            session.run(piece)


def run(session: Session, text: str) -> None:
    """Run the command that the text is, its name as far as it is clear; BindError where there is none of its name."""
    name, _, argument = text.strip(" \t\n;").removeprefix(".").partition(" ")
    _named(name.lower()).run(session, argument.strip())


def _named(name: str) -> Command:
    """The command of the name, or the only one that begins with it."""
    if name in ELSEWHERE:
        raise BindError(f"there is no command .{name}", hint=ELSEWHERE[name])
    found = [name] if name in COMMANDS else [known for known in COMMANDS if name and known.startswith(name)]
    if len(found) == 1:
        return COMMANDS[found[0]]
    if found:
        raise BindError(f".{name} may be {' or '.join(f'.{known}' for known in found)}")
    close = get_close_matches(name, COMMANDS, 1)
    hint = f"did you mean .{close[0]}? " if close else ""
    raise BindError(f"there is no command .{name}", hint=f"{hint}.help lists all")


def _command(
    name: str, shown: str, help_: str, takes: str | tuple[str, ...] = ()
) -> Callable[[Callable[[Session, str], None]], Callable[[Session, str], None]]:
    def register(function: Callable[[Session, str], None]) -> Callable[[Session, str], None]:
        COMMANDS[name] = Command(function, f".{name} {shown}".strip(), takes, help_)
        return function

    return register


@_command("help", "[COMMAND]", "all commands, or one")
def _help(session: Session, argument: str) -> None:
    name = argument.removeprefix(".").lower()
    chosen = [_named(name)] if name else list(COMMANDS.values())
    width = max(len(command.shown) for command in chosen)
    session.print("\n".join(f"{command.shown:{width}}  {command.help}" for command in chosen))


@_command("tables", "", "names of tables and views")
def _tables(session: Session, argument: str) -> None:
    _require_nothing("tables", argument)
    session.run("SHOW TABLES")


@_command("schema", "[TABLE]", "columns and types of a table, or of all", "table")
def _schema(session: Session, argument: str) -> None:
    session.run(f"DESCRIBE {argument}" if argument else "SHOW ALL TABLES")


@_command("open", "[NAME=]PATH", "a file, folder or glob as a table", "file")
def _open(session: Session, argument: str) -> None:
    name, equals, path = argument.partition("=")
    named = (name, path) if equals and name.isidentifier() else (None, argument)
    if not argument:
        raise BindError(".open needs the path of a file", hint=".open sales.parquet")
    called = open_table(session.connection, named[1], named[0])
    if session.tells:
        print(f"table {identifier(called)}")


@_command("read", "FILE", "run the statements and commands of a file", "file")
def _read(session: Session, argument: str) -> None:
    try:
        text = Path(argument).expanduser().read_text("utf-8-sig")
    except OSError as error:
        raise SourceError(f"cannot read {argument!r}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise SourceError(f"{argument!r} is no text in UTF-8: byte {error.start}") from None
    run_all(session, text)


@_command("mode", "FORMAT", f"how rows are shown: {', '.join(_SHOWN_FORMATS)}", _SHOWN_FORMATS)
def _mode(session: Session, argument: str) -> None:
    session.output.format = _one_of("mode", argument, _SHOWN_FORMATS)


@_command("once", "FILE", "write the rows of the next query to a file", "file")
def _once(session: Session, argument: str) -> None:
    if not argument:
        raise BindError(".once needs the path of a file", hint=".once rows.csv")
    session.once = str(Path(argument).expanduser())


@_command("rows", "N", "how many rows a table shows")
def _rows(session: Session, argument: str) -> None:
    session.output.rows = _number("rows", argument)


@_command("width", "N", "width of tables in characters: auto for the terminal's, 0 for no limit", ("auto",))
def _width(session: Session, argument: str) -> None:
    session.output.width = None if argument == "auto" else _number("width", argument)


@_command("timer", "on|off", "how long each statement takes", ("on", "off"))
def _timer(session: Session, argument: str) -> None:
    session.has_timer = _one_of("timer", argument, ("on", "off")) == "on"


@_command("pager", "on|off", "long results in a pager", ("on", "off"))
def _pager(session: Session, argument: str) -> None:
    session.has_pager = _one_of("pager", argument, ("on", "off")) == "on"


@_command("explain", "[KIND] [QUERY]", f"the plan of a query, or the last one; kinds: {', '.join(_PLANS)}", "sql")
def _explain(session: Session, argument: str) -> None:
    kind, _, query = argument.partition(" ")
    match kind.lower():
        case "analyze":
            session.print(session.query(query).explain(True))
        case "steps":
            session.print(session.query(query).explain("steps"))
        case "program":
            session.print(session.query(query).explain("program"))
        case _:
            session.print(session.query(argument).explain())


@_command("verify", "[QUERY]", "run a query, or the last one, on DuckDB too and compare", "sql")
def _verify(session: Session, argument: str) -> None:
    print(session.query(argument).verify())


@_command("quit", "[CODE]", "exit; also Ctrl-D")
@_command("exit", "[CODE]", "exit, with 0 or this exit code")
def _quit(session: Session, argument: str) -> None:
    raise Leave(_number("exit", argument) if argument else 0)


def _require_nothing(name: str, argument: str) -> None:
    if argument:
        raise BindError(f".{name} takes nothing behind it, not {argument!r}")


def _one_of(name: str, argument: str, words: tuple[str, ...]) -> str:
    if argument.lower() not in words:
        raise BindError(f".{name} takes {', '.join(words[:-1])} or {words[-1]}, not {argument!r}")
    return argument.lower()


def _number(name: str, argument: str) -> int:
    if not argument.isdecimal():
        raise BindError(f".{name} takes a number of 0 or more, not {argument!r}")
    return int(argument)
