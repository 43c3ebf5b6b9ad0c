"""Fixtures that several folders share."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import hypothesis
import pytest

# What a loop does shall be tested wherever it may run, not only once it happens to be compiled.
os.environ.setdefault("TQP_LOOPS", "now")
# A test that fails shows where in tqp.
os.environ.setdefault("TQP_TRACEBACKS", "full")

import tqp
from tests.device import choice
from tests.engines import Engines
from tests.layouts import Announced
from tests.shares import cases_beyond
from tests.sql.case_tables import TABLES
from tpch import data
from tqp.runtime.observe import EVERYWHERE

# How long an example takes says more of the machine than of tqp.
hypothesis.settings.register_profile("tqp", deadline=None)
hypothesis.settings.load_profile("tqp")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the plans under tests/golden anew")
    parser.addoption("--fuzz-seeds", type=int, default=8, help="seeds of each kind of random query")
    parser.addoption("--device", default="cpu", help="where connections are that name no device: cpu, sim, cuda")
    parser.addoption(
        "--trust-layouts", action="store_true", help="do not compare batches with what was announced of them"
    )
    parser.addoption("--cases", type=int, default=1, help="run one of so many SQL cases, chosen by their texts")
    parser.addoption("--soak", type=int, default=400, help="queries of the test that memory stays flat")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell without job control has what runs behind the scenes ignore Ctrl-C, processes that tests start included.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not config.getoption("--trust-layouts"):
        EVERYWHERE.append(Announced)
    config.addinivalue_line("markers", "host_only(why): the test makes no sense on an accelerator")
    if config.getoption("--device") != "cpu":
        choice.choose(config.getoption("--device"))


def pytest_collection_finish() -> None:
    # Each search for garbage would go through all tests and modules again, half a second each time.
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(exitstatus: int) -> None:
    choice.status = int(exitstatus)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    rest = cases_beyond(items, config.getoption("--cases"))
    if rest:
        config.hook.pytest_deselected(items=rest)
        beyond = set(map(id, rest))
        items[:] = [item for item in items if id(item) not in beyond]
    if config.getoption("--device") != "cpu":
        choice.skip_for_the_host(items)


def pytest_unconfigure(config: pytest.Config) -> None:
    gc.unfreeze()
    if config.getoption("--device") != "cpu":
        choice.leave()


def pytest_report_header(config: pytest.Config) -> list[str]:
    return [f"device: {config.getoption('--device')}"]


@pytest.fixture(scope="session")
def tpch_dir() -> Callable[[float], Path]:
    """Folder of the TPC-H files of a scale factor, generated on first use."""
    return data.generate


@pytest.fixture
def oracle() -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB connection with no tables."""
    with duckdb.connect(config={"threads": 1}) as connection:
        yield connection


@pytest.fixture
def both() -> Iterator[Engines]:
    """tqp and DuckDB with no tables: `both.register(name, table)`, then `both(sql)`."""
    engines = Engines()
    yield engines
    engines.close()


@pytest.fixture(scope="module")
def cases() -> Iterator[tqp.Connection]:
    """A connection with the tables of the SQL cases."""
    with tqp.connect(threads=1) as connection:
        for name, table in TABLES.items():
            connection.register(name, table)
        yield connection


@pytest.fixture(scope="module")
def tpch(tpch_dir: Callable[[float], Path]) -> Iterator[tqp.Connection]:
    """A connection with TPC-H's files at scale factor 0.01."""
    with tqp.connect(threads=1) as connection:
        for path in sorted(tpch_dir(0.01).glob("*.parquet")):
            connection.register(path.stem, str(path))
        yield connection
