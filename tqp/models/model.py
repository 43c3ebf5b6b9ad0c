"""What a model is to tqp: transforms of features, then a predictor, and what the prediction means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

import torch
from torch import Tensor

from tqp.models.features import Feature
from tqp.types import DOUBLE, DType

__all__ = [
    "Input",
    "Model",
    "ModelReference",
    "Predictor",
    "Prunable",
    "Remembering",
    "Sharing",
    "Transform",
    "can_fail",
]


class Transform(Protocol):
    """A step before the predictor: scaler, encoder, imputer, column choice. Pure; adds no rows and drops none."""

    def __call__(self, features: Sequence[Feature]) -> Sequence[Feature]: ...

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        """The places of the input features that the output features `used` depend on."""
        ...

    def describe(self) -> str: ...


class Predictor(Protocol):
    """The fitted estimator as tensor operations. All results are float64 or float32 on the features' device."""

    def value(self, features: Sequence[Feature]) -> Tensor:
        """Regression: (n,), or (n, outputs). Classification: the class index (n,) int64. Clusters: the index."""
        ...

    def probabilities(self, features: Sequence[Feature]) -> Tensor | None:
        """Classification with predict_proba: (n, classes); None where the estimator has none."""
        return None

    def used(self) -> frozenset[int]:
        """Places of the features that can change the result."""
        ...

    def describe(self) -> str:
        """The kernel chosen and why, for EXPLAIN."""
        ...


def can_fail(part: object) -> bool:
    """Whether some rows are an error to a step or a predictor; of one that does not say, they may be."""
    return bool(getattr(part, "can_fail", True))


@runtime_checkable
class Remembering(Protocol):
    """A predictor that remembers answers from one query to the next."""

    @property
    def nbytes(self) -> int:
        """Bytes of the answers."""
        ...

    def forget(self) -> None:
        """Let go of them."""
        ...


@runtime_checkable
class Sharing(Protocol):
    """A classifier whose label and probabilities follow from the same scores."""

    def both(self, features: Sequence[Feature]) -> tuple[Tensor, Tensor | None]:
        """`value` and `probabilities` of `Predictor`, the scores computed once."""
        ...


@runtime_checkable
class Prunable(Protocol):
    """A predictor that may be cheaper for rows of which something is known."""

    def prune(self, bounds: Mapping[int, tuple[float, float]], rows: float) -> Predictor:
        """The predictor that answers the same for some `rows` rows whose features lie within inclusive bounds, and are not
        missing, if it is cheaper; else itself.
        """
        ...


@dataclass(frozen=True, slots=True)
class Input:
    """One argument of a model, by name; `is_text` where an encoder of strings reads it, `array` its type where it is one.

    `number`: the type that a number comes in; None: DOUBLE, of which the model makes what it computes with.
    `is_whole`: integers come as int64, and other numbers, which it may refuse, as float64.
    `takes_missing` is False where NULL makes the prediction NULL even if the model takes missing values of other inputs.
    """

    name: str
    is_text: bool = False
    takes_missing: bool = True
    array: DType | None = None
    number: DType | None = None
    is_whole: bool = False

    @property
    def type(self) -> DType | None:
        """The type in which it comes, where one is declared."""
        return self.array or self.number


@dataclass(frozen=True, slots=True)
class ModelReference:
    """What a model is in a pickled plan: its name and inputs, but no program."""

    name: str
    inputs: tuple[Input, ...]
    classes: tuple[object, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A model that queries can call. Compared by identity.

    `classes`: the labels of a classifier (all str, or int, float, bool), in the order of the class indices; None: `value`
    is the answer. `dtype`: SQL type of a prediction without classes, of each of several `outputs`. `takes_missing`: NULL
    is passed on as NaN; else a NULL argument makes the prediction NULL. `each_row`: equal arguments may give different answers.
    `labels`: the texts of each of several outputs, among which `value` gives places (n, outputs) int64; None of numbers.
    """

    name: str
    inputs: tuple[Input, ...]
    transforms: tuple[Transform, ...]
    predictor: Predictor
    classes: tuple[object, ...] | None = None
    dtype: DType = DOUBLE
    takes_missing: bool = False
    framework: str = ""
    outputs: int = 1
    kind: Literal["classifier", "regressor", "cluster", "transformer"] = field(default="regressor")
    each_row: bool = False
    labels: tuple[tuple[str, ...], ...] | None = None

    def __reduce__(self) -> tuple[type[ModelReference], tuple[object, ...]]:
        return ModelReference, (self.name, self.inputs, self.classes)

    def features(self, inputs: Sequence[Feature]) -> Sequence[Feature]:
        """The features that the predictor reads."""
        features = inputs
        for transform in self.transforms:
            features = transform(features)
        return features

    def value(self, inputs: Sequence[Feature]) -> Tensor:
        """The prediction, as `Predictor.value`."""
        return self.predictor.value(self.features(inputs))

    def probabilities(self, inputs: Sequence[Feature]) -> Tensor | None:
        """Class probabilities (n, classes) float, or None."""
        return self.predictor.probabilities(self.features(inputs))

    def used_inputs(self) -> frozenset[int]:
        """Places of the inputs that can change the prediction."""
        used = self.predictor.used()
        for transform in reversed(self.transforms):
            used = transform.reads(used)
        return used

    @property
    def can_fail(self) -> bool:
        """Whether a row may be an error; then the rows that a query leaves out must not be predicted."""
        return any(map(can_fail, (*self.transforms, self.predictor)))

    @property
    def has_probabilities(self) -> bool:
        """Whether the model is a classifier that gives probabilities."""
        return self.classes is not None and type(self.predictor).probabilities is not Predictor.probabilities

    @property
    def shares_scores(self) -> bool:
        """Whether label and probabilities cost hardly more together than one of them."""
        return self.has_probabilities and isinstance(self.predictor, Sharing)

    def to(self, device: torch.device) -> Model:
        """The model itself; programs move their constants to the features' device when they meet it."""
        return self
