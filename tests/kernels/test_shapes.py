"""Sums of powers of differences from the mean against exact arithmetic, in parts and together."""

from __future__ import annotations

from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tqp.kernels import shapes

VALUES = st.floats(-1e6, 1e6, allow_subnormal=False) | st.sampled_from([0.0, 1.0, 0.1])
ROWS = st.lists(st.tuples(st.integers(0, 2), VALUES, st.booleans()), max_size=25)
Rows = list[tuple[int, float, bool]]


def _doubles(values: list[float]) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, device="cpu")


def _of(rows: Rows) -> shapes.Shape:
    ids = torch.tensor([group for group, _, _ in rows], dtype=torch.int64, device="cpu")
    none = torch.zeros(len(rows), dtype=torch.float64, device="cpu")
    values = _doubles([value if there else 0.0 for _, value, there in rows])
    return shapes.grouped((_doubles([float(there) for *_, there in rows]), values, none, none, none), ids, 3)


def _check(found: shapes.Shape, rows: Rows) -> None:
    for group in range(3):
        values = [Fraction(value) for number, value, there in rows if there and number == group]
        assert found[0][group] == len(values)
        if not values:
            continue
        mean = sum(values) / len(values)
        largest = float(max(map(abs, values)))
        for power in (2, 3, 4):
            exact = float(sum((value - mean) ** power for value in values))
            # Of what cancels the digits of the largest parts are left.
            assert float(found[power][group]) == pytest.approx(exact, rel=1e-9, abs=1e-11 * largest**power + 1e-200)


@given(ROWS)
def test_sums_are_those_of_exact_arithmetic(rows: Rows) -> None:
    _check(_of(rows), rows)


@given(ROWS, ROWS)
def test_parts_are_put_together(left: Rows, right: Rows) -> None:
    _check(shapes.joint(_of(left), _of(right)), left + right)
    both = [torch.cat(parts) for parts in zip(_of(left), _of(right), strict=True)]
    _check(shapes.grouped(tuple(both), torch.arange(6, device="cpu") % 3, 3), left + right)
