"""Columns that come to the host together are as they were."""

from __future__ import annotations

import pytest
import torch

from tests.functions.columns import texts
from tqp.data import transfer
from tqp.data.column import Column, constant
from tqp.data.transfer import on_host
from tqp.types import BIGINT, BOOLEAN, DOUBLE, INTERVAL, VARCHAR

CPU = torch.device("cpu")


def _columns(device: torch.device) -> list[Column]:
    """Every width, in an order that is none by width; wide, empty, repeated and non-contiguous ones."""
    columns = [
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
    return [column.to(device) for column in columns]


@pytest.mark.parametrize("packed", [0, 20, 2**22])
def test_columns_come_as_they_are(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, packed: int) -> None:
    monkeypatch.setattr(transfer, "_PACKED_BYTES", packed)
    there = _columns(torch.device(request.config.getoption("--device")))
    for found, expected in zip(on_host(there), _columns(CPU), strict=True):
        assert found.data.is_cpu and (found.dtype, found.bounds) == (expected.dtype, expected.bounds)
        assert found.data.dtype == expected.data.dtype and found.data.shape == expected.data.shape
        assert torch.equal(found.data.isnan(), expected.data.isnan())
        assert torch.equal(found.data.nan_to_num(), expected.data.nan_to_num())
        assert torch.equal(torch.signbit(found.data), torch.signbit(expected.data))
        assert (found.valid is None) == (expected.valid is None)
        assert found.valid is None or torch.equal(found.valid, expected.valid)


def test_what_is_on_the_host_stays() -> None:
    columns = _columns(CPU)
    assert all(found is column for found, column in zip(on_host(columns), columns, strict=True))
