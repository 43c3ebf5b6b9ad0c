"""Random queries on tqp and DuckDB: fixed seeds, as many as `--fuzz-seeds` says; `python -m tests.fuzz` goes on from another seed each day."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

import tqp
from tests.fuzz import metamorphic
from tests.fuzz.__main__ import table
from tests.fuzz.check import FAILURES, Outcome, Pair
from tests.fuzz.kinds import KINDS_OF_RUN, SLOW_KINDS
from tests.fuzz.metamorphic import Equal, agree
from tests.fuzz.report import Report
from tests.fuzz.templates import every_template, functions

_BLOCKS = 4
_UNSUPPORTED = 0.05
"""The largest share of queries that tqp may call unsupported: more would hide that the rest agrees."""

_ANSWERED = {"values": 0.3, "constants": 0.3, "files": 0.3}
"""The least share with an answer: values at the edges, constants from anywhere and options of readers make many fail in both."""

_SLOWER = ("sources", "threads", "constants", "traced", "predicted", "equal", "placed")
"""Kinds that ask each query several times, and so get half the seeds."""


_HOST = pytest.mark.host_only("compiles for the CPU")
_KINDS = [pytest.param(kind, marks=[_HOST] if kind == "traced" else []) for kind in KINDS_OF_RUN]


@pytest.mark.parametrize("block", [0, 1, *(pytest.param(block, marks=pytest.mark.slow) for block in range(2, _BLOCKS))])
@pytest.mark.parametrize("kind", _KINDS)
def test_same_as_duckdb(kind: str, block: int, pytestconfig: pytest.Config) -> None:
    seeds = pytestconfig.getoption("--fuzz-seeds") // (2 if kind in _SLOWER else 1)
    report = Report()
    for seed in range(block * seeds // _BLOCKS, (block + 1) * seeds // _BLOCKS):
        report.add(KINDS_OF_RUN[kind](seed))
    assert not report.failures, "\n\n".join(report.failures)
    total = report.outcomes.total()
    assert report.outcomes[Outcome.UNSUPPORTED] <= max(2, _UNSUPPORTED * total)
    assert report.outcomes[Outcome.SAME] >= _ANSWERED.get(kind, 0.6) * total


@_HOST
@pytest.mark.parametrize("kind", SLOW_KINDS)
def test_same_as_duckdb_slowly(kind: str) -> None:
    report = SLOW_KINDS[kind](0)
    assert not report.failures, "\n\n".join(report.failures)
    assert report.outcomes[Outcome.SAME]


def test_every_function_is_tried() -> None:
    assert set(functions()) <= every_template().keys()


def test_a_disagreement_is_made_small_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an oracle that forgets rows every query of rows is wrong: the machinery must say so."""
    from tests.fuzz.check import Pair

    real = Pair.oracle
    monkeypatch.setattr(Pair, "oracle", lambda self, sql, params=None: real(self, sql, params).slice(1))
    report = KINDS_OF_RUN["columns"](1)
    assert report.outcomes[Outcome.WRONG] > 1
    assert len(report.failures) == sum(report.outcomes[outcome] for outcome in FAILURES)
    first = report.failures[0]
    assert first.startswith("columns, seed 1: a wrong answer: ") and "SELECT" in first
    assert "a wrong answer" in table({"columns": report})


def test_a_relation_that_nobody_reads_is_judged_all_the_same() -> None:
    pair = Pair([], strict=False)
    assert pair.check("SELECT 1", before="SELECT 2 AS x GROUP BY 'a', 2") is Outcome.REFUSED
    pair.close()


def test_rows_or_errors_of_one_side_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Pair([], strict=False)
    report = Report()

    def outcome(whole: str, *parts: str) -> Outcome:
        before = Report(report.outcomes.copy())
        agree(report, pair, Equal("law", whole, parts), "here")
        return next(iter(report.outcomes - before.outcomes))

    three = "SELECT n FROM range(3) t(n)"
    assert outcome(three, f"{three} WHERE n = 1", f"{three} WHERE n <> 1") is Outcome.SAME
    assert outcome(three, f"{three} WHERE n = 1", f"{three} WHERE n > 1") is Outcome.WRONG
    assert outcome(three, f"{three} WHERE n >= 1", f"{three} WHERE n <= 1") is Outcome.WRONG
    assert outcome(three, "SELECT m FROM range(3) t(n)") is Outcome.REFUSED
    monkeypatch.setattr(metamorphic, "_is_refused", lambda *args: False)
    assert outcome(three, "SELECT m FROM range(3) t(n)") is Outcome.DENIED
    assert outcome("SELECT m FROM range(3) t(n)", "SELECT m FROM range(3) t(n)") is Outcome.REFUSED
    assert outcome(three, f"{three} WHERE error(n::VARCHAR) IS NULL") is Outcome.ONE_SIDED
    assert len(report.failures) == 3
    assert report.failures[0].startswith("here, law: a wrong answer: ") and three in report.failures[0]
    pair.close()


LAWS = (
    "where", "joined", "having", "distinct", "aggregated", "counted", "pivot", "inside", "inlined", "cut", "grouped", "settings",
)  # fmt: skip


def _lose_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the settings answers without its first row."""
    real = metamorphic._answer

    def shorter(connection: tqp.Connection, sql: str) -> pa.Table | Exception:
        found = real(connection, sql)
        return found if isinstance(found, Exception) or connection.settings.batch_rows != 2 else found.slice(1)

    monkeypatch.setattr(metamorphic, "_answer", shorter)


@pytest.mark.parametrize("law", LAWS)
def test_laws_can_fail(law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a side loses its first row, each law says so with one of some seeds."""
    _lose_a_row(monkeypatch)
    monkeypatch.setattr(metamorphic, "_LAWS_PER_SEED", 1)
    monkeypatch.setattr(metamorphic._Laws, "laws", lambda self: (getattr(self, law),))
    assert any(KINDS_OF_RUN["equal"](seed).outcomes[Outcome.WRONG] for seed in range(20))


def test_all_laws_are_tried() -> None:
    assert [law.__name__ for law in metamorphic._Laws(random.Random(1), [], None).laws()] == list(LAWS)  # type: ignore[arg-type]


def test_placed_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    _lose_a_row(monkeypatch)
    assert KINDS_OF_RUN["placed"](1).outcomes[Outcome.WRONG] > 1
