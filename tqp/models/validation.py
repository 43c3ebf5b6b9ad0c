"""Does a tensor program answer as the model it was made from? Asked of every model of a library when it is registered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import torch

from tqp.column import Column, Dictionary
from tqp.errors import ModelError
from tqp.models.features import Feature, Numeric, Text
from tqp.models.host import frame_of
from tqp.models.model import Model
from tqp.models.samples import draw, hints
from tqp.types import VARCHAR

__all__ = ["validate"]

_ROWS: Final = 500
_SHOWN: Final = 3
_TOLERANCE: Final = 1e-5
"""Relative to the largest answer: libraries that add up in float32 differ by that much."""

Arrays = list[np.ndarray[Any, Any]]

# What numbers some models alone accept: any, positive ones, codes from 0.
_CHANGES: Final = (np.asarray, lambda column: np.abs(column) + 1e-3, lambda column: np.floor(np.abs(column)) % 2)


def validate(model: Model, estimator: Any, check: Any, method: str | None) -> None:
    """Raise ModelError, with rows that differ, where the program and the estimator disagree on a sample."""
    method = method or ("predict" if hasattr(estimator, "predict") else "transform")
    if not hasattr(estimator, method):
        return
    if check is not None:
        columns = _given(model, check)
        expected = _asked(estimator, method, model, columns)
        if isinstance(expected, Exception):
            raise ModelError(f"the model itself fails on the sample: {expected}") from expected
        _compare(model, estimator, method, columns, expected)
        return
    for change in _CHANGES:
        for missing, unknown in ((model.takes_missing, True), (model.takes_missing, False), (False, False)):
            columns = _made_up(model, estimator, missing, unknown)
            columns = [column if column.dtype == object else change(column) for column in columns]
            expected = _asked(estimator, method, model, columns)
            if not isinstance(expected, Exception):
                _compare(model, estimator, method, columns, expected)
                return
    raise ModelError(
        f"the model itself fails on all rows made up to check it: {expected}",
        hint="check= hands in a sample of real rows",
    ) from expected


def _given(model: Model, check: Any) -> Arrays:
    """The sample of the user, one array an input."""
    names = [input_.name for input_ in model.inputs]
    known: dict[str, Any] = {}
    if isinstance(check, Mapping) or hasattr(check, "columns"):
        for name in check if isinstance(check, Mapping) else check.columns:
            known[str(name)] = check[name]
    elif hasattr(check, "shape") and len(check.shape) == 2 and check.shape[1] == len(names):
        known = {name: check[:, place] for place, name in enumerate(names)}
    else:
        raise ModelError(f"check= is a {type(check).__name__}", hint="hand in a DataFrame or a dict of columns")
    absent = [name for name in names if name not in known]
    if absent:
        raise ModelError(f"the sample has no column {', '.join(absent)}", hint=f"the inputs are {', '.join(names)}")
    columns: Arrays = []
    for input_ in model.inputs:
        values = known[input_.name]
        values = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
        columns.append(_objects(values) if input_.is_text else np.asarray(values, dtype=np.float64))
    return columns


def _objects(values: Any) -> np.ndarray[Any, Any]:
    column = np.empty(len(values), dtype=object)
    column[:] = [value if isinstance(value, str) else None for value in values]
    return column


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


def _features(model: Model, columns: Arrays) -> list[Feature]:
    host = torch.device("cpu")
    features: list[Feature] = []
    for input_, column in zip(model.inputs, columns, strict=True):
        if not input_.is_text:
            features.append(Numeric(torch.from_numpy(np.array(column, dtype=np.float64)).to(host)))
            continue
        array = pa.array(column.tolist(), pa.large_string())
        encoded = array.dictionary_encode()
        valid = torch.from_numpy(np.asarray(array.is_valid()))
        codes = torch.from_numpy(np.asarray(encoded.indices.fill_null(0), dtype=np.int32).copy())
        values = encoded.dictionary if len(encoded.dictionary) else pa.array([""], pa.large_string())
        text = Column(codes, VARCHAR, valid, Dictionary(values, is_sorted=False), (0, len(values) - 1)).ranked()
        features.append(Text(text))
    return features


def _compare(model: Model, estimator: Any, method: str, columns: Arrays, expected: Any) -> None:
    features = _features(model, columns)
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
    differs = np.asarray([str(a) != str(b) for a, b in zip(labels, np.ravel(wanted).tolist(), strict=True)])
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
    limit = _TOLERANCE * max(float(finite.max()) if finite.size else 1.0, 1e-30)
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
    for place in places[:_SHOWN].tolist():
        shown = ", ".join(
            f"{input_.name}={column[place]!r}" for input_, column in list(zip(model.inputs, columns, strict=True))[:8]
        )
        rows.append(f"{shown}: {value[place]} instead of {wanted[place]}")
    raise ModelError(
        f"the tensor program of model {model.name} differs from the model on {len(places)} of {len(differs)} rows:\n  "
        + "\n  ".join(rows),
        hint='backend="host" calls the library itself',
    )
