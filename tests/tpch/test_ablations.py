"""The benchmark of mechanisms: each has a switch that exists, sides differ by it alone, and they take turns."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

import tqp
from benchmarks import ablations, one_side, side
from benchmarks.workloads.__main__ import NAMES
from tqp.errors import OutOfMemoryError, QueryTimeoutError, TqpError
from tqp.limits import CPU, Limits
from tqp.session.options import settings_of


@pytest.mark.parametrize("mechanism", ablations.MECHANISMS, ids=lambda mechanism: mechanism.name)
def test_switches_exist(mechanism: ablations.Mechanism) -> None:
    assert mechanism.rules or mechanism.limits or mechanism.environment
    assert settings_of("cpu", 1, "eager", None, mechanism.rules, "UTC").disabled_rules == set(mechanism.rules)
    assert set(mechanism.limits) <= {field.name for field in fields(Limits)}
    assert all(getattr(CPU, name) != value for name, value in mechanism.limits.items())
    assert set(mechanism.workloads) <= set(NAMES)


@pytest.mark.parametrize("error", [OutOfMemoryError, QueryTimeoutError])
def test_a_query_without_memory_counts_as_one_that_is_stopped(
    monkeypatch: pytest.MonkeyPatch, error: type[TqpError]
) -> None:
    def without_memory(*args: object, **options: object) -> tqp.Relation:
        raise error("no")

    with tqp.connect(threads=1) as con:
        assert 0 < one_side.measured(con, "SELECT 1", 1000.0)[0] < 1000.0
        monkeypatch.setattr(con, "sql", without_memory)
        assert one_side.measured(con, "SELECT 1", 1000.0) >= (1000.0, 1000.0)


@pytest.mark.slow
def test_sides_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TQP_DATA", str(tmp_path))
    asked: list[tuple[side.Side, str]] = []
    right = side.Side.asked

    def remembered(self: side.Side, request: object) -> tuple[float, float]:
        asked.append((self, str(request)))
        return right(self, request)

    monkeypatch.setattr(side.Side, "asked", remembered)
    out = tmp_path / "out.jsonl"
    options = ["--rows", "1000", "--threads", "1", "--repeat", "2", "--json", str(out)]
    ablations.main(["--mechanisms", "split sums", *options])
    (line,) = [json.loads(line) for line in out.read_text().splitlines()]
    assert line["name"] == "split sums, events:" and line["switch"] == "disabled_rules=split_sums"
    assert line["wall_ratio"] > 0 and line["least"] <= line["wall_ratio"] <= line["most"]
    first, second = asked[::2], asked[1::2]
    assert [text for _, text in first] == [text for _, text in second], "the same texts, in turns"
    assert all(one is not other for (one, _), (other, _) in zip(first, second, strict=True))
    turns = len(first) // 3
    assert [one for one, _ in first[:turns]] == [one for one, _ in second[turns : 2 * turns]], (
        "who goes first alternates"
    )
    assert {text for _, text in first[:turns]}.isdisjoint(text for _, text in first[turns:]), "other constants"
