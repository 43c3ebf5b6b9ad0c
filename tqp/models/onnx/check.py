"""Does the tensor program of a graph answer as onnxruntime? And does a row's answer depend on that row alone?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import torch

from tqp.errors import ModelError
from tqp.models.check.samples import Arrays, draw, features_of, given
from tqp.models.features import Coded, Feature, Numeric
from tqp.models.model import Model
from tqp.models.onnx.host import evaluator
from tqp.models.onnx.model import GraphPredictor, GraphProbabilities

__all__ = ["check_graph"]

_ROWS: Final = 500
_FEW: Final = 7
_SHOWN: Final = 3
_TOLERANCE: Final = 1e-5
"""Relative to the largest answer; float32 sums in another order differ by less."""


def check_graph(model: Model, check: Any) -> Model:
    """The model, without probabilities where its second output gives none; ModelError where the program differs.

    `check` is a sample of rows; without it one is made up around thresholds and categories.
    """
    predictor = model.predictor
    assert isinstance(predictor, GraphPredictor)
    oracle = (predictor.runner, "onnxruntime") if predictor.on_host else evaluator(predictor.graph)
    samples = [given(model.inputs, check)] if check is not None else [_made_up(model, *how) for how in _hows(model)]
    failure: Exception | None = None
    for columns in samples:
        features = features_of(model.inputs, columns)
        try:
            wanted = None if oracle is None else _answers(predictor, features, oracle[0])
        except Exception as error:
            if oracle is None or oracle[1] == "onnxruntime":
                failure = error
                continue
            # The reference evaluator does not know every graph.
            wanted = None
        _compare(model, predictor, columns, features, wanted, "" if oracle is None else oracle[1])
        return _probable(model, predictor, features)
    what = "the sample" if check is not None else "made-up rows"
    raise ModelError(
        f"model {model.name} cannot be checked: the graph itself fails on {what}: {failure}",
        hint="check= hands in a sample of real rows" if check is None else None,
    ) from failure


def _hows(model: Model) -> tuple[tuple[bool, bool], ...]:
    return (model.takes_missing, True), (model.takes_missing, False), (False, False)


def _made_up(model: Model, missing: bool, unknown: bool) -> Arrays:
    predictor = model.predictor
    assert isinstance(predictor, GraphPredictor)
    seed = np.random.default_rng(0)
    dtypes = [slot.dtype for slot in predictor.slots for _ in range(slot.columns or 1)]
    columns: Arrays = []
    for hint, input_, dtype in zip(predictor.origins.hints(len(model.inputs)), model.inputs, dtypes, strict=True):
        if not input_.is_text and hint.is_text:
            hint.categories = None
        if input_.is_text and not hint.is_text:
            hint.categories = ["a", "b", ""]
        column = draw(hint, _ROWS, missing and input_.takes_missing, unknown, seed)
        if dtype is torch.bool:
            column = (column > 0).astype(np.float64)
        elif dtype is not None and not dtype.is_floating_point:
            column = np.clip(np.round(column), -(2.0**31), 2.0**31 - 1)
        columns.append(column)
    return columns


def _answers(predictor: GraphPredictor, features: Sequence[Feature], runner: Any) -> list[torch.Tensor]:
    """The value, then the probabilities if there are any."""
    names = [predictor.meaning.answer]
    if isinstance(predictor, GraphProbabilities):
        assert predictor.meaning.probabilities is not None
        names.append(predictor.meaning.probabilities)
    answers = predictor.outputs(features, names, runner)
    made = [predictor.meant(answers[0])]
    if isinstance(predictor, GraphProbabilities):
        made.append(predictor.probable(answers[1]))
    return made


def _compare(
    model: Model, predictor: GraphPredictor, columns: Arrays, features: list[Feature], wanted: Any, oracle: str
) -> None:
    try:
        found = _answers(predictor, features, None)
        few = _answers(predictor, [_first(feature) for feature in features], None)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(
            f"the tensor program of model {model.name} fails on a sample: {type(error).__name__}: {error}",
            hint="check= hands in a sample of real rows",
        ) from error
    if wanted is not None and not predictor.on_host:
        _same(model, columns, found, wanted, oracle)
    rows = [column[:_FEW] for column in columns]
    try:
        _same(model, rows, few, [answer[:_FEW] for answer in found], "all rows together")
    except ModelError as error:
        raise ModelError(
            f"model {model.name}: the answer for a row depends on the rows beside it: {error.message}"
        ) from error


def _first(feature: Feature) -> Feature:
    """The first rows of a feature, numbers as codes of a table."""
    match feature:
        case Numeric(values):
            few = values[:_FEW]
            return Coded(torch.arange(len(few), dtype=torch.int32, device=few.device), few)
        case Coded(codes, values):
            return Coded(codes[:_FEW], values)
        case _:
            column = feature.column
            valid = None if column.valid is None else column.valid[:_FEW]
            return replace(feature, column=replace(column, data=column.data[:_FEW], valid=valid))


def _same(model: Model, columns: Arrays, found: list[torch.Tensor], wanted: list[torch.Tensor], oracle: str) -> None:
    ties = None
    if len(found) > 1:
        asked = wanted[1].numpy()
        _require_close(model, columns, found[1].numpy(), asked, "probabilities", oracle)
        if asked.shape[1] > 1:
            ordered = np.sort(asked, axis=1)
            ties = ordered[:, -1] - ordered[:, -2] <= _TOLERANCE
    if model.classes is None:
        _require_close(model, columns, found[0].numpy(), wanted[0].numpy(), "value", oracle)
        return
    labels = np.asarray(model.classes, dtype=object)
    differs = (found[0] != wanted[0]).numpy()
    # Where two classes are equally probable, the last bit of a sum decides.
    differs = differs if ties is None else differs & ~ties
    _require_none(model, columns, differs, labels[found[0].numpy()], labels[wanted[0].numpy()], oracle)


def _probable(model: Model, predictor: GraphPredictor, features: list[Feature]) -> Model:
    """Scores that leave 0..1 are no probabilities."""
    if not isinstance(predictor, GraphProbabilities):
        return model
    chances = predictor.probabilities(features)
    assert chances is not None
    inside = (chances >= -1e-6) & (chances <= 1 + 1e-6) | chances.isnan()
    if bool(inside.all()):  # host: a sample
        return model
    meaning = replace(predictor.meaning, probabilities=None)
    labels = GraphPredictor(
        predictor.graph, predictor.slots, predictor.runner, meaning, predictor.origins, predictor.on_host
    )
    return replace(model, predictor=labels)


def _require_close(
    model: Model, columns: Arrays, found: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any], what: str, oracle: str
) -> None:
    found, wanted = found.astype(np.float64), wanted.astype(np.float64)
    if found.shape != wanted.shape:
        raise ModelError(f"model {model.name} gives {what} of shape {found.shape}, {oracle} {wanted.shape}")
    finite = np.abs(wanted[np.isfinite(wanted)])
    limit = _TOLERANCE * max(float(finite.max()) if finite.size else 1.0, 1e-30)  # host: NumPy
    with np.errstate(invalid="ignore"):
        differs = ~((np.abs(found - wanted) <= limit) | (found == wanted) | (np.isnan(found) & np.isnan(wanted)))
    _require_none(model, columns, differs.reshape(len(found), -1).any(axis=1), found, wanted, oracle)


def _require_none(
    model: Model, columns: Arrays, differs: np.ndarray[Any, Any], found: Any, wanted: Any, oracle: str
) -> None:
    places = np.flatnonzero(differs)
    if not len(places):
        return
    rows = []
    for place in places[:_SHOWN].tolist():  # host: NumPy
        cells = list(zip(model.inputs, columns, strict=True))[:8]
        shown = ", ".join(f"{input_.name}={column[place]!r}" for input_, column in cells)
        rows.append(f"{shown}: {found[place]} instead of {wanted[place]}")
    raise ModelError(
        f"the tensor program of model {model.name} differs from {oracle} on {len(places)} of {len(differs)} rows:\n  "
        + "\n  ".join(rows),
        hint='backend="host" calls onnxruntime itself',
    )
