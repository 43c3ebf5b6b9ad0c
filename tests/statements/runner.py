"""Runs scripts of statements on tqp and DuckDB, statement by statement, and compares what each gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa

import tqp
from tqp.errors import InternalError, TqpError, UnsupportedError
from tqp.verify.compare import Difference, compare, compare_query

REFUSED: Final = "-- both refuse"
UNSUPPORTED: Final = "-- tqp refuses"
OWN: Final = "-- runs on both"
"""What is shown is each system's own."""


@dataclass(frozen=True)
class Step:
    """A statement of a script, with the comments before it."""

    text: str
    line: int

    @property
    def mark(self) -> str | None:
        return next((mark for mark in (REFUSED, UNSUPPORTED, OWN) if mark in self.text), None)


@dataclass(frozen=True)
class Script:
    name: str
    steps: tuple[Step, ...]


def scripts_of(file: Path) -> Iterator[Script]:
    """The scripts of a file: each begins with a line `-- script: its name`, and a statement ends with a semicolon and its line."""
    name, steps, lines = "", list[Step](), list[str]()
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if line.startswith("-- script: "):
            if steps:
                yield Script(name, tuple(steps))
            name, steps = line.removeprefix("-- script: "), []
            continue
        if line.strip():
            lines.append(line)
        if line.rstrip().endswith(";"):
            steps.append(Step("\n".join(lines), number))
            lines = []
    assert not lines, f"{file.name} ends inside a statement"
    yield Script(name, tuple(steps))


class Sides:
    """A connection of tqp and one of DuckDB, on which the same statements run."""

    def __init__(self, **settings: Any) -> None:
        self.tqp = tqp.connect(**{"threads": 1, **settings})
        self.duckdb = duckdb.connect(config={"threads": 1})

    def close(self) -> None:
        self.tqp.close()
        self.duckdb.close()

    def expected(self, text: str, params: Any = None) -> pa.Table | duckdb.Error:
        try:
            return self.duckdb.sql(text, params=params).to_arrow_table()
        except duckdb.Error as error:
            return error

    def actual(self, text: str, params: Any = None) -> pa.Table | TqpError:
        try:
            return self.tqp.sql(text, params).arrow()
        except TqpError as error:
            return error

    def step(self, step: Step, params: Any = None) -> None:
        """Run a statement on both; AssertionError where they differ in what it gives, or in whether it can be done."""
        text = step.text
        if step.mark == UNSUPPORTED:
            actual = self.actual(text, params)
            assert isinstance(actual, UnsupportedError), f"tqp answers {actual!r}\n{text}"
            return
        expected, actual = self.expected(text, params), self.actual(text, params)
        if isinstance(actual, InternalError | UnsupportedError) and step.mark != REFUSED:
            raise actual
        if isinstance(expected, duckdb.Error) or isinstance(actual, TqpError):
            assert isinstance(actual, TqpError), f"tqp answers, DuckDB: {expected}\n{text}\n{actual}"
            assert isinstance(expected, duckdb.Error), f"DuckDB answers, tqp: {actual}\n{text}"
            assert not isinstance(actual, InternalError), f"{actual}\n{text}"
            assert step.mark == REFUSED, f"both refuse, tqp: {actual}\nDuckDB: {expected}\n{text}"
            return
        assert step.mark != REFUSED, f"both answer\n{text}"
        if step.mark == OWN:
            return
        found = difference(text, actual, expected)
        assert found is None, f"{found}\n{text}"


def difference(text: str, actual: pa.Table, expected: pa.Table) -> Difference | None:
    """Rows in the order that the text asks for, if it is a query, else in any."""
    try:
        return compare_query(text, actual, expected)
    except TqpError:
        return compare(actual, expected)
