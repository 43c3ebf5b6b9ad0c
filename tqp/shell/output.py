"""Rows of statements in one of the formats, to standard output or to a file."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tqp.connection import Connection
from tqp.display import markdown_table
from tqp.io.written import written
from tqp.keywords import text_constant
from tqp.relation import Relation
from tqp.statements import Caller, Ran, run_script

__all__ = ["Output"]

_COPIED: Final = {
    "csv": "FORMAT csv",
    "json": "FORMAT json, ARRAY true",
    "jsonlines": "FORMAT json",
    "parquet": "FORMAT parquet",
    "arrow": "FORMAT arrow",
}
"""The formats that COPY writes, with its options."""


@dataclass(slots=True)
class Output:
    """In which format rows leave, how many of them a table shows, and how many places of a line it takes (`Relation.show`)."""

    format: str = "table"
    rows: int = 40
    width: int | None = None

    @property
    def is_text(self) -> bool:
        """Whether it is made of lines for people."""
        return self.format not in _COPIED

    def print(self, connection: Connection, ran: Ran) -> None:
        """The rows on standard output, when all of them are there; nothing of what only says that something was done."""
        ran.relation.result()
        if ran.kind == "done":
            return
        if self.is_text:
            print(self.text(ran))
            return
        with TemporaryDirectory() as folder:
            path = Path(folder, "rows")
            self._copy(connection, ran.relation, str(path))
            sys.stdout.flush()
            with path.open("rb") as rows:
                shutil.copyfileobj(rows, sys.stdout.buffer)

    def write(self, connection: Connection, ran: Ran, path: str) -> None:
        """The rows as a file, which is whole or as it was."""
        ran.relation.result()
        if not self.is_text:
            self._copy(connection, ran.relation, path)
            return
        text = self.text(ran)
        with written(path, connection.access.systems) as beside:
            Path(beside).write_text(f"{text}\n", "utf-8")

    def text(self, ran: Ran) -> str:
        """The rows as a table or Markdown; a plan as it is."""
        relation = ran.relation
        if ran.kind == "rows" and relation.columns == ["explain_key", "explain_value"]:
            return "\n".join(str(value) for _, value in relation.fetchall())
        if self.format == "markdown":
            return markdown_table(relation.columns, relation.types, relation.texts(len(relation)))
        return relation.shown(self.rows, self.width)

    def _copy(self, connection: Connection, relation: Relation, path: str) -> None:
        copy = f"COPY rows TO {text_constant(path)} ({_COPIED[self.format]})"
        run_script(Caller(connection, relations={"rows": relation}), copy)
