"""Transformers of scikit-learn: scalers, imputers, encoders, column choices.

On a coded feature they work on its table of values, not on the rows; an encoder of strings maps the entries of the text
column's dictionary, so that all its output columns share the column's codes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.column import constant
from tqp.errors import ExecutionError, ModelError
from tqp.functions.align import merge_rows
from tqp.models.features import Coded, Feature, Numeric, Text, dense
from tqp.models.model import Transform
from tqp.models.registry import import_transform, transformer
from tqp.types import VARCHAR

__all__ = ["Chain", "Choice", "Each", "chain", "width"]

Change = Callable[[Tensor], Tensor]


def width(transform: Transform) -> int:
    """How many features a transform of this module gives."""
    return int(transform.width)  # type: ignore[attr-defined]


@dataclass(frozen=True, eq=False)
class Each:
    """One function of the values a feature; text passes."""

    what: str
    changes: tuple[Change, ...]
    texts: frozenset[int] = frozenset()

    @property
    def width(self) -> int:
        return len(self.changes)

    def __call__(self, features: Sequence[Feature]) -> list[Feature]:
        return [_changed(feature, change) for feature, change in zip(features, self.changes, strict=True)]

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        return used

    def describe(self) -> str:
        return self.what


def _changed(feature: Feature, change: Change) -> Feature:
    match feature:
        case Numeric():
            return Numeric(change(feature.values.double()))
        case Coded():
            return Coded(feature.codes, change(feature.values.double()))
        case _:
            return feature


def _scaler(what: str, subtract: Any, divide: Any, count: int) -> Each:
    minus = np.zeros(count) if subtract is None else np.asarray(subtract, dtype=np.float64)
    over = np.ones(count) if divide is None else np.asarray(divide, dtype=np.float64)
    changes = (partial(_shifted, subtract=float(a), divide=float(b)) for a, b in zip(minus, over, strict=True))
    return Each(what, tuple(changes))


def _shifted(values: Tensor, subtract: float, divide: float) -> Tensor:
    return (values - subtract) / divide


@transformer("StandardScaler")
def _standard(estimator: Any, features: int) -> Transform:
    return _scaler("standard scaler", estimator.mean_ if estimator.with_mean else None, estimator.scale_, features)


@transformer("RobustScaler")
def _robust(estimator: Any, features: int) -> Transform:
    center = estimator.center_ if estimator.with_centering else None
    return _scaler("robust scaler", center, estimator.scale_ if estimator.with_scaling else None, features)


@transformer("MaxAbsScaler")
def _largest(estimator: Any, features: int) -> Transform:
    if getattr(estimator, "clip", False):
        raise ModelError("MaxAbsScaler: clip=True is not supported")
    return _scaler("largest-magnitude scaler", None, estimator.scale_, features)


@transformer("MinMaxScaler")
def _min_max(estimator: Any, features: int) -> Transform:
    limits = estimator.feature_range if estimator.clip else None
    pairs = zip(estimator.scale_, estimator.min_, strict=True)
    return Each("range scaler", tuple(partial(_scaled, times=float(a), plus=float(b), limits=limits) for a, b in pairs))


def _scaled(values: Tensor, times: float, plus: float, limits: tuple[float, float] | None) -> Tensor:
    scaled = values * times + plus
    return scaled if limits is None else scaled.clamp(*limits)


_FUNCTIONS: dict[Any, Change] = {
    np.log1p: torch.log1p, np.log: torch.log, np.sqrt: torch.sqrt, np.abs: torch.abs, np.exp: torch.exp,
    np.expm1: torch.expm1, np.square: torch.square, np.log2: torch.log2, np.log10: torch.log10,
}  # fmt: skip


@transformer("FunctionTransformer")
def _function(estimator: Any, features: int) -> Transform:
    if estimator.func is None:
        return Each("identity", (lambda values: values,) * features)
    known = _FUNCTIONS.get(estimator.func)
    if known is None or estimator.kw_args:
        raise ModelError(f"FunctionTransformer: function {estimator.func!r} is not known")
    return Each(estimator.func.__name__, (known,) * features)


@dataclass(frozen=True, eq=False)
class _Imputer:
    """Missing values replaced; then 0/1 features that say where they were."""

    fills: tuple[Any, ...]
    indicators: tuple[int, ...]
    texts: frozenset[int]

    @property
    def width(self) -> int:
        return len(self.fills) + len(self.indicators)

    def __call__(self, features: Sequence[Feature]) -> list[Feature]:
        result = [_filled(feature, fill) for feature, fill in zip(features, self.fills, strict=True)]
        for place in self.indicators:
            result.append(_changed(features[place], lambda values: values.isnan().double()))
        return result

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        count = len(self.fills)
        return frozenset(place if place < count else self.indicators[place - count] for place in used)

    def describe(self) -> str:
        return "imputer"


def _filled(feature: Feature, fill: Any) -> Feature:
    if isinstance(feature, Text):
        column = feature.column
        if column.valid is None:
            return feature
        return Text(merge_rows(column.valid, column, constant(str(fill), VARCHAR, column.device)).with_valid(None))
    return _changed(feature, lambda values: torch.where(values.isnan(), float(fill), values))


@transformer("SimpleImputer")
def _imputer(estimator: Any, features: int) -> Transform:
    marker = estimator.missing_values
    if not (marker is None or (isinstance(marker, float) and np.isnan(marker))):
        raise ModelError(f"SimpleImputer: missing_values={marker!r} is not supported")
    fills = tuple(estimator.statistics_)
    if len(fills) != features or any(isinstance(fill, float) and np.isnan(fill) for fill in fills):
        raise ModelError("SimpleImputer: a feature without any value in training is not supported")
    texts = frozenset(place for place, fill in enumerate(fills) if isinstance(fill, str))
    indicators = tuple(estimator.indicator_.features_) if estimator.add_indicator else ()
    if texts & set(indicators):
        raise ModelError("SimpleImputer: add_indicator on strings is not supported")
    return _Imputer(fills, indicators, texts)


@dataclass(frozen=True, eq=False)
class _Encoder:
    """Per feature a table from category (then: missing, unknown) to output values.

    `categories[j]` are the fitted ones, `tables[j]` (outputs, categories + 2) float64, `unknown_fails` whether an unknown
    category is an error.
    """

    what: str
    names: tuple[str, ...]
    categories: tuple[Any, ...]
    tables: tuple[np.ndarray[Any, Any], ...]
    unknown_fails: bool
    texts: frozenset[int] = field(default=frozenset())

    @property
    def width(self) -> int:
        return sum(len(table) for table in self.tables)

    def __call__(self, features: Sequence[Feature]) -> list[Feature]:
        result: list[Feature] = []
        for place, (feature, table) in enumerate(zip(features, self.tables, strict=True)):
            codes, entries = self._entries(place, feature)
            unknown = entries == table.shape[1] - 1
            if self.unknown_fails and unknown.any():
                self._refuse(place, codes, unknown)
            values = torch.from_numpy(table[:, entries]).to(codes.device)
            result += [Coded(codes, row) for row in values]
        return result

    def _entries(self, place: int, feature: Feature) -> tuple[Tensor, np.ndarray[Any, Any]]:
        """Codes (n,) int32 of the feature, and the table column (k,) of each code."""
        known = self.categories[place]
        missing, unknown = len(known), len(known) + 1
        number = {_plain(category): index for index, category in enumerate(known)}
        if isinstance(feature, Text):
            column = feature.column
            assert column.dictionary is not None
            strings = column.dictionary.values.to_pylist()
            entries = np.asarray([*(number.get(text, unknown) for text in strings), number.get(None, missing)])
            codes = column.data.to(torch.int32)
            return codes if column.valid is None else torch.where(column.valid, codes, len(strings)), entries
        if isinstance(feature, Coded):
            codes, distinct = feature.codes, feature.values
        else:
            distinct, inverse = torch.unique(dense(feature), return_inverse=True)  # sync: number of distinct values
            codes = inverse.to(torch.int32)
        plain = distinct.double().cpu().numpy()  # sync: categories are looked up on the host
        missing = number.get(None, missing)
        return codes, np.asarray([missing if np.isnan(value) else number.get(float(value), unknown) for value in plain])

    def _refuse(self, place: int, codes: Tensor, unknown: np.ndarray[Any, Any]) -> None:
        used = torch.from_numpy(unknown).to(codes.device).index_select(0, codes)
        if bool(used.any()):  # sync: an error must be raised by the host
            raise ExecutionError(
                f"{self.what}: an unknown category in {self.names[place]}", hint="fit with handle_unknown='ignore'"
            )

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        owner = [place for place, table in enumerate(self.tables) for _ in table]
        return frozenset(owner[output] for output in used)

    def describe(self) -> str:
        return self.what


def _plain(category: Any) -> Any:
    """A category as text, float, or None where it stands for a missing value."""
    if category is None or (isinstance(category, float) and np.isnan(category)):
        return None
    return category if isinstance(category, str) else float(category)


def _names(estimator: Any, features: int) -> tuple[str, ...]:
    return tuple(map(str, getattr(estimator, "feature_names_in_", [f"feature {place}" for place in range(features)])))


def _texts(categories: Sequence[Any]) -> frozenset[int]:
    return frozenset(place for place, known in enumerate(categories) if any(isinstance(c, str) for c in known))


@transformer("OneHotEncoder")
def _one_hot(estimator: Any, features: int) -> Transform:
    ignores = estimator.handle_unknown != "error"
    tables = []
    mappings = getattr(estimator, "_default_to_infrequent_mappings", [None] * features)
    for place, known in enumerate(estimator.categories_):
        mapping = mappings[place] if mappings[place] is not None else np.arange(len(known))
        outputs = int(mapping.max()) + 1
        table = np.zeros((outputs, len(known) + 2))
        table[mapping, np.arange(len(known))] = 1.0
        if mappings[place] is not None and estimator.handle_unknown in ("infrequent_if_exist", "warn"):
            table[-1, len(known) :] = 1.0
        dropped = None if estimator.drop_idx_ is None else estimator._drop_idx_after_grouping[place]
        tables.append(table if dropped is None else np.delete(table, int(dropped), axis=0))
    known = tuple(estimator.categories_)
    return _Encoder("one-hot encoder", _names(estimator, features), known, tuple(tables), not ignores, _texts(known))


@transformer("OrdinalEncoder")
def _ordinal(estimator: Any, features: int) -> Transform:
    if getattr(estimator, "_infrequent_enabled", False):
        raise ModelError("OrdinalEncoder: min_frequency and max_categories are not supported")
    known = tuple(estimator.categories_)
    ignores = estimator.handle_unknown == "use_encoded_value"
    unknown = float(estimator.unknown_value) if ignores else np.nan
    tables = []
    for categories in known:
        codes = np.arange(len(categories), dtype=np.float64)
        codes = np.where([_plain(c) is None for c in categories], float(estimator.encoded_missing_value), codes)
        tables.append(np.append(codes, [unknown, unknown])[np.newaxis])
    return _Encoder("ordinal encoder", _names(estimator, features), known, tuple(tables), not ignores, _texts(known))


@dataclass(frozen=True, eq=False)
class Chain:
    """One transform after the other."""

    steps: tuple[Transform, ...]
    width: int
    texts: frozenset[int]

    def __call__(self, features: Sequence[Feature]) -> list[Feature]:
        found = list(features)
        for step in self.steps:
            found = step(found)
        return found

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        for step in reversed(self.steps):
            used = step.reads(used)
        return used

    def describe(self) -> str:
        return ", ".join(step.describe() for step in self.steps) or "as it is"


def chain(estimators: Sequence[Any], features: int) -> Chain:
    """The transforms of a pipeline's steps, of which 'passthrough' and None do nothing."""
    steps: list[Transform] = []
    texts: frozenset[int] = frozenset()
    count = features
    for estimator in estimators:
        if estimator is None or estimator == "passthrough":
            continue
        step = import_transform(estimator, count)
        wanted: frozenset[int] = step.texts  # type: ignore[attr-defined]
        for before in reversed(steps):
            wanted = before.reads(wanted)
        texts |= wanted
        steps.append(step)
        count = width(step)
    return Chain(tuple(steps), count, texts)


@transformer("Pipeline")
def _pipeline(estimator: Any, features: int) -> Transform:
    return chain([step for _, step in estimator.steps], features)


@dataclass(frozen=True, eq=False)
class Choice:
    """Transforms of chosen features, side by side."""

    parts: tuple[tuple[tuple[int, ...], Chain], ...]

    @property
    def width(self) -> int:
        return sum(part.width for _, part in self.parts)

    @property
    def texts(self) -> frozenset[int]:
        return frozenset(places[text] for places, part in self.parts for text in part.texts)

    def __call__(self, features: Sequence[Feature]) -> list[Feature]:
        result: list[Feature] = []
        for places, part in self.parts:
            result += part([features[place] for place in places])
        return result

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        found: set[int] = set()
        start = 0
        for places, part in self.parts:
            own = frozenset(place - start for place in used if start <= place < start + part.width)
            found |= {places[place] for place in part.reads(own)}
            start += part.width
        return frozenset(found)

    def describe(self) -> str:
        return "; ".join(part.describe() for _, part in self.parts)


@transformer("ColumnTransformer")
def _column_transformer(estimator: Any, features: int) -> Transform:
    names = list(map(str, getattr(estimator, "feature_names_in_", range(features))))
    parts = []
    for _, step, columns in estimator.transformers_:
        places = _places(columns, names)
        if isinstance(step, str) and step == "drop":
            continue
        if places:
            parts.append((places, chain([step], len(places))))
    return Choice(tuple(parts))


def _places(columns: Any, names: list[str]) -> tuple[int, ...]:
    """Places of the columns that a ColumnTransformer names, numbers, slices or masks."""
    if isinstance(columns, slice):
        return tuple(range(len(names)))[columns]
    if isinstance(columns, str | int):
        columns = [columns]
    chosen = np.asarray(columns)
    if chosen.dtype == np.bool_:
        return tuple(map(int, np.flatnonzero(chosen)))
    return tuple(names.index(str(c)) if isinstance(c, str) else int(c) for c in chosen.tolist())
