"""`tqp.kernels.reduce` against loops of plain Python."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.strategies import CPU, floats, integers, wide_numbers
from tqp.errors import ExecutionError
from tqp.kernels import fold, reduce, wide

GROUPS = st.integers(1, 5)


def draw_ids(data: st.DataObject, rows: int, groups: int) -> Tensor:
    ids = data.draw(st.lists(st.integers(0, groups - 1), min_size=rows, max_size=rows))
    return torch.tensor(ids, dtype=data.draw(st.sampled_from([torch.int32, torch.int64])))


def members(values: list[Any], ids: Tensor, groups: int) -> list[list[Any]]:
    return [[value for value, own in zip(values, ids.tolist(), strict=True) if own == group] for group in range(groups)]


@given(st.data(), integers(), GROUPS)
def test_integers(data: st.DataObject, values: Tensor, groups: int) -> None:
    ids = draw_ids(data, len(values), groups)
    parts = members(values.tolist(), ids, groups)
    limits = torch.iinfo(values.dtype)
    assert reduce.count(ids, groups).tolist() == [len(part) for part in parts]
    assert wide.to_python(reduce.sum_wide(values, ids, groups)) == [sum(part) for part in parts]
    assert reduce.minimum(values, ids, groups).tolist() == [min(part, default=limits.max) for part in parts]
    assert reduce.maximum(values, ids, groups).tolist() == [max(part, default=limits.min) for part in parts]
    if values.dtype is not torch.int64:
        assert reduce.sum_exact(values, ids, groups).tolist() == [sum(part) for part in parts]
    rows = members(list(range(len(values))), ids, groups)
    assert reduce.first(ids, groups).tolist() == [min(part, default=len(values)) for part in rows]
    wanted = [min(part, key=lambda row: (values[row], row), default=len(values)) for part in rows]
    assert reduce.extreme_rows(values, ids.long(), groups, False).tolist() == wanted
    wanted = [max(part, key=lambda row: (values[row], row), default=len(values)) for part in rows]
    assert reduce.extreme_rows(values, ids.long(), groups, True).tolist() == wanted
    for which, combine in enumerate((operator.and_, operator.or_, operator.xor)):
        folded = [functools.reduce(combine, part, fold.BITS[which][1]) for part in parts]
        some, found = fold.bits(values, None, ids.long(), groups, which)
        assert found.tolist() == folded
        assert some.tolist() == [bool(part) for part in parts]


@given(st.data(), floats(), GROUPS)
def test_floats_have_nan_as_the_greatest(data: st.DataObject, values: Tensor, groups: int) -> None:
    ids = draw_ids(data, len(values), groups)
    lows, highs = reduce.minimum(values, ids, groups).tolist(), reduce.maximum(values, ids, groups).tolist()
    for part, low, high in zip(members(values.tolist(), ids, groups), lows, highs, strict=True):
        numbers = [value for value in part if not math.isnan(value)]
        wanted_low = math.nan if part and not numbers else min(numbers, default=math.inf)
        wanted_high = math.nan if len(numbers) < len(part) else max(part, default=-math.inf)
        assert low == wanted_low or math.isnan(low) and math.isnan(wanted_low)
        assert high == wanted_high or math.isnan(high) and math.isnan(wanted_high)


@given(st.data(), st.lists(wide_numbers(), max_size=20), GROUPS)
def test_wide(data: st.DataObject, numbers: list[int], groups: int) -> None:
    ids = draw_ids(data, len(numbers), groups)
    values = wide.from_python(numbers, CPU)
    parts = members(numbers, ids, groups)
    sums, overflow = reduce.sum_wide_checked(values, ids, groups)
    fits = [-(2**127) <= sum(part) < 2**127 for part in parts]
    assert overflow.tolist() == [not fit for fit in fits]
    for fit, got, part in zip(fits, wide.to_python(sums), parts, strict=True):
        assert not fit or got == sum(part)
    lows, highs = reduce.minimum(values, ids, groups), reduce.maximum(values, ids, groups)
    assert wide.to_python(lows) == [min(part, default=2**127 - 1) for part in parts]
    assert wide.to_python(highs) == [max(part, default=-(2**127)) for part in parts]


def test_a_wide_sum_past_128_bits_is_refused() -> None:
    values = wide.from_python([2**127 - 1, 1], CPU)
    with pytest.raises(ExecutionError, match="128-bit"):
        reduce.sum_wide(values, torch.zeros(2, dtype=torch.int64), 1)
