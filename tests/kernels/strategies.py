"""Integer and float columns that find mistakes: extremes, duplicates, skew, sorted runs, dense keys, empty ones."""

from __future__ import annotations

import torch
from hypothesis import strategies as st
from torch import Tensor

CPU = torch.device("cpu")
LIMITS = {torch.int8: 2**7, torch.int16: 2**15, torch.int32: 2**31, torch.int64: 2**63}


@st.composite
def integers(draw: st.DrawFn, *, min_size: int = 0, max_size: int = 40) -> Tensor:
    """(n,) of a drawn integer dtype."""
    dtype = draw(st.sampled_from(list(LIMITS)))
    limit = LIMITS[dtype]
    anywhere = st.integers(-limit, limit - 1)
    edges = st.sampled_from([-limit, -limit + 1, -1, 0, 1, limit - 2, limit - 1])
    low = draw(st.integers(-limit, limit - 12))
    near = st.integers(low, low + 11)
    values = draw(st.lists(draw(st.sampled_from([anywhere, edges, near])), min_size=min_size, max_size=max_size))
    if draw(st.booleans()):
        values.sort()
    if draw(st.booleans()):
        values = list(dict.fromkeys(values))
        values += [low] * (min_size - len(values))
    return torch.tensor(values, dtype=dtype)


@st.composite
def floats(draw: st.DrawFn, *, size: int | None = None) -> Tensor:
    """(n,) float32 or float64 with NaN, infinities and both zeros."""
    dtype = draw(st.sampled_from([torch.float32, torch.float64]))
    special = st.sampled_from([0.0, -0.0, float("nan"), -float("nan"), float("inf"), -float("inf"), 5e-324, 1.5, -1.5])
    one = special | st.floats(width=32)
    values = draw(st.lists(one, min_size=size or 0, max_size=30 if size is None else size))
    return torch.tensor(values, dtype=dtype)


@st.composite
def masks(draw: st.DrawFn, size: int) -> Tensor | None:
    """None, or (size,) bool."""
    if draw(st.booleans()):
        return None
    return torch.tensor(draw(st.lists(st.booleans(), min_size=size, max_size=size)), dtype=torch.bool)


def wide_numbers() -> st.SearchStrategy[int]:
    """Python integers of the 128-bit range, near powers of two and ten or anywhere."""
    powers = [2**31, 2**32, 2**63, 2**64, 2**96, 2**127, 10**9, 10**18, 10**19, 10**37, 10**38]
    near = st.builds(lambda power, shift, sign: sign * power + shift, st.sampled_from(powers), st.integers(-2, 2),
                     st.sampled_from([-1, 1])).filter(lambda number: -(2**127) <= number < 2**127)  # fmt: skip
    return st.integers(-3, 3) | near | st.integers(-(2**127), 2**127 - 1) | st.integers(-(2**70), 2**70)
