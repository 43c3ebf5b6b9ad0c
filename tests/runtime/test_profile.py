"""A profile is a trace that tools of Chrome's format read, with the names of pipelines and steps, of all threads."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest
from torch.profiler import profile

import tqp
from tqp.errors import ExecutionError, SourceError

ROWS = 2**19 + 1
QUERY = "SELECT b, sum(a) AS s FROM t WHERE a > 100 GROUP BY b ORDER BY s DESC"


@pytest.fixture
def con() -> tqp.Connection:
    connection = tqp.connect(threads=2)
    connection.register("t", pa.table({"a": range(ROWS), "b": [place % 7 for place in range(ROWS)]}))
    return connection


def names(text: str) -> set[str]:
    return {event["name"] for event in json.loads(text)["traceEvents"] if event.get("ph") == "X"}


@pytest.mark.host_only("the profiler of the simulated device is the CPU's")
def test_a_trace_names_pipelines_and_steps(
    con: tqp.Connection, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    con.execute("SET batch_rows = 10000")
    relation = con.sql(QUERY)
    path = relation.profile(tmp_path / "trace.json")
    assert path == tmp_path / "trace.json"
    assert capfd.readouterr() == ("", "")
    found = names(path.read_text())
    assert any(name.startswith("pipeline 0: scan t(") for name in found)
    assert any(name.startswith("pipeline 1: result of pipeline 0 ... sort by sum_a DESC") for name in found)
    assert {"filter a > 100", "finish: sort by sum_a DESC", "batches of pipeline 0"} <= found
    assert any(name.startswith("aggregate by b") for name in found) and any(name.startswith("aten::") for name in found)
    assert len(relation) == 7


@pytest.mark.host_only("the profiler of the simulated device is the CPU's")
def test_the_work_of_all_threads_is_seen(con: tqp.Connection, tmp_path: Path) -> None:
    con.execute("SET batch_rows = 1000")
    events = json.loads(con.sql(QUERY).profile(tmp_path / "trace.json").read_text())["traceEvents"]
    workers = {event["tid"] for event in events if event["name"] == "batches of pipeline 0" and event["ph"] == "X"}
    steps = {event["tid"] for event in events if event["name"] == "filter a > 100" and event["ph"] == "X"}
    assert len(workers) == 2 and steps <= workers


def test_a_trace_may_be_compressed(con: tqp.Connection, tmp_path: Path) -> None:
    path = con.sql("SELECT a FROM t LIMIT 3").profile(str(tmp_path / "trace.json.gz"))
    assert any(name.startswith("pipeline 0: scan t(a)") for name in names(gzip.decompress(path.read_bytes()).decode()))


def test_what_cannot_be_written_or_started_is_an_error(con: tqp.Connection, tmp_path: Path) -> None:
    relation = con.sql("SELECT a FROM t LIMIT 3")
    with pytest.raises(SourceError, match="cannot write a profile to .*No such file or directory"):
        relation.profile(tmp_path / "nowhere" / "trace.json")
    with profile(), pytest.raises(ExecutionError, match="a profiler of torch runs"):
        relation.profile(tmp_path / "trace.json")
    assert relation.profile(tmp_path / "trace.json").exists()


def test_a_query_that_fails_leaves_the_profiler_free(con: tqp.Connection, tmp_path: Path) -> None:
    with pytest.raises(ExecutionError, match="Could not convert|INTEGER"):
        con.sql("SELECT CAST(b || 'x' AS INTEGER) FROM t").profile(tmp_path / "trace.json")
    assert not (tmp_path / "trace.json").exists()
    assert con.sql("SELECT a FROM t LIMIT 3").profile(tmp_path / "trace.json").exists()
