"""Aggregates of variance: of floats, by their count, mean and squared differences from the mean."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.functions.aggregates.registry import FrameForm, FromSums, Totals, aggregate
from tqp.functions.aggregates.signatures import doubles
from tqp.functions.bind import bind, coerce
from tqp.ir.expr import Expr, Literal
from tqp.kernels import moments, window
from tqp.kernels.roots import square_root
from tqp.types import DOUBLE, HUGEINT, DType

__all__ = ["ErrorOfMean", "Spread", "StddevPopulation", "StddevSample", "VariancePopulation", "VarianceSample"]


def _variance(parts: moments.Moments, sample: bool, root: bool) -> Column:
    """What is left of (g,) moments: variance or standard deviation, of a sample or of all there is."""
    count = parts[0]
    freedom = count - 1 if sample else count
    variance = moments.spread(parts) / freedom.clamp(min=1)
    return Column(square_root(variance) if root else variance, DOUBLE, freedom > 0)


def _variance_over(sample: bool, root: bool) -> FrameForm:
    def over(args: tuple[Column, ...], dtype: DType, frame: window.Frame) -> Column:
        (column,) = args
        return _variance(window.frame_moments(column.data, column.valid, frame), sample, root)

    return over


def _variance_from_sums(sample: bool, root: bool) -> FromSums:
    def from_sums(count: Expr, total: Expr, squares: Expr) -> Expr:
        one = Literal(1, HUGEINT)
        differences = bind("sub", bind("mul", count, squares), bind("mul", total, total))
        pairs = bind("mul", count, bind("sub", count, one) if sample else count)
        found = bind("div", coerce(differences, DOUBLE), bind("nullif", coerce(pairs, DOUBLE), Literal(0.0, DOUBLE)))
        return bind("sqrt", found) if root else found

    return from_sums


class Spread:
    """Variance by count, mean and sum of squared differences."""

    sample: bool
    root: bool

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.parts: moments.Moments = tuple(torch.zeros(3, groups, dtype=torch.float64, device=device))

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        column = args[0].expand(rows)
        into = torch.zeros(rows, dtype=torch.int64, device=column.device) if ids is None else ids.long()
        self._add(moments.of_rows(column.data, column.valid, into, seen.shape[0]))

    def merge(self, other: Spread, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        self._add(other.parts if ids is None else moments.grouped(other.parts, ids.long(), seen.shape[0]))

    def _add(self, parts: moments.Moments) -> None:
        self.parts = moments.joint(self.parts, parts)

    def pick(self, other: Spread, rows: Tensor) -> None:
        self.parts = tuple(part.index_select(0, rows) for part in other.parts)

    def put(self, count: Tensor, near: Tensor, apart: Tensor, squares: Tensor) -> None:
        """Start from what `moments.around` takes (groups,)."""
        self.parts = moments.around(count, near, apart, squares)

    def finish(self, seen: Tensor) -> Column:
        return _variance(self.parts, self.sample, self.root)


def _spread(*names: str, sample: bool, root: bool) -> Callable[[type[Spread]], type[Spread]]:
    name, *others = names
    return aggregate(
        name,
        *others,
        types=doubles,
        over_frames=_variance_over(sample, root),
        from_sums=_variance_from_sums(sample, root),
        totals=Totals.MOMENTS,
    )


@_spread("stddev_samp", "stddev", sample=True, root=True)
class StddevSample(Spread):
    sample, root = True, True


@_spread("stddev_pop", sample=False, root=True)
class StddevPopulation(Spread):
    sample, root = False, True


@_spread("var_samp", "variance", sample=True, root=False)
class VarianceSample(Spread):
    sample, root = True, False


@_spread("var_pop", "variance_pop", sample=False, root=False)
class VariancePopulation(Spread):
    sample, root = False, False


def _error_of_mean(parts: moments.Moments) -> Column:
    count = parts[0]
    each = count.clamp(min=1)
    return Column(square_root(moments.spread(parts) / each) / square_root(each), DOUBLE, count > 0)


def _error_over(args: tuple[Column, ...], dtype: DType, frame: window.Frame) -> Column:
    (column,) = args
    return _error_of_mean(window.frame_moments(column.data, column.valid, frame))


@aggregate("sem", types=doubles, over_frames=_error_over)
class ErrorOfMean(Spread):
    """The standard deviation of all there is, over the root of how many there are."""

    def finish(self, seen: Tensor) -> Column:
        return _error_of_mean(self.parts)
