"""Aggregates that multiply: product, geometric mean and weighted average, of floats."""

from __future__ import annotations

import torch

from tqp.data.column import Column
from tqp.functions.aggregates.accumulator import known_of
from tqp.functions.aggregates.folds import Fold, folded
from tqp.functions.aggregates.signatures import doubles, pairs
from tqp.kernels.fold import State
from tqp.kernels.reduce import scatter_product, scatter_sum
from tqp.types import DOUBLE, DType

__all__: list[str] = []


def _added(states: State, ids: torch.Tensor, groups: int) -> State:
    """The sums of each group."""
    return tuple(scatter_sum(state, ids, groups) for state in states)


def _multiplied(states: State, ids: torch.Tensor, groups: int) -> State:
    return scatter_sum(states[0], ids, groups), scatter_product(states[1], ids, groups)


def _product_of_rows(args: tuple[Column, ...], ids: torch.Tensor, groups: int) -> State:
    (column,) = args
    data = column.data if column.valid is None else torch.where(column.valid, column.data, 1.0)
    return known_of(column.valid, ids, groups).double(), scatter_product(data, ids, groups)


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


def _weighed(args: tuple[Column, ...]) -> State:
    """How many pairs of which neither is NULL, the sum of values times weights, and that of weights."""
    value, weight = args
    some = _taking_part(value) * _taking_part(weight)
    weights = torch.where(some > 0, weight.data, 0.0)
    return some, torch.where(some > 0, value.data, 0.0) * weights, weights


def _weighted(states: State, dtype: DType) -> Column:
    count, total, weight = states
    return Column(total / weight, DOUBLE, count > 0)


folded(
    "product", types=doubles,
    fold=Fold((0.0, 1.0), _factors, lambda a, b: (a[0] + b[0], a[1] * b[1]), _product, _multiplied, _product_of_rows),
)  # fmt: skip
folded(
    "geomean", "geometric_mean", types=doubles, is_macro=True,
    fold=Fold((0.0, 0.0), _logarithms, lambda a, b: (a[0] + b[0], a[1] + b[1]), _geometric_mean, _added),
)  # fmt: skip
folded(
    "weighted_avg", "wavg", types=pairs, is_macro=True,
    fold=Fold((0.0, 0.0, 0.0), _weighed, lambda a, b: (a[0] + b[0], a[1] + b[1], a[2] + b[2]), _weighted, _added),
)  # fmt: skip
