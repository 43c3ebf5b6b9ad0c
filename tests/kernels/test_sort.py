"""`tqp.kernels.sort` against sorting in plain Python."""

from __future__ import annotations

import math
from functools import cmp_to_key
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.strategies import CPU, floats, integers, masks, wide_numbers
from tqp.kernels import wide
from tqp.kernels.sort import argsort, order_key, top_k


def rank(value: Any) -> Any:
    return (math.isnan(value), 0.0 if math.isnan(value) else value) if isinstance(value, float) else value


def wanted(columns: list[tuple[list[Any], bool, bool]]) -> list[int]:
    """Stable order of rows; a NULL is None; columns are (values, descending, nulls_first)."""

    def before(a: int, b: int) -> int:
        for values, descending, nulls_first in columns:
            x, y = values[a], values[b]
            if x is None or y is None:
                if (x is None) != (y is None):
                    return -1 if (x is None) == nulls_first else 1
                continue
            if rank(x) != rank(y):
                return -1 if (rank(x) < rank(y)) != descending else 1
        return a - b

    return sorted(range(len(columns[0][0])), key=cmp_to_key(before))


def with_nulls(values: list[Any], valid: Tensor | None) -> list[Any]:
    return values if valid is None else [v if ok else None for v, ok in zip(values, valid.tolist(), strict=True)]


@given(st.data(), integers(), st.booleans(), st.booleans(), st.booleans())
def test_integer_order(data: st.DataObject, values: Tensor, descending: bool, nulls_first: bool, known: bool) -> None:
    valid = data.draw(masks(len(values)))
    low = high = None
    if known and len(values):
        low, high = int(values.min()), int(values.max())
    keys = order_key(values, valid, descending, nulls_first, low, high)
    assert argsort(keys).tolist() == wanted([(with_nulls(values.tolist(), valid), descending, nulls_first)])


@given(st.data(), floats(), st.booleans(), st.booleans())
def test_float_order(data: st.DataObject, values: Tensor, descending: bool, nulls_first: bool) -> None:
    valid = data.draw(masks(len(values)))
    keys = order_key(values, valid, descending, nulls_first)
    assert argsort(keys).tolist() == wanted([(with_nulls(values.tolist(), valid), descending, nulls_first)])


@given(st.data(), st.lists(wide_numbers() | st.integers(-1, 1), max_size=25), st.booleans(), st.booleans())
def test_wide_order(data: st.DataObject, numbers: list[int], descending: bool, nulls_first: bool) -> None:
    valid = data.draw(masks(len(numbers)))
    keys = order_key(wide.from_python(numbers, CPU), valid, descending, nulls_first)
    assert argsort(keys).tolist() == wanted([(with_nulls(numbers, valid), descending, nulls_first)])


@given(st.data(), st.lists(st.booleans(), max_size=25), st.booleans(), st.booleans())
def test_boolean_order(data: st.DataObject, values: list[bool], descending: bool, nulls_first: bool) -> None:
    valid = data.draw(masks(len(values)))
    keys = order_key(torch.tensor(values, dtype=torch.bool), valid, descending, nulls_first)
    assert argsort(keys).tolist() == wanted([(with_nulls(values, valid), descending, nulls_first)])


@given(st.data(), st.integers(0, 25), st.integers(1, 4))
def test_several_keys(data: st.DataObject, rows: int, width: int) -> None:
    columns, keys = [], []
    for _ in range(width):
        number = data.draw(st.sampled_from([st.integers(-(2**63), 2**63 - 1), st.integers(0, 2), st.just(7)]))
        values = torch.tensor(data.draw(st.lists(number, min_size=rows, max_size=rows)), dtype=torch.int64)
        valid = data.draw(masks(rows))
        descending, nulls_first = data.draw(st.booleans()), data.draw(st.booleans())
        columns.append((with_nulls(values.tolist(), valid), descending, nulls_first))
        keys += order_key(values, valid, descending, nulls_first)
    order = wanted(columns)
    assert argsort(keys).tolist() == order
    for k in (0, 1, 3, rows + 1):
        assert top_k(keys, k).tolist() == order[:k]


@pytest.mark.parametrize("distinct", [1, 2, 1000, 2**40])
@pytest.mark.parametrize("k", [1, 10, 1000])
def test_top_k_of_many_rows(distinct: int, k: int) -> None:
    generator = torch.Generator(device=CPU).manual_seed(k)
    first = torch.randint(distinct, (300_000,), generator=generator, device=CPU)
    second = torch.randint(3, (300_000,), generator=generator, device=CPU, dtype=torch.int32)
    for keys in ([first], [first, second], [second, first], [-first.sort().values, second]):
        assert torch.equal(top_k(keys, k), argsort(keys)[:k])
