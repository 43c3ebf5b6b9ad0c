"""Importers of scikit-learn's scalers, projections and selections of features, and of what puts steps together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.categories import indicators
from tqp.models.features import Coded, Elements, Feature, Numeric, dense
from tqp.models.known import import_step, require
from tqp.models.linear import Weights
from tqp.models.registry import transformer
from tqp.models.sklearn.texts import words_of
from tqp.models.steps import Chain, Change, Columns, Constant, Dense, Each, Kept, Pick, Step, tables
from tqp.models.text import reads_one_text

__all__ = ["chain_of", "known_function", "part_of"]


def chain_of(steps: Sequence[Any], features: int) -> tuple[list[Step], int]:
    """The transforms of a pipeline, without those that pass everything on, and how many features they make."""
    made: list[Step] = []
    for step in steps:
        if step is None or (isinstance(step, str) and step == "passthrough"):
            continue
        made.append(import_step(step, features))
        features = made[-1].width
    return made, features


@transformer("Pipeline")
def pipeline(estimator: Any, features: int) -> Step:
    """Steps one after the other."""
    return Chain(chain_of([step for _, step in estimator.steps], features)[0], features)


@transformer("ColumnTransformer")
def column_transformer(estimator: Any, features: int) -> Step:
    """Steps for some columns each."""
    weights = estimator.transformer_weights or {}
    parts: list[tuple[Step, Sequence[int]]] = []
    for name, step, _ in estimator.transformers_:
        places = [int(place) for place in estimator._transformer_to_input_indices[name]]
        if not places or (isinstance(step, str) and step == "drop"):
            continue
        parts.append((part_of(step, len(places), weights.get(name)), places))
    return Columns(parts, features)


@transformer("FeatureUnion")
def feature_union(estimator: Any, features: int) -> Step:
    """Steps for all columns each."""
    weights = estimator.transformer_weights or {}
    parts: list[tuple[Step, Sequence[int]]] = []
    for name, step in estimator.transformer_list:
        if isinstance(step, str) and step == "drop":
            continue
        parts.append((part_of(step, features, weights.get(name)), range(features)))
    return Columns(parts, features)


def part_of(step: Any, inputs: int, weight: float | None) -> Step:
    """One of several transforms side by side, of `inputs` features, and the weight of what it makes."""
    steps: list[Step]
    if inputs == 1 and reads_one_text(step):
        steps, width = [words := words_of(step)], words.width
    else:
        steps, width = chain_of([step], inputs)
    if weight is not None:
        steps = [*steps, Each(f"times {weight}", [lambda x: x * weight] * width)]
    return steps[0] if len(steps) == 1 else Chain(steps, inputs)


_FUNCTIONS: dict[object, Change] = {
    np.log1p: torch.log1p, np.log: torch.log, np.log2: torch.log2, np.log10: torch.log10, np.sqrt: torch.sqrt,
    np.abs: torch.abs, np.exp: torch.exp, np.expm1: torch.expm1, np.square: torch.square, np.negative: torch.neg,
    np.sign: torch.sign, np.sin: torch.sin, np.cos: torch.cos, np.tan: torch.tan, np.tanh: torch.tanh,
    np.reciprocal: torch.reciprocal, np.floor: torch.floor, np.ceil: torch.ceil, np.arctan: torch.atan,
    np.arcsinh: torch.asinh, np.sinh: torch.sinh, np.cosh: torch.cosh, np.rint: torch.round, np.round: torch.round,
    np.trunc: torch.trunc, np.deg2rad: torch.deg2rad, np.rad2deg: torch.rad2deg,
}  # fmt: skip


# Rounded correctly, so that they never fall; the last bit of a logarithm may.
_RISING = (np.sqrt, np.sign, np.floor, np.ceil, np.rint, np.round, np.trunc)


@transformer("FunctionTransformer")
def function(estimator: Any, features: int) -> Step:
    """A function of numpy, element by element."""
    if estimator.func is None:
        return Pick("passthrough", range(features), strict=estimator.validate)
    change = known_function(estimator, "func")
    rising = estimator.func in _RISING
    return Each(_name(estimator.func), [change] * features, strict=estimator.validate, rising=rising)


def known_function(estimator: Any, parameter: str) -> Change:
    """The tensor function of a numpy function; ModelError where it is not known."""
    found = getattr(estimator, parameter)
    arguments = getattr(estimator, "kw_args", None)
    change = _FUNCTIONS.get(found) if callable(found) and getattr(found, "__hash__", None) else None
    if change is None:
        known = ", ".join(sorted(f"np.{_name(item)}" for item in _FUNCTIONS))
        raise ModelError(f"{type(estimator).__name__}: {parameter}={_name(found)} is not known", hint=f"known: {known}")
    if arguments:
        raise ModelError(f"{type(estimator).__name__} with kw_args={arguments!r} is not supported")
    return change


def _name(found: object) -> str:
    return str(getattr(found, "__name__", repr(found)))


@transformer("Normalizer")
def normalizer(estimator: Any, features: int) -> Step:
    """Rows of norm 1."""
    require(estimator, "norm", ("l1", "l2", "max"))
    kind = estimator.norm

    def change(x: Tensor) -> Tensor:
        # Squares underflow and overflow as the library's do.
        norm = (
            (x * x).sum(dim=0).sqrt() if kind == "l2" else x.abs().sum(dim=0) if kind == "l1" else x.abs().amax(dim=0)
        )
        return x / torch.where(norm == 0, 1.0, norm)

    return Dense(f"normalizer({estimator.norm})", features, features, change)


class _Products(Step):
    """Products of powers of the features: a row of `powers` (width, inputs) for each."""

    def __init__(self, powers: Any) -> None:
        self._powers = np.asarray(powers)
        self.width, self._inputs = self._powers.shape

    def __call__(self, features: Sequence[Feature]) -> list[Feature]:
        return [_product(features, row) for row in self._powers]

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        return frozenset(np.flatnonzero(self._powers[sorted(used)].any(axis=0)).tolist())  # host: NumPy

    def absorbs(self, tolerant: frozenset[int]) -> frozenset[int]:
        return frozenset()

    def describe(self) -> str:
        return f"{self.width} products"


def _product(features: Sequence[Feature], powers: Any) -> Feature:
    factors = [features[place] for place, power in enumerate(powers) for _ in range(power)]
    if not factors:
        first = features[0]
        if isinstance(first, Coded):
            return Coded(first.codes, torch.ones_like(first.values, dtype=torch.float64))
        return Numeric(torch.ones_like(dense(first)))
    if len(factors) == 1:
        return factors[0]
    codes = tables(factors)
    numbers = [f.values.double() if codes is not None and isinstance(f, Coded) else dense(f) for f in factors]
    result = numbers[0]
    for number in numbers[1:]:
        result = result * number
    return Numeric(result) if codes is None else Coded(codes, result)


@transformer("PolynomialFeatures")
def polynomial(estimator: Any, features: int) -> Step:
    """Products of features."""
    return _Products(estimator.powers_)


class _Bins(Step):
    """The bin of each value: its number, or a feature a bin."""

    def __init__(self, edges: Sequence[Any], encode: str) -> None:
        self._edges = [Constant(own[1:-1]) for own in edges]
        self._bins = [Constant(np.arange(len(own) - 1)) for own in edges]
        self._one_hot = encode != "ordinal"
        self._memory = [Kept() for _ in edges]
        self._counts = [len(own) - 1 for own in edges]
        self.width = sum(self._counts) if self._one_hot else len(edges)

    def __call__(self, features: Sequence[Feature]) -> list[Feature]:
        made: list[Feature] = []
        for place, feature in enumerate(features):
            values = feature.values.double() if isinstance(feature, Coded) else dense(feature)
            device = values.device
            index = torch.searchsorted(self._edges[place].on(device), values, side="right")
            bins = self._bins[place].on(device)
            if isinstance(feature, Coded):
                codes, groups, owner = feature.codes, index, None
            else:
                codes, groups, owner = index.to(torch.int32), bins.long(), self
            if self._one_hot:
                count = self._counts[place]
                made += indicators(codes, groups, count, range(count), self._memory[place], owner)
            else:
                made.append(Coded(codes, bins.index_select(0, groups)))
        return made

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        if not self._one_hot:
            return used
        owners = np.repeat(np.arange(len(self._counts)), self._counts)
        return frozenset(int(owners[place]) for place in used)

    def rising(self, inputs: frozenset[int]) -> frozenset[int]:
        return frozenset() if self._one_hot else inputs

    def describe(self) -> str:
        return f"bins of {len(self._edges)} columns"


@transformer("KBinsDiscretizer")
def bins(estimator: Any, features: int) -> Step:
    """Intervals."""
    require(estimator, "encode", ("onehot", "onehot-dense", "ordinal"))
    return _Bins(estimator.bin_edges_, estimator.encode)


class _Projection(Step):
    """Weighted sums of the features, by columns."""

    def __init__(self, what: str, weights: Any, offsets: Any, over: Any = None) -> None:
        self._what = what
        self._weights = Weights(weights, offsets)
        self._over = None if over is None else Constant(np.reshape(over, (-1, 1)))
        self.width = self._weights.outputs

    def __call__(self, features: Sequence[Feature]) -> Sequence[Feature]:
        scores = self._weights.scores(features)
        if self._over is not None:
            scores.div_(self._over.on(scores.device))
        return Elements(scores.t())

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        return self._weights.used(used)

    def describe(self) -> str:
        return self._what


@transformer("PCA", "IncrementalPCA")
def components(estimator: Any, features: int) -> Step:
    """Principal components."""
    spread = None
    if estimator.whiten:
        spread = np.sqrt(estimator.explained_variance_)
        spread = np.maximum(spread, np.finfo(spread.dtype).eps)
    offsets = -(np.reshape(estimator.mean_, (1, -1)) @ estimator.components_.T)[0]
    return _Projection(f"{len(estimator.components_)} principal components", estimator.components_, offsets, spread)


@transformer("TruncatedSVD")
def singular(estimator: Any, features: int) -> Step:
    """Singular vectors."""
    return _Projection(f"{len(estimator.components_)} singular vectors", estimator.components_, 0.0)


@transformer("GaussianRandomProjection", "SparseRandomProjection")
def random_projection(estimator: Any, features: int) -> Step:
    """Random directions."""
    directions = estimator.components_
    directions = directions.toarray() if hasattr(directions, "toarray") else directions
    return _Projection(f"{len(directions)} random directions", directions, 0.0)


@transformer("LinearDiscriminantAnalysis")
def discriminants(estimator: Any, features: int) -> Step:
    """The directions that keep classes apart."""
    require(estimator, "solver", ("svd", "eigen"))
    scalings = estimator.scalings_[:, : estimator._max_components]
    offsets = -estimator.xbar_ @ scalings if estimator.solver == "svd" else 0.0
    return _Projection("discriminants", scalings.T, offsets)


@transformer(
    "SelectKBest", "SelectPercentile", "SelectFpr", "SelectFdr", "SelectFwe", "GenericUnivariateSelect",
    "VarianceThreshold", "RFE", "RFECV", "SelectFromModel", "SequentialFeatureSelector",
)  # fmt: skip
def selection(estimator: Any, features: int) -> Step:
    """Some of the features."""
    places = np.flatnonzero(estimator.get_support()).tolist()  # host: NumPy
    takes_missing = bool(estimator.__sklearn_tags__().input_tags.allow_nan)
    return Pick(f"{len(places)} of {features} features", places, strict=not takes_missing)
