"""Transforms of features that importers build on: element by element, chained, side by side, and what they remember."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ExecutionError
from tqp.kernels import waits
from tqp.locks import Lock
from tqp.models.features import Coded, Elements, Feature, Numeric, Text, dense, matrix, side_by_side
from tqp.models.model import Predictor, Transform

__all__ = [
    "Chain", "Columns", "Constant", "Dense", "Each", "Kept", "Pick", "Present", "Step", "rows_of", "tables", "texts_of",
    "where_used",
]  # fmt: skip

T = TypeVar("T")
Change = Callable[[Tensor], Tensor]

_KEPT = 32
_MISSING = "a missing value is an error"


class Kept:
    """Results for a few objects, which are kept alive so that nothing else takes their identity. Safe between threads."""

    def __init__(self) -> None:
        self._known: dict[object, tuple[object, object]] = {}
        self._lock = Lock()

    def get(self, owner: T, device: torch.device, make: Callable[[], Any]) -> Any:
        """The result for `owner` (or a tuple of objects) on the device, made at most once a thread."""
        key = (tuple(map(id, owner)) if isinstance(owner, tuple) else id(owner), device)
        found = self._known.get(key)
        if found is None:
            found = (owner, make())
            with self._lock:
                while len(self._known) >= _KEPT:
                    del self._known[next(iter(self._known))]
                self._known[key] = found
        return found[1]


class Constant:
    """An array of a fitted model, as a tensor on any device."""

    def __init__(self, values: Any, dtype: torch.dtype = torch.float64) -> None:
        self._host = torch.tensor(np.ascontiguousarray(values), dtype=dtype, device="cpu")
        self._placed: dict[torch.device, Tensor] = {self._host.device: self._host}

    def on(self, device: torch.device) -> Tensor:
        """The values on the device."""
        found = self._placed.get(device)
        if found is None:
            found = self._placed.setdefault(device, self._host.to(device))
        return found


class Step(Transform):
    """A transform that also says how many features it makes, which inputs must be text, and which may be missing."""

    width: int
    can_fail = False

    def text(self, wanted: frozenset[int]) -> frozenset[int]:
        """The inputs that must be text where the outputs `wanted` are text."""
        return frozenset()

    def absorbs(self, tolerant: frozenset[int]) -> frozenset[int]:
        """The inputs that may be missing where the outputs `tolerant` may be."""
        return frozenset()

    def rising(self, inputs: frozenset[int]) -> frozenset[int]:
        """The outputs that are each a function of one of the `inputs`, neither missing, that never falls, exactly."""
        return frozenset()


def rows_of(features: Sequence[Feature]) -> tuple[int, torch.device]:
    """Rows and device of features."""
    match features[0]:
        case Numeric(tensor) | Coded(tensor, _):
            return len(tensor), tensor.device
        case Text(column):
            return len(column), column.device


def texts_of(predictor: Predictor) -> frozenset[int]:
    """The features that a predictor reads as text."""
    return frozenset(getattr(predictor, "texts", ())) | frozenset(getattr(predictor, "categories", ()))


def where_used(predictor: Predictor, takes_missing: bool, width: int) -> frozenset[int]:
    """The features of a predictor that may be missing."""
    return frozenset(range(width)) if takes_missing else frozenset(range(width)) - predictor.used()


def tables(features: Sequence[Feature]) -> Tensor | None:
    """The codes that all the features share, if they are coded by the same column."""
    first = features[0]
    if not isinstance(first, Coded):
        return None
    return first.codes if all(isinstance(f, Coded) and f.codes is first.codes for f in features) else None


class Each(Step):
    """A function of its own for every feature (None: left alone); of a coded feature only the table is changed.

    `strict`: the library refuses missing values here. `rising`: no function ever falls, to the last bit.
    """

    def __init__(
        self, what: str, changes: Sequence[Change | None], *, strict: bool = False, rising: bool = False,
        whole: Change | None = None,
    ) -> None:  # fmt: skip
        """`whole` does to the columns of a matrix (n, features) float64, into which it may write, what `changes` do to each."""
        self._whole = whole
        self._what = what
        self._strict = strict
        self._changes = list(changes)
        self._rising = rising
        self.width = len(self._changes)

    def __call__(self, features: Sequence[Feature]) -> Sequence[Feature]:
        if self._whole is not None and side_by_side(features) is not None:
            return Elements(self._whole(matrix(features)))
        return [
            feature if change is None else _changed(feature, change)
            for feature, change in zip(features, self._changes, strict=True)
        ]

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        return used

    def text(self, wanted: frozenset[int]) -> frozenset[int]:
        return wanted

    def absorbs(self, tolerant: frozenset[int]) -> frozenset[int]:
        return frozenset() if self._strict else tolerant

    def rising(self, inputs: frozenset[int]) -> frozenset[int]:
        return inputs if self._rising else frozenset(p for p in inputs if self._changes[p] is None)

    def describe(self) -> str:
        return self._what


def _changed(feature: Feature, change: Change) -> Feature:
    match feature:
        case Numeric(values):
            return Numeric(change(values.double()))
        case Coded(codes, values):
            return Coded(codes, change(values.double()))
        case _:
            raise TypeError("a text feature has no number; encode it first")


class Pick(Step):
    """The features at the given places, in that order."""

    def __init__(self, what: str, places: Sequence[int], *, strict: bool = False) -> None:
        """`strict`: the library refuses missing values here."""
        self._what = what
        self._strict = strict
        self._places = list(places)
        self.width = len(self._places)

    def __call__(self, features: Sequence[Feature]) -> Sequence[Feature]:
        if not isinstance(features, Elements) or not self._places:
            return [features[place] for place in self._places]
        first, count = self._places[0], len(self._places)
        if self._places == list(range(first, first + count)):
            return features[first : first + count]
        chosen = torch.tensor(self._places, dtype=torch.int64, device=features.matrix.device)
        return Elements(features.matrix.index_select(1, chosen))

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        return frozenset(self._places[place] for place in used)

    def text(self, wanted: frozenset[int]) -> frozenset[int]:
        return self.reads(wanted)

    def absorbs(self, tolerant: frozenset[int]) -> frozenset[int]:
        if self._strict:
            return frozenset()
        strict = {place for output, place in enumerate(self._places) if output not in tolerant}
        return frozenset(self._places) - strict

    def rising(self, inputs: frozenset[int]) -> frozenset[int]:
        return frozenset(output for output, place in enumerate(self._places) if place in inputs)

    def describe(self) -> str:
        return self._what


def _lacks(feature: Feature) -> Tensor | None:
    """Whether some row of a feature has no value, as (); None where all are known to have one."""
    match feature:
        case Text(column):
            return None if column.valid is None else ~column.valid.all()
        case Numeric(values):
            return values.isnan().any()
        case Coded(codes, values):
            return values.isnan().index_select(0, codes).any()


class Present(Step):
    """All features as they are; ExecutionError where one at the given places is missing."""

    def __init__(self, places: Sequence[int], names: Sequence[str]) -> None:
        self._places = list(places)
        self._names = list(names)
        self.width = len(self._names)
        self.can_fail = bool(self._places)

    def __call__(self, features: Sequence[Feature]) -> Sequence[Feature]:
        lacking = [(place, flag) for place in self._places if (flag := _lacks(features[place])) is not None]
        found = waits.several([flag for _, flag in lacking], _MISSING) if lacking else []
        for (place, _), lacks in zip(lacking, found, strict=True):
            if lacks:
                raise ExecutionError(
                    f"the model takes no missing values in {self._names[place]}, and a row has one",
                    hint='nulls="null" makes the prediction NULL',
                )
        return features

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        return used

    def text(self, wanted: frozenset[int]) -> frozenset[int]:
        return wanted

    def absorbs(self, tolerant: frozenset[int]) -> frozenset[int]:
        return tolerant - frozenset(self._places)

    def describe(self) -> str:
        return "nothing missing"


class Chain(Step):
    """Steps one after the other on `inputs` features."""

    def __init__(self, steps: Sequence[Step], inputs: int) -> None:
        self._steps = list(steps)
        self.width = self._steps[-1].width if self._steps else inputs
        self.can_fail = any(step.can_fail for step in self._steps)

    def __call__(self, features: Sequence[Feature]) -> Sequence[Feature]:
        for step in self._steps:
            features = step(features)
        return features

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        for step in reversed(self._steps):
            used = step.reads(used)
        return used

    def text(self, wanted: frozenset[int]) -> frozenset[int]:
        for step in reversed(self._steps):
            wanted = step.text(wanted)
        return wanted

    def absorbs(self, tolerant: frozenset[int]) -> frozenset[int]:
        for step in reversed(self._steps):
            tolerant = step.absorbs(tolerant)
        return tolerant

    def rising(self, inputs: frozenset[int]) -> frozenset[int]:
        for step in self._steps:
            inputs = step.rising(inputs)
        return inputs

    def describe(self) -> str:
        return " > ".join(step.describe() for step in self._steps) or "passthrough"


class Columns(Step):
    """Steps side by side, each on the features at its own places; their outputs one after the other."""

    def __init__(self, parts: Sequence[tuple[Step, Sequence[int]]], inputs: int) -> None:
        self._parts = [(step, list(places)) for step, places in parts]
        self._inputs = inputs
        self.width = sum(step.width for step, _ in self._parts)
        self.can_fail = any(step.can_fail for step, _ in self._parts)

    def __call__(self, features: Sequence[Feature]) -> Sequence[Feature]:
        return [feature for step, places in self._parts for feature in step([features[place] for place in places])]

    def _back(self, outputs: frozenset[int], ask: Callable[[Step, frozenset[int]], frozenset[int]]) -> list[set[int]]:
        found = []
        start = 0
        for step, places in self._parts:
            own = frozenset(output - start for output in outputs if start <= output < start + step.width)
            found.append({places[place] for place in ask(step, own)})
            start += step.width
        return found

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        return frozenset().union(*self._back(used, lambda step, own: step.reads(own)))

    def text(self, wanted: frozenset[int]) -> frozenset[int]:
        return frozenset().union(*self._back(wanted, lambda step, own: step.text(own)))

    def absorbs(self, tolerant: frozenset[int]) -> frozenset[int]:
        absorbed = self._back(tolerant, lambda step, own: step.absorbs(own))
        strict = (set(places) - own for own, (_, places) in zip(absorbed, self._parts, strict=True))
        return frozenset(range(self._inputs)).difference(*strict)

    def rising(self, inputs: frozenset[int]) -> frozenset[int]:
        found: set[int] = set()
        start = 0
        for step, places in self._parts:
            own = frozenset(place for place, column in enumerate(places) if column in inputs)
            found |= {start + output for output in step.rising(own)}
            start += step.width
        return frozenset(found)

    def describe(self) -> str:
        return "columns(" + ", ".join(step.describe() for step, _ in self._parts) + ")"


class Dense(Step):
    """A function of the matrix (inputs, n) float64 to (width, n), which may mix all features."""

    def __init__(self, what: str, inputs: int, width: int, change: Change) -> None:
        self._what = what
        self._inputs = inputs
        self._change = change
        self.width = width

    def __call__(self, features: Sequence[Feature]) -> Sequence[Feature]:
        codes = tables(features)
        if codes is not None:
            stacked = torch.stack([f.values.double() for f in features if isinstance(f, Coded)])
            return [Coded(codes, row) for row in self._change(stacked)]
        if side_by_side(features) is not None:
            return Elements(self._change(matrix(features).t()).t())
        return [Numeric(row) for row in self._change(torch.stack([dense(feature) for feature in features]))]

    def reads(self, used: frozenset[int]) -> frozenset[int]:
        return frozenset(range(self._inputs)) if used else frozenset()

    def describe(self) -> str:
        return self._what
