"""From a fitted scikit-learn estimator, a pipeline of them, or a booster of another library, to a `Model`.

Only fitted attributes are read; the object handed in is neither called nor changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models import sklearn_linear, sklearn_meta, sklearn_others  # noqa: F401  (they register)
from tqp.models.features import Feature, matrix
from tqp.models.host import names_of
from tqp.models.known import import_step, import_trusted
from tqp.models.model import Input, Model, Predictor
from tqp.models.sklearn_meta import unwrapped
from tqp.models.sklearn_preprocess import chain_of
from tqp.models.steps import Chain, Step, texts_of, where_used
from tqp.types import DOUBLE, INTEGER

__all__ = ["import_model"]

_METHODS = ("predict", "predict_proba", "decision_function", "transform")


def import_model(
    name: str, estimator: object, *, inputs: Sequence[str] | None = None, method: str | None = None
) -> Model:
    """The estimator as a model called `name`.

    `inputs` names its inputs in order; else they are called as in `feature_names_in_`, or x1, x2, …. `method`: "predict"
    (for transformers "transform"), "predict_proba", "decision_function" or "transform"; all but the first give numbers.
    ModelError where the estimator, a part or a parameter of it is not understood.
    """
    whole: Any = unwrapped(estimator)
    steps = [step for _, step in whole.steps] if type(whole).__name__ == "Pipeline" else [whole]
    last = unwrapped(steps[-1])
    _require_fitted(name, last)
    names = _names(name, whole, inputs)
    chosen = method or ("predict" if hasattr(last, "predict") else "transform")
    if chosen not in _METHODS:
        raise ModelError(f"method={chosen!r} is not known", hint=f"choose {', '.join(_METHODS)}")
    if chosen == "transform":
        return _transformer(name, whole, names)
    transforms, width = chain_of(steps[:-1], len(names))
    imported = import_trusted(last, width)
    predictor, classes, outputs, kind = imported.predictor, imported.classes, imported.outputs, imported.kind
    if chosen != "predict":
        predictor, outputs = _numbers(predictor, chosen, classes)
        classes, kind = None, "regressor"
    chain = Chain(transforms, len(names))
    texts = chain.text(texts_of(predictor))
    used = chain.reads(predictor.used())
    return Model(
        name=name,
        inputs=tuple(Input(label, place in texts) for place, label in enumerate(names)),
        transforms=tuple(transforms),
        predictor=predictor,
        classes=classes,
        dtype=INTEGER if kind == "cluster" else DOUBLE,
        takes_missing=used <= chain.absorbs(where_used(predictor, imported.takes_missing, width)),
        framework=type(whole).__module__.partition(".")[0],
        outputs=outputs,
        kind=kind,  # type: ignore[arg-type]
    )


def _transformer(name: str, estimator: Any, names: Sequence[str]) -> Model:
    step = import_step(estimator, len(names))
    predictor = _Transformed(step)
    texts = step.text(frozenset())
    used = step.reads(predictor.used_outputs())
    return Model(
        name=name,
        inputs=tuple(Input(label, place in texts) for place, label in enumerate(names)),
        transforms=(step,),
        predictor=predictor,
        takes_missing=used <= step.absorbs(predictor.used_outputs()),
        framework=type(estimator).__module__.partition(".")[0],
        outputs=step.width,
        kind="transformer",
    )


def _names(name: str, estimator: Any, inputs: Sequence[str] | None) -> list[str]:
    known = _attribute(estimator, "feature_names_in_")
    count = _attribute(estimator, "n_features_in_")
    expected = len(known) if known is not None else count
    if inputs is not None:
        if expected is not None and len(inputs) != expected:
            raise ModelError(f"model {name!r} has {expected} inputs, and inputs= names {len(inputs)}")
        return list(inputs)
    return names_of(estimator, None if known is None else [str(label) for label in known])


def _attribute(estimator: Any, attribute: str) -> Any:
    """An attribute of the estimator or of the first step of a pipeline; None where neither has it."""
    found = getattr(estimator, attribute, None)
    if found is None and hasattr(estimator, "steps"):
        return _attribute(estimator.steps[0][1], attribute)
    return found


def _require_fitted(name: str, estimator: Any) -> None:
    if not type(estimator).__module__.startswith("sklearn."):
        return
    stateless = ("FunctionTransformer", "Normalizer", "Binarizer", "FrozenEstimator")
    fitted = any(item.endswith("_") and not item.startswith("_") for item in vars(estimator))
    if type(estimator).__name__ not in stateless and not fitted:
        raise ModelError(f"model {name!r}: the {type(estimator).__name__} is not fitted", hint="call fit first")


def _numbers(predictor: Predictor, method: str, classes: tuple[object, ...] | None) -> tuple[Predictor, int]:
    if method == "predict_proba" and classes is not None and _gives(predictor, "probabilities"):
        return _Method(predictor, method), len(classes)
    if method == "decision_function" and classes is not None and _gives(predictor, "decision"):
        return _Method(predictor, method), 1 if len(classes) == 2 else len(classes)
    raise ModelError(f"{predictor.describe()}: {method} is not supported", hint="leave out method=")


def _gives(predictor: Predictor, method: str) -> bool:
    found = getattr(type(predictor), method, None)
    return found is not None and found is not Predictor.probabilities


class _Method(Predictor):
    """Another method of a classifier as the value."""

    def __init__(self, predictor: Predictor, method: str) -> None:
        self._predictor = predictor
        self._method = method
        self.texts = texts_of(predictor)

    def value(self, features: Sequence[Feature]) -> Tensor:
        if self._method == "decision_function":
            decision: Tensor = self._predictor.decision(features)  # type: ignore[attr-defined]
            return decision
        found = self._predictor.probabilities(features)
        assert found is not None
        return found

    def used(self) -> frozenset[int]:
        return self._predictor.used()

    def describe(self) -> str:
        return f"{self._method} of {self._predictor.describe()}"


class _Transformed(Predictor):
    """The features themselves, (n,) or (n, width)."""

    def __init__(self, step: Step) -> None:
        self._width = step.width

    def used_outputs(self) -> frozenset[int]:
        return frozenset(range(self._width))

    def value(self, features: Sequence[Feature]) -> Tensor:
        result = matrix(features, torch.float64)
        return result[:, 0] if self._width == 1 else result

    def used(self) -> frozenset[int]:
        return self.used_outputs()

    def describe(self) -> str:
        return f"{self._width} features"
