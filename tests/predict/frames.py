"""Features from pandas frames, as a query would make them, and the comparison of a model with its original."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import torch

from tqp.data.column import Column
from tqp.io.pandas import PandasReader
from tqp.models.estimators import import_model
from tqp.models.features import Coded, Feature, Numeric, Text
from tqp.models.model import Model

__all__ = ["agree", "features", "imported"]

HOST = torch.device("cpu")


def features(frame: Any, model: Model, *, coded: bool = False) -> list[Feature]:
    """The model's inputs from a frame (or matrix) with its columns in order; `coded`: numbers as codes into a table."""
    if not isinstance(frame, pd.DataFrame):
        frame = pd.DataFrame(np.asarray(frame, dtype=np.float64), columns=[i.name for i in model.inputs])
    reader = PandasReader(frame)
    made = []
    for name, argument in zip(frame.columns, model.inputs, strict=True):
        column = reader.column(str(name))
        made.append(Text(column) if argument.is_text else _number(column, coded))
    return made


def _number(column: Column, coded: bool) -> Feature:
    values = column.data.double()
    if column.valid is not None:
        values = torch.where(column.valid, values, torch.nan)
    if not coded:
        return Numeric(values)
    table, codes = np.unique(values.numpy(), return_inverse=True)
    return Coded(torch.from_numpy(codes.astype(np.int32)), torch.from_numpy(table))


def imported(estimator: Any, method: str | None = None) -> Model:
    return import_model("m", estimator, method=method)


def agree(estimator: Any, frame: Any, *, tolerance: float = 1e-12, method: str | None = None) -> Model:
    """The model gives the labels and, within the tolerance, the numbers of the estimator, however features come."""
    model = imported(estimator, method)
    wanted = getattr(estimator, method or ("predict" if hasattr(estimator, "predict") else "transform"))(frame)
    wanted = np.asarray(wanted.toarray() if hasattr(wanted, "toarray") else wanted)
    for coded in (False, True):
        inputs = features(frame, model, coded=coded)
        value = model.value(inputs).numpy()
        if model.classes is not None:
            assert value.dtype == np.int64
            sure = ~_tied(estimator, frame, method, tolerance)
            np.testing.assert_array_equal(np.asarray(model.classes)[value][sure], np.ravel(wanted)[sure])
        else:
            close(value, wanted.reshape(value.shape), tolerance)
        if method is None and hasattr(estimator, "classes_"):
            assert model.has_probabilities == hasattr(estimator, "predict_proba")
        if model.has_probabilities and hasattr(estimator, "predict_proba"):
            found = model.probabilities(inputs)
            assert found is not None
            close(found.numpy(), estimator.predict_proba(frame), tolerance)
        kept = model.used_inputs()
        for place, feature in enumerate(inputs):
            if place not in kept and isinstance(feature, Numeric):
                inputs[place] = Numeric(torch.zeros_like(feature.values))
        np.testing.assert_array_equal(model.value(inputs).numpy(), value)
    return model


def _tied(estimator: Any, frame: Any, method: str | None, tolerance: float) -> Any:
    """Rows whose two best classes are equally probable to the last bits, where noise decides."""
    if method is not None or not hasattr(estimator, "predict_proba"):
        return np.zeros(len(frame), dtype=bool)
    best = np.sort(estimator.predict_proba(frame), axis=1)[:, -2:]
    return best[:, -1] - best[:, 0] < tolerance * (best.shape[1] - 1)


def close(value: Any, wanted: Any, tolerance: float) -> None:
    wanted = np.asarray(wanted, dtype=np.float64)
    finite = np.abs(wanted[np.isfinite(wanted)])
    limit = tolerance * max(1.0, float(np.median(finite)) if finite.size else 1.0)
    np.testing.assert_allclose(value, wanted, rtol=tolerance, atol=limit)
