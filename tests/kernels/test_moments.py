"""Moments against exact arithmetic, for values and parts of any size."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tqp.kernels import moments

LARGEST = 1.7976931348623157e308
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.lists(st.tuples(st.integers(0, 2), FLOATS | st.just(0.1) | st.just(LARGEST), st.booleans()), max_size=20)


def _doubles(values: list[float]) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, device="cpu")


def _of(rows: list[tuple[int, float, bool]]) -> moments.Moments:
    ids = torch.tensor([group for group, _, _ in rows], dtype=torch.int64, device="cpu")
    values = _doubles([value if there else 0.0 for _, value, there in rows])
    return moments.grouped((_doubles([float(there) for *_, there in rows]), values, torch.zeros_like(values)), ids, 3)


def _check(found: moments.Moments, rows: list[tuple[int, float, bool]]) -> None:
    squares = moments.spread(found)
    for group in range(3):
        values = [Fraction(value) for number, value, there in rows if there and number == group]
        assert found[0][group] == len(values)
        if len(values) < 2:
            assert squares[group] == 0
            continue
        mean = sum(values) / len(values)
        exact = sum((value - mean) ** 2 for value in values)
        largest = float(max(map(abs, values)))
        assert float(found[1][group]) == pytest.approx(float(mean), rel=1e-12, abs=largest * 1e-14 + 1e-322)
        if exact > Fraction(LARGEST):
            assert squares[group] > LARGEST / 2
        else:
            assert float(squares[group]) == pytest.approx(float(exact), rel=1e-9, abs=1e-300)


@given(ROWS)
def test_grouped_moments_are_those_of_exact_arithmetic(rows: list[tuple[int, float, bool]]) -> None:
    _check(_of(rows), rows)


@given(ROWS, ROWS)
def test_joint_moments_are_those_of_all_values(
    left: list[tuple[int, float, bool]], right: list[tuple[int, float, bool]]
) -> None:
    _check(moments.joint(_of(left), _of(right)), left + right)


@given(FLOATS, st.integers(1, 50), st.integers(0, 50))
def test_equal_values_have_no_squares(value: float, first: int, second: int) -> None:
    left, right = ([(1, value, True)] * times for times in (first, second))
    joint = moments.joint(_of(left), _of(right))
    assert moments.spread(joint).tolist() == [0.0, 0.0, 0.0]
    assert joint[1][1] == pytest.approx(value, rel=0, abs=1e-323)


@pytest.mark.parametrize("odd", [math.inf, -math.inf, math.nan])
def test_what_is_no_finite_number_has_no_squares_but_alone(odd: float) -> None:
    alone, other = _of([(0, odd, True)]), _of([(0, 1.0, True)])
    assert moments.spread(alone)[0] == 0
    for parts in (moments.joint(alone, other), moments.joint(other, alone), _of([(0, odd, True), (0, 1.0, True)])):
        assert moments.spread(parts)[0].isnan()
