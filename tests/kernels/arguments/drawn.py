"""What arguments of several kinds of operations are drawn from."""

from __future__ import annotations

from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.strategies import LIMITS, integers
from tqp.kernels.fold import State

Arguments = tuple[Any, ...]


@st.composite
def flags(draw: st.DrawFn) -> Arguments:
    return (torch.tensor(draw(st.lists(st.booleans(), max_size=40)), dtype=torch.bool),)


@st.composite
def ranged(draw: st.DrawFn) -> Arguments:
    """A key and limits that hold all of it, often just."""
    key = draw(integers(min_size=1))
    low, high = int(key.min()), int(key.max())
    limit = LIMITS[key.dtype]
    if draw(st.booleans()):
        low, high = draw(st.integers(-limit, low)), draw(st.integers(high, limit - 1))
    return key, low, high


@st.composite
def marked(draw: st.DrawFn) -> Arguments:
    low = draw(st.sampled_from([-128, 0, 100, 2**62]))
    span = draw(st.integers(1, 20))
    values = torch.tensor(draw(st.lists(st.integers(low, low + span - 1), max_size=30)), dtype=torch.int64)
    return values.to(torch.int8 if low == -128 else torch.int64), low, span


@st.composite
def cut(draw: st.DrawFn) -> Arguments:
    groups = draw(st.integers(1, 9))
    ids = draw(st.lists(st.integers(0, groups - 1), max_size=40)) + list(range(groups))
    return torch.tensor(ids, dtype=torch.int64), groups, draw(st.integers(1, 6))


@st.composite
def key_columns(draw: st.DrawFn) -> list[Tensor]:
    """One to three keys of one length."""
    first = draw(integers(min_size=1))
    return [first, *(first.flip(0) >> shift for shift in draw(st.lists(st.integers(0, 3), max_size=2)))]


def added(a: State, b: State) -> State:
    return (a[0] + b[0],)


def alone(values: st.SearchStrategy[Tensor]) -> st.SearchStrategy[Arguments]:
    return values.map(lambda value: (value,))
