"""Importers of scikit-learn's encoders and imputers: of categories, and of missing values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.dictionary import Dictionary
from tqp.errors import ModelError
from tqp.models.categories import Categories, Placed, indicators, is_missing, text_codes
from tqp.models.features import Coded, Feature, Numeric, Text
from tqp.models.registry import transformer
from tqp.models.steps import Constant, Kept, Step

__all__ = ["OneHot", "names_in"]

_NONE = "None of the missing values"


def names_in(estimator: Any, count: int) -> list[str]:
    """The names of the features that an estimator was fitted with, or x0, x1, …."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{place}" for place in range(count)] if names is None else [str(name) for name in names]


class _Encoder(Step):
    """What encoders of categories share: which inputs are text, and what happens to values that are no category."""

    def __init__(self, estimator: Any, features: int, strict: bool) -> None:
        names = names_in(estimator, features)
        self._columns = [
            Categories(known, estimator, name) for known, name in zip(estimator.categories_, names, strict=True)
        ]
        self._strict = strict
        self.can_fail = strict

    def _placed(self, features: Sequence[Feature]) -> list[Placed]:
        found = []
        for column, feature in zip(self._columns, features, strict=True):
            placed = column.place(feature)
            if self._strict:
                column.require_known(placed, feature)
            found.append(placed)
        return found

    def text(self, wanted: frozenset[int]) -> frozenset[int]:
        return frozenset(place for place, column in enumerate(self._columns) if column.is_text)

    def absorbs(self, tolerant: frozenset[int]) -> frozenset[int]:
        return frozenset(place for place, column in enumerate(self._columns) if column.has_missing or not self._strict)


class OneHot(_Encoder):
    """A feature for each group of categories that is kept, coded like the column that it comes from.

    `groups`: for every column the group of each category, then of unknown values, then of missing ones that are no
    category; `counts`: groups, which also stands for none of them; `kept`: the groups that have a feature.
    """

    def __init__(
        self, estimator: Any, features: int, strict: bool,
        groups: Sequence[Any], counts: Sequence[int], kept: Sequence[Sequence[int]],
    ) -> None:  # fmt: skip
        super().__init__(estimator, features, strict)
        self._groups = [Constant(own, torch.int64) for own in groups]
        self._counts = list(counts)
        self._kept = [list(own) for own in kept]
        self._memory = [Kept() for _ in self._columns]
        self.width = sum(map(len, self._kept))

    def __call__(self, features: Sequence[Feature]) -> list[Feature]:
        made: list[Feature] = []
        for place, placed in enumerate(self._placed(features)):
            groups = self._groups[place].on(placed.index.device).index_select(0, placed.index)
            made += indicators(
                placed.codes, groups, self._counts[place], self._kept[place], self._memory[place], placed.owner
            )
        return made

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        owners = np.repeat(np.arange(len(self._kept)), [len(kept) for kept in self._kept])
        return frozenset(int(owners[place]) for place in used)

    def describe(self) -> str:
        return f"one-hot of {len(self._columns)} columns, {self.width} categories"


@transformer("OneHotEncoder")
def one_hot(estimator: Any, features: int) -> Step:
    """Also infrequent categories in one group, and a dropped one."""
    _require(estimator, "handle_unknown", ("error", "ignore", "infrequent_if_exist", "warn"))
    grouped = estimator.handle_unknown in ("infrequent_if_exist", "warn")
    dropped = estimator._drop_idx_after_grouping
    groups, counts, kept = [], [], []
    for place, known in enumerate(estimator.categories_):
        own, infrequent = _infrequent(estimator, place, len(known))
        count = int(own.max()) + 1 if len(own) else 0  # host: NumPy
        other = infrequent if grouped and infrequent is not None else count
        groups.append(np.append(own, [other, other]))
        counts.append(count)
        drop = None if dropped is None else dropped[place]
        kept.append([group for group in range(count) if drop is None or group != drop])
    return OneHot(estimator, features, estimator.handle_unknown == "error", groups, counts, kept)


def _infrequent(estimator: Any, place: int, count: int) -> tuple[Any, int | None]:
    """The group of each of the `count` categories, and that of the infrequent ones."""
    if not getattr(estimator, "_infrequent_enabled", False):
        return np.arange(count), None
    mapping = estimator._default_to_infrequent_mappings[place]
    return (
        (np.arange(count), None) if mapping is None else (np.asarray(mapping, dtype=np.int64), int(mapping.max()))
    )  # host: NumPy


class _Recode(_Encoder):
    """One feature a column (or several): the number that stands for the category."""

    def __init__(self, what: str, estimator: Any, features: int, strict: bool, values: Sequence[Sequence[Any]]) -> None:
        """`values`: for every column tables (count + 2,), each of which makes a feature."""
        super().__init__(estimator, features, strict)
        self._what = what
        self._values = [[Constant(table) for table in own] for own in values]
        self.width = sum(map(len, self._values))

    def __call__(self, features: Sequence[Feature]) -> list[Feature]:
        return [
            Coded(placed.codes, table.on(placed.index.device).index_select(0, placed.index))
            for placed, own in zip(self._placed(features), self._values, strict=True)
            for table in own
        ]

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        owners = np.repeat(np.arange(len(self._values)), [len(own) for own in self._values])
        return frozenset(int(owners[place]) for place in used)

    def describe(self) -> str:
        return f"{self._what} of {len(self._columns)} columns"


class _Ordinal(_Recode):
    def absorbs(self, tolerant: frozenset[int]) -> frozenset[int]:
        # Where a missing value becomes NaN, what comes after has to take it.
        fine = super().absorbs(tolerant)
        return frozenset(place for place in fine if place in tolerant or not self._makes_nan(place))

    def _makes_nan(self, place: int) -> bool:
        column = self._columns[place]
        table = self._values[place][0].on(torch.device("cpu"))
        return bool(table[column.of_missing].isnan())  # host: once a model


@transformer("OrdinalEncoder")
def ordinal(estimator: Any, features: int) -> Step:
    """The place of the category; missing and unknown values have numbers of their own."""
    _require(estimator, "handle_unknown", ("error", "use_encoded_value"))
    strict = estimator.handle_unknown == "error"
    unknown = np.nan if strict else float(estimator.unknown_value)
    values = []
    for place, known in enumerate(estimator.categories_):
        absent = [entry for entry, item in enumerate(known) if is_missing(item)]
        present = [entry for entry in range(len(known)) if entry not in absent]
        codes = np.full(len(known), float(estimator.encoded_missing_value))
        # Groups of infrequent categories are counted without the missing one.
        codes[present] = _infrequent(estimator, place, len(present))[0]
        values.append([np.append(codes, [unknown, unknown])])
    return _Ordinal("ordinal codes", estimator, features, strict, values)


@transformer("TargetEncoder")
def target(estimator: Any, features: int) -> Step:
    """The mean of the target in each category."""
    means = np.atleast_1d(np.asarray(estimator.target_mean_, dtype=np.float64))
    values = [
        [
            np.append(estimator.encodings_[place * len(means) + number], [mean, mean])
            for number, mean in enumerate(means)
        ]
        for place in range(features)
    ]
    return _Recode("target means", estimator, features, False, values)


class _Impute(Step):
    """Missing values replaced, then indicators of what was missing.

    `fills`: for every input the number or text that replaces missing values, `_NONE` for text or numbers left alone; an
    input without a place in `kept` makes no feature. `marked`: inputs that have an indicator.
    """

    def __init__(
        self, what: str, fills: Sequence[object], kept: Sequence[int], marked: Sequence[int], missing: float | str | None,
        texts: frozenset[int],
    ) -> None:  # fmt: skip
        self._what = what
        self._fills = list(fills)
        self._kept = list(kept)
        self._marked = list(marked)
        self._missing = missing
        self._texts = texts
        self._memory = [Kept() for _ in fills]
        self.width = len(self._kept) + len(self._marked)

    def __call__(self, features: Sequence[Feature]) -> list[Feature]:
        filled = [self._filled(place, features[place]) for place in self._kept]
        return [*filled, *(self._mark(place, features[place]) for place in self._marked)]

    def rising(self, inputs: frozenset[int]) -> frozenset[int]:
        # Another number than NaN may stand for what is missing.
        if self._missing is not None:
            return frozenset()
        return frozenset(output for output, place in enumerate(self._kept) if place in inputs)

    def _lacks(self, values: Tensor) -> Tensor:
        if isinstance(self._missing, str):
            return torch.zeros_like(values, dtype=torch.bool)
        return values.isnan() if self._missing is None else values.eq(self._missing)

    def _filled(self, place: int, feature: Feature) -> Feature:
        fill = self._fills[place]
        if isinstance(feature, Text):
            return self._filled_text(place, feature)
        assert isinstance(fill, float)
        values = feature.values.double()
        values = torch.where(self._lacks(values), fill, values)
        return Numeric(values) if isinstance(feature, Numeric) else Coded(feature.codes, values)

    def _filled_text(self, place: int, feature: Text) -> Feature:
        column = feature.column
        assert column.dictionary is not None
        fill = self._fills[place]
        if isinstance(self._missing, str):
            dictionary: Dictionary = self._memory[place].get(
                column.dictionary, column.device, lambda: _renamed(column.dictionary, self._missing, fill)
            )
            return Text(replace(column, dictionary=dictionary))
        if column.valid is None:
            return feature
        longer: Dictionary = self._memory[place].get(
            column.dictionary, column.device, lambda: _appended(column.dictionary, str(fill))
        )
        return Text(replace(column, data=text_codes(feature), valid=None, dictionary=longer, bounds=None))

    def _mark(self, place: int, feature: Feature) -> Feature:
        match feature:
            case Numeric(values):
                return Numeric(self._lacks(values).double())
            case Coded(codes, values):
                return Coded(codes, self._lacks(values).double())
            case Text(column):
                assert column.dictionary is not None
                lacks = np.append(np.zeros(len(column.dictionary)), 1.0)
                if isinstance(self._missing, str):
                    lacks = np.append([text == self._missing for text in column.dictionary.values.to_pylist()], 0.0)
                return Coded(text_codes(feature), torch.tensor(lacks, dtype=torch.float64, device=column.device))

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        places = [*self._kept, *self._marked]
        return frozenset(places[place] for place in used)

    def text(self, wanted: frozenset[int]) -> frozenset[int]:
        known = frozenset(self._kept[place] for place in wanted if place < len(self._kept))
        return known | self._texts

    def absorbs(self, tolerant: frozenset[int]) -> frozenset[int]:
        if self._missing is None:
            return frozenset(range(len(self._fills)))
        strict = {place for output, place in enumerate(self._kept) if output not in tolerant}
        return frozenset(range(len(self._fills))) - strict

    def describe(self) -> str:
        return self._what


def _appended(dictionary: Dictionary | None, text: str) -> Dictionary:
    assert dictionary is not None
    return Dictionary(pa.concat_arrays([dictionary.values, pa.array([text], pa.large_string())]), is_sorted=False)


def _renamed(dictionary: Dictionary | None, old: object, new: object) -> Dictionary:
    assert dictionary is not None
    texts = [new if text == old else text for text in dictionary.values.to_pylist()]
    return Dictionary(pa.array(texts, pa.large_string()), is_sorted=False)


@transformer("SimpleImputer")
def simple_imputer(estimator: Any, features: int) -> Step:
    """A statistic or a constant for missing values, of numbers or text."""
    kind = np.dtype(getattr(estimator, "_fill_dtype", np.float64)).kind
    raw = np.asarray(estimator.statistics_).tolist()  # host: NumPy
    missing = _placeholder(estimator)
    kept = [place for place, fill in enumerate(raw) if estimator.keep_empty_features or not is_missing(fill)]
    fills: list[object] = [_fill(fill, estimator) for fill in raw]
    texts = frozenset(place for place, fill in enumerate(fills) if isinstance(fill, str))
    if kind in "OUST" and missing is None and any(isinstance(fill, float) and fill == fill for fill in fills):
        texts = texts & frozenset(kept)
    indicator = getattr(estimator, "indicator_", None)
    marked = [] if indicator is None else _marked(indicator, features)
    what = f"imputer({estimator.strategy})"
    return _Impute(what, fills, kept, marked, missing, texts)


@transformer("MissingIndicator")
def missing_indicator(estimator: Any, features: int) -> Step:
    """Which values are missing."""
    missing = _placeholder(estimator)
    texts = frozenset(range(features)) if isinstance(missing, str) else frozenset()
    return _Impute("missing indicator", [_NONE] * features, [], _marked(estimator, features), missing, texts)


def _marked(indicator: Any, features: int) -> list[int]:
    places = [int(place) for place in indicator.features_]
    return places if indicator.features == "missing-only" else list(range(features))


def _placeholder(estimator: Any) -> float | str | None:
    """What stands for a missing value; None where it is NULL."""
    missing = estimator.missing_values
    if is_missing(missing):
        return None
    if isinstance(missing, str):
        return missing
    return float(missing)


def _fill(fill: Any, estimator: Any) -> object:
    if is_missing(fill):
        # A column without any value; the library fills it with 0 where it keeps it.
        return 0.0 if estimator.keep_empty_features and estimator.strategy != "constant" else float("nan")
    if isinstance(fill, str):
        return fill
    if isinstance(fill, bool | int | float):
        return float(fill)
    raise ModelError(f"{type(estimator).__name__}: a fill value of type {type(fill).__name__} is not supported")


def _require(estimator: Any, parameter: str, known: Sequence[str]) -> None:
    value = getattr(estimator, parameter)
    if not isinstance(value, str) or value not in known:
        raise ModelError(f"{type(estimator).__name__} with {parameter}={value!r} is not supported")


Check = Callable[[Any, int], Step]
