"""From any object handed in as a model to a `Model` that queries can trust.

A model of a library is imported as a tensor program, and that program must answer as the model's own `predict` on a
sample before anything uses it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ModelError, TqpError, with_article
from tqp.models.answers import kind_of
from tqp.models.check.validation import validate
from tqp.models.features import Feature
from tqp.models.host import import_host
from tqp.models.inputs import Inputs, declared, names_only
from tqp.models.model import Input, Model, Predictor, Prunable, can_fail
from tqp.models.onnx.check import check_graph
from tqp.models.onnx.graph import is_onnx
from tqp.models.onnx.model import import_onnx
from tqp.models.tensors import import_torch, is_torch
from tqp.models.text import TextPredictor, import_text, reads_words
from tqp.types import DOUBLE, DType

__all__ = ["LabelsOnly", "prepare"]

_BACKENDS: Final = ("auto", "tensor", "host")
_NO_OUTPUT: Final = "output= is for torch models and ONNX graphs, whose labels nobody else knows"
_NULLS: Final = {"auto": None, "missing": True, "null": False}
_EXTRAS: Final = {"xgboost": "xgboost", "lightgbm": "lightgbm", "catboost": "catboost", "sklearn": "models"}


def prepare(
    name: str,
    model: Any,
    inputs: Inputs | None = None,
    output: Any = None,
    method: str | None = None,
    backend: str = "auto",
    check: Any = None,
    nulls: str = "auto",
    side_effects: bool = False,
    device: torch.device | None = None,
) -> Model:
    """The model called `name`, checked.

    `model` is a fitted estimator of a supported library, a torch module, an exported program, a function of tensors,
    the path of an .onnx file, an `onnx.ModelProto`, an object that reads text (see `tqp.models.text`), or a `Model`. `inputs`
    names its inputs in order, where it does not know them; a mapping says what each takes, too: `str` (text), `float`, `int`,
    "DOUBLE", or an array such as "FLOAT[768]". `output`: the labels of a torch model or ONNX graph that gives scores (n, labels),
    or which part of its answer is meant. `method` is the estimator's method to stand for ("predict", "transform", …). `backend`:
    "tensor" (and "auto") runs a tensor program, "host" calls the library itself on the CPU. `check` is a sample (DataFrame or
    dict of columns) on which both must agree; without it one is made up. `nulls`: "missing" hands NULL on as NaN, "null" makes
    the prediction NULL, "auto" does what the model takes. `side_effects`: a torch model may answer equal rows
    differently. `device`: where queries run, and functions are tried; the CPU by default.

    The object handed in is never changed. Raises ModelError.
    """
    _require(backend, _BACKENDS, "backend")
    _require(nulls, _NULLS, "nulls")
    if isinstance(model, str | PathLike) and not is_onnx(model):
        raise ModelError(
            f"model {name!r} is a path, and tqp reads no model files but .onnx",
            hint="load it and register the object itself",
        )
    if isinstance(model, type):
        raise ModelError(f"model {name!r} is the class {model.__name__}, not an object of it")
    kinds = declared(inputs)
    try:
        made = _imported(
            name,
            model,
            names_only(inputs),
            output,
            method,
            backend,
            nulls,
            kinds,
            check,
            side_effects,
            device or torch.device("cpu"),
        )
    except TqpError:
        raise
    except Exception as error:
        raise _unread(name, model, backend, error) from error
    if side_effects and made.framework != "torch":
        raise ModelError("side_effects=True is for torch models", hint="others answer equal rows in the same way")
    if made.classes is not None:
        made = replace(made, classes=tuple(map(_plain, made.classes)))
    _require_labels(name, made.classes or ())
    is_estimator = made.framework != "torch" and not isinstance(model, Model)
    if is_estimator and made.framework != "onnx" and made.has_probabilities and _lacks_probabilities(model):
        made = replace(made, predictor=LabelsOnly(made.predictor))
    if nulls == "missing" and isinstance(made.predictor, TextPredictor):
        raise ModelError(f"model {name} reads text, and is not asked for NULL", hint='leave nulls="auto"')
    if nulls == "missing" and any(input_.type is not None and not _has_nan(input_.type) for input_ in made.inputs):
        raise ModelError("integers and booleans have no value that stands for NULL", hint='leave nulls="auto"')
    known = _NULLS[nulls]
    if known is not None:
        made = replace(made, takes_missing=known)
    if made.framework == "onnx" and is_estimator:
        made = check_graph(made, check)
    elif is_estimator and made.framework != "host":
        answer, chances = validate(made, model, check, method)
        if chances is not None and made.classes is not None and chances.shape[1] != len(made.classes):
            # Fitted on one class, some give the probabilities of two.
            made = replace(made, predictor=LabelsOnly(made.predictor))
        if answer is not None and made.classes is None and made.dtype == DOUBLE:
            made = replace(made, dtype=kind_of(answer) or DOUBLE)
    return made


def _unread(name: str, model: Any, backend: str, error: Exception) -> ModelError:
    """What reading a model failed with, of which no part of tqp knows."""
    return ModelError(
        f"model {name!r}: the {type(model).__name__} cannot be read: {type(error).__name__}: {error}",
        hint='backend="host" calls its own predict on the CPU' if backend != "host" else None,
    )


def _imported(
    name: str,
    model: Any,
    inputs: Sequence[str] | None,
    output: Any,
    method: str | None,
    backend: str,
    nulls: str,
    kinds: tuple[Input, ...] | None,
    check: Any,
    side_effects: bool,
    device: torch.device,
) -> Model:
    if isinstance(model, Model):
        return replace(model, name=name)
    if is_onnx(model):
        return import_onnx(name, model, inputs, output, method, backend, nulls)
    text = import_text(name, model, kinds, method)
    if text is not None:
        return text
    is_array = kinds is not None and any(kind.array is not None for kind in kinds)
    has_words = backend == "auto" and reads_words(model)
    if (backend == "host" or has_words) and not is_torch(model) and not is_array:
        if output is not None:
            raise ModelError(_NO_OUTPUT)
        why = None
        if has_words and kinds is None:
            try:
                made = _of_library(name, model, inputs, method, nulls)
                # Else the library is asked, as it is where words have no tensor program.
                validate(made, model, check, method)
                return made
            except ModelError as error:
                why = error.message.partition("\n")[0].rstrip(":")
        return import_host(name, model, inputs, method, kinds, check, why)
    if kinds is not None and any(kind.is_text for kind in kinds):
        raise ModelError(
            f"{with_article(type(model).__name__)} takes no text by inputs=",
            hint='pass a function of a list of strings, or backend="host" for an estimator',
        )
    if is_torch(model):
        if backend == "host":
            raise ModelError("a torch model runs as tensor program alone", hint='leave backend="auto"')
        return import_torch(name, model, inputs, output, kinds, method, check, side_effects, device)
    if is_array:
        raise ModelError(
            "inputs that are arrays are for torch models", hint="PREDICT(model, v) passes all features of v"
        )
    if output is not None:
        raise ModelError(_NO_OUTPUT)
    package = type(model).__module__.partition(".")[0]
    if package in _EXTRAS and importlib.util.find_spec(package) is None:
        raise ModelError(
            f"{package} is not installed", hint=f'pip install "tensor-query-processor[{_EXTRAS[package]}]"'
        )
    try:
        return _of_library(name, model, inputs, method, nulls)
    except ModelError as error:
        if error.hint is None and hasattr(model, "predict"):
            error.hint = 'backend="host" calls its own predict on the CPU'
        raise


def _of_library(name: str, model: Any, inputs: Sequence[str] | None, method: str | None, nulls: str) -> Model:
    """The tensor program of a library's model; ModelError where it has none."""
    from tqp.models.estimators import import_model

    made: Model = import_model(name, model, inputs=inputs, method=method, insist=nulls == "missing")
    return made


class LabelsOnly(Predictor):
    """A classifier whose library gives no probabilities, whatever its program could compute."""

    def __init__(self, predictor: Predictor) -> None:
        self._predictor = predictor
        self.can_fail = can_fail(predictor)

    def value(self, features: Sequence[Feature]) -> Tensor:
        return self._predictor.value(features)

    def used(self) -> frozenset[int]:
        return self._predictor.used()

    def prune(self, bounds: Mapping[int, tuple[float, float]], rows: float) -> Predictor:
        shorter = self._predictor.prune(bounds, rows) if isinstance(self._predictor, Prunable) else self._predictor
        return self if shorter is self._predictor else LabelsOnly(shorter)

    def describe(self) -> str:
        return self._predictor.describe()


def _require_labels(name: str, labels: Sequence[object]) -> None:
    """ModelError where labels are not all texts, all truths, or all numbers of one type."""
    if len({type(label) for label in labels}) > 1:
        raise ModelError(f"the labels of model {name!r} are not of one type: {tuple(labels)}")
    for label in labels:
        if not isinstance(label, str | bool | int | float):
            kind = with_article(type(label).__name__)
            raise ModelError(f"the label {label} of model {name!r} is {kind}", hint="fit it on texts or numbers")
        if isinstance(label, int) and not -(2**63) <= label < 2**63:
            raise ModelError(f"the label {label} of model {name!r} is no BIGINT", hint="fit it on texts")


def _lacks_probabilities(estimator: Any) -> bool:
    """Whether it is a classifier (or a detector of outliers) as scikit-learn has them, without `predict_proba`."""
    known = hasattr(estimator, "classes_") or type(estimator).__module__.startswith("sklearn.")
    return known and not hasattr(estimator, "predict_proba")


def _has_nan(dtype: DType) -> bool:
    return (dtype.element or dtype).is_float


def _require(value: str, known: Any, what: str) -> None:
    if value not in known:
        raise ModelError(f"{what}={value!r} is not known", hint=f"choose {', '.join(known)}")


def _plain(label: object) -> object:
    return label.item() if isinstance(label, np.generic) else label  # host: NumPy
