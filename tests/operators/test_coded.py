"""Conditions on texts by their codes: DuckDB's answers, and whether rows compare codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.engines import Engines
from tests.limits import limit
from tqp.data.column import Column
from tqp.operators.coded import CodeRanges
from tqp.types import BOOLEAN

ROWS = 2_000
TEXTS = ["", "a", "ab", "abc", "b", "ba", "c", "ca", "zz", "Ä"]


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    random = np.random.default_rng(3)
    places = pa.array(random.integers(0, len(TEXTS), ROWS))
    nulls = pa.array([None if n == 3 else TEXTS[n] for n in random.integers(0, len(TEXTS), ROWS).tolist()])
    both = Engines({"t": pa.table({"s": pa.array(TEXTS).take(places), "n": nulls, "i": places})})
    yield both
    both.close()


RANGES = [
    "s = 'b'", "s <> ''", "s < 'b'", "s >= 'ba'", "s LIKE 'ab%'", "s BETWEEN 'ab' AND 'ba'", "s NOT BETWEEN 'ab' AND 'ba'",
    "s IN ('a', 'ab')", "NOT starts_with(s, 'c')", "n = 'b'", "n <> 'b'", "n LIKE 'a%'",
]  # fmt: skip
OTHERS = ["s LIKE '%a'", "s IN ('a', 'ba', 'zz')", "n IS NULL", "coalesce(n, 'a') = 'a'", "nullif(s, 'b') > 'a'"]
CONSTANT = ["s = 'none'", "s <> 'none'", "length(s) < 9"]


def _condition(condition: str) -> str:
    return f"SELECT count(*), sum(i), count({condition}), bool_and({condition}) FROM t WHERE {condition}"


@pytest.mark.parametrize("condition", [*RANGES, *OTHERS, *CONSTANT])
def test_answers(engines: Engines, condition: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engines(_condition(condition))
    engines(f"SELECT {condition}, count(*) FROM t WHERE NOT ({condition}) OR i = 1 GROUP BY 1")
    limit(monkeypatch, compared_entries=0)
    engines.tqp.clear_cache()
    engines(_condition(condition))


@pytest.mark.host_only("it is a wait elsewhere")
@pytest.mark.parametrize("condition", [*RANGES, *OTHERS])
def test_codes_are_compared(engines: Engines, condition: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def compares() -> bool:
        engines.tqp.clear_cache()
        program = engines.tqp.sql(f"SELECT i FROM t WHERE {condition}").explain("program")
        return re.search(r"compare\.\w\w\([sn], ", program) is not None

    assert compares() == (condition in RANGES)
    limit(monkeypatch, compared_entries=0)
    assert not compares()


@given(
    st.lists(st.tuples(st.booleans(), st.integers(1, 4)), min_size=1, max_size=4),
    st.sampled_from([torch.int8, torch.int16, torch.int32]),
    st.booleans(),
)
def test_a_range_holds_where_the_entries_do(runs: list[tuple[bool, int]], width: torch.dtype, nullable: bool) -> None:
    entries = [value for value, times in runs for _ in range(times)]
    codes = torch.arange(len(entries), dtype=width)
    values = torch.tensor([*entries, False] if nullable else entries)
    valid = torch.arange(len(values)) < len(entries) if nullable else None
    found = CodeRanges(1).of("key", Column(values, BOOLEAN, valid), len(entries), len(entries))
    changes = sum(a != b for a, b in pairwise(entries))
    assert (found is not None) == (changes <= 2)
    assert found is None or found.holds(codes).tolist() == entries


def test_an_entry_without_an_answer_is_no_range() -> None:
    holds, known = torch.tensor([True, True, False]), torch.tensor([True, False, True])
    assert CodeRanges(1).of("key", Column(holds, BOOLEAN, known), 3, 9) is None
    assert CodeRanges(1).of("null is false", Column(holds, BOOLEAN), 2, 9) is None
    assert CodeRanges(1).of("few rows", Column(holds, BOOLEAN), 3, 2) is None
