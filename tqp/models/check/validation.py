"""Does a tensor program answer as the model it was made from? Asked of every model of a library when it is registered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tqp.errors import ModelError
from tqp.models.check.samples import Arrays, draw, features_of, given, hints
from tqp.models.frames import frame_of
from tqp.models.model import Model

__all__ = ["answer_of", "validate"]

_ROWS: Final = 500
_SHOWN: Final = 3
_TOLERANCE: Final = 1e-5
"""Relative to the largest answer: libraries that add up in float32 differ by that much."""

# What numbers some models alone accept: any, positive ones, codes from 0.
_CHANGES: Final = (np.asarray, lambda column: np.abs(column) + 1e-3, lambda column: np.floor(np.abs(column)) % 2)


def validate(model: Model, estimator: Any, check: Any, method: str | None) -> None:
    """Raise ModelError, with rows that differ, where the program and the estimator disagree on a sample."""
    method = method or ("predict" if hasattr(estimator, "predict") else "transform")
    if not hasattr(estimator, method):
        return
    columns, expected = answer_of(model, estimator, method, check)
    _compare(model, estimator, method, columns, expected)


def answer_of(model: Model, estimator: Any, method: str, check: Any) -> tuple[Arrays, Any]:
    """Rows that the estimator itself takes, of the sample `check` or made up, and what its method answers; else ModelError."""
    if check is not None:
        columns = given(model, check)
        expected = _asked(estimator, method, model, columns)
        if isinstance(expected, Exception):
            raise ModelError(f"the model itself fails on the sample: {expected}") from expected
        return columns, expected
    for change in _CHANGES:
        for missing, unknown in ((model.takes_missing, True), (model.takes_missing, False), (False, False)):
            columns = _made_up(model, estimator, missing, unknown)
            columns = [column if column.dtype == object else change(column) for column in columns]
            expected = _asked(estimator, method, model, columns)
            if not isinstance(expected, Exception):
                return columns, expected
    raise ModelError(
        f"the model itself fails on all rows made up to check it: {expected}",
        hint="check= hands in a sample of real rows",
    ) from expected


def _made_up(model: Model, estimator: Any, missing: bool, unknown: bool) -> Arrays:
    seed = np.random.default_rng(0)
    columns: Arrays = []
    for input_, hint in zip(model.inputs, hints(estimator, len(model.inputs)), strict=True):
        if input_.is_text and not hint.is_text:
            hint.categories = ["a", "b", ""]
        columns.append(draw(hint, _ROWS, missing and input_.takes_missing, unknown, seed))
    return columns


def _asked(estimator: Any, method: str, model: Model, columns: Arrays) -> Any:
    """What the estimator itself answers, or its exception."""
    import warnings

    frame = frame_of(estimator, [input_.name for input_ in model.inputs], columns)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = getattr(estimator, method)(frame)
            return found.toarray() if hasattr(found, "toarray") else found
    except Exception as error:
        return error


def _compare(model: Model, estimator: Any, method: str, columns: Arrays, expected: Any) -> None:
    features = features_of(model, columns)
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
    wanted = np.asarray(expected)
    if model.classes is None:
        _require_close(model, columns, value, wanted.reshape(value.shape), "value")
        return
    asked = None if proba is None else _asked(estimator, "predict_proba", model, columns)
    if proba is not None and isinstance(asked, np.ndarray):
        _require_close(model, columns, proba.numpy(), asked, "probabilities")
    labels = np.asarray(model.classes, dtype=object)[value]
    differs = np.asarray(
        [str(a) != str(b) for a, b in zip(labels, np.ravel(wanted).tolist(), strict=True)]
    )  # host: NumPy
    if isinstance(asked, np.ndarray) and asked.shape[1] > 1:
        # Where two classes are equally probable, the last bit of a sum decides.
        ordered = np.sort(asked, axis=1)
        differs &= ordered[:, -1] - ordered[:, -2] > _TOLERANCE
    _require_none(model, columns, differs, labels, wanted)


def _require_close(
    model: Model, columns: Arrays, value: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any], what: str
) -> None:
    value, wanted = value.astype(np.float64), wanted.astype(np.float64)
    if value.shape != wanted.shape:
        raise ModelError(f"model {model.name} gives {what} of shape {value.shape}, its library {wanted.shape}")
    finite = np.abs(wanted[np.isfinite(wanted)])
    limit = _TOLERANCE * max(float(finite.max()) if finite.size else 1.0, 1e-30)  # host: NumPy
    with np.errstate(invalid="ignore"):
        differs = ~((np.abs(value - wanted) <= limit) | (value == wanted) | (np.isnan(value) & np.isnan(wanted)))
    _require_none(model, columns, differs.reshape(len(value), -1).any(axis=1), value, wanted)


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
