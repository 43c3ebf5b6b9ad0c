"""The benchmark of other shapes: both engines are asked, and one that does not end is given up."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb

from benchmarks import shapes


def test_both_engines_take_turns(tmp_path: Path) -> None:
    out = tmp_path / "shapes.jsonl"
    shapes.main(["--only", "like", "--scale", "0.001", "--repeat", "2", "--threads", "1", "--json", str(out)])
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["engine"] for line in lines] == ["tqp", "duckdb"] * 3
    assert [line["name"].split(",")[0] for line in lines[::2]] == [
        "like: two words", "like: a prefix", "like: a column of 16 patterns",
    ]  # fmt: skip
    assert all(len(line["runs_ms"]) == 2 and line["interrupted"] is None for line in lines)


def test_the_patterns_find_some_rows() -> None:
    for name, table, query in shapes.likes(0.001):
        with duckdb.connect() as connection:
            connection.register("t", table)
            ((found,),) = connection.execute(query).fetchall()
        assert 0 < found < table.num_rows, name


def test_a_query_without_end_is_given_up() -> None:
    with duckdb.connect() as connection:
        endless = "SELECT sum(a.range ^ b.range) FROM range(1000000) a, range(1000000) b"
        assert shapes._within(0.2, connection, endless) is None
        assert shapes._within(20, connection, "SELECT 42") == [(42,)], "it goes on"
