"""Pairs in pieces against all pairs at once."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tqp.limits import CPU
from tqp.operators.pairs import Pairs

RANGES = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9)), max_size=12)


def all_pairs(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return [(row, place) for row, (start, count) in enumerate(ranges) for place in range(start, start + count)]


def made(ranges: list[tuple[int, int]], dtype: torch.dtype, size: int) -> tuple[Pairs, list[Tensor]]:
    columns = [torch.tensor([r[i] for r in ranges], dtype=dtype, device="cpu") for i in range(2)]
    limits = replace(CPU, pairs=size, few_pairs=min(2, size))
    return Pairs(*columns, limits), [column.clone() for column in columns]


sizes = pytest.mark.parametrize("size", [1, 3, 7, 10_000])


@sizes
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("growing", [False, True])
@given(ranges=RANGES)
def test_pieces(size: int, dtype: torch.dtype, growing: bool, ranges: list[tuple[int, int]]) -> None:
    found: list[tuple[int, int]] = []
    whole, before = made(ranges, dtype, size)
    pieces = list(whole.pieces(growing))
    for rows, places, _ in pieces:
        assert len(rows) == len(places) <= size
        found += zip(rows.tolist(), places.tolist(), strict=True)
    assert found == all_pairs(ranges)
    assert [last for _, _, last in pieces] == [False] * (len(pieces) - 1) + [True]
    assert torch.equal(whole._starts, before[0]) and torch.equal(whole._counts, before[1])


@sizes
@given(ranges=RANGES, wanted=st.sets(st.integers(0, 30)))
def test_some(size: int, ranges: list[tuple[int, int]], wanted: set[int]) -> None:
    looked_at: list[tuple[int, int]] = []

    def matching(rows: Tensor, places: Tensor) -> Tensor:
        found = list(zip(rows.tolist(), places.tolist(), strict=True))
        looked_at.extend(found)
        assert len(found) <= max(size, len(ranges))
        return torch.tensor([row for row, place in found if place in wanted], dtype=torch.int64, device="cpu")

    whole, before = made(ranges, torch.int64, size)
    hit = whole.some(matching, lambda: False)
    assert hit.tolist() == [any(p in wanted for r, p in all_pairs(ranges) if r == row) for row in range(len(ranges))]
    assert len(set(looked_at)) == len(looked_at) and set(looked_at) <= set(all_pairs(ranges))
    assert torch.equal(whole._starts, before[0]) and torch.equal(whole._counts, before[1])


@sizes
def test_some_stops_at_a_match(size: int) -> None:
    looked_at = 0

    def matching(rows: Tensor, places: Tensor) -> Tensor:
        nonlocal looked_at
        looked_at += len(rows)
        return rows

    whole, _ = made([(0, 5_000)] * 10, torch.int64, size)
    assert whole.some(matching, lambda: False).all()
    assert looked_at <= 10_000
    assert not whole.some(matching, lambda: True).any()
