"""`tqp.kernels.rows` against plain Python."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.strategies import integers
from tqp.kernels.rows import clip, expand, is_ascending, offsets, row_dtype, select, stable_order, within


@given(st.lists(st.booleans(), max_size=50))
def test_select_gives_true_rows(mask: list[bool]) -> None:
    rows = select(torch.tensor(mask, dtype=torch.bool))
    assert rows.dtype is torch.int64
    assert rows.tolist() == [row for row, flag in enumerate(mask) if flag]


def test_select_of_a_strided_mask() -> None:
    assert select(torch.tensor([True, False, False, True])[::3]).tolist() == [0, 1]


@given(
    st.lists(st.tuples(st.integers(0, 100), st.integers(0, 5)), max_size=30)
    | st.lists(st.tuples(st.integers(0, 100), st.integers(0, 1)), max_size=30)
    | st.lists(st.tuples(st.integers(0, 100), st.just(3)), max_size=10),
    st.sampled_from([torch.int32, torch.int64]),
)
def test_expand_lists_each_range(ranges: list[tuple[int, int]], dtype: torch.dtype) -> None:
    starts = torch.tensor([start for start, _ in ranges], dtype=dtype)
    counts = torch.tensor([count for _, count in ranges], dtype=dtype)
    rows, positions = expand(starts, counts)
    wanted = [(row, start + i) for row, (start, count) in enumerate(ranges) for i in range(count)]
    assert list(zip(rows.tolist(), positions.tolist(), strict=True)) == wanted
    assert positions.dtype is dtype
    assert rows.dtype in (torch.int32, torch.int64)


@pytest.mark.parametrize("starts", [[2**31 - 5, 0, 2**31 - 3], [0, 2**31 - 5, 7]])
def test_expand_does_not_wrap_at_the_end_of_32_bits(starts: list[int]) -> None:
    rows, positions = expand(torch.tensor(starts, dtype=torch.int32), torch.tensor([4, 2, 3]))
    assert rows.tolist() == [0, 0, 0, 0, 1, 1, 2, 2, 2]
    wanted = [start + place for start, count in zip(starts, (4, 2, 3), strict=True) for place in range(count)]
    assert positions.tolist() == wanted


def test_row_ids_are_narrow_where_they_fit() -> None:
    assert [row_dtype(rows) for rows in (0, 2**31 - 1, 2**31)] == [torch.int32, torch.int32, torch.int64]


@given(integers(), st.integers(-(2**63), 2**63 - 1) | st.integers(-300, 300), st.integers(1, 1000))
def test_offsets_within_a_table(key: Tensor, minimum: int, size: int) -> None:
    size = min(size, 2**63 - minimum)
    slots = offsets(key, minimum)
    wanted = [value - minimum if 0 <= value - minimum < size else None for value in key.tolist()]
    assert within(slots, size).tolist() == [slot is not None for slot in wanted]
    assert clip(slots, size).tolist() == [size if slot is None else slot for slot in wanted]


def test_offsets_do_not_wrap_into_a_table() -> None:
    lowest = torch.tensor([-(2**31)], dtype=torch.int32)
    for minimum in (2**31 - 5, 2**30 + 1, 2**30):
        assert not within(offsets(lowest, minimum), 2**30).any()


@given(integers())
def test_ascending(key: Tensor) -> None:
    values = key.tolist()
    assert is_ascending(key) == (values == sorted(values))
    assert is_ascending(key, strictly=True) == (values == sorted(set(values)))


@given(integers())
def test_stable_order(key: Tensor) -> None:
    values = key.tolist()
    assert stable_order(key).tolist() == sorted(range(len(values)), key=values.__getitem__)
