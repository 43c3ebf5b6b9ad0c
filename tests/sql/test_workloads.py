"""The queries of benchmarks.workloads, over few rows: DuckDB's answers, with one set of constants after another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import tqp
from benchmarks.workloads.__main__ import STATES, WORKLOADS, main
from benchmarks.workloads.workload import Query, Workload
from tpch.engines import DuckDB
from tpch.run import Options
from tqp.verify.compare import compare_query

ROWS = 2000


class Tables:
    """One workload's tables on both engines."""

    def __init__(self, workload: Workload) -> None:
        files = workload.files(ROWS)
        self.ours = tqp.connect()
        for name, path in files.items():
            self.ours.register(name, str(path))
        self.peer = DuckDB(files, Options(threads=1), resident=False)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Tables]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TQP_DATA", str(tmp_path_factory.mktemp("workloads")))
        opened: dict[str, Tables] = {}
        yield opened
        for one in opened.values():
            one.ours.close()
            one.peer.close()


CASES = [(workload, query) for workload in WORKLOADS.values() for query in workload.queries]


@pytest.mark.parametrize(("workload", "query"), CASES, ids=[f"{one.name}: {query.name}" for one, query in CASES])
def test_answers(workload: Workload, query: Query, tables: dict[str, Tables]) -> None:
    if workload.name not in tables:
        tables[workload.name] = Tables(workload)
    both = tables[workload.name]
    for turn in (0, 1, 2):
        text = query.sql(turn)
        answer = both.ours.sql(text).arrow()
        assert compare_query(text, answer, both.peer.run(text), both.peer.run) is None


@pytest.mark.parametrize(("workload", "query"), CASES, ids=[f"{one.name}: {query.name}" for one, query in CASES])
def test_every_turn_has_a_text_of_its_own(workload: Workload, query: Query) -> None:
    turns = max(len(values) for values in query.constants.values())
    assert turns > 8
    assert len({query.sql(turn) for turn in range(turns)}) == turns


def test_queries_have_names_of_their_own() -> None:
    for workload in WORKLOADS.values():
        assert len({query.name for query in workload.queries}) == len(workload.queries)


def test_every_state_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TQP_DATA", str(tmp_path))
    arguments = ["--rows", "1000", "--only", "order", "--repeat", "1", "--starts", "1", "--json", str(tmp_path / "x")]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    for state in STATES:
        assert f"order {state}, {len(WORKLOADS['order'].queries)} queries" in shown


def test_a_wrong_answer_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TQP_DATA", str(tmp_path))
    monkeypatch.setattr("tpch.engines.Tqp.run", lambda self, sql: duckdb.sql("SELECT 1 AS wrong").to_arrow_table())
    arguments = ["--rows", "1000", "--only", "graph", "--repeat", "1", "--starts", "1", "--states", "first"]
    assert main(arguments) == 1
    assert "not DuckDB's answer" in capsys.readouterr().out
