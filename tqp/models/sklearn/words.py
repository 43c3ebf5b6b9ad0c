"""Words beside other columns before weighted sums: what they add to the sums is found once for each distinct string.

A vectorizer makes a feature of each word, most of which are 0. The weights of its features are multiplied with them where
they are made, by the library on the host, so that a string adds one number to each sum of the model, whatever the number of
words. In the model these numbers stand for the words, with weights that are 1. Before other models, words are features where
they are few.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tqp.models.sklearn.preprocess import chain_of, part_of
from tqp.models.sklearn.sparse import zeros_as_missing
from tqp.models.sklearn.texts import PerText
from tqp.models.steps import Columns, Step
from tqp.models.text import reads_one_text, reads_words

__all__ = ["summed_words"]

_LINEAR: Final = ("sklearn.linear_model.", "sklearn.svm._classes")
"""Where models are whose `coef_`, where they keep one, are the weights of sums, and all that they do with features."""
_COUNTS: Final = ("MultinomialNB", "ComplementNB")
_LAYERS: Final = ("MLPClassifier", "MLPRegressor")


def summed_words(steps: Sequence[Any], features: int, last: Any) -> tuple[list[Step], int, Any]:
    """The transforms of `features` features before a model, how many features they make, and the model of these.

    The model is a copy with other weights where a ColumnTransformer with vectorizers comes directly before weighted sums.
    Where the words go elsewhere and are too many they have no tensor program: ModelError.
    """
    columns: Any = steps[-1] if steps else None
    kept = _kept_weights(last)
    if type(columns).__name__ != "ColumnTransformer" or kept is None or not reads_words(columns):
        made, width = chain_of(steps, features)
        return [*made, *zeros_as_missing(steps, last, width)], width, last
    before, inputs = chain_of(steps[:-1], features)
    weights = getattr(last, kept)[0].T if kept == "coefs_" else getattr(last, kept)
    weights = np.asarray(weights.toarray() if hasattr(weights, "toarray") else weights)
    rows: Any = np.atleast_2d(weights)
    outputs = len(rows)
    shares = columns.transformer_weights or {}
    parts: list[tuple[Step, Sequence[int]]] = []
    blocks = []
    for name, step, _ in columns.transformers_:
        places = [int(place) for place in columns._transformer_to_input_indices[name]]
        own = rows[:, columns.output_indices_[name]]
        if not places or (isinstance(step, str) and step == "drop"):
            continue
        if len(places) == 1 and reads_one_text(step):
            parts.append((_sums(step, own * shares.get(name, 1.0)), places))
            blocks.append(np.eye(outputs))
        else:
            parts.append((part_of(step, len(places), shares.get(name)), places))
            blocks.append(own)
    others = np.concatenate(blocks, axis=1).reshape((*weights.shape[:-1], -1))
    summed = copy.copy(last)
    setattr(summed, kept, [others.T, *last.coefs_[1:]] if kept == "coefs_" else others)
    whole = Columns(parts, inputs)
    return [*before, whole], whole.width, summed


def _kept_weights(model: Any) -> str | None:
    """The attribute that keeps the weights of a model's sums of features, of a network its layers'; None of other models."""
    kind = type(model)
    if kind.__module__.startswith(_LINEAR):
        return "coef_" if "coef_" in vars(model) else None
    if not kind.__module__.startswith("sklearn."):
        return None
    return "feature_log_prob_" if kind.__name__ in _COUNTS else "coefs_" if kind.__name__ in _LAYERS else None


def _sums(vectorizer: Any, weights: np.ndarray[Any, Any]) -> PerText:
    """What the words of one text add to each of several sums: `weights` (outputs, words) of a fitted vectorizer."""
    columns = np.ascontiguousarray(weights.T, dtype=np.float64)
    what = f"sums of {type(vectorizer).__name__}'s words"
    return PerText(what, len(weights), lambda texts: vectorizer.transform(texts) @ columns)
