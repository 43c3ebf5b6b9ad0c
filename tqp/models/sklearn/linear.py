"""Importers of scikit-learn's linear models, which work by columns."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.known import import_trusted, labels_of
from tqp.models.linear import Weights
from tqp.models.registry import Imported, importer
from tqp.models.scores import (
    Link,
    Scored,
    greatest,
    identity,
    normalized,
    one_against_rest,
    positive,
    scored,
    sigmoid,
    softmax,
)  # fmt: skip

__all__ = ["weighted"]


def weighted(weights: Weights, value: Link) -> Imported:
    """A regressor of weighted sums."""
    return Imported(Scored(_what(weights), weights.used(), weights.scores, value), outputs=weights.outputs)


def _what(weights: Weights) -> str:
    return f"linear by columns, {len(weights.used())} of {weights.features} features with a weight"


def _classifier(estimator: Any, probability: Link | None) -> Imported:
    weights = Weights(estimator.coef_, estimator.intercept_)
    value = positive if weights.outputs == 1 else greatest
    return scored(_what(weights), weights.used(), weights.scores, labels_of(estimator), value, probability)


def _softmax_of_two(scores: Tensor) -> Tensor:
    return torch.softmax(torch.stack([-scores[0], scores[0]], dim=1), dim=1)


def _clipped(scores: Tensor) -> Tensor:
    """Probabilities of the modified Huber loss."""
    each = (scores.t().clamp(-1, 1) + 1) / 2
    return torch.cat([1 - each, each], dim=1) if each.shape[1] == 1 else normalized(each)


@importer("LogisticRegression", "LogisticRegressionCV")
def logistic(estimator: Any, features: int) -> Imported:
    """Two classes by the logistic function, more by softmax or, where fitted so, one against the rest."""
    binary = len(estimator.classes_) <= 2
    # Versions without the parameter know softmax alone; before, it chose.
    several = getattr(estimator, "multi_class", "multinomial") if not binary else "binary"
    if several in ("auto", "deprecated", "warn"):
        several = "ovr" if estimator.solver == "liblinear" else "multinomial"
    if getattr(estimator, "multi_class", None) == "multinomial" and binary:
        return _classifier(estimator, _softmax_of_two)
    links: dict[str, Link] = {"binary": sigmoid, "ovr": one_against_rest, "multinomial": softmax}
    if several not in links:
        raise ModelError(f"{type(estimator).__name__} with multi_class={several!r} is not supported")
    return _classifier(estimator, links[several])


@importer("LinearDiscriminantAnalysis")
def discriminant(estimator: Any, features: int) -> Imported:
    """A linear classifier by class means and a shared covariance."""
    return _classifier(estimator, sigmoid if len(estimator.classes_) == 2 else softmax)


@importer("SGDClassifier")
def gradient_descent(estimator: Any, features: int) -> Imported:
    """A linear classifier by any loss; two of them give probabilities."""
    separate = sigmoid if len(estimator.classes_) == 2 else one_against_rest
    links: dict[str, Link] = {"log_loss": separate, "modified_huber": _clipped}
    return _classifier(estimator, links.get(estimator.loss))


@importer("RidgeClassifier", "RidgeClassifierCV", "Perceptron", "PassiveAggressiveClassifier", "LinearSVC")
def labels_alone(estimator: Any, features: int) -> Imported:
    """A linear classifier without probabilities."""
    return _classifier(estimator, None)


@importer(
    "LinearRegression", "Ridge", "RidgeCV", "Lasso", "LassoCV", "ElasticNet", "ElasticNetCV", "Lars", "LarsCV",
    "LassoLars", "LassoLarsCV", "LassoLarsIC", "MultiTaskLasso", "MultiTaskLassoCV", "MultiTaskElasticNet",
    "MultiTaskElasticNetCV", "OrthogonalMatchingPursuit", "OrthogonalMatchingPursuitCV", "BayesianRidge", "ARDRegression",
    "HuberRegressor", "TheilSenRegressor", "SGDRegressor", "LinearSVR", "QuantileRegressor", "PassiveAggressiveRegressor",
)  # fmt: skip
def regressor(estimator: Any, features: int) -> Imported:
    """A linear regressor of one or several outputs."""
    return weighted(Weights(estimator.coef_, estimator.intercept_), identity)


@importer("PLSRegression", "PLSCanonical", "CCA")
def partial_least_squares(estimator: Any, features: int) -> Imported:
    """Weights for centred features."""
    intercepts = estimator.intercept_ - estimator.coef_ @ estimator._x_mean
    return weighted(Weights(estimator.coef_, intercepts), identity)


@importer("PoissonRegressor", "GammaRegressor", "TweedieRegressor")
def generalized(estimator: Any, features: int) -> Imported:
    """A generalized linear model."""
    links: dict[str, Link] = {"LogLink": lambda scores: torch.exp(scores[0]), "IdentityLink": identity}
    link = type(estimator._base_loss.link).__name__
    if link not in links:
        raise ModelError(f"{type(estimator).__name__} with link {link} is not supported")
    return weighted(Weights(estimator.coef_, estimator.intercept_), links[link])


@importer("RANSACRegressor")
def consensus(estimator: Any, features: int) -> Imported:
    """The model fitted to the inliers."""
    return import_trusted(estimator.estimator_, features)
