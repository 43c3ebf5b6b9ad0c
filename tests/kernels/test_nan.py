"""Signs of NaN."""

from __future__ import annotations

import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from tqp.kernels.nan import signed_nan

VALUES = st.sampled_from([1.0, -2.0, math.inf, math.nan, -math.nan])


@given(st.lists(st.tuples(VALUES, VALUES), max_size=40), st.sampled_from([1, -1]))
def test_a_nan_is_the_first_of_the_arguments_or_of_the_sign(rows: list[tuple[float, float]], sign: int) -> None:
    x, y = (torch.tensor([row[i] for row in rows], dtype=torch.float64, device="cpu") for i in (0, 1))
    result = torch.pow(x, y)
    found = signed_nan(result, x, y, sign=sign)
    assert torch.equal(found.nan_to_num(), result.nan_to_num())
    for pair, value in zip(rows, found.tolist(), strict=True):
        if math.isnan(value):
            brought = [math.copysign(1, one) for one in pair if math.isnan(one)]
            assert math.copysign(1, value) == (brought[0] if brought else sign)
