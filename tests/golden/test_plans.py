"""The optimized plans of the 22 TPC-H queries at scale factor 0.01, with row estimates.

`pytest tests/golden --update-golden` writes them anew; read the difference before you keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import tqp
from tpch import data, parameters

SF = 0.01
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def connection(tpch_dir: Callable[[float], Path]) -> Iterator[tqp.Connection]:
    folder = tpch_dir(SF)
    with tqp.connect(threads=1) as connected:
        for table in data.TABLES:
            connected.register(table, pq.read_table(folder / f"{table}.parquet"))
        yield connected


@pytest.mark.parametrize("number", parameters.QUERIES)
def test_plan(connection: tqp.Connection, request: pytest.FixtureRequest, number: int) -> None:
    plan = connection.sql(parameters.query(number, sf=SF)).explain() + "\n"
    file = HERE / f"q{number:02}.txt"
    if request.config.getoption("--update-golden"):
        file.write_text(plan)
    assert plan == file.read_text(), f"the plan of Q{number} changed; if that is meant: pytest {HERE} --update-golden"


@pytest.mark.parametrize("number", parameters.QUERIES)
def test_program_is_python(connection: tqp.Connection, number: int) -> None:
    listing = connection.sql(parameters.query(number, sf=SF)).explain("program")
    compile(listing, f"q{number:02}", "exec")
    assert "return {" in listing
