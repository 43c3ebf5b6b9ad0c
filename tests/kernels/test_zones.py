"""The ends of blocks of rows, against numpy block by block."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tqp.kernels import zones

FLOATS = st.one_of(st.floats(width=32), st.sampled_from([float("nan"), float("inf"), float("-inf"), -0.0]))


@given(
    st.one_of(st.lists(st.integers(-128, 127), min_size=1, max_size=40), st.lists(FLOATS, min_size=1, max_size=40)),
    st.data(),
    st.integers(1, 9),
)
def test_ends(numbers: list[float], more: st.DataObject, block: int) -> None:
    is_real = any(isinstance(number, float) for number in numbers)
    data = torch.tensor(numbers, dtype=torch.float64 if is_real else torch.int8, device="cpu")
    known = more.draw(st.none() | st.lists(st.booleans(), min_size=len(numbers), max_size=len(numbers)))
    valid = None if known is None else torch.tensor(known, device="cpu")
    found = zones.ends(data, valid, block)
    for place, start in enumerate(range(0, len(numbers), block)):
        there = np.ones(len(numbers), bool) if known is None else np.array(known)
        values = data.numpy()[start : start + block][there[start : start + block]]
        if found.nulls is None or found.known is None:
            assert known is None and found.nulls is None and found.known is None
        else:
            assert bool(found.known[place]) == (values.size > 0)
            assert bool(found.nulls[place]) == (not there[start : start + block].all())
        if values.size:
            # NaN is the greatest; a low is the least of the others.
            low = values[~np.isnan(values)].min(initial=np.inf) if is_real else values.min()
            assert found.lows[place].item() == low
            assert np.array_equal(found.highs[place].item(), values.max(), equal_nan=True)
    assert len(found.lows) == -(-len(numbers) // block)


@given(st.lists(st.booleans(), max_size=30))
def test_runs(flags: list[bool]) -> None:
    found = zones.runs(torch.tensor(flags, dtype=torch.bool, device="cpu"))
    inside = [place for start, stop in found for place in range(start, stop)]
    assert inside == [place for place, flag in enumerate(flags) if flag]
    assert all(stop < start for (_, stop), (start, _) in pairwise(found))


@pytest.mark.parametrize("rows", [1, 5])
def test_large_columns_are_worked_on_in_parts(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zones, "_AT_ONCE", rows)
    data = torch.arange(11, dtype=torch.int32, device="cpu")
    found = zones.ends(data, data > 3, 4)
    assert found.highs.tolist() == [torch.iinfo(torch.int32).min, 7, 10]
    assert found.nulls is not None and found.nulls.tolist() == [True, False, False]
