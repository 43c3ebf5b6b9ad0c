"""Digits and steps of integers against Python's own division."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tqp.kernels.calendar import DAY, HOUR
from tqp.kernels.division import digit, steps

UNITS = st.sampled_from([1, 2, 1000, HOUR, DAY]) | st.integers(1, 2**40)


@st.composite
def instants(draw: st.DrawFn) -> tuple[list[int], int, tuple[int, int]]:
    """Numbers, many of them at or just before a multiple of a unit; the unit; what they lie between."""
    by = draw(UNITS)
    low = draw(st.integers(-(2**62), 2**62) | st.integers(-DAY, DAY))
    high = low + draw(st.integers(0, min(2**62, 2**31 * by)) | st.integers(0, 9 * by))
    near = st.integers(low // by, high // by).map(lambda count: count * by) | st.integers(low, high)
    numbers = draw(st.lists(st.tuples(near, st.integers(-1, 0)).map(sum), min_size=1, max_size=20))
    return [min(max(number, low), high) for number in (*numbers, low, high)], by, (low, high)


@settings(deadline=None)
@given(instants(), st.sampled_from([2, 7, 24, 60, 127]))
def test_digits(drawn: Any, size: int) -> None:
    numbers, by, bounds = drawn
    for known in (bounds, None):
        found = digit(torch.tensor(numbers, dtype=torch.int64), by, size, known, torch.int8)
        assert found.tolist() == [number // by % size for number in numbers]


@settings(deadline=None)
@given(instants())
def test_steps(drawn: Any) -> None:
    numbers, by, bounds = drawn
    found = steps(torch.tensor(numbers, dtype=torch.int64), by, bounds)
    assert found.dtype is torch.int32
    assert found.tolist() == [(number // by - bounds[0] // by + 2**31) % 2**32 - 2**31 for number in numbers]


@pytest.mark.parametrize("number", [-(2**63), -1, 10**16, 2**63 - 1])
def test_what_is_beyond_bounds_has_a_digit(number: int) -> None:
    """NULL rows of a computed column hold anything."""
    found = digit(torch.tensor([number, 5 * HOUR]), HOUR, 24, (0, 365 * DAY), torch.int8).tolist()
    assert 0 <= found[0] < 24 and found[1] == 5
