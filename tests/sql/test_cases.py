"""Runs the statements of `cases/*.sql` on tqp and DuckDB and compares the answers.

A case is a statement that ends with a semicolon at the end of a line. Tables are those of `case_tables`. A statement
after the line `-- both refuse` must raise an error on both; one after `-- tqp refuses` runs on DuckDB, and tqp must say
before it starts that it cannot: when tqp learns it, the case moves to the file of its theme. Columns have DuckDB's names,
but for those of a statement after `-- other names`.
"""

from __future__ import annotations

from collections.abc import Iterator
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


def answered() -> Iterator[tuple[str, str]]:
    """The cases that tqp answers, each with its file and line."""
    return ((name, case) for name, case in _cases() if UNSUPPORTED not in case and REFUSED not in case)


def _cases() -> Iterator[tuple[str, str]]:
    for file in sorted(CASES.glob("*.sql")):
        lines: list[str] = []
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if line.strip():
                lines.append(line)
            if line.rstrip().endswith(";"):
                yield f"{file.stem}:{number}", "\n".join(lines)
                lines = []
        assert not lines, f"{file.name} ends inside a statement"


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
