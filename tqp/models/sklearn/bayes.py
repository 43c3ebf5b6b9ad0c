"""Importers of scikit-learn's naive Bayes models and quadratic discriminants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ExecutionError
from tqp.kernels import waits
from tqp.models.features import Feature, side_by_side
from tqp.models.known import labels_of
from tqp.models.linear import Weights
from tqp.models.registry import Imported, importer
from tqp.models.scores import additive, blocks, difference, from_logarithms, greatest, scored
from tqp.models.sklearn.encoders import names_in
from tqp.models.steps import Constant, Each

__all__: list[str] = []


@importer("GaussianNB")
def gaussian(estimator: Any, features: int) -> Imported:
    """A normal distribution for every class and feature."""
    classes = labels_of(estimator)
    means, variances, weights = Constant(estimator.theta_.T), Constant(estimator.var_.T), Constant(1 / estimator.var_)
    offsets = np.log(estimator.class_prior_) - 0.5 * np.sum(np.log(2.0 * np.pi * estimator.var_), axis=1)
    offset = Constant(offsets[:, None])

    def term(place: int, values: Tensor) -> Tensor:
        mean, variance = means.on(values.device)[place][:, None], variances.on(values.device)[place][:, None]
        return (values - mean).square_().div_(variance)

    def distances(rows: Tensor) -> Tensor:
        device = rows.device
        own = zip(means.on(device).t(), weights.on(device), strict=True)
        apart = torch.empty_like(rows)
        found = [torch.mv(torch.sub(rows, mean, out=apart).square_(), weight) for mean, weight in own]
        return torch.stack(found).mul_(-0.5).add_(offset.on(device))

    def scores(inputs: Sequence[Feature]) -> Tensor:
        if side_by_side(inputs) is not None:
            return blocks(inputs, 2 * features, distances)
        apart = additive(inputs, len(classes), term)
        return apart.mul_(-0.5).add_(offset.on(apart.device))

    return scored("Gaussian naive Bayes by columns", range(features), scores, classes, greatest, from_logarithms)


@importer("MultinomialNB", "ComplementNB", "BernoulliNB")
def counts(estimator: Any, features: int) -> Imported:
    """Naive Bayes of counts or of presence: linear in the features."""
    kind = type(estimator).__name__
    weights, offsets = estimator.feature_log_prob_, estimator.class_log_prior_
    before = None
    if kind == "ComplementNB" and len(estimator.classes_) > 1:
        offsets = np.zeros(len(estimator.classes_))
    if kind == "BernoulliNB":
        absent = np.log(1 - np.exp(weights))
        weights, offsets = weights - absent, offsets + absent.sum(axis=1)
        if estimator.binarize is not None:
            threshold = float(estimator.binarize)
            before = Each("binarized", [lambda x: (x > threshold).double()] * features)
    sums = Weights(weights, offsets)

    def scores(inputs: Sequence[Feature]) -> Tensor:
        return sums.scores(inputs if before is None else before(inputs))

    what = f"{kind}, linear by columns"
    return scored(what, sums.used(), scores, labels_of(estimator), greatest, from_logarithms)


@importer("CategoricalNB")
def categorical(estimator: Any, features: int) -> Imported:
    """A table of every feature's codes."""
    classes = labels_of(estimator)
    names = names_in(estimator, features)
    terms = [Constant(table) for table in estimator.feature_log_prob_]
    sizes = [table.shape[1] for table in estimator.feature_log_prob_]
    offset = Constant(np.reshape(estimator.class_log_prior_, (-1, 1)))

    def term(place: int, values: Tensor) -> Tensor:
        table = terms[place].on(values.device)
        index = values.nan_to_num(0).trunc()
        outside = (index < 0) | (index >= table.shape[1])
        return table.index_select(1, index.masked_fill(outside, 0).long()).masked_fill(outside, torch.nan)

    def scores(inputs: Sequence[Feature]) -> Tensor:
        found = additive(inputs, len(classes), term)
        if waits.truth(found[0].isnan().any(), "a value that is no category is an error"):
            raise ExecutionError(
                f"a row has a value that is no category of the {type(estimator).__name__}",
                hint=f"its inputs are codes from 0: {', '.join(f'{n} < {t}' for n, t in zip(names, sizes, strict=True))}",
            )
        return found.add_(offset.on(found.device))

    what = "categorical naive Bayes by columns"
    return scored(what, range(features), scores, classes, greatest, from_logarithms, can_fail=True)


@importer("QuadraticDiscriminantAnalysis")
def quadratic(estimator: Any, features: int) -> Imported:
    """A normal distribution for every class."""
    classes = labels_of(estimator)
    turns = [
        Constant(rotation * scaling**-0.5)
        for rotation, scaling in zip(estimator.rotations_, estimator.scalings_, strict=True)
    ]
    means = [Constant(mean) for mean in estimator.means_]
    spread = np.asarray([np.sum(np.log(scaling)) for scaling in estimator.scalings_])
    offset = Constant((np.log(estimator.priors_) - 0.5 * spread)[:, None])

    def distances(rows: Tensor) -> Tensor:
        device = rows.device
        found = [
            ((rows - mean.on(device)) @ turn.on(device)).square_().sum(dim=1)
            for turn, mean in zip(turns, means, strict=True)
        ]
        return torch.stack(found).mul_(-0.5).add_(offset.on(device))

    def scores(inputs: Sequence[Feature]) -> Tensor:
        return blocks(inputs, 2 * features, distances)

    what = "quadratic discriminants on blocks of rows"
    return scored(what, range(features), scores, classes, greatest, from_logarithms, difference)
