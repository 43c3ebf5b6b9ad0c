"""From a fitted scikit-learn estimator, a pipeline of them, or a booster of another library, to a `Model`.

Only fitted attributes are read; the object handed in is neither called nor changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.combined import Function, decision_of, probability_of
from tqp.models.features import Feature, matrix
from tqp.models.frames import names_of
from tqp.models.known import import_step, import_trusted
from tqp.models.model import Input, Model, Predictor, can_fail
from tqp.models.registry import Imported
from tqp.models.sklearn.meta import unwrapped
from tqp.models.sklearn.words import summed_words
from tqp.models.steps import Chain, Present, Step, texts_of, where_used
from tqp.types import DOUBLE, INTEGER, VARCHAR

__all__ = ["import_model"]

_METHODS = ("predict", "predict_proba", "decision_function", "transform")


def import_model(
    name: str,
    estimator: object,
    *,
    inputs: Sequence[str] | None = None,
    method: str | None = None,
    insist: bool = False,
) -> Model:
    """The estimator as a model called `name`.

    `inputs` names its inputs in order; else they are called as in `feature_names_in_`, or x1, x2, …. `method`: "predict"
    (for transformers "transform"), "predict_proba", "decision_function" or "transform"; all but the first give numbers.
    `insist`: missing values are to reach the model, and raise where it refuses them.
    ModelError where the estimator, a part or a parameter of it is not understood.
    """
    whole: Any = unwrapped(estimator)
    steps = [step for _, step in whole.steps] if type(whole).__name__ == "Pipeline" else [whole]
    last = unwrapped(steps[-1])
    _require_fitted(name, last)
    names = _names(name, whole, inputs)
    only_transforms = hasattr(last, "transform") and not hasattr(last, "predict")
    chosen = method or ("transform" if only_transforms else "predict")
    if chosen not in _METHODS:
        raise ModelError(f"method={chosen!r} is not known", hint=f"choose {', '.join(_METHODS)}")
    if chosen == "transform":
        return _transformer(name, whole, names)
    transforms, width, last = summed_words(steps[:-1], len(names), last)
    imported = import_trusted(last, width)
    predictor, classes, outputs, kind = imported.predictor, imported.classes, imported.outputs, imported.kind
    labels = imported.labels
    if chosen != "predict":
        predictor, outputs = _numbers(last, imported, chosen)
        classes, labels, kind = None, None, "regressor"
    chain = Chain(transforms, len(names))
    texts = chain.text(texts_of(predictor))
    used = chain.reads(predictor.used())
    refused = used - chain.absorbs(where_used(predictor, imported.takes_missing, width))
    first = [Present(sorted(refused), names)] if insist and refused else []
    return Model(
        name=name,
        inputs=tuple(Input(label, place in texts, insist or place not in refused) for place, label in enumerate(names)),
        transforms=(*first, *transforms),
        predictor=predictor,
        classes=classes,
        dtype=VARCHAR if labels is not None else INTEGER if kind == "cluster" else DOUBLE,
        takes_missing=not used or used != refused,
        framework=type(whole).__module__.partition(".")[0],
        outputs=outputs,
        kind=kind,  # type: ignore[arg-type]
        labels=labels,
    )


def _transformer(name: str, estimator: Any, names: Sequence[str]) -> Model:
    step = import_step(estimator, len(names))
    predictor = _Transformed(step)
    texts = step.text(frozenset())
    used = step.reads(predictor.used_outputs())
    refused = used - step.absorbs(predictor.used_outputs())
    return Model(
        name=name,
        inputs=tuple(Input(label, place in texts, place not in refused) for place, label in enumerate(names)),
        transforms=(step,),
        predictor=predictor,
        takes_missing=not used or used != refused,
        framework=type(estimator).__module__.partition(".")[0],
        outputs=step.width,
        kind="transformer",
    )


def _names(name: str, estimator: Any, inputs: Sequence[str] | None) -> list[str]:
    known = _attribute(estimator, "feature_names_in_")
    count = _attribute(estimator, "n_features_in_")
    expected = len(known) if known is not None else count or None
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
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(estimator)
    except NotFittedError:
        raise ModelError(
            f"model {name!r}: the {type(estimator).__name__} is not fitted", hint="call fit first"
        ) from None


def _numbers(estimator: Any, imported: Imported, method: str) -> tuple[Predictor, int]:
    """The answer of another method of a classifier than `predict`, and how many numbers it is; of several outputs, of all."""
    predictor, classes = imported.predictor, imported.classes
    if imported.shares and method == "predict_proba" and hasattr(estimator, method):
        return _Method(predictor, method, probability_of(imported)), imported.shares
    if classes is not None and hasattr(estimator, method):
        if method == "predict_proba":
            return _Method(predictor, method, probability_of(imported)), len(classes)
        decide = decision_of(estimator, imported)
        assert decide is not None
        pairs = getattr(estimator, "decision_function_shape", "ovr") == "ovo"
        count = len(classes) * (len(classes) - 1) // 2 if pairs else len(classes)
        return _Method(predictor, method, decide), 1 if len(classes) == 2 else count
    raise ModelError(
        f"{type(estimator).__name__}: {method} is not supported", hint='leave out method=, or backend="host"'
    )


class _Method(Predictor):
    """Another method of a classifier as the value."""

    def __init__(self, predictor: Predictor, method: str, ask: Function) -> None:
        self._predictor = predictor
        self._method = method
        self._ask = ask
        self.texts = texts_of(predictor)
        self.can_fail = can_fail(predictor)

    def value(self, features: Sequence[Feature]) -> Tensor:
        return self._ask(features)

    def used(self) -> frozenset[int]:
        return self._predictor.used()

    def describe(self) -> str:
        return f"{self._method} of {self._predictor.describe()}"


class _Transformed(Predictor):
    """The features themselves, (n,) or (n, width)."""

    can_fail = False

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
