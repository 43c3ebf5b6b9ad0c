"""The runner: what its options mean, what it writes, and when it fails."""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from tpch import data, engines, parameters
from tpch.__main__ import main, queries
from tpch.run import Options

SF = "0.01"

FIELDS = {
    "benchmark", "query", "engine", "engine_version", "sf", "device", "backend", "threads", "cold", "median_ms",
    "runs_ms", "rows", "validated", "peak_rss_bytes", "hardware", "commit", "error",
}  # fmt: skip


def test_query_lists() -> None:
    assert queries("1,6-9") == [1, 6, 7, 8, 9]
    assert queries("q3") == [3]
    for wrong in ("0", "23", "x", "1,,2", "20-23"):
        with pytest.raises(argparse.ArgumentTypeError):
            queries(wrong)


@pytest.mark.parametrize("cold", [[], ["--cold"]])
def test_run(cold: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.jsonl"
    command = ["run", "--sf", SF, "--queries", "1,6", "--repeat", "2", "--threads", "1", "--json", str(out)]
    assert main([*command, *cold]) == 0
    printed = capsys.readouterr().out
    assert "2 of 2 answers of tqp equal DuckDB's" in printed
    assert "geometric mean" in printed
    # A reader must know what the first of several runs leaves to the others.
    assert ("tqp keeps plans and indexes of earlier runs" in printed) is not bool(cold)
    assert ("cold from Parquet" in printed) is bool(cold)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(line["query"], line["engine"]) for line in lines] == [(1, "tqp"), (1, "duckdb"), (6, "tqp"), (6, "duckdb")]
    for line in lines:
        assert set(line) >= FIELDS
        assert line["validated"] is True
        assert line["error"] is None
        assert len(line["runs_ms"]) == 2
        assert line["cold"] is bool(cold)


def test_warm_runs_keep_plans_and_indexes() -> None:
    data.generate(float(SF))
    engine = engines.Tqp(data.files(float(SF)), Options(threads=1), resident=True)
    try:
        engine.run(parameters.query(3, sf=float(SF)))
        kept = engine.connection.cache().arrow()["kind"].to_pylist()
    finally:
        engine.close()
    assert {"plan", "index"} <= set(kept)


def test_validate(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--sf", SF, "--queries", "4,13", "--seed", "7"]) == 0
    assert "2 of 2" in capsys.readouterr().out


def test_a_wrong_answer_fails_the_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    right: Callable[[engines.Tqp, str], pa.Table] = engines.Tqp.run
    monkeypatch.setattr(engines.Tqp, "run", lambda self, sql: right(self, sql).slice(1))
    assert main(["run", "--sf", SF, "--queries", "1", "--repeat", "1"]) == 1
    printed = capsys.readouterr().out
    assert "3 rows instead of 4" in printed
    assert "0 of 1" in printed
    assert main(["run", "--sf", SF, "--queries", "1", "--repeat", "1", "--no-validate"]) == 0


def test_an_error_fails_the_run_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right: Callable[[engines.Tqp, str], pa.Table] = engines.Tqp.run

    def run(self: engines.Tqp, sql: str) -> pa.Table:
        if "lineitem" not in sql:
            raise ValueError("broken on purpose")
        return right(self, sql)

    monkeypatch.setattr(engines.Tqp, "run", run)
    assert main(["run", "--sf", SF, "--queries", "6,13", "--repeat", "1"]) == 1
    printed = capsys.readouterr().out
    assert "broken on purpose" in printed
    assert "1 of 2" in printed


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "6", "--sf", SF]) == 0
    assert "Scan" in capsys.readouterr().out


def test_data_is_whole_or_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TQP_DATA", str(tmp_path))
    real = subprocess.run

    def broken(command: list[str], **options: object) -> object:
        (Path(command[-1]) / "region.parquet").touch()
        raise subprocess.CalledProcessError(1, command)

    monkeypatch.setattr(data.subprocess, "run", broken)
    with pytest.raises(subprocess.CalledProcessError):
        data.generate(0.001)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(data.subprocess, "run", real)
    files = data.files(0.001)
    assert set(files) == set(data.TABLES)
    before = {path: path.stat().st_mtime_ns for path in files.values()}
    assert {path: path.stat().st_mtime_ns for path in data.files(0.001).values()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["sf0.001"]


def test_what_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """With the extra that brings it; an engine that is not asked need not be there."""
    data.generate(float(SF))
    found = importlib.import_module

    def missing(name: str, *more: str) -> object:
        if name in ("duckdb", "polars", "datafusion"):
            raise ModuleNotFoundError(name)
        return found(name, *more)

    with monkeypatch.context() as patch:
        patch.setattr("tqp.io.libraries.import_module", missing)
        assert main(["run", "--sf", SF, "--queries", "6", "--repeat", "1", "--engines", "tqp", "--no-validate"]) == 0
        assert main(["validate", "--sf", SF, "--queries", "6"]) == 2
        assert "tensor-query-processor[verify]" in capsys.readouterr().err
        command = [
            "run",
            "--sf",
            SF,
            "--queries",
            "6",
            "--repeat",
            "1",
            "--engines",
            "tqp,polars,datafusion",
            "--no-validate",
        ]
        main(command)
        said = "".join(capsys.readouterr())
        assert "tensor-query-processor[polars]" in said and "tensor-query-processor[peers]" in said
    monkeypatch.setenv("TQP_DATA", str(tmp_path))
    monkeypatch.setattr(data.shutil, "which", lambda name: None)
    monkeypatch.setattr(data.sys, "executable", str(tmp_path / "python"))
    assert main(["data", "--sf", SF]) == 2
    assert "tpchgen-cli is not installed" in capsys.readouterr().err
