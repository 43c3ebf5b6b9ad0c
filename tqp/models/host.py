"""The library's own `predict` as an operator of the query: on the CPU, a copy to it and back, and visible in EXPLAIN."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ModelError, with_article
from tqp.kernels import waits
from tqp.models.features import Feature, Text, dense
from tqp.models.frames import frame_of, names_of
from tqp.models.model import Input, Model, Predictor

__all__ = ["HostPredictor", "HostProbabilities", "import_host"]

_LIBRARY = "the library runs on the host"


def import_host(name: str, estimator: Any, inputs: Sequence[str] | None, method: str | None, check: Any) -> Model:
    """A model that calls the estimator itself. Text inputs are those that its encoders know categories of text for.

    How many numbers a row it gives is seen on rows of the sample `check`, or made-up ones.
    """
    from tqp.models.check.samples import hints
    from tqp.models.check.validation import answer_of

    chosen = method or "predict"
    if not hasattr(estimator, chosen):
        raise ModelError(f"{with_article(type(estimator).__name__)} has no method {chosen}")
    names = names_of(estimator, inputs)
    known = hints(estimator, len(names))
    arity = tuple(Input(column, known[place].is_text) for place, column in enumerate(names))
    labels = _labels(estimator) if chosen == "predict" else None
    kind = HostProbabilities if labels is not None and hasattr(estimator, "predict_proba") else HostPredictor
    predictor = kind(estimator, chosen, arity)
    if labels is None:
        made = Model(name, arity, (), predictor, framework="host")
        outputs = _outputs(answer_of(made, estimator, chosen, check)[1])
        predictor.outputs = outputs
        return replace(made, outputs=outputs)
    return Model(name, arity, (), predictor, tuple(labels.tolist()), framework="host", kind="classifier")  # host: NumPy


def _outputs(answer: Any) -> int:
    """How many numbers a row there are in an answer (n,) or (n, k), which may be sparse; ModelError for another one."""
    shape = answer.shape if hasattr(answer, "shape") else np.shape(answer)
    if len(shape) not in (1, 2) or len(shape) == 2 and shape[1] == 0:
        raise ModelError(f"it gives {tuple(shape)} for rows, not (n,) or (n, k)")
    return 1 if len(shape) == 1 else int(shape[1])


def _labels(estimator: Any) -> Any:
    """The labels of a classifier; regressors of CatBoost have none in the place."""
    found = getattr(estimator, "classes_", None)
    return None if found is None or not len(found) else found


class HostPredictor(Predictor):
    """An estimator called with the rows of a batch."""

    def __init__(self, estimator: Any, method: str, inputs: tuple[Input, ...]) -> None:
        self._estimator = estimator
        self._method = method
        self._inputs = inputs
        self.outputs = 1
        labels = _labels(estimator)
        self._index = (
            None if labels is None else {label: place for place, label in enumerate(labels.tolist())}
        )  # host: NumPy

    def _called(self, method: str, features: Sequence[Feature]) -> tuple[np.ndarray[Any, Any], torch.device]:
        columns: list[np.ndarray[Any, Any]] = []
        device = torch.device("cpu")
        for feature in features:
            if isinstance(feature, Text):
                device = feature.column.device
                columns.append(_strings(feature))
            else:
                values = dense(feature)
                device = values.device
                columns.append(waits.array(values, _LIBRARY))
        frame = frame_of(self._estimator, [input_.name for input_ in self._inputs], columns)
        found = getattr(self._estimator, method)(frame)
        return np.asarray(found.toarray() if hasattr(found, "toarray") else found), device

    def value(self, features: Sequence[Feature]) -> Tensor:
        answer, device = self._called(self._method, features)
        if self._index is not None and self._method == "predict":
            places = [self._index[label] for label in answer.tolist()]  # host: NumPy
            return torch.tensor(places, dtype=torch.int64, device=device)
        found = _outputs(answer)
        if found != self.outputs:
            raise ModelError(f"it gave {found} numbers a row, not {self.outputs}")
        numbers = torch.from_numpy(np.ascontiguousarray(answer, dtype=np.float64)).to(device)
        return numbers[:, 0] if self.outputs == 1 and numbers.ndim == 2 else numbers

    def used(self) -> frozenset[int]:
        return frozenset(range(len(self._inputs)))

    def describe(self) -> str:
        return f"{type(self._estimator).__name__}.{self._method} on the host"


class HostProbabilities(HostPredictor):
    """A classifier with `predict_proba`, called with the rows of a batch."""

    def probabilities(self, features: Sequence[Feature]) -> Tensor | None:
        answer, device = self._called("predict_proba", features)
        return torch.from_numpy(np.ascontiguousarray(answer, dtype=np.float64)).to(device)


def _strings(feature: Text) -> np.ndarray[Any, Any]:
    column = feature.column
    assert column.dictionary is not None
    values = np.asarray(column.dictionary.values.to_pylist(), dtype=object)
    strings: np.ndarray[Any, Any] = values[waits.array(column.data, _LIBRARY)]
    if column.valid is not None:
        strings[~waits.array(column.valid, _LIBRARY)] = None
    return strings
