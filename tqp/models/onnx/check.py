"""Does the tensor program of a graph answer as onnxruntime? And does a row's answer depend on that row alone?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import numpy as np
import torch

from tqp.errors import ModelError
from tqp.models.check.row_choices import row_choices
from tqp.models.check.samples import Arrays, draw, features_of, given
from tqp.models.features import Coded, Feature, Numeric
from tqp.models.labels import meaning_of
from tqp.models.model import Model
from tqp.models.onnx.host import evaluator
from tqp.models.onnx.model import GraphPredictor, GraphProbabilities

__all__ = ["check_graph"]

_ROWS: Final = 500
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
            predictor = _meant(model, predictor, features, check)
            model = replace(model, predictor=predictor)
            wanted = None if oracle is None else _answers(predictor, features, oracle[0])
        except Exception as error:
            if oracle is None or oracle[1] == "onnxruntime":
                failure = error
                continue
            # The reference evaluator does not know every graph.
            wanted = None
        _compare(model, predictor, columns, features, wanted, "" if oracle is None else oracle[1])
        _require_gaps_alone(model, predictor, columns)
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
            # As far as floats are exact, and int32 goes.
            limits = torch.iinfo(dtype)
            column = np.clip(np.round(column), max(limits.min, -(2.0**31)), min(limits.max, 2.0**31 - 1))
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


def _meant(model: Model, predictor: GraphPredictor, features: Sequence[Feature], check: Any) -> GraphPredictor:
    """The predictor with what its scores mean, where `output=` names their labels; ModelError where they are none."""
    labels = model.classes
    if predictor.meaning.scores is None or labels is None:
        return predictor
    scores = _scores(predictor, features)
    if check is not None:
        # A few rows do not show that a score never leaves 0 to 1.
        with suppress(Exception):
            more = features_of(model.inputs, _made_up(model, False, False))
            scores = torch.cat([scores, _scores(predictor, more)])
    return predictor.meaning_scores(meaning_of(scores, labels))


def _scores(predictor: GraphPredictor, features: Sequence[Feature]) -> torch.Tensor:
    (answer,) = predictor.outputs(features, [predictor.meaning.answer])
    return predictor.column(answer)


def _compare(
    model: Model, predictor: GraphPredictor, columns: Arrays, features: list[Feature], wanted: Any, oracle: str
) -> None:
    try:
        found = _answers(predictor, features, None)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(
            f"the tensor program of model {model.name} fails on a sample: {type(error).__name__}: {error}",
            hint="check= hands in a sample of real rows",
        ) from error
    if wanted is not None and not predictor.on_host:
        _same(model, columns, found, wanted, oracle)
    _require_alone(model, predictor, columns, features, found)


def _require_alone(
    model: Model, predictor: GraphPredictor, columns: Arrays, features: list[Feature], found: list[torch.Tensor]
) -> None:
    """ModelError unless the answers for rows are the same, whichever rows come with them."""
    for chosen in row_choices(torch.arange(len(columns[0]), device=torch.device("cpu"))):
        try:
            few = _answers(predictor, [_chosen(feature, chosen) for feature in features], None)
            wanted = [answer.index_select(0, chosen) for answer in found]
            _same(model, [column[chosen.numpy()] for column in columns], few, wanted, "all rows together")
        except Exception as error:
            text = error.message if isinstance(error, ModelError) else f"{type(error).__name__}: {error}"
            raise ModelError(
                f"model {model.name}: the answer for a row depends on the rows beside it: {text}"
            ) from error


def _require_gaps_alone(model: Model, predictor: GraphPredictor, columns: Arrays) -> None:
    """The same for rows some of which are NaN where the graph takes floats: what fills it from other rows answers by them."""
    dtypes = [slot.dtype for slot in predictor.slots for _ in range(slot.columns or 1)]
    gapped = [column.copy() for column in columns]
    for column, dtype in zip(gapped, dtypes, strict=True):
        if dtype is not None and dtype.is_floating_point:
            column[1::5] = np.nan
    features = features_of(model.inputs, gapped)
    try:
        found = _answers(predictor, features, None)
    except Exception:
        # It takes no NaN.
        return
    _require_alone(model, predictor, gapped, features, found)


def _chosen(feature: Feature, rows: torch.Tensor) -> Feature:
    """Some rows of a feature, numbers as codes of a table."""
    match feature:
        case Numeric(values):
            return Coded(rows.int(), values)
        case Coded(codes, values):
            return Coded(codes.index_select(0, rows), values)
        case _:
            return replace(feature, column=feature.column.take(rows))


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
    if not isinstance(predictor, GraphProbabilities) or predictor.meaning.scores is not None:
        return model
    chances = predictor.probabilities(features)
    assert chances is not None
    inside = (chances >= -1e-6) & (chances <= 1 + 1e-6) | chances.isnan()
    if bool(inside.all()):  # host: a sample
        return model
    return replace(model, predictor=predictor.of(replace(predictor.meaning, probabilities=None)))


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
