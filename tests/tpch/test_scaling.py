"""The benchmark of several threads: every shape gives DuckDB's answer, and both sides are timed."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb

import tqp
from benchmarks import scaling
from tqp.verify.compare import compare


def test_the_shapes_are_what_they_say() -> None:
    tables = scaling.tables(6000)
    with tqp.connect(threads=2) as ours, duckdb.connect() as peer:
        for name, table in tables.items():
            ours.register(name, table)
            peer.register(name, table)
        for name, text in scaling.SHAPES.items():
            answer = ours.sql(text).arrow()
            assert compare(answer, peer.sql(text).to_arrow_table()) is None, name
            assert answer.num_rows > 0 and answer.column(answer.num_columns - 1)[0].as_py(), f"{name} finds nothing"


def test_one_thread_and_several_take_turns(tmp_path: Path) -> None:
    out = tmp_path / "scaling.jsonl"
    scaling.main(["--rows", "60000", "--repeat", "2", "--json", str(out)])
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["name"] for line in lines] == list(scaling.SHAPES)
    assert all(len(line["runs_ms"]) == 2 and line["one_thread_ms"] > 0 and line["cores"] > 0 for line in lines)
