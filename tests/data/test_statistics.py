"""Statistics are facts: compared with what the values themselves say."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tqp.data import statistics
from tqp.io.arrow import column_from_arrow

CPU = torch.device("cpu")


@given(st.lists(st.one_of(st.none(), st.integers(-5, 5), st.integers(-(2**63), 2**63 - 1))))
@settings(max_examples=200, deadline=None)
def test_integers(values: list[int | None]) -> None:
    found = statistics.compute(column_from_arrow(pa.array(values, pa.int64())))
    known = [value for value in values if value is not None]
    whole = len(known) == len(values)
    assert (found.rows, found.nulls) == (len(values), len(values) - len(known))
    assert (found.minimum, found.maximum) == ((min(known), max(known)) if known else (None, None))
    assert found.distinct == len(set(known))
    assert found.is_sorted == (whole and known == sorted(known))
    assert found.is_unique == (whole and len(set(known)) == len(known))


@pytest.mark.parametrize(
    ("values", "distinct", "is_sorted", "is_unique"),
    [
        ([True, False, True], 2, False, False),
        ([1.0, 2.0, 3.0], 3, True, True),
        ([1.0, float("nan")], None, False, False),
        (["a", "b", "b"], 2, True, False),
        (["b", None], 1, False, False),
    ],
)
def test_other_types(values: list[Any], distinct: int | None, is_sorted: bool, is_unique: bool) -> None:
    found = statistics.compute(column_from_arrow(pa.array(values)))
    assert distinct is None or found.distinct == distinct
    assert (found.is_sorted, found.is_unique) == (is_sorted, is_unique)


def test_dense_keys() -> None:
    assert statistics.compute(column_from_arrow(pa.array([3, 4, 5]))).is_dense
    assert not statistics.compute(column_from_arrow(pa.array([3, 5, 6]))).is_dense


def test_large_ranges_are_estimated() -> None:
    rows = 2_100_000
    few = (torch.arange(rows, device="cpu") * 7919 % 1000) * 10**15
    found = statistics.compute(column_from_arrow(pa.array(few.numpy())))
    assert 500 <= found.distinct <= 2000 and not found.is_unique
    many = (torch.arange(rows, device="cpu") * 7919 % rows) * 10**12
    found = statistics.compute(column_from_arrow(pa.array(many.numpy())))
    assert found.distinct > rows // 2


def test_wide_values_and_intervals() -> None:
    wide = column_from_arrow(pa.array([2**64 - 1, 0, 0, None], pa.uint64()))
    found = statistics.compute(wide)
    assert (found.minimum, found.maximum, found.nulls) == (0, 2**64 - 1, 1)
    spans = column_from_arrow(pa.array([(1, 2, 3000)] * 4, pa.month_day_nano_interval()))
    assert statistics.compute(spans).minimum is None


def test_codes_of_unsorted_dictionaries_prove_nothing() -> None:
    column = column_from_arrow(pa.array([f"x{place}" for place in range(100_001)]))
    found = statistics.compute(column)
    assert not found.is_sorted and not found.is_unique
