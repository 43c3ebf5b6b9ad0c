"""The library's own `predict` as an operator of the query: on the CPU, a copy to it and back, and visible in EXPLAIN."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ModelError, with_article
from tqp.kernels import waits
from tqp.models.answers import Array, answer_of, kind_of, numbers_as
from tqp.models.check.samples import hints
from tqp.models.check.validation import asked, sampled
from tqp.models.features import Feature, Text, dense
from tqp.models.frames import frame_of, names_of
from tqp.models.model import Input, Model, Predictor
from tqp.models.several import Labels, texts_of_labels
from tqp.models.steps import rows_of
from tqp.types import BIGINT, DOUBLE, VARCHAR, DType

__all__ = ["HostPredictor", "HostProbabilities", "import_host"]

_LIBRARY = "the library runs on the host"
_ROWS = 50
"""Rows of the sample that says what the library gives."""


def import_host(
    name: str,
    estimator: Any,
    inputs: Sequence[str] | None,
    method: str | None,
    kinds: tuple[Input, ...] | None = None,
    check: Any = None,
    why: str | None = None,
) -> Model:
    """A model that calls the estimator itself, for the kind and number of values that it gives for a sample.

    Text inputs are those that `kinds` says, else those that its encoders know categories of text for. `why`: what keeps it from
    being a tensor program, where that was tried. ModelError where the estimator gives text that `classes_` does not list, or
    takes no sample.
    """
    chosen = method or ("predict" if hasattr(estimator, "predict") else "transform")
    if not hasattr(estimator, chosen):
        raise ModelError(f"{with_article(type(estimator).__name__)} has no method {chosen}")
    names = names_of(estimator, inputs)
    known = hints(estimator, len(names))
    arity = kinds or tuple(Input(column, known[place].is_text) for place, column in enumerate(names))
    read = frozenset(place for place, hint in enumerate(known) if hint.is_read)
    columns, answer = sampled(estimator, arity, chosen, check, _ROWS, False)
    labels = _labels(estimator, answer) if chosen == "predict" else None
    several = _several_labels(estimator, answer) if chosen == "predict" else None
    if several is not None:
        predictor = HostPredictor(estimator, chosen, arity, read, BIGINT, len(several), several, why)
        return Model(name, arity, (), predictor, dtype=VARCHAR, framework="host", outputs=len(several), labels=several)
    if labels is None:
        dtype = kind_of(answer)
        if dtype is None:
            what = "several labels" if answer.ndim == 2 else "values"
            raise ModelError(
                f"{name} gives {what} of type {answer.dtype}", hint="numbers, or labels that classes_ lists"
            )
        outputs = 1 if answer.ndim == 1 else answer.shape[1]
        return Model(
            name,
            arity,
            (),
            HostPredictor(estimator, chosen, arity, read, dtype, outputs, why=why),
            None,
            dtype,
            False,
            "host",
            outputs,
        )
    kind = HostPredictor
    if hasattr(estimator, "predict_proba"):
        with contextlib.suppress(Exception):
            chances = asked(estimator, arity, "predict_proba", columns).reshape(len(answer), -1)
            kind = HostProbabilities if chances.shape[1] == len(labels) else HostPredictor
    predictor = kind(estimator, chosen, arity, read, BIGINT, 1, [labels], why)
    return Model(name, arity, (), predictor, labels, framework="host", kind="classifier")


def _labels(estimator: Any, answer: Array) -> tuple[object, ...] | None:
    """The labels that `predict` chooses from; None where it gives other values, or several a row."""
    classes = getattr(estimator, "classes_", None)
    if isinstance(classes, list) and len(classes) == 1 and np.ndim(classes[0]) == 1 and kind_of(answer) is None:
        # Of a single output in a list of outputs.
        classes = classes[0]
    if classes is None or answer.ndim != 1 or isinstance(classes, list) or np.ndim(classes) != 1 or not len(classes):
        return None
    labels = tuple(np.asarray(classes).tolist())  # host: NumPy
    return labels if {str(value) for value in answer.tolist()} <= set(map(str, labels)) else None  # host: NumPy


def _several_labels(estimator: Any, answer: Array) -> Labels | None:
    """The texts that `predict` chooses from for each of several outputs; None where it gives others, or one a row."""
    classes = getattr(estimator, "classes_", None)
    if not isinstance(classes, list) or answer.ndim != 2 or len(classes) != answer.shape[1]:
        return None
    labels = texts_of_labels(classes)
    if labels is None or kind_of(answer) is not None:
        return None
    given = [set(map(str, column.tolist())) for column in answer.T]  # host: NumPy
    return labels if all(found <= set(known) for found, known in zip(given, labels, strict=True)) else None


class HostPredictor(Predictor):
    """An estimator called with the rows of a batch; `dtype` of its values and how many a row, or the `labels` of each output.

    `read`: the inputs that some step of it takes.
    """

    def __init__(
        self, estimator: Any, method: str, inputs: tuple[Input, ...], read: frozenset[int], dtype: DType,
        outputs: int, labels: Sequence[tuple[object, ...]] | None = None, why: str | None = None,
    ) -> None:  # fmt: skip
        self._estimator = estimator
        self._method = method
        self._inputs = inputs
        self._read = read
        self._dtype = dtype
        self._outputs = outputs
        self._why = why
        # By their texts: what is asked for is not always of the type that the list has.
        self._index = (
            None if labels is None else [{str(label): place for place, label in enumerate(known)} for known in labels]
        )

    def _called(self, method: str, features: Sequence[Feature]) -> tuple[Array, torch.device]:
        columns: list[Array] = []
        for feature in features:
            if isinstance(feature, Text):
                columns.append(_strings(feature))
            else:
                columns.append(waits.array(dense(feature), _LIBRARY))
        rows, device = rows_of(features)
        frame = frame_of(self._estimator, [input_.name for input_ in self._inputs], columns)
        return answer_of(getattr(self._estimator, method)(frame), rows), device

    def value(self, features: Sequence[Feature]) -> Tensor:
        answer, device = self._called(self._method, features)
        width = 1 if answer.ndim == 1 else answer.shape[1]
        if width != self._outputs:
            raise ModelError(f"it gave {width} numbers a row, not {self._outputs}")
        if self._index is None:
            return torch.from_numpy(numbers_as(answer, self._dtype)).to(device)
        places = [
            _places(column, index) for column, index in zip(answer.reshape(-1, width).T, self._index, strict=True)
        ]
        found = torch.tensor(places, dtype=torch.int64, device=device)
        return found[0] if width == 1 else found.t().contiguous()

    def used(self) -> frozenset[int]:
        return self._read

    def describe(self) -> str:
        why = "" if self._why is None else f", because {self._why}"
        return f"{type(self._estimator).__name__}.{self._method} on the host{why}"


class HostProbabilities(HostPredictor):
    """A classifier with `predict_proba`, called with the rows of a batch."""

    def probabilities(self, features: Sequence[Feature]) -> Tensor | None:
        answer, device = self._called("predict_proba", features)
        return torch.from_numpy(numbers_as(answer, DOUBLE).reshape(len(answer), -1)).to(device)


def _places(labels: Array, index: Mapping[str, int]) -> list[int]:
    """The place of each label (n,); ModelError for one that has none."""
    found = list(map(str, labels.tolist()))  # host: NumPy
    unknown = next((label for label in found if label not in index), None)
    if unknown is not None:
        raise ModelError(f"predict gives the label {unknown!r}, which classes_ does not have")
    return [index[label] for label in found]


def _strings(feature: Text) -> np.ndarray[Any, Any]:
    column = feature.column
    assert column.dictionary is not None
    values = np.asarray(column.dictionary.values.to_pylist(), dtype=object)
    strings: np.ndarray[Any, Any] = values[waits.array(column.data, _LIBRARY)]
    if column.valid is not None:
        strings[~waits.array(column.valid, _LIBRARY)] = None
    return strings
