"""A callable on tensors as a predictor: the arguments of its calls, and what it gives, as it was seen when it was registered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.features import Coded, Feature, Numeric, dense
from tqp.models.labels import Choice, Meaning, chances_of, labels_of_scores
from tqp.models.model import Input, Predictor
from tqp.models.tensors.answers import picked, sql_type
from tqp.models.tensors.binding import Argument
from tqp.models.tensors.callee import Callee
from tqp.types import BOOLEAN, DOUBLE, FLOAT, DType

__all__ = ["Call", "ChangedError", "ModulePredictor", "ScoredClasses", "ScoredProbabilities", "Told"]


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """How rows reach a callable. `floating`: the dtype of numbers that are not declared, and of FLOATs that reach
    a module's parameters.

    `fewest`: it is called with so many rows at least, where a row may be there twice. `changes`: it writes into its arguments.
    """

    callee: Callee
    inputs: tuple[Input, ...]
    arguments: tuple[Argument, ...]
    choice: Choice
    floating: torch.dtype
    fewest: int = 1
    changes: bool = False

    def answer(self, features: Sequence[Feature]) -> Tensor:
        """What it gives (n,) or (n, k) for n rows; anything that it raises is passed on."""
        tensors = [self._argument(argument, features) for argument in self.arguments]
        rows = tensors[0].shape[0]
        if rows < self.fewest:
            tensors = [one[:1].expand(self.fewest, *one.shape[1:]).contiguous() for one in tensors]
        by_place = [one for one, argument in zip(tensors, self.arguments, strict=True) if argument.keyword is None]
        by_name = {
            argument.keyword: one
            for one, argument in zip(tensors, self.arguments, strict=True)
            if argument.keyword is not None
        }
        before = list(map(_version, tensors))
        with torch.no_grad():
            found = picked(self.callee.on(tensors[0].device)(*by_place, **by_name), self.choice).detach()
        if not self.changes and before != list(map(_version, tensors)):
            raise ChangedError("it writes into its arguments")
        return found[:rows] if rows < self.fewest else found

    def _argument(self, argument: Argument, features: Sequence[Feature]) -> Tensor:
        width = torch.bool
        for place in argument.places:
            width = torch.promote_types(width, self._width(self.inputs[place]))
        parts = [dense(features[place], width) for place in argument.places]
        if not argument.is_matrix or len(parts) == 1 and parts[0].ndim == 2:
            # What lies in a table is never handed to be written to.
            return parts[0].clone() if self.changes else parts[0]
        if all(part.ndim == 1 for part in parts):
            return torch.stack(parts, dim=1)
        return torch.cat([part.reshape(part.shape[0], -1) for part in parts], dim=1)

    def _width(self, input_: Input) -> torch.dtype:
        """The dtype in which an input comes."""
        dtype = None if input_.type is None else input_.type.element or input_.type
        if dtype == DOUBLE:
            return torch.float64
        if dtype is not None and dtype.is_integer:
            return torch.int64
        if dtype == FLOAT and not self.callee.floats:
            return torch.float32
        return torch.bool if dtype == BOOLEAN else self.floating

    @property
    def takes(self) -> str:
        """The tensors that it gets, for people."""
        widths = {str(self._width(input_)).removeprefix("torch.") for input_ in self.inputs}
        shown = " and ".join(sorted(widths))
        if len(self.arguments) > 1:
            return f"separate tensors, {shown}"
        return f"one matrix, {shown}" if self.arguments[0].is_matrix else f"one tensor, {shown}"


class ChangedError(Exception):
    """A callable wrote into its arguments, which may be columns of a table."""


def _version(one: Tensor) -> int:
    """What is another number when it was written to, where that is counted."""
    return -1 if one.is_inference() else one._version


@dataclass(frozen=True, slots=True)
class Told:
    """`can_fail`: some row may be an error. `apart`: a row's answer is known to be made of this row alone. `meets`: the operation
    since which it may be made of several, where one is known."""

    can_fail: bool = True
    apart: bool = False
    meets: str | None = None


class ModulePredictor(Predictor):
    """A callable on tensors whose result is the answer: `outputs` numbers a row of SQL type `dtype`."""

    def __init__(self, call: Call, dtype: DType, outputs: int, told: Told) -> None:
        self.can_fail = told.can_fail
        self._meets = told.meets
        self._call = call
        self._dtype = dtype
        self._outputs = outputs

    def scores(self, features: Sequence[Feature]) -> Tensor:
        """What the callable gives, (n,) or (n, outputs)."""
        found = self._call.answer(features)
        rows = _rows(features)
        dtype, outputs = sql_type(found, rows)
        if (dtype, outputs) != (self._dtype, self._outputs):
            raise ModelError(
                f"it gives {outputs} × {dtype} a row, and gave {self._outputs} × {self._dtype} when it was registered",
                hint="register it again",
            )
        return found[:, 0] if found.ndim == 2 and outputs == 1 else found

    def value(self, features: Sequence[Feature]) -> Tensor:
        return self.scores(features)

    def used(self) -> frozenset[int]:
        return frozenset(range(len(self._call.inputs)))

    def describe(self) -> str:
        unproved = "" if self._meets is None else f", rows tried together, as {self._meets} may mix them"
        return f"{self._call.callee.kind} on {self._call.takes}{unproved}"


def _rows(features: Sequence[Feature]) -> int:
    first = features[0]
    if isinstance(first, Coded):
        return first.codes.shape[0]
    assert isinstance(first, Numeric)
    return first.values.shape[0]


class ScoredClasses(ModulePredictor):
    """A callable on tensors that tells classes by its scores, which are no probabilities, or by their places."""

    def __init__(self, call: Call, dtype: DType, outputs: int, told: Told, meaning: Meaning, classes: int) -> None:
        super().__init__(call, dtype, outputs, told)
        self.can_fail |= meaning == "index"
        self._meaning = meaning
        self._classes = classes

    def value(self, features: Sequence[Feature]) -> Tensor:
        return labels_of_scores(self.scores(features), self._meaning, self._classes)

    def describe(self) -> str:
        return f"{super().describe()}, scores as {self._meaning}"


class ScoredProbabilities(ScoredClasses):
    """A callable on tensors whose scores say how likely classes are: probabilities, or what softmax and sigmoid make them of."""

    def probabilities(self, features: Sequence[Feature]) -> Tensor | None:
        return chances_of(self.scores(features), self._meaning)

    def both(self, features: Sequence[Feature]) -> tuple[Tensor, Tensor | None]:
        """Label and probabilities of the same scores."""
        scores = self.scores(features)
        return labels_of_scores(scores, self._meaning, self._classes), chances_of(scores, self._meaning)
