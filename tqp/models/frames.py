"""What a library itself is called with: the names of its inputs, and rows in the form that it was trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tqp.errors import ModelError, with_article
from tqp.models.boosters.trained import categories_of

__all__ = ["frame_of", "names_of"]

_NAMES: Final = ("feature_names_in_", "feature_names_", "feature_names", "feature_name")
"""Where libraries keep the names that a model was trained with; the last is a method."""


def names_of(estimator: Any, inputs: Sequence[str] | None) -> list[str]:
    """The names of an estimator's inputs: as given, as it was fitted with, or x1, x2, …."""
    if inputs is not None:
        return list(inputs)
    names = _trained_names(estimator)
    if names is not None:
        return names
    # A CatBoost model from a file has 0 features, and all their names.
    count = getattr(estimator, "n_features_in_", None) or len(_kept_names(estimator)[1]) or _width(estimator)
    if not count:
        raise ModelError(
            f"the inputs of {with_article(type(estimator).__name__)} are not known", hint="name them: inputs=[…]"
        )
    return [f"x{place}" for place in range(1, int(count) + 1)]


def frame_of(estimator: Any, names: Sequence[str], columns: Sequence[np.ndarray[Any, Any]]) -> Any:
    """The columns in the form that the estimator was trained on: a pandas frame where it knows names or categories, else a matrix.

    What is none of the categories of a column is missing.
    """
    if _is_single(estimator):
        columns = [column.astype(np.float32) if column.dtype.kind in "fiu" else column for column in columns]
    labels = _trained_names(estimator)
    known = categories_of(estimator)
    if labels is None and not known and not any(column.dtype == object for column in columns):
        return _for_booster(estimator, np.column_stack(columns))
    try:
        import pandas
    except ImportError:
        kind = type(estimator).__name__
        hint = 'pip install "tensor-query-processor[pandas]"'
        raise ModelError(f"a {kind} fitted with names needs pandas, which is not installed", hint=hint) from None

    made = {
        label: pandas.Categorical.from_codes(pandas.Index(known[place]).get_indexer(column), known[place])
        if place in known
        else column
        for place, (label, column) in enumerate(zip(labels or names, columns, strict=True))
    }
    return _for_booster(estimator, pandas.DataFrame(made))


def _is_single(estimator: Any) -> bool:
    """Whether centres of single precision, which a clustering compares with rows of no other, are kept in it or a part of it."""
    centers = getattr(estimator, "cluster_centers_", None)
    if centers is not None:
        return bool(getattr(centers, "dtype", None) == np.float32)
    parts = [getattr(estimator, name, None) for name in ("best_estimator_", "estimator_", "estimator")]
    parts += [step[-1] for step in getattr(estimator, "steps", ()) or () if isinstance(step, tuple)]
    return any(_is_single(part) for part in parts if hasattr(part, "get_params"))


def _kept_names(estimator: Any) -> tuple[str, list[str]]:
    """Where the library keeps the names of the inputs, and the names, which it may have made up; none where it does not."""
    for place in _NAMES:
        found = getattr(estimator, place, None)
        if found is not None:
            return place, [str(label) for label in (found() if callable(found) else found)]
    return "", []


def _trained_names(estimator: Any) -> list[str] | None:
    place, names = _kept_names(estimator)
    made_up = ([f"{form}{number}" for number in range(len(names))] for form in ("", "Column_"))
    return None if not names or (place != "feature_names_in_" and names in made_up) else names


def _width(booster: Any) -> int | None:
    """How many inputs a bare booster has; the first name is XGBoost's, the other LightGBM's."""
    asked = (getattr(booster, name, None) for name in ("num_features", "num_feature"))
    return next((int(ask()) for ask in asked if callable(ask)), None)


def _is_xgboost(estimator: Any) -> bool:
    return type(estimator).__module__.startswith("xgboost") and type(estimator).__name__ == "Booster"


def _for_booster(estimator: Any, rows: Any) -> Any:
    """A bare booster of XGBoost takes its own kind of matrix."""
    if not _is_xgboost(estimator):
        return rows
    import xgboost

    return xgboost.DMatrix(rows, enable_categorical=True, feature_types=estimator.feature_types)
