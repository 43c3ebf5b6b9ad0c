"""`python -m tpch report`: a page from what runs wrote, whatever is missing in them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tpch.__main__ import main
from tpch.page import page


def record(query: int, engine: str, ms: float | None, **more: Any) -> str:
    found = {
        "benchmark": "tpch", "query": query, "engine": engine, "engine_version": "1", "sf": 1.0, "seed": None, "device": "cpu",
        "backend": "eager" if engine == "tqp" else None, "threads": 2, "cold": False, "median_ms": ms, "runs_ms": [], "rows": 4,
        "validated": True, "hardware": "a <machine>", "commit": "0123456789", "error": None,
    }  # fmt: skip
    return json.dumps({**found, **more})


def test_table_and_picture() -> None:
    made = page([record(1, "tqp", 10), record(1, "duckdb", 40), record(2, "tqp", 10), record(2, "duckdb", 10)])
    assert "<td>Q1</td><td>4</td><td>10.0</td><td>40.0</td><td>4.00</td><td>yes</td>" in made
    assert "<td>total</td><td></td><td>20.0</td><td>50.0</td><td>2.00</td>" in made
    assert "a &lt;machine&gt;" in made and "commit 0123456;" not in made
    assert "http" not in made and "<script" not in made
    picture = ElementTree.fromstring(re.findall(r"<svg.*?</svg>", made, re.DOTALL)[0])
    assert [title.text for title in picture.iter("title")] == ["Q1: duckdb / tqp 4.00", "Q2: duckdb / tqp 1.00"]


def test_what_failed_and_what_is_missing() -> None:
    lines = [
        record(1, "tqp", None, error="it said <no>", validated=None, rows=None),
        record(1, "duckdb", 3),
        record(2, "duckdb", 5),
    ]
    made = page([*lines, record(3, "tqp", 2, validated=False), record(3, "duckdb", 1)])
    assert 'title="it said &lt;no&gt;">error</span>' in made
    assert "NO</span>" in made
    assert "<td>total of 1</td>" in made
    assert "<td>Q2</td><td>4</td><td></td><td>5.0</td>" in made


def test_answers_that_nobody_compared_have_no_column() -> None:
    made = page([record(1, "tqp", 10, validated=None), record(1, "duckdb", 40, validated=None)])
    assert "<th>right</th>" not in made and "<td>4.00</td></tr>" in made
    assert made.count("<th>") == made.partition("<tfoot>")[2].count("<td>") == 5


def test_runs_are_sections() -> None:
    run = [record(1, "tqp", 10), record(1, "duckdb", 40)]
    assert page(run).count("<h2>") == 1
    assert page([*run, "", *run]).count("<h2>") == 2
    cold = [record(1, "tqp", 10, cold=True), record(2, "tqp", 10, cold=True)]
    assert page([*run, *cold]).count("<h2>") == 2
    assert "<svg" not in page(cold)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = tmp_path / "run.jsonl"
    records.write_text(record(1, "tqp", 10) + "\n")
    assert main(["report", str(records)]) == 0
    assert (tmp_path / "run.html").read_text().startswith("<!doctype html>")
    assert main(["report", str(records), "--to", str(tmp_path / "other.html")]) == 0
    assert (tmp_path / "other.html").exists()
    capsys.readouterr()
    for wrong, text in (("{}", "line 1 is no record"), ("", "there is no record"), ("[1]", "line 1"), ("x", "line 1")):
        records.write_text(wrong)
        assert main(["report", str(records)]) == 1
        assert text in capsys.readouterr().err
    assert main(["report", str(tmp_path / "none.jsonl")]) == 1
    assert "No such file" in capsys.readouterr().err
