"""`tqp.kernels.join` against dictionaries of plain Python."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.strategies import CPU, LIMITS, integers, masks
from tqp.kernels import join, keysets
from tqp.kernels.rows import expand


@st.composite
def probes(draw: st.DrawFn, keys: Tensor) -> tuple[Tensor, Tensor | None]:
    """Probe keys, many of them hits or near misses, and their valid mask."""
    dtype = draw(st.sampled_from(list(LIMITS)))
    limit = LIMITS[dtype]
    near = [key + shift for key in keys.tolist() for shift in (-1, 0, 1) if -limit <= key + shift < limit]
    one = st.sampled_from([*near, 0, -limit, limit - 1]) | st.integers(-limit, limit - 1)
    values = draw(st.lists(one, max_size=25))
    return torch.tensor(values, dtype=dtype), draw(masks(len(values)))


def matches(keys: Tensor, key: Tensor, valid: Tensor | None, rows: list[int]) -> list[list[int]]:
    build = keys.tolist()
    passes = [True] * len(key) if valid is None else valid.tolist()
    return [[row for own, row in zip(build, rows, strict=True) if ok and own == value]
            for value, ok in zip(key.tolist(), passes, strict=True)]  # fmt: skip


def found(lookup: join.Lookup, key: Tensor, valid: Tensor | None, in_range: bool = False) -> list[list[int]]:
    if not lookup.is_unique:
        starts, counts = lookup.probe(key, valid, in_range)
        probe, position = expand(starts, counts)
        position = position if lookup.order is None else lookup.order.index_select(0, position)
        result: list[list[int]] = [[] for _ in range(len(key))]
        for own, row in zip(probe.tolist(), position.tolist(), strict=True):
            result[own].append(row)
        return result
    return [[row] if row >= 0 else [] for row in lookup.probe(key, valid, in_range).tolist()]


def limits(keys: Tensor) -> tuple[int, int]:
    return (int(keys.min()), int(keys.max())) if len(keys) else (0, -1)


@given(st.data(), integers(), st.booleans())
def test_build_finds_all_matches(data: st.DataObject, keys: Tensor, renamed: bool) -> None:
    ids = list(range(100, 100 + len(keys)))[::-1] if renamed else list(range(len(keys)))
    rows = torch.tensor(ids, dtype=torch.int32) if renamed else None
    unique = len(set(keys.tolist())) == len(keys)
    low, high = limits(keys)
    key, valid = data.draw(probes(keys))
    wanted = matches(keys, key, valid, ids)
    for promise in (None, unique):
        lookup = join.build(keys, low, high, promise, rows)
        assert lookup.is_unique == unique
        assert found(lookup, key, valid) == wanted
        inside = [low <= value <= high for value in key.tolist()]
        if all(inside) and len(keys):
            assert found(lookup, key, valid, in_range=True) == wanted


@given(st.data(), integers(), st.booleans())
def test_each_range_lookup(data: st.DataObject, keys: Tensor, renamed: bool) -> None:
    ids = list(range(7, 7 + len(keys))) if renamed else list(range(len(keys)))
    rows = torch.tensor(ids, dtype=torch.int64) if renamed else None
    key, valid = data.draw(probes(keys))
    wanted = matches(keys, key, valid, ids)
    assert found(join.csr_sorted(keys, rows), key, valid) == wanted
    low, high = limits(keys)
    if high - low < 10_000:
        assert found(join.csr_direct(keys, max(low - 3, -(2**63)), high + 2, rows), key, valid) == wanted


@given(st.data(), integers())
def test_each_unique_lookup(data: st.DataObject, keys: Tensor) -> None:
    keys = torch.tensor(list(dict.fromkeys(keys.tolist())), dtype=keys.dtype)
    key, valid = data.draw(probes(keys))
    wanted = matches(keys, key, valid, list(range(len(keys))))
    assert found(join.unique_sorted(keys), key, valid) == wanted
    low, high = limits(keys)
    if high - low < 10_000:
        assert found(join.direct(keys, low, high), key, valid) == wanted


@given(st.data(), st.integers(-(2**63), 2**63 - 100) | st.integers(-(2**31), 2**31 - 100), st.integers(0, 50))
def test_dense_lookup(data: st.DataObject, minimum: int, rows: int) -> None:
    keys = torch.arange(minimum, minimum + rows, dtype=torch.int64)
    key, valid = data.draw(probes(keys))
    assert found(join.dense(minimum, rows), key, valid) == matches(keys, key, valid, list(range(rows)))


@given(st.data(), integers())
def test_bitmap(data: st.DataObject, keys: Tensor) -> None:
    low, high = limits(keys)
    if high - low >= 10_000:
        keys = keys[:1]
        low, high = limits(keys)
    key, valid = data.draw(probes(keys))
    present = keysets.bitmap(keys, low, high)
    assert present.tolist() == [number in set(keys.tolist()) for number in range(low, high + 1)]
    wanted = [bool(rows) for rows in matches(keys, key, valid, list(range(len(keys))))]
    assert keysets.contains(present, low, key, valid).tolist() == wanted


def test_invalid_probe_rows_may_hold_anything() -> None:
    keys = torch.tensor([5, 6, 6], dtype=torch.int64)
    key = torch.tensor([2**62, 6, -(2**62)], dtype=torch.int64)
    valid = torch.tensor([False, True, False])
    assert found(join.build(keys, 5, 6), key, valid, in_range=True) == [[], [1, 2], []]
    assert found(join.build(keys[:2], 5, 6), key, valid, in_range=True) == [[], [1], []]
    assert keysets.contains(keysets.bitmap(keys, 5, 6), 5, key, valid, in_range=True).tolist() == [False, True, False]


@pytest.mark.parametrize("spread", [1, 5, 2**40])
@pytest.mark.parametrize("ordered", [True, False])
def test_many_rows_with_skew(spread: int, ordered: bool) -> None:
    generator = torch.Generator(device=CPU).manual_seed(3)
    keys = torch.randint(0, 2_000, (5_000,), generator=generator, device=CPU) * spread
    keys[::3] = 17 * spread
    keys = keys.sort().values if ordered else keys
    key = torch.randint(-10, 2_010, (300,), generator=generator, device=CPU) * spread
    probe, position = torch.where(key[:, None] == keys[None, :])
    lookup = join.build(keys, int(keys.min()), int(keys.max()))
    assert not lookup.is_unique
    rows, places = expand(*lookup.probe(key, None))
    assert torch.equal(rows, probe)
    assert torch.equal(places if lookup.order is None else lookup.order.index_select(0, places).long(), position)
    assert (lookup.order is None) == ordered


@given(st.lists(st.integers(0, 40), min_size=1, max_size=12), st.lists(st.integers(-3, 45), max_size=20), st.data())
def test_few_keys_are_asked_by_a_byte_first(build: list[int], probe: list[int], data: st.DataObject) -> None:
    keys, asked = torch.tensor(build), torch.tensor(probe, dtype=torch.int32)
    valid = data.draw(masks(len(probe)))
    sparse, plain = (join.build(keys, 0, 40, False, sparse=slots) for slots in (1, None))
    assert isinstance(sparse, join.CsrLookup) and isinstance(plain, join.CsrLookup)
    assert sparse.present is not None and plain.present is None
    starts, counts = sparse.probe(asked, valid)
    others, wanted = plain.probe(asked, valid)
    assert torch.equal(counts, wanted) and torch.equal(starts[counts > 0], others[counts > 0])
