"""Importers of scikit-learn's models that compare rows with stored ones: support vectors, centres."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.kernels import waits
from tqp.models.features import Feature
from tqp.models.known import labels_of, require
from tqp.models.linear import Weights
from tqp.models.registry import Imported, importer
from tqp.models.scores import (
    Link,
    Score,
    Scored,
    ScoredProbabilities,
    blocks,
    difference,
    greatest,
    identity,
    scored,
    softmax,
)  # fmt: skip
from tqp.models.sklearn.neighbours import distances
from tqp.models.steps import Constant

__all__ = ["pairs_decision"]


def _kernel(estimator: Any, stored: Any, gamma: float) -> Callable[[Tensor], Tensor]:
    """The kernel of rows (b, f) with the stored ones (m, f): (b, m)."""
    require(estimator, "kernel", ("linear", "poly", "polynomial", "rbf", "sigmoid"))
    vectors = np.asarray(stored, dtype=np.float64)
    # Distances from the middle lose fewer digits than those from 0.
    middle = vectors.mean(axis=0) if estimator.kernel == "rbf" else np.zeros(vectors.shape[1])
    center, points = Constant(middle), Constant(vectors - middle)
    squares = Constant(((vectors - middle) ** 2).sum(axis=1))
    shift, degree = float(estimator.coef0 or 0.0), estimator.degree

    def kernel(rows: Tensor) -> Tensor:
        device = rows.device
        if estimator.kernel == "rbf":
            rows = rows - center.on(device)
            apart = (rows * rows).sum(dim=1, keepdim=True) + squares.on(device)
            apart = torch.addmm(apart, rows, points.on(device).t(), alpha=-2).clamp_(min=0)
            return apart.mul_(-gamma).exp_()
        products = rows @ points.on(device).t()
        if estimator.kernel == "linear":
            return products
        products = products.mul_(gamma).add_(shift)
        return products.tanh_() if estimator.kernel == "sigmoid" else products.pow_(degree)

    return kernel


def _sums(
    estimator: Any, stored: Any, gamma: float, weights: Any, offsets: Any
) -> Callable[[Sequence[Feature]], Tensor]:
    """Weighted sums (outputs, n) of the kernel with the stored rows."""
    weights = np.atleast_2d(np.asarray(weights, dtype=np.float64))
    if estimator.kernel == "linear":
        return Weights(weights @ np.asarray(stored, dtype=np.float64), offsets).scores
    kernel = _kernel(estimator, stored, gamma)
    factor, offset = Constant(weights), Constant(np.reshape(offsets, (-1, 1)))

    def compute(rows: Tensor) -> Tensor:
        return factor.on(rows.device) @ kernel(rows).t() + offset.on(rows.device)

    return lambda features: blocks(features, 2 * len(stored), compute)


def _what(estimator: Any, count: int) -> str:
    return f"{estimator.kernel} kernel with {count} stored rows"


@importer("SVR", "NuSVR")
def support_regressor(estimator: Any, features: int) -> Imported:
    """Support vector regression."""
    scores = _sums(
        estimator, _vectors(estimator), estimator._gamma, _dense(estimator._dual_coef_), estimator._intercept_
    )
    what = _what(estimator, estimator.support_vectors_.shape[0])
    return Imported(Scored(what, range(features), scores, identity))


@importer("OneClassSVM")
def one_class(estimator: Any, features: int) -> Imported:
    """Inliers 1, outliers -1."""
    scores = _sums(
        estimator, _vectors(estimator), estimator._gamma, _dense(estimator._dual_coef_), estimator._intercept_
    )
    what = _what(estimator, estimator.support_vectors_.shape[0])
    return scored(what, range(features), scores, (-1, 1), lambda found: (found[0] > 0).long(), None)


@importer("SVC", "NuSVC")
def support_classifier(estimator: Any, features: int) -> Imported:
    """Support vector classification: every pair of classes votes."""
    classes = labels_of(estimator)
    count = len(classes)
    weights = _pair_weights(np.asarray(_dense(estimator._dual_coef_)), np.asarray(estimator._n_support))
    scores = _sums(estimator, _vectors(estimator), estimator._gamma, weights, estimator._intercept_)
    shape = estimator.decision_function_shape
    ties = estimator.break_ties and count > 2 and shape == "ovr"

    def value(found: Tensor) -> Tensor:
        return pairs_decision(found < 0, -found, count).argmax(dim=0) if ties else _votes(found, count).argmax(dim=0)

    def decision(found: Tensor) -> Tensor:
        if count == 2:
            return -found[0]
        return (pairs_decision(found < 0, -found, count) if shape == "ovr" else found).t().contiguous()

    probability: Link | None = None
    if len(estimator._probA) and estimator.probability is True:
        probability = _pair_probabilities(estimator._probA, estimator._probB, count)
    what = _what(estimator, estimator.support_vectors_.shape[0])
    return scored(what, range(features), scores, classes, value, probability, decision)


def _vectors(estimator: Any) -> Any:
    return _dense(estimator.support_vectors_)


def _dense(array: Any) -> Any:
    return array.toarray() if hasattr(array, "toarray") else array


def _pair_weights(coefficients: Any, sizes: Any) -> Any:
    """Weights (pairs, vectors) from libsvm's (classes - 1, vectors), vectors in the order of their classes."""
    ends = np.cumsum(sizes)
    members = [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]
    rows = []
    for first in range(len(sizes)):
        for second in range(first + 1, len(sizes)):
            row = np.zeros(coefficients.shape[1])
            row[members[first]] = coefficients[second - 1, members[first]]
            row[members[second]] = coefficients[first, members[second]]
            rows.append(row)
    return np.stack(rows)


def _pairs(count: int) -> list[tuple[int, int]]:
    return [(first, second) for first in range(count) for second in range(first + 1, count)]


def _votes(found: Tensor, count: int) -> Tensor:
    votes = torch.zeros((count, found.shape[1]), dtype=torch.int32, device=found.device)
    for (first, second), row in zip(_pairs(count), found, strict=True):
        votes[first] += row > 0
        votes[second] += row <= 0
    return votes


def pairs_decision(second_wins: Tensor, confidences: Tensor, count: int) -> Tensor:
    """Scores (classes, n) from the pairs (pairs, n): votes, and confidences where votes are equal."""
    votes = torch.zeros((count, confidences.shape[1]), dtype=torch.float64, device=confidences.device)
    sums = torch.zeros_like(votes)
    for pair, (first, second) in enumerate(_pairs(count)):
        sums[first] -= confidences[pair]
        sums[second] += confidences[pair]
        votes[first] += ~second_wins[pair]
        votes[second] += second_wins[pair]
    return votes + sums / (3 * (sums.abs() + 1))


_LEAST = 1e-7


def _pair_probabilities(slopes: Any, offsets: Any, count: int) -> Link:
    """Class probabilities that agree with those of the pairs, by libsvm's iteration."""
    slope, offset = np.asarray(slopes).tolist(), np.asarray(offsets).tolist()  # host: NumPy

    def probability(found: Tensor) -> Tensor:
        rows = found.shape[1]
        r = torch.zeros((count, count, rows), dtype=torch.float64, device=found.device)
        for pair, (first, second) in enumerate(_pairs(count)):
            wins = torch.sigmoid(-(found[pair] * slope[pair] + offset[pair])).clamp_(_LEAST, 1 - _LEAST)
            r[first, second], r[second, first] = wins, 1 - wins
        q = -r * r.transpose(0, 1)
        for place in range(count):
            q[place, place] = (r[:, place] ** 2).sum(dim=0)
        p = torch.full((count, rows), 1 / count, dtype=torch.float64, device=found.device)
        running = torch.ones(rows, dtype=torch.bool, device=found.device)
        for _ in range(max(100, count)):
            qp = (q * p[None]).sum(dim=1)
            pqp = (p * qp).sum(dim=0)
            running = running & ((qp - pqp).abs().amax(dim=0) >= 0.005 / count)
            if not waits.truth(running.any(), "whether all rows are done"):
                break
            moved = p.clone()
            for place in range(count):
                step = (pqp - qp[place]) / q[place, place]
                moved[place] += step
                pqp = (pqp + step * (step * q[place, place] + 2 * qp[place])) / (1 + step) / (1 + step)
                qp = (qp + step * q[place]) / (1 + step)
                moved = moved / (1 + step)
            p = torch.where(running, moved, p)
        return p.t().contiguous()

    return probability


@importer("KernelRidge")
def kernel_ridge(estimator: Any, features: int) -> Imported:
    """Ridge regression in the space of a kernel."""
    gamma = 1.0 / features if estimator.gamma is None else float(estimator.gamma)
    weights = np.atleast_2d(np.asarray(estimator.dual_coef_).T)
    scores = _sums(estimator, _dense(estimator.X_fit_), gamma, weights, np.zeros(len(weights)))
    what = _what(estimator, len(weights[0]))
    return Imported(Scored(what, range(features), scores, identity), outputs=len(weights))


@importer("KMeans", "MiniBatchKMeans")
def clusters(estimator: Any, features: int) -> Imported:
    """The nearest centre: by columns, as the square of the row is the same for all."""
    centers = np.asarray(estimator.cluster_centers_)
    near = Weights(-2 * centers, (centers.astype(np.float64) ** 2).sum(axis=1))
    what = f"{len(centers)} centres, by columns"
    predictor = Scored(what, near.used(), near.scores, lambda found: found.argmin(dim=0))
    return Imported(predictor, kind="cluster")


@importer("NearestCentroid")
def centroids(estimator: Any, features: int) -> Imported:
    """The class of the nearest centroid; of normal distributions of one spread, by prior probabilities."""
    require(estimator, "metric", ("euclidean", "manhattan"))
    classes = labels_of(estimator)
    stored = np.asarray(estimator.centroids_, dtype=np.float64)
    what = f"{len(stored)} centroids on blocks of rows"
    find = distances(stored, 2.0 if estimator.metric == "euclidean" else 1.0)

    def nearest(inputs: Sequence[Feature]) -> Tensor:
        return blocks(inputs, 2 * len(stored), lambda rows: -find(rows).t())

    if not hasattr(estimator, "class_prior_") or estimator.metric != "euclidean":
        if not np.allclose(getattr(estimator, "class_prior_", 1 / len(classes)), 1 / len(classes)):
            raise ModelError(f"NearestCentroid with priors={estimator.priors!r} is not supported for this metric")
        return scored(what, range(features), nearest, classes, greatest, None)
    spread = np.where(estimator.within_class_std_dev_ == 0, 1.0, estimator.within_class_std_dev_)
    apart, scale = distances(stored / spread, 2.0), Constant(spread)
    prior = Constant(2.0 * np.log(estimator.class_prior_)[:, None])

    def discriminants(rows: Tensor) -> Tensor:
        return prior.on(rows.device) - apart(rows / scale.on(rows.device)).t() ** 2

    def scores(inputs: Sequence[Feature]) -> Tensor:
        return blocks(inputs, 2 * len(stored), discriminants)

    made = ScoredProbabilities(what, range(features), scores, greatest, softmax, difference)
    if np.isclose(estimator.class_prior_, 1 / len(classes)).all():
        made = _Nearest(made, nearest)
    return Imported(made, classes, kind="classifier")


class _Nearest(ScoredProbabilities):
    """The probabilities of one predictor, and the class of the greatest of other scores."""

    def __init__(self, scored: ScoredProbabilities, nearest: Score) -> None:
        self._scored = scored
        self._nearest = nearest

    def value(self, features: Sequence[Feature]) -> Tensor:
        return greatest(self._nearest(features))

    def probabilities(self, features: Sequence[Feature]) -> Tensor:
        return self._scored.probabilities(features)

    def decision(self, features: Sequence[Feature]) -> Tensor:
        return self._scored.decision(features)

    def used(self) -> frozenset[int]:
        return self._scored.used()

    def describe(self) -> str:
        return self._scored.describe()
