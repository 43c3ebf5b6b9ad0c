"""Models of scikit-learn that work on a feature matrix: multi-layer perceptrons, k-means, Gaussian naive Bayes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.features import Feature, matrix
from tqp.models.model import Predictor
from tqp.models.registry import Imported, importer

__all__ = ["Matrix"]

_ROWS = 2**16
"""Rows of the feature matrix made at once."""

_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "identity": lambda x: x,
    "logistic": torch.sigmoid,
    "tanh": torch.tanh,
    "relu": torch.relu,
    "softmax": lambda x: torch.softmax(x, dim=1),
}


class Matrix(Predictor):
    """`scores` of a block of the feature matrix (n, f) float64; then the prediction, and probabilities, of the scores."""

    def __init__(
        self,
        features: int,
        what: str,
        scores: Callable[[Tensor], Tensor],
        value: Callable[[Tensor], Tensor],
        probability: Callable[[Tensor], Tensor] | None = None,
    ) -> None:
        self._features = features
        self._what = what
        self._scores = scores
        self._value = value
        self._probability = probability

    def _blocks(self, features: Sequence[Feature], result: Callable[[Tensor], Tensor]) -> Tensor:
        return torch.cat([result(self._scores(block)) for block in torch.split(matrix(features), _ROWS)])

    def value(self, features: Sequence[Feature]) -> Tensor:
        return self._blocks(features, self._value)

    def probabilities(self, features: Sequence[Feature]) -> Tensor | None:
        return None if self._probability is None else self._blocks(features, self._probability)

    def used(self) -> frozenset[int]:
        return frozenset(range(self._features))

    def describe(self) -> str:
        return f"{self._what} on blocks of a feature matrix"


def _constant(values: Any, like: Tensor) -> Tensor:
    return torch.as_tensor(np.asarray(values, dtype=np.float64), device=like.device)


def _flat(scores: Tensor) -> Tensor:
    return scores[:, 0] if scores.shape[1] == 1 else scores


def _class(scores: Tensor) -> Tensor:
    return scores.argmax(dim=1)


@importer("MLPClassifier", "MLPRegressor")
def perceptron(estimator: Any, features: int) -> Imported:
    """A multi-layer perceptron: one matrix product a layer."""
    hidden, last = _ACTIVATIONS[estimator.activation], _ACTIVATIONS[estimator.out_activation_]
    layers = list(zip(estimator.coefs_, estimator.intercepts_, strict=True))

    def scores(block: Tensor) -> Tensor:
        for number, (weights, intercepts) in enumerate(layers):
            block = block @ _constant(weights, block) + _constant(intercepts, block)
            block = last(block) if number == len(layers) - 1 else hidden(block)
        return block

    what = f"perceptron of {len(layers)} layers"
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return Imported(Matrix(features, what, scores, _flat), outputs=estimator.n_outputs_)
    if np.ndim(classes[0]) or (estimator.n_outputs_ > 1 and estimator.out_activation_ != "softmax"):
        raise ModelError("MLPClassifier with several labels a row is not supported")
    if estimator.n_outputs_ == 1:
        predictor = Matrix(
            features,
            what,
            scores,
            lambda found: (found[:, 0] > 0.5).long(),
            lambda found: torch.cat([1 - found, found], dim=1),
        )
    else:
        predictor = Matrix(features, what, scores, _class, lambda found: found)
    return Imported(predictor, tuple(classes), kind="classifier")


@importer("KMeans", "MiniBatchKMeans")
def clusters(estimator: Any, features: int) -> Imported:
    """The nearest centre by squared distance."""

    def scores(block: Tensor) -> Tensor:
        centres = _constant(estimator.cluster_centers_, block)
        return 2 * (block @ centres.t()) - (centres * centres).sum(1)

    count = len(estimator.cluster_centers_)
    predictor = Matrix(features, f"{count} cluster centres", scores, _class)
    return Imported(predictor, tuple(range(count)), kind="cluster")


@importer("GaussianNB")
def gaussian(estimator: Any, features: int) -> Imported:
    """Gaussian naive Bayes by joint log likelihoods."""

    def scores(block: Tensor) -> Tensor:
        means, variances = _constant(estimator.theta_, block), _constant(estimator.var_, block)
        prior = torch.log(_constant(estimator.class_prior_, block))
        spread = -0.5 * torch.log(2 * torch.pi * variances).sum(1)
        apart = torch.stack(
            [(((block - mean) ** 2) / var).sum(1) for mean, var in zip(means, variances, strict=True)], 1
        )
        return prior + spread - 0.5 * apart

    def probability(found: Tensor) -> Tensor:
        return torch.exp(found - torch.logsumexp(found, dim=1, keepdim=True))

    predictor = Matrix(features, "Gaussian naive Bayes", scores, _class, probability)
    return Imported(predictor, tuple(estimator.classes_), kind="classifier")
