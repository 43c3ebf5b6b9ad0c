"""From a fitted object to a `Model`: importers, found by the object's qualified class name.

An importer module registers itself for class names (of the class or any of its bases), so that no framework is imported
before an object of it is met::

    @importer("sklearn.tree._classes.DecisionTreeClassifier", …)
    def tree(estimator, context) -> Imported: ...
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tqp.errors import ModelError
from tqp.models.model import Predictor, Transform

__all__ = ["Imported", "import_predictor", "import_transform", "importer", "of_known_library", "transformer"]

T = TypeVar("T", bound=Transform)


@dataclass(frozen=True, slots=True, eq=False)
class Imported:
    """What an importer makes of an estimator: its predictor and, for classifiers, the labels; `labels` as in `Model`.

    `shares`: how many probabilities several outputs have, which the predictor gives side by side; 0 without.
    """

    predictor: Predictor
    classes: tuple[object, ...] | None = None
    takes_missing: bool = False
    outputs: int = 1
    kind: str = "regressor"
    labels: tuple[tuple[str, ...], ...] | None = None
    shares: int = 0


_PREDICTORS: dict[str, Callable[[Any, int], Imported]] = {}
_TRANSFORMS: dict[str, Callable[[Any, int], Transform]] = {}

_PACKAGES = {
    "sklearn": "sklearn", "xgboost": "boosters", "lightgbm": "boosters", "catboost": "boosters", "treelite": "boosters",
}  # fmt: skip
"""Which package of tqp.models knows the classes of a library."""


def importer(*names: str) -> Callable[[Callable[[Any, int], Imported]], Callable[[Any, int], Imported]]:
    """Register (estimator, number of features) → Imported for class names ("LogisticRegression", …)."""

    def register(function: Callable[[Any, int], Imported]) -> Callable[[Any, int], Imported]:
        _PREDICTORS.update(dict.fromkeys(names, function))
        return function

    return register


def transformer(*names: str) -> Callable[[Callable[[Any, int], T]], Callable[[Any, int], T]]:
    """Register (fitted transformer, number of its input features) → Transform for class names."""

    def register(function: Callable[[Any, int], T]) -> Callable[[Any, int], T]:
        _TRANSFORMS.update(dict.fromkeys(names, function))
        return function

    return register


def of_known_library(kind: type) -> bool:
    """Whether a class is one of a library that importers know, which does what the library says."""
    return kind.__module__.partition(".")[0] in _PACKAGES


def import_predictor(estimator: object, features: int) -> Imported:
    """The program of a fitted estimator of `features` features; ModelError names what is not understood."""
    imported: Imported = _found(_PREDICTORS, estimator, "model")(estimator, features)
    return imported


def import_transform(estimator: object, features: int) -> Transform:
    """The program of a fitted transformer."""
    transform: Transform = _found(_TRANSFORMS, estimator, "transformer")(estimator, features)
    return transform


def _found(table: dict[str, Callable[[Any, int], Any]], estimator: object, what: str) -> Callable[[Any, int], Any]:
    package = _PACKAGES.get(type(estimator).__module__.partition(".")[0])
    if package is not None:
        importlib.import_module(f"tqp.models.{package}")
    for base in type(estimator).__mro__:
        if base.__name__ in table and of_known_library(base):
            return table[base.__name__]
    name = f"{type(estimator).__module__}.{type(estimator).__qualname__}"
    raise ModelError(
        f"{name} is not supported as a {what}", hint=f"supported: {', '.join(sorted(table))}" if table else None
    )
