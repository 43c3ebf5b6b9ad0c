"""Importers of scikit-learn's scalers: linear ones, and those that change the shape of a distribution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.models.known import require
from tqp.models.registry import transformer
from tqp.models.steps import Chain, Change, Constant, Each, Step

__all__ = ["interpolated"]


def _affine(what: str, minus: Any, over: Any, features: int) -> Step:
    """(x - minus) / over, either None."""

    def change(place: int) -> Change:
        shift = 0.0 if minus is None else float(minus[place])
        scale = 1.0 if over is None else float(over[place])
        if over is None:
            return lambda x: x - shift
        if minus is None:
            return lambda x: x / scale
        return lambda x: (x - shift).div_(scale)

    shifts = None if minus is None else Constant(minus)
    scales = None if over is None else Constant(over)

    def whole(x: Tensor) -> Tensor:
        x = x if shifts is None else x.sub_(shifts.on(x.device))
        return x if scales is None else x.div_(scales.on(x.device))

    changes = [None if minus is None and over is None else change(place) for place in range(features)]
    return Each(what, changes, rising=True, whole=whole)


@transformer("StandardScaler")
def standard(estimator: Any, features: int) -> Step:
    """Mean 0, deviation 1."""
    mean = estimator.mean_ if estimator.with_mean else None
    return _affine("standard scaler", mean, estimator.scale_ if estimator.with_std else None, features)


@transformer("RobustScaler")
def robust(estimator: Any, features: int) -> Step:
    """Median 0, quantile range 1."""
    center = estimator.center_ if estimator.with_centering else None
    return _affine("robust scaler", center, estimator.scale_ if estimator.with_scaling else None, features)


@transformer("MaxAbsScaler")
def max_abs(estimator: Any, features: int) -> Step:
    """Largest magnitude 1."""
    low, high = (-1.0, 1.0) if getattr(estimator, "clip", False) else (None, None)
    scale = estimator.scale_

    def change(place: int) -> Change:
        over = float(scale[place])
        return lambda x: x / over if low is None else (x / over).clamp_(low, high)

    scales = Constant(scale)

    def whole(x: Tensor) -> Tensor:
        x = x.div_(scales.on(x.device))
        return x if low is None else x.clamp_(low, high)

    return Each("max-abs scaler", [change(place) for place in range(features)], rising=True, whole=whole)


@transformer("MinMaxScaler")
def min_max(estimator: Any, features: int) -> Step:
    """A range; clipped to it if asked."""
    low, high = (float(limit) for limit in estimator.feature_range)

    def change(place: int) -> Change:
        scale, shift = float(estimator.scale_[place]), float(estimator.min_[place])
        if estimator.clip:
            return lambda x: (x * scale).add_(shift).clamp_(low, high)
        return lambda x: (x * scale).add_(shift)

    scales, shifts = Constant(estimator.scale_), Constant(estimator.min_)

    def whole(x: Tensor) -> Tensor:
        x = x.mul_(scales.on(x.device)).add_(shifts.on(x.device))
        return x.clamp_(low, high) if estimator.clip else x

    rising = low <= high and bool(np.all(estimator.scale_ >= 0))  # host: NumPy
    return Each("min-max scaler", [change(place) for place in range(features)], rising=rising, whole=whole)


@transformer("Binarizer")
def binarizer(estimator: Any, features: int) -> Step:
    """Above the threshold or not."""
    threshold = float(estimator.threshold)
    return Each("binarizer", [lambda x: (x > threshold).double()] * features, strict=True, rising=True)


@transformer("PowerTransformer")
def power(estimator: Any, features: int) -> Step:
    """Powers that make a distribution normal."""
    require(estimator, "method", ("yeo-johnson", "box-cox"))
    formula = _yeo_johnson if estimator.method == "yeo-johnson" else _box_cox
    steps: list[Step] = [Each(estimator.method, [formula(float(exponent)) for exponent in estimator.lambdas_])]
    if estimator.standardize:
        scaler = estimator._scaler
        steps.append(_affine("standard scaler", scaler.mean_, scaler.scale_, features))
    return Chain(steps, features)


def _yeo_johnson(exponent: float) -> Change:
    def change(x: Tensor) -> Tensor:
        grown = torch.log1p(x.clamp(min=0))
        shrunk = torch.log1p((-x).clamp(min=0))
        rest = 2 - exponent
        above = grown if abs(exponent) < np.spacing(1.0) else torch.expm1(exponent * grown) / exponent
        below = -shrunk if abs(rest) < np.spacing(1.0) else -torch.expm1(rest * shrunk) / rest
        return torch.where(x >= 0, above, below)

    return change


def _box_cox(exponent: float) -> Change:
    if exponent == 0:
        return torch.log
    return lambda x: torch.expm1(exponent * torch.log(x)) / exponent


@transformer("QuantileTransformer")
def quantiles(estimator: Any, features: int) -> Step:
    """Ranks among the quantiles seen, uniform or normal."""
    require(estimator, "output_distribution", ("uniform", "normal"))
    normal = estimator.output_distribution == "normal"
    columns = [np.asarray(estimator.quantiles_[:, place]) for place in range(features)]
    return Each("quantiles", [_quantile(column, estimator.references_, normal) for column in columns])


_EDGE = 1e-7


def _quantile(known: Any, references: Any, normal: bool) -> Callable[[Tensor], Tensor]:
    ascending = Constant(known), Constant(references)
    descending = Constant(-known[::-1]), Constant(-np.asarray(references)[::-1])
    lowest, highest = float(known[0]), float(known[-1])

    def change(x: Tensor) -> Tensor:
        up = interpolated(x, *(part.on(x.device) for part in ascending))
        down = interpolated(-x, *(part.on(x.device) for part in descending))
        rank = 0.5 * (up - down)
        rank = torch.where(x + _EDGE > highest if normal else x == highest, 1.0, rank)
        rank = torch.where(x - _EDGE < lowest if normal else x == lowest, 0.0, rank)
        if not normal:
            return rank
        edge = torch.tensor(_EDGE - np.spacing(1), dtype=torch.float64, device=x.device)
        shape: Tensor = torch.special.ndtri(rank).clamp(torch.special.ndtri(edge), torch.special.ndtri(1 - edge))
        return shape

    return change


def interpolated(x: Tensor, known: Tensor, values: Tensor) -> Tensor:
    """np.interp."""
    place = (torch.searchsorted(known, x, side="right") - 1).clamp(0, max(len(known) - 2, 0))
    if len(known) == 1:
        return torch.where(x.isnan(), x, values[0])
    left, right = known.index_select(0, place), known.index_select(0, place + 1)
    low, high = values.index_select(0, place), values.index_select(0, place + 1)
    slope = (high - low) / (right - left)
    inside = slope * (x - left) + low
    inside = torch.where(x < known[0], values[0], inside)
    return torch.where(x >= known[-1], values[-1], inside)
