"""Statistics are facts: compared with what the values themselves say."""

from __future__ import annotations

import pickle
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


@pytest.mark.parametrize("times", [4, 30])
def test_equal_values_side_by_side_are_counted_as_such(times: int) -> None:
    """Rows picked one by one would meet no value twice, and take all rows for distinct ones."""
    rows = 2_400_000
    distinct = rows // times
    groups = torch.randperm(distinct, generator=torch.Generator().manual_seed(1), device=CPU)
    clustered = groups.repeat_interleave(times) * 10**9
    found = statistics.compute(column_from_arrow(pa.array(clustered.numpy())))
    assert 0.8 * distinct <= found.distinct <= 1.3 * distinct and not found.is_unique
    ascending = statistics.compute(column_from_arrow(pa.array(clustered.sort().values.numpy())))
    assert 0.9 * distinct <= ascending.distinct <= 1.1 * distinct
    assert ascending.is_sorted and not ascending.is_unique


def test_a_full_range_is_counted_by_its_first_rows() -> None:
    """All of a range that occur early are all there are; a value that comes last is counted where they are not all."""
    values = torch.arange(100_000, device=CPU) * 7 % 100
    assert statistics.compute(column_from_arrow(pa.array(values.numpy()))).distinct == 100
    values[values == 99] = 98
    values[-1] = 99
    assert statistics.compute(column_from_arrow(pa.array(values.numpy()))).distinct == 100
    values[-1] = 0
    assert statistics.compute(column_from_arrow(pa.array(values.numpy()))).distinct == 99


def test_one_repeated_value_is_enough_not_to_be_unique() -> None:
    values = torch.randperm(200_000, generator=torch.Generator().manual_seed(2), device=CPU)
    assert statistics.compute(column_from_arrow(pa.array(values.numpy()))).is_unique
    values[-1] = int(values[0])
    values[0] = 200_000
    assert not statistics.compute(column_from_arrow(pa.array([*values.tolist(), int(values[5])]))).is_unique
    assert not statistics.compute(column_from_arrow(pa.array([*values.tolist()[:-1], int(values[5])]))).is_unique


def test_facts_that_nobody_asks_for_are_not_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("asked")

    monkeypatch.setattr(statistics, "_order", refuse)
    monkeypatch.setattr(statistics, "_count", refuse)
    found = statistics.compute(column_from_arrow(pa.array([5, 5, 8])))
    assert (found.minimum, found.maximum, found.nulls, found.is_dense) == (5, 8, 0, False)
    assert not statistics.compute(column_from_arrow(pa.array([5, 5, 5, 6]))).is_unique, "two integers for four rows"


def test_facts_are_pickled_and_compared_as_values() -> None:
    one, other = (statistics.compute(column_from_arrow(pa.array([3, 1, 2]))) for _ in range(2))
    assert one == other == pickle.loads(pickle.dumps(one)) and hash(one) == hash(other)
    assert one != statistics.compute(column_from_arrow(pa.array([1, 2, 3])))
    assert repr(one) == "ColumnStatistics(3, 0, 1, 3, 3, False, True)"


def test_an_estimate_passes_over_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A column that ascends, or whose values all occur in a sample, is estimated by stretches; nothing of it is proven."""
    passed: list[int] = []
    count = statistics.distinct_within
    monkeypatch.setattr(
        statistics, "distinct_within", lambda values, *rest: passed.append(len(values)) or count(values, *rest)
    )
    monkeypatch.setattr(statistics, "_order", lambda values: passed.append(len(values)) or (False, False))
    rows = torch.arange(400_000, device="cpu")
    rare = torch.where(rows % 61 == 0, rows // 61 % 17 + 1, 0)
    assert statistics.compute(column_from_arrow(pa.array(rare.numpy()))).distinct == 18
    assert 0 < sum(passed) < 100_000
    passed.clear()
    assert statistics.compute(column_from_arrow(pa.array((rows // 4).numpy()))).distinct == pytest.approx(
        100_000, rel=0.01
    )
    assert not passed
    head = torch.where(rows < 70_000, rows, 5)
    assert statistics.compute(column_from_arrow(pa.array(head.numpy()))).distinct == 70_000


def test_values_like_hashes_repeat_in_more_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among 2^18 of them two are equal, and so nothing is counted."""
    monkeypatch.setattr(statistics, "_count", lambda *_: pytest.fail("counted"))
    random = torch.Generator(device="cpu").manual_seed(8)
    values = torch.randint(0, 2**32, (600_000,), generator=random, device="cpu")
    assert not statistics.compute(column_from_arrow(pa.array(values.numpy()))).is_unique
