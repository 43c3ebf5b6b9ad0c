"""Aggregates that multiply: product and geometric mean, of floats."""

from __future__ import annotations

import torch

from tqp.data.column import Column
from tqp.functions.aggregates.folds import Fold, folded
from tqp.functions.aggregates.signatures import doubles
from tqp.kernels.fold import State
from tqp.types import DOUBLE, DType

__all__: list[str] = []


def _taking_part(column: Column) -> torch.Tensor:
    return torch.ones_like(column.data) if column.valid is None else column.valid.double()


def _factors(args: tuple[Column, ...]) -> State:
    (column,) = args
    data = column.data if column.valid is None else torch.where(column.valid, column.data, 1.0)
    return _taking_part(column), data


def _logarithms(args: tuple[Column, ...]) -> State:
    some, factors = _factors(args)
    return some, factors.log()


def _product(states: State, dtype: DType) -> Column:
    return Column(states[1], DOUBLE, states[0] > 0)


def _geometric_mean(states: State, dtype: DType) -> Column:
    count, logarithms = states
    return Column((logarithms / count.clamp(min=1)).exp(), DOUBLE, count > 0)


folded(
    "product", types=doubles,
    fold=Fold((0.0, 1.0), _factors, lambda a, b: (a[0] + b[0], a[1] * b[1]), _product),
)  # fmt: skip
folded(
    "geomean", "geometric_mean", types=doubles,
    fold=Fold((0.0, 0.0), _logarithms, lambda a, b: (a[0] + b[0], a[1] + b[1]), _geometric_mean),
)  # fmt: skip
