"""What torch does to rows, written as statements of Python, beside what torch gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tqp.kernels.operation import NotTraceable, tracing
from tqp.runtime.rowtrace import RowTrace, Unusual

_ROWS = 11
_CPU = torch.device("cpu")
_TABLE = torch.tensor([5, -3, 8, 0], dtype=torch.int32, device=_CPU)
_INT64 = st.one_of(st.integers(-9, 9), st.integers(-(2**63), 2**63 - 1))
_INT8 = st.integers(-128, 127)

INTEGERS: list[Callable[[Tensor, Tensor], Tensor]] = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: 3 - x,
    lambda x, y: x * y,
    lambda x, y: -x,
    lambda x, y: x.abs() + 1,
    lambda x, y: ~x & y,
    lambda x, y: (x ^ y) | 1,
    lambda x, y: x << 3,
    lambda x, y: x >> 2,
    lambda x, y: x.clamp(min=-2, max=5),
    lambda x, y: torch.minimum(x, y),
    lambda x, y: torch.maximum(x, y),
    lambda x, y: torch.where(x > y, x, 0),
    lambda x, y: x.where(y >= 0, y),
    lambda x, y: x.masked_fill(y == 0, 7),
    lambda x, y: (x < y).to(torch.int8) - 1,
    lambda x, y: (x.eq(3) | y.ne(2)) & ~(x <= y),
    lambda x, y: torch.logical_and(x > 0, y > 0),
    lambda x, y: x.bool(),
    lambda x, y: x.to(torch.int32),
    lambda x, y: x.to(torch.int8).long(),
    lambda x, y: torch.div(x, 7, rounding_mode="floor"),
    lambda x, y: torch.div(x, 7, rounding_mode="trunc"),
    lambda x, y: torch.remainder(x, 7),
    lambda x, y: torch.fmod(x, -7),
    lambda x, y: _TABLE.index_select(0, x.remainder(4).int()),
    lambda x, y: _TABLE[y.bitwise_and(3).long()] + x.clamp(-5, 5),
    lambda x, y: torch.full_like(x, 4) + torch.zeros((), dtype=torch.int64, device=_CPU).expand(_ROWS),
    lambda x, y: x.double() * 0.5,
]  # fmt: skip


def _row(function: Callable[[Tensor, Tensor], Tensor], tensors: tuple[Tensor, Tensor], row: tuple[Any, Any]) -> Any:
    """What the traced function gives for a row."""
    trace = RowTrace(_ROWS)
    with trace, tracing():
        for tensor, text in zip(tensors, "ab", strict=True):
            trace.given(tensor, text)
        found = function(*tensors)
        lines = trace.needs([found], set())
        names: dict[str, Any] = {"Unusual": Unusual, "a": row[0], "b": row[1], **trace.tables}
        exec("\n".join(lines), names)
        return names[trace.text(found)]


@pytest.mark.parametrize("function", INTEGERS)
@pytest.mark.parametrize(("dtype", "numbers"), [(torch.int64, _INT64), (torch.int8, _INT8)])
@given(data=st.data())
def test_integers(function: Any, dtype: torch.dtype, numbers: st.SearchStrategy[int], data: st.DataObject) -> None:
    a, b = data.draw(numbers), data.draw(numbers)
    x, y = (torch.full((_ROWS,), one, dtype=dtype, device=_CPU) for one in (a, b))
    expected = function(x, y)[0].item()
    try:
        found = _row(function, (x, y), (a, b))
    except Unusual:
        # It left its dtype: so is the exact number another one than what torch wrapped around, or the width is to blame.
        wide = function(x.long(), y.long()) if dtype is not torch.int64 else None
        assert wide is None or wide[0].item() != expected or not torch.iinfo(dtype).min <= wide[0].item() <= 127
        return
    assert found == expected and type(found) is type(expected)


FLOATS: list[Callable[[Tensor, Tensor], Tensor]] = [
    lambda x, y: x + y,
    lambda x, y: x * 3 - y,
    lambda x, y: -x,
    lambda x, y: x.abs(),
    lambda x, y: (x < y) | x.isnan(),
    lambda x, y: torch.where(x == y, x, 0.5),
    lambda x, y: torch.where(x > 1, y, 0) + 1,
    lambda x, y: x != x,
]  # fmt: skip


@pytest.mark.parametrize("function", FLOATS)
@given(a=st.floats(), b=st.floats())
def test_floats(function: Any, a: float, b: float) -> None:
    x, y = (torch.full((_ROWS,), one, dtype=torch.float64, device=_CPU) for one in (a, b))
    found, expected = _row(function, (x, y), (a, b)), function(x, y)[0].item()
    assert type(found) is type(expected) and (found == expected or (found != found and expected != expected))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x.cumsum(0),
        lambda x, y: x.flip(0),
        lambda x, y: x - x.min(),
        lambda x, y: x.sort().values,
        lambda x, y: torch.arange(_ROWS, device=_CPU) + x,
        lambda x, y: torch.rand(_ROWS, device=_CPU),
        lambda x, y: x.double().float() * 0.1,
        lambda x, y: x.double().view(torch.int64),
        lambda x, y: x * 0.5,
        lambda x, y: x.add_(1),
        lambda x, y: x if bool(x[0] > 3) else y,
        lambda x, y: x + x.tolist()[0],
        lambda x, y: x.unsqueeze(1).squeeze(1),
        lambda x, y: x.index_select(0, y.remainder(4)),
    ],
)
def test_what_one_row_does_not_tell_is_refused(function: Any) -> None:
    x = torch.full((_ROWS,), 2, dtype=torch.int64, device=_CPU)
    with pytest.raises(NotTraceable):
        _row(function, (x, x.clone()), (2, 2))
