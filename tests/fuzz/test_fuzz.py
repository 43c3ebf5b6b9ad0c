"""Random queries on tqp and DuckDB: fixed seeds, and as many more as `--fuzz-seeds` says."""

from __future__ import annotations

import pytest

from tests.fuzz.check import Outcome
from tests.fuzz.runs import KINDS_OF_RUN, Report, every_template, functions

_BLOCKS = 4
_UNSUPPORTED = 0.05
"""The largest share of queries that tqp may call unsupported: more would hide that the rest agrees."""

_ANSWERED = 0.3
"""The least share with an answer: values at the edges make many expressions fail in both."""


@pytest.mark.parametrize("block", range(_BLOCKS))
@pytest.mark.parametrize("kind", KINDS_OF_RUN)
def test_same_as_duckdb(kind: str, block: int, pytestconfig: pytest.Config) -> None:
    seeds = pytestconfig.getoption("--fuzz-seeds")
    report = Report()
    for seed in range(block * seeds // _BLOCKS, (block + 1) * seeds // _BLOCKS):
        report.add(KINDS_OF_RUN[kind](seed))
    assert not report.failures, "\n\n".join(report.failures)
    total = report.outcomes.total()
    assert report.outcomes[Outcome.UNSUPPORTED] <= _UNSUPPORTED * total
    assert report.outcomes[Outcome.SAME] >= _ANSWERED * total


def test_every_function_is_tried() -> None:
    assert set(functions()) <= every_template().keys()
