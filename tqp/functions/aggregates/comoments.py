"""Aggregates of pairs of floats: covariance, correlation and linear regression of y by x, SQL's argument order (y, x).

Only pairs of which neither is NULL take part.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.functions.aggregates.folds import Fold, folded
from tqp.functions.aggregates.signatures import Types, pairs
from tqp.ir.expr import Expr
from tqp.kernels import comoments
from tqp.kernels.fold import State
from tqp.kernels.roots import square_root
from tqp.types import DOUBLE, UINTEGER, DType

__all__: list[str] = []


def _start(args: tuple[Column, ...]) -> State:
    """How many pairs, the means of y and x, and the sums of products of their differences from the means: yy, xx, yx."""
    y, x = args
    some = torch.ones_like(y.data)
    for side in args:
        if side.valid is not None:
            some = some * side.valid
    none = torch.zeros_like(some)
    took = some > 0
    return some, torch.where(took, y.data, 0.0), torch.where(took, x.data, 0.0), none, none, none


def _combine(a: State, b: State) -> State:
    """As Chan, Golub and LeVeque (1983) do, for products too. An empty part changes nothing."""
    count = a[0] + b[0]
    both = (a[0] > 0) & (b[0] > 0)
    share = b[0] / count.clamp(min=1)
    y, x = b[1] - a[1], b[2] - a[2]
    weight = a[0] * share

    def mean(mine: Tensor, theirs: Tensor, apart: Tensor) -> Tensor:
        return torch.where(both, mine + apart * share, torch.where(b[0] > 0, theirs, mine))

    def products(mine: Tensor, theirs: Tensor, between: Tensor) -> Tensor:
        return mine + theirs + torch.where(both, between * weight, 0.0)

    return (
        count, mean(a[1], b[1], y), mean(a[2], b[2], x), products(a[3], b[3], y * y), products(a[4], b[4], x * x),
        products(a[5], b[5], y * x),
    )  # fmt: skip


def _grouped(parts: State, ids: Tensor, groups: int) -> State:
    """Parts (n,) of groups as one each."""
    weight, y, x, yy, xx, yx = parts
    return comoments.together(weight, y, x, yy, xx, yx, ids, groups)


def _of_rows(args: tuple[Column, ...], ids: Tensor, groups: int) -> State:
    """Pairs (n,) of groups as one part each."""
    y, x = args
    valid = y.valid if x.valid is None else x.valid if y.valid is None else y.valid & x.valid
    return comoments.of_rows(y.data, x.data, valid, ids, groups)


def _fold(value: Callable[..., Tensor], least: int = 1) -> Fold:
    """`value` of the six parts of a state, NULL of fewer pairs than `least`."""

    def finish(states: State, dtype: DType) -> Column:
        return Column(value(*_parts(states)), DOUBLE, states[0] >= least)

    return Fold((0.0,) * 6, _start, _combine, finish, _grouped, _of_rows)


def _parts(states: State) -> State:
    """With products that are NaN where a value is no finite number; but the squares of a single value are 0, whatever it is."""
    count, y, x, yy, xx, yx = states
    single = count <= 1
    yy, xx = (torch.where(single, 0.0, part + (mean - mean)) for part, mean in ((yy, y), (xx, x)))
    return count, y, x, yy, xx, yx + (y - y) + (x - x)


def _count_types(args: tuple[Expr, ...]) -> Types:
    return pairs(args)[0], UINTEGER


def _count(states: State, dtype: DType) -> Column:
    return Column(states[0].long(), dtype, bounds=(0, 2**32 - 1))


def _intercept(states: State, dtype: DType) -> Column:
    """NULL where there is no slope."""
    _, y, x, _, xx, yx = _parts(states)
    slope = yx / xx
    return Column(y - slope * x, DOUBLE, ~slope.isnan())


def _determination(states: State, dtype: DType) -> Column:
    """The share of y's variance that x explains: NULL where x does not vary, 1 where y does not."""
    count, _, _, yy, xx, yx = _parts(states)
    return Column(torch.where(yy == 0, 1.0, yx * yx / (yy * xx)), DOUBLE, (count > 0) & (xx != 0))


folded("covar_pop", types=pairs, fold=_fold(lambda n, y, x, yy, xx, yx: yx / n))
folded("covar_samp", types=pairs, fold=_fold(lambda n, y, x, yy, xx, yx: yx / (n - 1), least=2))
folded("corr", types=pairs, fold=_fold(lambda n, y, x, yy, xx, yx: yx / (square_root(yy) * square_root(xx))))
folded("regr_avgy", types=pairs, fold=_fold(lambda n, y, x, yy, xx, yx: y))
folded("regr_avgx", types=pairs, fold=_fold(lambda n, y, x, yy, xx, yx: x))
folded("regr_syy", types=pairs, fold=_fold(lambda n, y, x, yy, xx, yx: yy))
folded("regr_sxx", types=pairs, fold=_fold(lambda n, y, x, yy, xx, yx: xx))
folded("regr_sxy", types=pairs, fold=_fold(lambda n, y, x, yy, xx, yx: yx))
folded("regr_slope", types=pairs, fold=_fold(lambda n, y, x, yy, xx, yx: yx / xx))
folded("regr_intercept", types=pairs, fold=Fold((0.0,) * 6, _start, _combine, _intercept, _grouped, _of_rows))
folded("regr_r2", types=pairs, fold=Fold((0.0,) * 6, _start, _combine, _determination, _grouped, _of_rows))
folded("regr_count", types=_count_types, fold=Fold((0.0,) * 6, _start, _combine, _count, _grouped, _of_rows), empty=0)
