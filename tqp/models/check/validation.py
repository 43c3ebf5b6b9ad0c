"""Does a tensor program answer as the model it was made from? Asked of every model of a library when it is registered."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tqp.errors import ModelError
from tqp.models.answers import Array, answer_of, kind_of
from tqp.models.check.samples import Arrays, features_of, given, made_up
from tqp.models.frames import frame_of
from tqp.models.model import Input, Model

__all__ = ["asked", "sampled", "validate"]

_ROWS: Final = 500
_SHOWN: Final = 3
_TOLERANCE: Final = 1e-5
"""Relative to the largest answer: libraries that add up in float32 differ by that much."""


def validate(model: Model, estimator: Any, check: Any, method: str | None) -> tuple[Array | None, Array | None]:
    """What the estimator answers to a sample, and the probabilities (n, k) of a classifier; None where it has no such method.

    Raises ModelError, with rows that differ, where the program and the estimator disagree.
    """
    method = method or ("predict" if hasattr(estimator, "predict") else "transform")
    if not hasattr(estimator, method):
        return None, None
    columns, expected = sampled(estimator, model.inputs, method, check, _ROWS, model.takes_missing)
    return expected, _compare(model, estimator, method, columns, expected)


def sampled(
    estimator: Any, inputs: Sequence[Input], method: str, check: Any, rows: int, missing: bool
) -> tuple[Arrays, Array]:
    """A sample that the estimator takes, `check` or one made up of so many rows, and what it answers; ModelError without."""
    samples = made_up(inputs, estimator, rows, missing) if check is None else [given(inputs, check)]
    for columns in samples:
        try:
            return columns, asked(estimator, inputs, method, columns)
        except Exception as error:
            failure = error
    if check is not None:
        raise ModelError(f"the model itself fails on the sample: {failure}") from failure
    raise ModelError(
        f"the model itself fails on all rows made up to check it: {failure}",
        hint="check= hands in a sample of real rows",
    ) from failure


def asked(estimator: Any, inputs: Sequence[Input], method: str, columns: Arrays) -> Array:
    """What the estimator itself answers."""
    import warnings

    frame = frame_of(estimator, [input_.name for input_ in inputs], columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return answer_of(getattr(estimator, method)(frame), len(columns[0]) if columns else 0)


def _compare(model: Model, estimator: Any, method: str, columns: Arrays, wanted: Array) -> Array | None:
    """The estimator's probabilities, where it was asked for them. ModelError where the program gives something else."""
    features = features_of(model.inputs, columns)
    try:
        value = model.value(features).numpy()
        proba = None
        if model.has_probabilities and method == "predict" and hasattr(estimator, "predict_proba"):
            proba = model.probabilities(features)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(
            f"the tensor program of model {model.name} fails on a sample: {type(error).__name__}: {error}",
            hint="check= hands in a sample of real rows",
        ) from error
    if model.labels is not None:
        _require_labels(model, columns, value, wanted)
        return None
    if model.classes is None:
        _require_close(model, columns, value, wanted, "value")
        return None
    if wanted.ndim == 2:
        raise ModelError(f"model {model.name} gives {wanted.shape[1]} labels a row, its program one")
    chances = None
    if proba is not None:
        # A library may refuse the probabilities alone.
        with contextlib.suppress(Exception):
            chances = asked(estimator, model.inputs, "predict_proba", columns).reshape(len(wanted), -1)
    if proba is not None and chances is not None:
        _require_close(model, columns, proba.numpy(), chances, "probabilities")
    labels = np.asarray(model.classes, dtype=object)[value]
    differs = np.asarray([str(a) != str(b) for a, b in zip(labels, wanted.tolist(), strict=True)])  # host: NumPy
    if chances is not None and chances.shape[1] > 1:
        # Where two classes are equally probable, the last bit of a sum decides.
        ordered = np.sort(chances, axis=1)
        differs &= ordered[:, -1] - ordered[:, -2] > _TOLERANCE
    _require_none(model, columns, differs, labels, wanted)
    return chances


def _require_close(
    model: Model, columns: Arrays, value: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any], what: str
) -> None:
    if kind_of(wanted) is None:
        raise ModelError(f"model {model.name} gives {what} of type {wanted.dtype}, its program numbers")
    value, wanted = value.astype(np.float64), wanted.astype(np.float64)
    value = value[:, 0] if value.ndim == 2 and wanted.ndim == 1 and value.shape[1] == 1 else value
    if value.shape != wanted.shape:
        raise ModelError(f"model {model.name} gives {what} of shape {value.shape}, its library {wanted.shape}")
    finite = np.abs(wanted[np.isfinite(wanted)])
    limit = _TOLERANCE * max(float(finite.max()) if finite.size else 1.0, 1e-30)  # host: NumPy
    with np.errstate(invalid="ignore"):
        differs = ~((np.abs(value - wanted) <= limit) | (value == wanted) | (np.isnan(value) & np.isnan(wanted)))
    _require_none(model, columns, differs.reshape(len(value), -1).any(axis=1), value, wanted)


def _require_labels(model: Model, columns: Arrays, places: Array, wanted: Array) -> None:
    """Several labels a row; the places (n, outputs) of those that the program chose."""
    assert model.labels is not None
    each = zip(model.labels, places.T, strict=True)
    labels = np.stack([np.asarray(known, dtype=object)[index] for known, index in each], axis=1)
    if labels.shape != wanted.shape:
        raise ModelError(f"model {model.name} gives labels of shape {wanted.shape}, its program {labels.shape}")
    _require_none(model, columns, (labels != wanted.astype(str).astype(object)).any(axis=1), labels, wanted)


def _require_none(
    model: Model, columns: Arrays, differs: np.ndarray[Any, Any], value: Sequence[Any] | Any, wanted: Any
) -> None:
    places = np.flatnonzero(differs)
    if not len(places):
        return
    rows = []
    for place in places[:_SHOWN].tolist():  # host: NumPy
        shown = ", ".join(
            f"{input_.name}={column[place]!r}" for input_, column in list(zip(model.inputs, columns, strict=True))[:8]
        )
        rows.append(f"{shown}: {value[place]} instead of {wanted[place]}")
    raise ModelError(
        f"the tensor program of model {model.name} differs from the model on {len(places)} of {len(differs)} rows:\n  "
        + "\n  ".join(rows),
        hint='backend="host" calls the library itself',
    )
