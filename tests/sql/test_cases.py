"""Runs the statements of `cases/*.sql` on tqp and DuckDB and compares the answers.

A case is a statement that ends with a semicolon at the end of a line. Tables are those of `case_tables`. A statement
after the line `-- both refuse` must raise an error on both; one after `-- tqp refuses` runs on DuckDB, and tqp must say
before it starts that it cannot: when tqp learns it, the case moves to the file of its theme. Columns have DuckDB's names,
except for those of a statement after `-- other names`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import duckdb
import pytest

from tests.engines import Engines
from tests.sql.case_tables import TABLES
from tqp.errors import InternalError, TqpError, UnsupportedError

CASES = Path(__file__).parent / "cases"
REFUSED = "-- both refuse"
UNSUPPORTED = "-- tqp refuses"
OTHER_NAMES = "-- other names"


def statements() -> Iterator[str]:
    """All cases, with the comments before them."""
    return (statement for _, statement in _cases())


def answered(file: str = "") -> Iterator[tuple[str, str]]:
    """The cases that tqp answers, each with its file and line; those of one file."""
    chosen = _cases_of(file) if file else _cases()
    return ((name, case) for name, case in chosen if UNSUPPORTED not in case and REFUSED not in case)


FILES = sorted(file.stem for file in CASES.glob("*.sql"))


def _cases() -> Iterator[tuple[str, str]]:
    return (case for file in FILES for case in _cases_of(file))


@cache
def _cases_of(file: str) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    lines: list[str] = []
    for number, line in enumerate((CASES / f"{file}.sql").read_text().splitlines(), 1):
        if line.strip():
            lines.append(line)
        if line.rstrip().endswith(";"):
            found.append((f"{file}:{number}", "\n".join(lines)))
            lines = []
    assert not lines, f"{file}.sql ends inside a statement"
    return tuple(found)


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    made = Engines(TABLES)
    yield made
    made.close()


@pytest.mark.parametrize("statement", [pytest.param(statement, id=name) for name, statement in _cases()])
def test_case(engines: Engines, statement: str) -> None:
    if UNSUPPORTED in statement:
        engines.duckdb.sql(statement).to_arrow_table()
        with pytest.raises(UnsupportedError):
            engines.tqp.sql(statement).arrow()
    elif REFUSED in statement:
        with pytest.raises(duckdb.Error):
            engines.duckdb.sql(statement).to_arrow_table()
        with pytest.raises(TqpError) as caught:
            engines.tqp.sql(statement).arrow()
        assert not isinstance(caught.value, InternalError)
    else:
        engines(statement)
        same = engines.tqp.sql(statement).columns == engines.duckdb.sql(statement).columns
        assert same != (OTHER_NAMES in statement)
