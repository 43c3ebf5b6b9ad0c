"""Sums and averages of floats that carry along what rounding loses."""

from __future__ import annotations

import torch

from tqp.data.column import Column
from tqp.functions.aggregates.accumulator import known_of, valid_or_zero
from tqp.functions.aggregates.folds import Fold, folded
from tqp.functions.aggregates.signatures import doubles
from tqp.kernels.fold import State, compensated, with_error
from tqp.kernels.reduce import scatter_sum
from tqp.types import DOUBLE, DType

__all__: list[str] = []


def _start(args: tuple[Column, ...]) -> State:
    """How many values, their sum, and what it lacks."""
    (column,) = args
    some = torch.ones_like(column.data) if column.valid is None else column.valid.double()
    values = column.data if column.valid is None else torch.where(column.valid, column.data, 0.0)
    return some, values, torch.zeros_like(values)


def _combine(a: State, b: State) -> State:
    return a[0] + b[0], *with_error(a[1:], b[1:])


def _grouped(states: State, ids: torch.Tensor, groups: int) -> State:
    return scatter_sum(states[0], ids, groups), *compensated(states[1], states[2], ids, groups)


def _of_rows(args: tuple[Column, ...], ids: torch.Tensor, groups: int) -> State:
    (column,) = args
    values = valid_or_zero(column)
    return known_of(column.valid, ids, groups).double(), *compensated(values, None, ids, groups)


def _whole(total: torch.Tensor, lost: torch.Tensor) -> torch.Tensor:
    """The sum with what it lacks; of infinities that is NaN, and the sum is what it is."""
    return torch.where(total.isfinite(), total + lost, total)


def _sum(states: State, dtype: DType) -> Column:
    count, total, lost = states
    return Column(_whole(total, lost), DOUBLE, count > 0)


def _average(states: State, dtype: DType) -> Column:
    count, total, lost = states
    return Column(_whole(total, lost) / count.clamp(min=1), DOUBLE, count > 0)


_NEUTRAL = (0.0, 0.0, 0.0)
folded("fsum", "kahan_sum", "sumkahan", types=doubles, fold=Fold(_NEUTRAL, _start, _combine, _sum, _grouped, _of_rows))
folded("favg", types=doubles, fold=Fold(_NEUTRAL, _start, _combine, _average, _grouped, _of_rows))
