"""`tqp.kernels.sort` against sorting in plain Python."""

from __future__ import annotations

import math
from functools import cmp_to_key
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.strategies import CPU, floats, integers, masks, wide_numbers
from tqp.kernels import wide
from tqp.kernels.loops.loop import mode
from tqp.kernels.loops.sorting import order_by_lead
from tqp.kernels.rows import profile
from tqp.kernels.sort import argsort, first_of_groups, not_behind, order_key, top_k


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


def _many(name: str) -> list[Tensor]:
    """Keys of 50,000 rows: what sorts by leading bits find easy, and what they do not."""
    rng = np.random.default_rng(7)
    rows = 50_000
    wide = rng.integers(-(2**63), 2**63 - 1, rows)
    few = rng.integers(0, 9, rows)
    near = (few << 40) + rng.integers(0, 2**12, rows)
    found = {
        "wide": [wide],
        "floats": [rng.random(rows).view(np.int64)],
        "few wide": [wide[rng.integers(0, 50, rows)]],
        "alike in their leading bits": [near + 2**61 * (np.arange(rows) == 0)],
        "all but alike": [wide[:1] // 2 + rng.integers(0, 2, rows)],
        "behind a lead": [few, wide],
        "alike behind a lead": [few, near + 2**62 * (np.arange(rows) == 0)],
        "between others": [few, wide, few],
        "with their numbers": [few, wide, np.arange(rows)],
        "numbered by a second key": [few, few[::-1].copy(), np.arange(rows) // 3],
        "in order": [np.arange(rows), few],
        "in order but for the last": [np.append(np.arange(rows - 1), -1), few],
    }
    return [torch.from_numpy(key) for key in found[name]]


@pytest.mark.parametrize(
    "name",
    [
        "wide", "floats", "few wide", "alike in their leading bits", "all but alike", "behind a lead", "alike behind a lead",
        "between others", "with their numbers", "numbered by a second key", "in order", "in order but for the last",
    ],
)  # fmt: skip
def test_sorts_of_many_rows(name: str) -> None:
    keys = _many(name)
    assert argsort(keys).tolist() == np.lexsort([key.numpy() for key in reversed(keys)]).tolist()


@pytest.mark.skipif(mode() == "off", reason="needs Numba")
@pytest.mark.parametrize(("name", "pays"), [("wide", True), ("few wide", True), ("alike in their leading bits", False)])
def test_sorts_by_leading_bits_give_up_where_too_many_are_alike(name: str, pays: bool) -> None:
    (key,) = _many(name)
    kinds = (torch.uint64, torch.int64, int, int, torch.int64, torch.uint64, torch.uint64)
    assert order_by_lead.ready(2**20, *kinds)
    lead = key.numpy().astype(np.uint64) ^ np.uint64(2**63)
    rows = lead.size
    room = np.empty(rows, np.uint64), np.empty(rows, np.uint64)
    assert order_by_lead(lead, key.numpy(), 64, rows.bit_length(), np.empty(rows, np.int64), *room) is pays


def test_how_many_keys_decide() -> None:
    few, numbers = torch.tensor([3, 1, 2, 2], device=CPU), torch.arange(4, device=CPU)
    assert profile(few) == ([(1, 3)], 1)
    assert profile(numbers) == ([(0, 3)], 0)
    assert profile(few, numbers) == ([(1, 3), (0, 3)], 1)
    assert profile(few, numbers, numbers.flip(0)) == ([(1, 3), (0, 3), (0, 3)], 3)
    assert profile(few, numbers.flip(0), numbers) == ([(1, 3), (0, 3), (0, 3)], 2)
    assert profile(numbers, numbers.flip(0)) == ([(0, 3), (0, 3)], 0)


@given(st.data(), st.lists(st.integers(0, 5), min_size=1, max_size=60), st.integers(1, 4))
def test_first_rows_of_groups(data: st.DataObject, groups: list[int], most: int) -> None:
    number = st.integers(-2, 2) | st.sampled_from([2**63 - 1, -(2**63)])
    values = data.draw(st.lists(number, min_size=len(groups), max_size=len(groups)))
    names = sorted(set(groups))
    ids = torch.tensor([names.index(name) for name in groups], device=CPU)
    found = first_of_groups(torch.tensor(values, device=CPU), ids, len(names), most).tolist()
    members = {name: sorted(v for v, g in zip(values, groups, strict=True) if g == name) for name in names}
    bounds = {name: own[min(most, len(own)) - 1] for name, own in members.items()}
    assert found == [row for row, (v, g) in enumerate(zip(values, groups, strict=True)) if v <= bounds[g]]


@given(st.data(), integers(min_size=1) | floats(), st.booleans(), st.booleans())
def test_not_behind(data: st.DataObject, values: Tensor, descending: bool, nulls_first: bool) -> None:
    valid = data.draw(masks(len(values)))
    if values.dtype.is_floating_point:
        bound: float = data.draw(st.sampled_from([0.0, -0.0, 1.5, math.inf, -math.inf]))
    else:
        bound = data.draw(st.sampled_from(values.tolist()) | st.integers(-(2**63), 2**63 - 1))
    found = not_behind(values, valid, bound, descending, nulls_first).tolist()
    limits = None if values.dtype.is_floating_point else torch.iinfo(values.dtype)
    for value, passes in zip(with_nulls(values.tolist(), valid), found, strict=True):
        if value is None:
            assert passes == nulls_first
        elif limits is None or limits.min <= bound <= limits.max:
            assert passes == (rank(value) >= rank(bound) if descending else rank(value) <= rank(bound))
        else:
            # Beyond the width one value may pass that need not.
            assert passes or (value < bound if descending else value > bound)
