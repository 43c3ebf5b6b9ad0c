"""Statements of texts and files, run one after the other up to the first that fails."""

from __future__ import annotations

import sys
from typing import Final

from tqp.connection import Connection, connect
from tqp.errors import TqpError
from tqp.shell import commands
from tqp.shell.arguments import FAILED, Options, Usage
from tqp.shell.output import Output
from tqp.shell.session import Session, told
from tqp.shell.tables import open_table
from tqp.shell.typed import is_command
from tqp.statements import Ran

__all__ = ["connected", "run"]

_PLAIN: Final = 0
"""Where no person reads, tables are as wide as they need."""


def connected(options: Options, has_progress: bool = False) -> Connection:
    """The connection that the options ask for, with their tables; with a bar for long queries where there is to be one."""
    try:
        connection = connect(
            options.device,
            options.threads,
            options.backend,
            options.memory_limit,
            variables=False,
            time_zone=options.time_zone,
            progress=has_progress,
        )
        for name, path in options.tables:
            open_table(connection, path, name)
    except TqpError as error:
        raise Usage(str(error)) from None
    return connection


def run(options: Options) -> int:
    """The exit code. With an output the rows of the one statement that has any are written when all statements have run."""
    connection = connected(options)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    width = options.width if options.width is not None or sys.stdout.isatty() else _PLAIN
    output = Output(options.format, width=width)
    if options.rows is not None:
        output.rows = options.rows
    session = Session(connection, output, options.timeout, has_pager=False, tells=False)
    kept: Ran | None = None
    for name, text in options.scripts:
        try:
            for piece in commands.pieces(text):
                if is_command(piece):
                    commands.run(session, piece)
                elif options.output is None:
                    session.run(piece)
                else:
                    kept = _with_rows(session, piece, kept, options.output)
        except commands.Leave as leave:
            if leave.code:
                return leave.code
            break
        except TqpError as error:
            sys.stdout.flush()
            print(told(error, name), file=sys.stderr)
            return FAILED
    if options.output is not None:
        if kept is None:
            raise Usage(f"no statement has rows for {options.output!r}")
        try:
            output.write(connection, kept, options.output)
        except TqpError as error:
            print(told(error), file=sys.stderr)
            return FAILED
    return 0


def _with_rows(session: Session, text: str, kept: Ran | None, output: str) -> Ran | None:
    """Run the statements; the one of them and of those before, `kept`, that has rows. Usage where there are several."""
    for ran in session.each(text):
        if ran.kind == "done":
            continue
        if kept is not None:
            raise Usage(f"{output!r} takes the rows of one statement, and several have rows")
        kept = ran
        ran.relation.result()
    return kept
