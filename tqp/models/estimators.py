"""A fitted estimator, alone or at the end of a pipeline, as a `Model`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tqp.errors import ModelError
from tqp.models.model import Input, Model, Transform
from tqp.models.registry import import_predictor

__all__ = ["import_model"]


def import_model(name: str, estimator: Any, *, inputs: Sequence[str] | None = None, method: str | None = None) -> Model:
    """The model of an estimator that has been fitted; ModelError names what is not understood.

    `inputs` names the features where the estimator does not know their names. Nothing of the estimator is changed or kept.
    """
    if method not in (None, "predict", "predict_proba"):
        raise ModelError(f"method={method!r} is not supported", hint="choose predict or predict_proba")
    names = _input_names(estimator, inputs)
    steps: list[Any] = []
    while type(estimator).__name__ == "Pipeline":
        steps += [step for _, step in estimator.steps[:-1]]
        estimator = estimator.steps[-1][1]
    transforms: tuple[Transform, ...] = ()
    texts: frozenset[int] = frozenset()
    features = len(names)
    if steps:
        from tqp.models.sklearn_preprocess import chain

        before = chain(steps, features)
        transforms, texts, features = (before,), before.texts, before.width
    found = import_predictor(estimator, features)
    if not steps:
        texts = frozenset(getattr(found.predictor, "categories", ()))
    return Model(
        name=name,
        inputs=_inputs(names, texts),
        transforms=transforms,
        predictor=found.predictor,
        classes=found.classes,
        takes_missing=found.takes_missing or _imputes(steps),
        framework=type(estimator).__module__.partition(".")[0],
        outputs=found.outputs,
        kind=found.kind,  # type: ignore[arg-type]
    )


def _inputs(names: Sequence[str], texts: frozenset[int]) -> tuple[Input, ...]:
    return tuple(Input(name, place in texts) for place, name in enumerate(names))


def _input_names(estimator: Any, inputs: Sequence[str] | None) -> list[str]:
    first = estimator.steps[0][1] if type(estimator).__name__ == "Pipeline" else estimator
    for known in (estimator, first):
        names = getattr(known, "feature_names_in_", None)
        if names is None:
            names = getattr(known, "feature_names_", None)
        if names is not None and len(names):
            count, found = len(names), list(map(str, names))
            break
    else:
        count = _count(estimator, first)
        found = [f"x{place}" for place in range(1, count + 1)]
    if inputs is None:
        return found
    if len(inputs) != count:
        raise ModelError(f"the model takes {count} features, not {len(inputs)} (inputs={list(inputs)})")
    return list(inputs)


def _count(estimator: Any, first: Any) -> int:
    for known in (estimator, first):
        for attribute in ("n_features_in_", "n_features_", "num_feature", "num_features"):
            count = getattr(known, attribute, None)
            count = count() if callable(count) else count
            if isinstance(count, int):
                return count
    raise ModelError(
        f"{type(estimator).__name__} does not say how many features it takes", hint="is it fitted? else pass inputs=[…]"
    )


def _imputes(steps: Sequence[Any]) -> bool:
    """Whether missing values are replaced before they reach the predictor, or known to the encoders."""
    stack, imputers = list(steps), 0
    while stack:
        step = stack.pop()
        kind = type(step).__name__
        if kind == "Pipeline":
            stack += [inner for _, inner in step.steps]
        elif kind == "ColumnTransformer":
            stack += [inner for _, inner, _ in step.transformers_ if not isinstance(inner, str)]
        imputers += kind == "SimpleImputer"
    return imputers > 0
