"""Made-up rows to check a model on: values around what its steps know of each input.

Scalers know the spread of an input, imputers its middle, encoders its categories, trees their thresholds. What a step
passes on to the next one is followed as far as a value stays one column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa
import torch

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.errors import ModelError
from tqp.models.boosters.splits import lightgbm_splits, xgboost_splits
from tqp.models.boosters.trained import categories_of
from tqp.models.check.columns import columns_given
from tqp.models.features import Feature, Numeric, Text
from tqp.models.model import Input
from tqp.types import VARCHAR

__all__ = ["Arrays", "Hint", "draw", "features_of", "given", "hints", "made_up"]

Arrays = list[np.ndarray[Any, Any]]
"""A sample: an array for each input, of float64 or of objects (str or None)."""

_THRESHOLDS: Final = 200
_MEMBERS: Final = 20
_WORDS: Final = 8

_CHANGES: Final = (np.asarray, lambda column: np.abs(column) + 1e-3, lambda column: np.floor(np.abs(column)) % 2)
"""What numbers some models alone accept: any, positive ones, codes from 0."""


@dataclass
class Hint:
    """What is known of one input: values of interest, categories, whether these are of a column of pandas' type category, and
    whether any step reads it."""

    values: list[float] = field(default_factory=list)
    categories: list[Any] | None = None
    of_frame: bool = False
    scale: tuple[float, float] | None = None
    is_read: bool = False

    def learn(self, categories: list[Any]) -> None:
        """These are categories. Where other members know some, those that all know: what one does not know it may refuse."""
        shared = [item for item in self.categories or () if item in categories]
        self.categories = shared or categories

    @property
    def is_text(self) -> bool:
        return self.categories is not None and any(isinstance(item, str) for item in self.categories)


def hints(estimator: Any, count: int) -> list[Hint]:
    """What the fitted estimator knows of each of its `count` inputs."""
    found = [Hint() for _ in range(count)]
    _collect(estimator, found)
    return found


def _collect(step: Any, found: list[Hint]) -> None:
    if isinstance(step, str) and step == "drop":
        return
    if step is None or isinstance(step, str):
        step = "passthrough"
    if not _only_passes_on(step):
        for hint in found:
            hint.is_read = True
    if hasattr(step, "transformers_"):
        for name, inner, columns in step.transformers_:
            _collect(inner, [found[place] for place in _places(step, name, columns, len(found)) if place < len(found)])
        return
    if hasattr(step, "steps"):
        for _, inner in step.steps:
            _collect(inner, found)
            if hasattr(inner, "transform") and not _keeps_columns(inner):
                return
        return
    _of_step(step, found)


def _only_passes_on(step: Any) -> bool:
    """Whether it is sure that a step reads no input but through the steps in it."""
    if not type(step).__module__.startswith(("sklearn.", "imblearn.")) or getattr(step, "passthrough", False):
        return False
    if hasattr(step, "transformers_") or hasattr(step, "steps"):
        return True
    return not hasattr(step, "estimators_features_") and bool(_children(step, 0))


def _keeps_columns(step: Any) -> bool:
    return type(step).__name__ in ("SimpleImputer", "FunctionTransformer")


def _places(transformer: Any, name: str, columns: Any, count: int) -> list[int]:
    """Which of the inputs a step of a ColumnTransformer takes."""
    known = getattr(transformer, "_transformer_to_input_indices", {}).get(name)
    if known is not None:
        return [int(place) for place in known]
    if isinstance(columns, slice):
        return list(range(count))[columns]
    items = [columns] if isinstance(columns, str | int) else list(columns)
    if items and isinstance(items[0], bool | np.bool_):
        return [place for place, chosen in enumerate(items) if chosen]
    names = [str(label) for label in getattr(transformer, "feature_names_in_", ())]
    return [names.index(item) if isinstance(item, str) else int(item) for item in items]


def _of_step(step: Any, found: list[Hint]) -> None:
    count = len(found)
    categories = getattr(step, "categories_", None)
    if isinstance(categories, list) and len(categories) == count:
        for hint, known in zip(found, categories, strict=True):
            hint.learn([item.item() if isinstance(item, np.generic) else item for item in known])  # host: NumPy
    if hasattr(step, "build_analyzer") and count:
        found[0].learn(_texts(step))
    for place, known in categories_of(step).items():
        if place < count:
            found[place].categories, found[place].of_frame = known, True
    for asked in ("get_cat_feature_indices", "get_text_feature_indices"):
        for place in getattr(step, asked)() if hasattr(step, asked) else ():
            if place < count:
                found[place].categories = ["a", "b", "a b", ""]
    for middle, spread in (("mean_", "scale_"), ("center_", "scale_")):
        centers, scales = getattr(step, middle, None), getattr(step, spread, None)
        if centers is not None and scales is not None and len(centers) == count:
            for hint, center, scale in zip(found, centers, scales, strict=True):
                hint.scale = float(center), float(scale)
    low, high = getattr(step, "data_min_", None), getattr(step, "data_max_", None)
    if low is not None and high is not None and len(low) == count:
        for hint, first, last in zip(found, low, high, strict=True):
            hint.values += [float(first), float(last)]
            hint.scale = float(first + last) / 2, float(last - first) / 2 or 1.0
    for place, values in _thresholds(step).items():
        if place < count:
            found[place].values += values[:_THRESHOLDS]
    for inner, places in _children(step, count):
        _collect(inner, [found[place] for place in places])


def _children(step: Any, count: int) -> list[tuple[Any, Iterable[int]]]:
    """Trees of a forest, and what is inside of one that calibrates, searches or votes, with the inputs of each; a few of many."""
    inner: list[tuple[Any, Iterable[int]]] = []
    every = range(count)
    subsets = getattr(step, "estimators_features_", None)
    for name in ("estimators_", "calibrated_classifiers_"):
        many = list(np.ravel(np.asarray(getattr(step, name, ()), dtype=object)))[:_MEMBERS]
        chosen = [every] * len(many) if subsets is None else [list(map(int, own)) for own in subsets[: len(many)]]
        inner += [(member, own) for member, own in zip(many, chosen, strict=False) if all(p < count for p in own)]
    for name in ("best_estimator_", "estimator_", "regressor_", "estimator"):
        # The last is what others were made of, except where it is frozen.
        if not inner and hasattr(getattr(step, name, None), "predict"):
            inner.append((getattr(step, name), every))
    inner += [(member, every) for _, member in getattr(step, "transformer_list", ())]
    return inner


def _texts(step: Any) -> list[str]:
    """A few texts of words that a vectorizer knows."""
    words = [str(word) for word in list(getattr(step, "vocabulary_", None) or ("a", "text"))[:_WORDS]]
    return [*words, " ".join(words), " ".join(words[::2]), ""]


def _thresholds(step: Any) -> dict[int, list[float]]:
    """Where trees split each input."""
    found: dict[int, list[float]] = {}
    tree = getattr(step, "tree_", None)
    # A KernelDensity has a tree of rows.
    if tree is not None and hasattr(tree, "threshold"):
        for place, threshold in zip(tree.feature.tolist(), tree.threshold.tolist(), strict=True):  # host: NumPy
            if place >= 0:
                found.setdefault(place, []).append(threshold)
    for stage in (getattr(step, "_predictors", None) or [])[:20]:
        for predictor in stage:
            for node in predictor.nodes:
                if not node["is_leaf"] and not node["is_categorical"] and np.isfinite(node["num_threshold"]):
                    found.setdefault(int(node["feature_idx"]), []).append(float(node["num_threshold"]))
    library = type(step).__module__.partition(".")[0]
    splits: Iterable[tuple[int, float]] = ()
    if library == "xgboost" or hasattr(step, "get_booster"):
        splits = xgboost_splits(step.get_booster() if hasattr(step, "get_booster") else step)
    elif library == "lightgbm" or hasattr(step, "booster_"):
        splits = lightgbm_splits(getattr(step, "booster_", step))
    for place, threshold in splits:
        found.setdefault(place, []).append(threshold)
    return found


def draw(hint: Hint, rows: int, missing: bool, unknown: bool, seed: np.random.Generator) -> np.ndarray[Any, Any]:
    """`rows` values of one input, float64 or objects: its categories (with `unknown` one more), or numbers around its
    values of interest; with `missing` a few are NaN, or None for text."""
    if hint.categories is not None:
        options = [item for item in hint.categories if item is not None and item == item]
        if unknown and (hint.is_text or not hint.of_frame):
            options.append("(unknown)" if hint.is_text else 987654.0)
        places = seed.integers(0, max(len(options), 1), rows)
        column = np.empty(rows, dtype=object)
        column[:] = [options[place] for place in places.tolist()] if options else None  # host: NumPy
        if missing:
            column[seed.random(rows) < 0.05] = None if hint.is_text else np.nan
        return column if hint.is_text else column.astype(np.float64)
    points = np.asarray(hint.values, dtype=np.float64)
    if hint.scale is not None:
        center, scale = hint.scale
    elif len(points):
        center, scale = float(np.median(points)), float(points.max() - points.min()) / 2 or max(abs(points[0]), 1.0)
    else:
        center, scale = 0.0, 1.0
    values = seed.normal(center, 2 * scale, rows)
    if len(points):
        exact = seed.random(rows)
        chosen = seed.choice(points, rows)
        values = np.where(exact < 0.3, chosen, values)
        # The neighbours of a threshold as float32 numbers are where a comparison in the wrong width shows.
        single = chosen.astype(np.float32)
        values = np.where((exact >= 0.3) & (exact < 0.4), np.nextafter(single, np.float32(np.inf)), values)
        values = np.where((exact >= 0.4) & (exact < 0.5), np.nextafter(chosen, np.inf), values)
    if missing:
        values = np.where(seed.random(rows) < 0.05, np.nan, values)
    return values


def made_up(inputs: Sequence[Input], estimator: Any, rows: int, missing: bool) -> Iterator[Arrays]:
    """Samples of which the estimator takes one, it may be: any numbers, positive ones, codes from 0; with `missing` with
    missing values, with values that are no category, and without either."""
    known = hints(estimator, len(inputs))
    for change in _CHANGES:
        for lacking, unknown in dict.fromkeys(((missing, True), (missing, False), (False, False))):
            columns = _drawn(inputs, known, rows, lacking, unknown)
            yield [column if column.dtype == object else change(column) for column in columns]


def _drawn(inputs: Sequence[Input], known: Sequence[Hint], rows: int, missing: bool, unknown: bool) -> Arrays:
    seed = np.random.default_rng(0)
    columns: Arrays = []
    for input_, hint in zip(inputs, known, strict=True):
        if input_.is_text and not hint.is_text:
            hint.categories = ["a", "b", ""]
        columns.append(draw(hint, rows, missing and input_.takes_missing, unknown, seed))
    return columns


def given(inputs: Sequence[Input], check: Any) -> Arrays:
    """The sample of the user, one array an input."""
    columns: Arrays = []
    for input_, values in zip(inputs, columns_given([input_.name for input_ in inputs], check), strict=True):
        values = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
        columns.append(_objects(values) if input_.is_text else _numbers(input_, values))
    if len({len(column) for column in columns}) > 1 or not len(columns[0]):
        raise ModelError("the sample has columns of one length, of one row at least")
    return columns


def _numbers(input_: Input, values: Any) -> np.ndarray[Any, Any]:
    try:
        numbers = np.asarray(values, dtype=np.float64)
        return numbers if input_.array is not None else numbers.reshape(len(values))
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"the sample's {input_.name} is not of numbers: {error}", hint="check= has a number a row"
        ) from None


def _objects(values: Any) -> np.ndarray[Any, Any]:
    column = np.empty(len(values), dtype=object)
    column[:] = [value if isinstance(value, str) else None for value in values]
    return column


def features_of(inputs: Sequence[Input], columns: Arrays) -> list[Feature]:
    """A sample as the model's inputs."""
    host = torch.device("cpu")
    features: list[Feature] = []
    for input_, column in zip(inputs, columns, strict=True):
        if not input_.is_text:
            features.append(Numeric(torch.from_numpy(np.array(column, dtype=np.float64)).to(host)))
            continue
        array = pa.array(column.tolist(), pa.large_string())  # host: NumPy
        encoded = array.dictionary_encode()
        valid = torch.from_numpy(np.asarray(array.is_valid()))
        codes = torch.from_numpy(np.asarray(encoded.indices.fill_null(0), dtype=np.int32).copy())
        values = encoded.dictionary if len(encoded.dictionary) else pa.array([""], pa.large_string())
        text = Column(codes, VARCHAR, valid, Dictionary(values, is_sorted=False), (0, len(values) - 1)).ranked()
        features.append(Text(text))
    return features
