"""Square roots are the nearest floats."""

from __future__ import annotations

import math

import torch

from tqp.kernels.roots import square_root


def test_the_square_root_is_the_nearest_float() -> None:
    # 10554 is one of those for which torch's own is the float beside it.
    values = [10554.0, 2.0, 0.0, 5e-324, 1.7976931348623157e308, *(number * 0.37 for number in range(1, 20_000))]
    expected = torch.tensor([math.sqrt(value) for value in values], dtype=torch.float64)
    assert torch.equal(square_root(torch.tensor(values, dtype=torch.float64)), expected)


def test_roots_of_what_has_none() -> None:
    found = square_root(torch.tensor([-1.0, math.inf, math.nan, -0.0], dtype=torch.float64))
    assert found.isnan().tolist() == [True, False, True, False]
    assert found[1] == math.inf
    assert math.copysign(1, found[3].item()) == -1
