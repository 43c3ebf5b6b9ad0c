"""`tqp.kernels.group` against dictionaries of plain Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.strategies import CPU, floats, integers
from tqp.kernels.group import (
    cuts,
    float_from_key,
    float_key,
    group_ids,
    group_ids_multi,
)


def check(groups: tuple[Tensor, Tensor, int], keys: Sequence[Any]) -> None:
    """Ids number the distinct keys ascending, representatives are their first rows."""
    distinct = sorted(set(keys))
    ids, representatives, count = groups
    assert ids.dtype is representatives.dtype is torch.int64
    assert count == len(distinct)
    assert ids.tolist() == [distinct.index(key) for key in keys]
    assert representatives.tolist() == [list(keys).index(key) for key in distinct]


def check_open(groups: tuple[Tensor, Tensor, int], keys: Sequence[Any]) -> None:
    """Ids number the distinct keys in any order, representatives are their first rows."""
    ids, representatives, count = groups
    assert count == len(set(keys))
    assert representatives.tolist() == [ids.tolist().index(number) for number in range(count)]
    assert len(set(zip(ids.tolist(), keys, strict=True))) == count


@given(integers())
def test_group_ids(key: Tensor) -> None:
    check(group_ids(key, ordered=True), key.tolist())
    check_open(group_ids(key), key.tolist())


@pytest.mark.parametrize("spread", [1, 3, 10**6, 2**40])
def test_group_ids_of_many_rows(spread: int) -> None:
    generator = torch.Generator(device=CPU).manual_seed(spread)
    key = torch.randint(-500, 500, (20_000,), generator=generator, device=CPU) * spread
    ids, representatives, count = group_ids(key, ordered=True)
    values, wanted = torch.unique(key, return_inverse=True)
    assert torch.equal(ids, wanted)
    assert torch.equal(key[representatives], values)
    assert count == len(values)
    assert all(not (ids[:row] == group).any() for group, row in list(enumerate(representatives.tolist()))[::97])
    found, _, groups = group_ids(key)
    assert groups == count
    assert torch.unique(torch.stack((ids, found)), dim=1).shape[1] == count


@given(st.data(), st.integers(0, 25), st.integers(1, 4))
def test_group_ids_of_several_keys(data: st.DataObject, rows: int, width: int) -> None:
    number = st.integers(-(2**63), 2**63 - 1) | st.integers(0, 2)
    keys = [data.draw(st.lists(number, min_size=rows, max_size=rows)) for _ in range(width)]
    columns, rows_of_all = [torch.tensor(key, dtype=torch.int64) for key in keys], list(zip(*keys, strict=True))
    check(group_ids_multi(columns, ordered=True), rows_of_all)
    check_open(group_ids_multi(columns), rows_of_all)


def test_group_ids_of_many_distinct_keys_densify() -> None:
    rows = 70_000
    generator = torch.Generator(device=CPU).manual_seed(5)
    keys = [torch.randperm(rows, generator=generator) for _ in range(5)]
    ids, _, count = group_ids_multi(keys, ordered=True)
    assert count == rows
    assert torch.equal(ids, keys[0])


@given(floats())
def test_float_key_orders_as_numbers_with_nan_last(x: Tensor) -> None:
    keys = float_key(x).tolist()
    values = x.tolist()
    rank = [(math.isnan(value), 0.0 if math.isnan(value) else value) for value in values]
    for i in range(len(values)):
        for j in range(len(values)):
            assert (keys[i] < keys[j]) == (rank[i] < rank[j])
            assert (keys[i] == keys[j]) == (rank[i] == rank[j])
    back = float_from_key(float_key(x), x.dtype)
    assert torch.equal(back.nan_to_num(1.25, 1e30, -1e30), x.nan_to_num(1.25, 1e30, -1e30))
    assert torch.equal(back.isnan(), x.isnan())


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12), st.integers(1, 5))
def test_cuts(sizes: list[int], pieces: int) -> None:
    ids = torch.arange(len(sizes), device=CPU).repeat_interleave(torch.tensor(sizes, device=CPU)).flip(0)
    found = cuts(ids, len(sizes), pieces)
    assert found[0] == 0 and found[-1] == len(sizes) and found == sorted(set(found)) and len(found) <= pieces + 1
    # No piece is longer than its share by more than a group at either end.
    parts = [sum(sizes[low:high]) for low, high in pairwise(found)]
    assert max(parts) <= sum(sizes) / pieces + 2 * max(sizes)
