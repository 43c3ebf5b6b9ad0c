"""Columns that come to the host, or go to a device, together are as they were."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.functions.columns import texts
from tqp import types
from tqp.data import copies
from tqp.data.column import Column, constant
from tqp.data.transfer import is_small, moved, on_host
from tqp.device import TYPES, resolve
from tqp.types import BIGINT, BOOLEAN, DOUBLE, FLOAT, INTERVAL, VARCHAR, DType

CPU = torch.device("cpu")


@pytest.fixture
def device(request: pytest.FixtureRequest) -> torch.device:
    return resolve(request.config.getoption("--device"))


@pytest.fixture(params=["as it is", "without pinned memory"])
def there(request: pytest.FixtureRequest, device: torch.device, monkeypatch: pytest.MonkeyPatch) -> torch.device:
    """The device, of a type with pinned memory or none."""
    if request.param != "as it is":
        monkeypatch.setitem(TYPES, device.type, replace(TYPES[device.type], pinned=None))
    return device


@pytest.fixture(params=[0, 20, 2**22])
def packed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The bytes up to which tensors are packed: none, some, all of those here."""
    size: int = request.param
    monkeypatch.setattr(copies, "_PACKED_BYTES", size)
    monkeypatch.setattr(copies, "_STAGED_BYTES", size)
    return size


def _columns() -> list[Column]:
    """Every width, in an order that is none by width; wide, empty, repeated and non-contiguous ones."""
    return [
        Column(torch.tensor([True, False, True], device=CPU), BOOLEAN, torch.tensor([True, True, False], device=CPU)),
        Column(torch.tensor([1.5, float("nan"), -0.0], dtype=torch.float64, device=CPU), DOUBLE),
        Column(torch.tensor([1, 2, 3], dtype=torch.int8, device=CPU), BIGINT, bounds=(1, 3)),
        Column(torch.tensor([2**40, 2, 3], device=CPU), BIGINT),
        Column(torch.arange(9, dtype=torch.int64, device=CPU).reshape(3, 3).t(), INTERVAL),
        constant(7, BIGINT, CPU).expand(3),
        constant(7, BIGINT, CPU).expand(1),
        constant(None, VARCHAR, CPU).expand(3),
        constant(2**100, BIGINT, CPU),
        Column(torch.empty(0, dtype=torch.int16, device=CPU), BIGINT),
        texts(["b", None, "a"]),
    ]


def _same(found: list[Column], expected: list[Column]) -> None:
    """Equal in all but where they are, NaN and -0.0 included."""
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.bounds, one.dictionary, one.encoding) == (
            other.dtype, other.bounds, other.dictionary, other.encoding,
        )  # fmt: skip
        assert (one.valid is None) == (other.valid is None)
        for here, there in ((one.data, other.data), (one.valid, other.valid)):
            if here is not None and there is not None:
                assert here.dtype == there.dtype and here.shape == there.shape
                assert here.cpu().numpy().tobytes() == there.cpu().numpy().tobytes()


def test_columns_come_and_go_as_they_are(there: torch.device, packed: int) -> None:
    columns = _columns()
    above = moved(columns, there)
    assert all(column.device == there for column in above)
    found = on_host(above)
    assert all(column.data.is_cpu for column in found)
    _same(found, columns)


def test_other_ways_there_are_the_same(there: torch.device, packed: int) -> None:
    columns = _columns()
    _same(moved(columns, there), [column.to(there) for column in columns])
    _same(on_host([column.to(there) for column in columns]), columns)


def test_no_columns_are_moved(there: torch.device) -> None:
    assert moved([], there) == on_host([]) == []


def test_what_is_there_stays(device: torch.device) -> None:
    for place in (CPU, device):
        columns = moved(_columns(), place)
        assert all(found is column for found, column in zip(moved(columns, place), columns, strict=True))


def test_repeated_values_stay_repeated(there: torch.device) -> None:
    column = constant(7, BIGINT, CPU).expand(2**24)
    assert is_small(column)
    (above,) = moved([column], there)
    (below,) = on_host([above])
    assert above.data.stride() == below.data.stride() == (0,)


def test_large_columns_are_not_packed() -> None:
    mask = torch.ones(2**22 + 1, dtype=torch.bool, device=CPU)
    assert is_small(Column(mask[1:], BOOLEAN)) and not is_small(Column(mask, BOOLEAN))
    assert not is_small(Column(mask[:1].expand(len(mask)), BOOLEAN, mask))


KINDS: dict[torch.dtype, DType] = {
    torch.bool: BOOLEAN,
    torch.int8: BIGINT,
    torch.int16: BIGINT,
    torch.int32: BIGINT,
    torch.int64: BIGINT,
    torch.float32: FLOAT,
    torch.float64: DOUBLE,
}


@st.composite
def _column(draw: st.DrawFn) -> Column:
    """Rows, or vectors of them, whole or a part of a tensor, with a stride, backwards in memory, or one value for all."""
    width = draw(st.sampled_from(list(KINDS)))
    rows = draw(st.integers(0, 40))
    size = draw(st.sampled_from([None, 1, 3])) if width.is_floating_point else None
    shape = (2 * rows + 1,) if size is None else (2 * rows + 1, size)
    values = np.random.default_rng(draw(st.integers(0, 2**16))).integers(0, 256, (*shape, width.itemsize), np.uint8)
    whole = torch.from_numpy(values % 2 if width is torch.bool else values).view(width).squeeze(-1)
    match draw(st.sampled_from(["whole", "part", "stride", "transposed", "repeated"])):
        case "part":
            whole = whole[1 : rows + 1]
        case "stride":
            whole = whole[::2]
        case "transposed" if size is not None:
            whole = whole.t().contiguous().t()
        case "repeated":
            whole = whole[:1].expand(whole.shape)
    valid = draw(st.sampled_from([None, "mixed", "repeated"]))
    mask = torch.arange(len(whole), device=CPU) % 3 > 0
    dtype = KINDS[width] if size is None else types.array(KINDS[width], size)
    if valid is None:
        return Column(whole, dtype)
    return Column(whole, dtype, mask if valid == "mixed" else mask[:1].expand(len(whole)))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    columns=st.lists(_column(), max_size=6),
    twice=st.booleans(),
    limits=st.tuples(st.integers(0, 200), st.integers(1, 99)),
)
def test_any_columns_come_and_go_as_they_are(
    there: torch.device, columns: list[Column], twice: bool, limits: tuple[int, int]
) -> None:
    columns = columns * 2 if twice else columns
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(copies, "_PACKED_BYTES", limits[0])
        patch.setattr(copies, "_STAGED_BYTES", limits[1])
        above = moved(columns, there)
        _same(above, columns)
        _same(on_host(above), columns)
        _same(on_host([column.to(there) for column in columns]), columns)
