"""What a column may be: its layout and its bounds must fit one another."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tqp.data.column import Column
from tqp.data.layout import Bounds, clipped
from tqp.errors import InternalError
from tqp.types import BIGINT, HUGEINT

_CPU = torch.device("cpu")
_limits = st.tuples(*[st.integers(-(2**65), 2**65)] * 2).map(lambda pair: (min(pair), max(pair)))


@given(_limits, _limits, st.integers(-(2**65), 2**65))
def test_clipped_holds_what_lies_in_both(bounds: Bounds, allowed: Bounds, value: int) -> None:
    low, high = clipped(bounds, allowed)
    assert allowed[0] <= low <= high <= allowed[1]
    if bounds[0] <= value <= bounds[1] and allowed[0] <= value <= allowed[1]:
        assert low <= value <= high


@pytest.mark.parametrize(
    ("shape", "bounds"),
    [((3,), (1, 0)), ((), (2, 1)), ((3,), (0, 2**63)), ((), (2**64, 2**64)), ((3, 2), (0, 1)), ((0, 2), (-1, -1))],
)
def test_bounds_that_no_such_data_has(shape: tuple[int, ...], bounds: Bounds) -> None:
    with pytest.raises(InternalError, match="cannot have the bounds"):
        Column(torch.zeros(shape, dtype=torch.int64, device=_CPU), HUGEINT, bounds=bounds)


def test_bounds_that_fit() -> None:
    for shape, bounds in (((), (0, 0)), ((3,), (-(2**63), 2**63 - 1)), ((2,), (2**64, 2**64)), ((0, 2), (0, 2**63))):
        column = Column(torch.zeros(shape, dtype=torch.int64, device=_CPU), HUGEINT, bounds=bounds)
        assert column.is_wide == (bounds[1] >= 2**63)
    assert not Column(torch.zeros(2, dtype=torch.int64, device=_CPU), BIGINT, bounds=(0, 1)).is_constant
