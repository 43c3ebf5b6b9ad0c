"""Importers of scikit-learn's neural networks and dummies; with it, of all that is neither linear nor a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.device import limits_on
from tqp.errors import ModelError
from tqp.models.features import Feature
from tqp.models.known import labels_of, require
from tqp.models.layers import FirstLayer
from tqp.models.registry import Imported, importer
from tqp.models.scores import Link, Scored, greatest, identity, scored
from tqp.models.steps import Constant, rows_of

__all__: list[str] = []

_ACTIVATIONS: dict[str, Link] = {
    "identity": lambda x: x,
    "logistic": torch.sigmoid_,
    "tanh": torch.tanh_,
    "relu": torch.relu_,
    "softmax": lambda x: torch.softmax(x, dim=0),
    "exp": torch.exp_,
}
"""They may change what they get, of which nothing else knows."""


def _network(estimator: Any) -> Callable[[Sequence[Feature]], Tensor]:
    """The last layer (outputs, n). So many rows as stay in cache pass all layers together."""
    require(estimator, "activation", tuple(_ACTIVATIONS))
    require(estimator, "out_activation_", tuple(_ACTIVATIONS))
    hidden, last = _ACTIVATIONS[estimator.activation], _ACTIVATIONS[estimator.out_activation_]
    first = FirstLayer(estimator.coefs_[0], estimator.intercepts_[0])
    layers = [
        (Constant(weights.T), Constant(np.reshape(offsets, (-1, 1))))
        for weights, offsets in zip(estimator.coefs_[1:], estimator.intercepts_[1:], strict=True)
    ]

    def scores(features: Sequence[Feature]) -> Tensor:
        rows, device = rows_of(features)
        sums = first.over(features)
        placed = [(weights.on(device), offsets.on(device)) for weights, offsets in layers]
        result = torch.empty((len(placed[-1][0]), rows), dtype=torch.float64, device=device)
        step = limits_on(device).layer_rows or max(rows, 1)
        for start in range(0, rows, step):
            stop = min(start + step, rows)
            found = sums(start, stop).t()
            for weights, offsets in placed:
                found = torch.addmm(offsets, weights, hidden(found))
            result[:, start:stop] = last(found)
        return result

    return scores


@importer("MLPClassifier", "MLPRegressor")
def perceptron(estimator: Any, features: int) -> Imported:
    """A multi-layer perceptron: one matrix product a layer."""
    scores = _network(estimator)
    what = f"perceptron of {' x '.join(str(len(weights)) for weights in estimator.coefs_)} x {estimator.n_outputs_}"
    if not hasattr(estimator, "classes_"):
        return Imported(Scored(what, range(features), scores, identity), outputs=int(estimator.n_outputs_))
    classes = labels_of(estimator)
    if estimator.n_outputs_ == 1 and len(classes) == 2:

        def two(found: Tensor) -> Tensor:
            return torch.stack([1 - found[0], found[0]], dim=1)

        return scored(what, range(features), scores, classes, lambda found: (found[0] > 0.5).long(), two)
    if estimator.out_activation_ != "softmax":
        raise ModelError(
            "MLPClassifier with several labels a row is not supported",
            hint='one model for each label, or backend="host"',
        )
    return scored(what, range(features), scores, classes, greatest, lambda found: found.t().contiguous())


def _constant(values: Any) -> Callable[[Sequence[Feature]], Tensor]:
    column = Constant(np.reshape(values, (-1, 1)))

    def scores(features: Sequence[Feature]) -> Tensor:
        rows, device = rows_of(features)
        return column.on(device).expand(-1, rows).contiguous()

    return scores


@importer("DummyRegressor")
def dummy_regressor(estimator: Any, features: int) -> Imported:
    """The same number for every row."""
    constant = np.ravel(estimator.constant_)
    predictor = Scored("a constant", (), _constant(constant), identity)
    return Imported(predictor, takes_missing=True, outputs=len(constant))


@importer("DummyClassifier")
def dummy_classifier(estimator: Any, features: int) -> Imported:
    """The same label for every row."""
    require(estimator, "strategy", ("most_frequent", "prior", "constant"))
    classes = labels_of(estimator)
    if estimator.strategy == "constant":
        shares = np.asarray([label == np.ravel(estimator.constant)[0] for label in classes], dtype=np.float64)
    else:
        shares = np.asarray(estimator.class_prior_, dtype=np.float64)
    chosen = np.eye(len(classes))[int(np.argmax(shares))]
    probability = _constant(shares if estimator.strategy == "prior" else chosen)
    made = scored("a constant", (), probability, classes, greatest, lambda found: found.t().contiguous())
    return Imported(made.predictor, classes, takes_missing=True, kind="classifier")
