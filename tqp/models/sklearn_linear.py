"""Linear models of scikit-learn, by columns: no feature matrix is made.

A score is the intercept, plus weight times column for every number, plus one gather for every set of features coded by the
same column (its one-hot columns, say), whose tables are summed with their weights beforehand. Zero weights cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.features import Coded, Feature, Numeric
from tqp.models.model import Predictor
from tqp.models.registry import Imported, importer

__all__ = ["Linear"]

_CLASSIFIERS = (
    "LogisticRegression", "LogisticRegressionCV", "RidgeClassifier", "RidgeClassifierCV", "SGDClassifier", "Perceptron",
    "PassiveAggressiveClassifier", "LinearSVC", "LinearDiscriminantAnalysis",
)  # fmt: skip
_REGRESSORS = (
    "LinearRegression", "Ridge", "RidgeCV", "Lasso", "LassoCV", "ElasticNet", "ElasticNetCV", "Lars", "LassoLars",
    "BayesianRidge", "ARDRegression", "HuberRegressor", "TheilSenRegressor", "SGDRegressor", "LinearSVR",
    "QuantileRegressor", "PassiveAggressiveRegressor",
)  # fmt: skip

Link = Callable[[Tensor], Tensor]


class Linear(Predictor):
    """Scores (outputs, n) float64 = intercepts + weights · features, and what they mean.

    `weights` (outputs, f), `intercepts` (outputs,). `value` turns scores into the prediction, `probability` into (n, classes).
    """

    def __init__(self, weights: Any, intercepts: Any, value: Link, probability: Link | None) -> None:
        self._weights = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        self._intercepts = np.broadcast_to(np.asarray(intercepts, dtype=np.float64), (len(self._weights),))
        self._value = value
        self._probability = probability

    def scores(self, features: Sequence[Feature]) -> Tensor:
        """The linear scores (outputs, n)."""
        first = features[0]
        rows = first.values if isinstance(first, Numeric) else first.codes  # type: ignore[union-attr]
        result = torch.stack(
            [torch.full(rows.shape, float(b), dtype=torch.float64, device=rows.device) for b in self._intercepts]
        )
        tables: dict[int, tuple[Tensor, list[tuple[int, Tensor]]]] = {}
        for place in sorted(self.used()):
            feature = features[place]
            if isinstance(feature, Coded):
                tables.setdefault(id(feature.codes), (feature.codes, []))[1].append((place, feature.values))
                continue
            if not isinstance(feature, Numeric):
                raise ModelError("a linear model was given text; encode it first")
            values = feature.values.double()
            for output, weight in enumerate(self._weights[:, place]):
                result[output].add_(values, alpha=float(weight))
        for codes, coded in tables.values():
            for output in range(len(self._weights)):
                table = torch.zeros_like(coded[0][1], dtype=torch.float64)
                for place, values in coded:
                    table.add_(values.double(), alpha=float(self._weights[output, place]))
                result[output] += table.index_select(0, codes)
        return result

    def value(self, features: Sequence[Feature]) -> Tensor:
        return self._value(self.scores(features))

    def probabilities(self, features: Sequence[Feature]) -> Tensor | None:
        return None if self._probability is None else self._probability(self.scores(features))

    def used(self) -> frozenset[int]:
        return frozenset(np.flatnonzero(self._weights.any(axis=0)).tolist())

    def describe(self) -> str:
        return f"linear by columns, {len(self.used())} of {self._weights.shape[1]} weights not zero"


def _rows(scores: Tensor) -> Tensor:
    return scores[0] if len(scores) == 1 else scores.t().contiguous()


def _positive(scores: Tensor) -> Tensor:
    return (scores[0] > 0).long()


def _greatest(scores: Tensor) -> Tensor:
    return scores.argmax(dim=0)


def _two(scores: Tensor) -> Tensor:
    positive = torch.sigmoid(scores[0])
    return torch.stack([1 - positive, positive], dim=1)


def _softmax(scores: Tensor) -> Tensor:
    return torch.softmax(scores.t(), dim=1)


def _one_against_rest(scores: Tensor) -> Tensor:
    each = torch.sigmoid(scores.t())
    return each / each.sum(dim=1, keepdim=True)


@importer(*_CLASSIFIERS)
def classifier(estimator: Any, features: int) -> Imported:
    """A linear classifier: one score for two classes, else one a class."""
    weights = np.atleast_2d(estimator.coef_)
    binary = len(weights) == 1
    name = type(estimator).__name__
    probability: Link | None = None
    if name.startswith("LogisticRegression"):
        single = _two
        probability = single if binary else (_one_against_rest if estimator.solver == "liblinear" else _softmax)
    elif name == "LinearDiscriminantAnalysis":
        probability = _two if binary else _softmax
    elif name == "SGDClassifier" and estimator.loss == "log_loss":
        probability = _two if binary else _one_against_rest
    if np.ndim(estimator.classes_[0]):
        raise ModelError(f"{name} with several outputs is not supported")
    predictor = Linear(weights, estimator.intercept_, _positive if binary else _greatest, probability)
    return Imported(predictor, tuple(estimator.classes_), kind="classifier")


@importer(*_REGRESSORS)
def regressor(estimator: Any, features: int) -> Imported:
    """A linear regressor of one or several outputs."""
    weights = np.atleast_2d(estimator.coef_)
    return Imported(Linear(weights, estimator.intercept_, _rows, None), outputs=len(weights))


@importer("PoissonRegressor", "GammaRegressor", "TweedieRegressor")
def generalized(estimator: Any, features: int) -> Imported:
    """A generalized linear model with the log or identity link."""
    link = type(estimator._base_loss.link).__name__
    if link not in ("LogLink", "IdentityLink"):
        raise ModelError(f"{type(estimator).__name__}: link {link} is not supported")
    value: Link = _rows if link == "IdentityLink" else lambda scores: torch.exp(scores[0])
    return Imported(Linear(estimator.coef_, estimator.intercept_, value, None))
