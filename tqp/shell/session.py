"""What a prompt or a script works on: a connection, how rows are shown, and the query before."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from tqp.connection import Connection
from tqp.errors import BindError, TqpError
from tqp.relation import Relation
from tqp.shell.arguments import told_format
from tqp.shell.output import Output
from tqp.shell.pager import show
from tqp.statements import Caller, Ran, each_statement, with_read_signs

__all__ = ["Session", "told"]


def told(error: TqpError, name: str = "") -> str:
    """The error as it is shown; `name` is that of the file whose text has it."""
    return f"Error in {name}: {error}" if name else f"Error: {error}"


_PLAIN: Final = 0
"""Tables are as wide as they need to be in a file."""


@dataclass(slots=True)
class Session:
    connection: Connection
    output: Output = field(default_factory=Output)
    timeout: float | None = None
    has_timer: bool = False
    has_pager: bool = True
    tells: bool = True
    """Whether it says what was done: rows that were written, tables that were opened."""
    last: Relation | None = None
    """The last query that was run."""
    once: str | None = None
    """A file that the next rows go to."""

    def run(self, text: str) -> None:
        """Run the statements and show what each gives, when it is there."""
        statements = self.each(text)
        while True:
            begun, worked = time.perf_counter(), time.process_time()
            ran = next(statements, None)
            if ran is None:
                return
            ran.relation.result()
            took, used = time.perf_counter() - begun, time.process_time() - worked
            self._show(ran)
            if self.has_timer:
                print(f"{took:.3f} s, {used:.3f} s of the CPU")
            if ran.kind == "query":
                self.last = ran.relation

    def each(self, text: str) -> Iterator[Ran]:
        """What each statement of the text gives, one run after the other as they are asked for."""
        return each_statement(
            Caller(self.connection, timeout=self.timeout), with_read_signs(text, self.connection.settings.semantics)
        )

    def query(self, text: str) -> Relation:
        """The query, or the last one that was run where the text is empty; BindError where there is none."""
        if not text.strip(" ;"):
            if self.last is None:
                raise BindError("no query was run yet", hint="write one behind the command")
            return self.last
        first, *others = self.each(text)
        if others or first.kind != "query":
            raise BindError("one query is needed here")
        return first.relation

    def print(self, text: str) -> None:
        """Show text, by the pager if it is long."""
        show(text, paged=self.has_pager)

    def _show(self, ran: Ran) -> None:
        if ran.kind != "done" and self.once is not None:
            path, self.once = self.once, None
            Output(told_format(path) or self.output.format, self.output.rows, _PLAIN).write(self.connection, ran, path)
            if self.tells:
                print(f"{_rows(len(ran.relation))} written to {path!r}")
            return
        if ran.kind == "done" and self.tells:
            for (count,) in ran.relation.fetchall():
                print(f"{_rows(count)} written")
        elif self.output.is_text and ran.kind != "done":
            self.print(self.output.text(ran))
        else:
            self.output.print(self.connection, ran)
            sys.stdout.flush()


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"
