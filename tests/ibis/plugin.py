"""What Ibis' suite of tests of backends asks of a backend, as a plugin of pytest: `python -m pytest -p tests.ibis.plugin …`.

Ibis looks for a backend's part in its own packages (`ibis.backends.<name>.tests.conftest`) and for data beside its sources. Here
both are given by name, so that the suite runs as it lies in the wheel. `TQP_IBIS_BACKEND=duckdb` runs Ibis' DuckDB backend on the
same tables, which tells what fails for them, or for the versions of libraries that are here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import ibis
import ibis.backends.tests
import pytest
from ibis.backends.tests.base import BackendTest

import tqp.ibis
from tests.ibis.tables import files, small_tables
from tpch import data

FAILING = Path(__file__).with_name("failing.txt")
SUITE = Path(ibis.backends.tests.__file__).parent
BACKEND = os.environ.get("TQP_IBIS_BACKEND", "tqp")


class Name(str):
    """The name of the backend in a test: tables of what a test expects have no line for tqp, and DuckDB's is right for it."""

    __hash__ = "duckdb".__hash__

    def __eq__(self, other: object) -> bool:
        return other in ("tqp", "duckdb") if type(other) is str else super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other


class TestConf(BackendTest):
    """The tables, and what the suite may ask."""

    __test__ = False
    deps = ("pandas",)
    supports_map = True
    supports_tpch = True
    stateful = False
    driver_supports_multiple_statements = True
    runs = False
    """Whether a test runs now; before that Ibis looks for marks by the name."""

    @classmethod
    def name(cls) -> str:
        return Name(BACKEND) if cls.runs and BACKEND == "tqp" else BACKEND

    @staticmethod
    def connect(*, tmpdir: object, worker_id: object, **options: Any) -> Any:
        return getattr(ibis, BACKEND).connect(threads=1, **options)

    def _load_data(self, **_: object) -> None:
        con = self.connection.con
        for path in sorted((self.data_dir / "parquet").glob("*.parquet")):
            con.execute(f"CREATE TABLE {path.stem} AS FROM '{path}'")
        for name, (rows, types) in small_tables().items():
            con.register("rows_of_a_table", rows)
            con.execute(f'CREATE TABLE "{name}" ({types}); INSERT INTO "{name}" FROM rows_of_a_table')
            con.unregister("rows_of_a_table")

    def _load_tpc(self, *, suite: str, scale_factor: str) -> None:
        for name, path in data.files(float(scale_factor)).items():
            self.connection.con.execute(f"CREATE TABLE {name} AS FROM '{path}'")

    def _tpc_table(self, name: str, benchmark: str) -> Any:
        if benchmark != "h":
            pytest.skip("nothing that is installed makes tables of TPC-DS")
        # There are no schemas in tqp.
        return self.connection.table(name)

    def list_tpc_tables(self, suite: str) -> frozenset[str]:
        return frozenset(data.TABLES)


def _module(name: str, **content: object) -> None:
    sys.modules[name] = made = ModuleType(name)
    made.__dict__.update(content)


_module(f"ibis.backends.{BACKEND}.tests.conftest", TestConf=TestConf)
sys.modules["ibis.backends.tqp"] = tqp.ibis


def pytest_configure(config: pytest.Config) -> None:
    from ibis.util import backend_entry_points

    names = [entry.name for entry in backend_entry_points()]
    assert "tqp" in names, "tqp has to be installed (pip install -e .), so that Ibis finds its entry point"
    for marker in (*names, "backend", "benchmark", "core", "never", "notimpl", "notyet", "xfail_version", "timeout"):
        config.addinivalue_line("markers", f"{marker}: of Ibis' suite")


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: Any, request: pytest.FixtureRequest) -> Any:
    """Ibis' fixture of the folder of data names one beside its sources."""
    if fixturedef.argname != "data_dir":
        return None
    fixturedef.cached_result = (files(), fixturedef.cache_key(request), None)
    return files()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What Ibis expects to fail on DuckDB may fail on tqp, whose language is DuckDB's; what it says of raises is of DuckDB's classes."""
    if BACKEND != "tqp":
        return
    failing = dict(line.split(": ", 1) for line in FAILING.read_text().splitlines() if not line.startswith("#"))
    for item in items:
        reason = failing.get(f"{item.path.relative_to(SUITE).as_posix()}::{item.name}")
        if reason is not None:
            item.add_marker(pytest.mark.xfail(strict=True, reason=f"known: {reason}"))
        for name in ("notimpl", "notyet", "never"):
            for mark in item.iter_markers(name):
                if "duckdb" in mark.args[0]:
                    item.add_marker(
                        pytest.mark.xfail(strict=False, reason=f"{name} on DuckDB: {mark.kwargs.get('reason')}")
                    )


def pytest_runtest_call() -> None:
    TestConf.runs = True


def pytest_runtest_teardown() -> None:
    TestConf.runs = False


class Snapshot:
    """The text that an expression compiles to, beside the one that Ibis has of it for DuckDB."""

    def __init__(self, node: pytest.Item) -> None:
        case = node.name.partition("[")[2].rstrip("]").replace("tqp", "duckdb")
        folder = Path(node.path).parent / "snapshots" / node.path.stem / getattr(node, "originalname", node.name)
        self.folder = folder / case if case else folder

    def assert_match(self, text: str, name: str) -> None:
        assert text == (self.folder / name).read_text()


@pytest.fixture
def snapshot(request: pytest.FixtureRequest) -> Snapshot:
    return Snapshot(request.node)


class Mocker:
    """As much of pytest-mock as the suite uses."""

    def __init__(self) -> None:
        self.patches: list[Any] = []

    def spy(self, owner: object, name: str) -> mock.Mock:
        patch = mock.patch.object(owner, name, wraps=getattr(owner, name), autospec=False)
        self.patches.append(patch)
        return patch.start()


@pytest.fixture
def mocker() -> Iterator[Mocker]:
    made = Mocker()
    yield made
    for patch in made.patches:
        patch.stop()


@pytest.fixture
def benchmark() -> Callable[..., Any]:
    return lambda function, *arguments, **options: function(*arguments, **options)


if "xdist" not in sys.modules:

    @pytest.fixture(scope="session")
    def worker_id() -> str:
        return "master"
