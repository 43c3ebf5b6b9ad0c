"""What a compiled function is given beside columns: constants of the query, and values on the entries of dictionaries.

They differ from run to run, and the function need not: they are inputs of it, as tensors. A constant becomes one where all
that reads it for rows asks for its layout alone (`Function.by_layout`) and hands on no bounds of it. It has the
bounds of a class of constants then: whatever a kernel decides by bounds is right for all of them, and another constant of the
class takes the same code. The others are part of the code, which serves no other value of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.data.layout import Bounds, Encoding, narrowest
from tqp.errors import ExecutionError
from tqp.functions.registry import find
from tqp.ir.expr import Call, Expr, Literal, Predict
from tqp.kernels import waits
from tqp.operators.batch import Batch, Key, Values
from tqp.operators.evaluate import Evaluator
from tqp.operators.steps import Step, Steps
from tqp.types import DType, Kind

__all__ = ["Given", "Rehearsal"]

_MOST_CONSTANTS: Final = 8
"""A step that reads more has them in its code: a look-up in all of them takes less than one comparison with each."""
_WIDE: Final = (2**63, 2**127 - 1)
_NO_ROWS: Final = Batch.of({}, 0)
_CLASSED: Final = frozenset({Encoding.FLAT, Encoding.WIDE, Encoding.SPAN})

_Entries = tuple[int, object, bool]
"""Step, dictionary, and whether there is a value for NULL."""


class Rehearsal(Evaluator):
    """Runs steps as the evaluator of a run does, on no rows, and notes what they read that does not depend on rows."""

    def __init__(self, own: Evaluator) -> None:
        super().__init__(own.settings, own.compiler)
        self._own = own
        self._literals: dict[Key, Literal] = {}
        self._columns: dict[Key, Column] = {}
        self._read: dict[Key, frozenset[Key]] = {}
        self._kept: set[Key] = set()
        self._partners: dict[Key, list[Column]] = {}
        self._entries: dict[_Entries, Column | None] = {}

    def compile(self, exprs: tuple[Expr, ...]) -> Steps:
        """The expressions as steps that say what they read."""
        steps = super().compile(exprs)
        inputs = self.compiler.inputs & steps.constants.keys()
        if not inputs:
            return steps
        self._literals |= {slot: steps.literals[slot] for slot in inputs}
        self._columns |= {slot: steps.constants[slot] for slot in inputs}
        self._read |= {slot: frozenset({slot}) for slot in inputs}
        steps = _with_constants(steps, self._computed_ahead(steps, inputs))
        inputs = self._columns.keys() & steps.constants.keys()
        for slot in inputs.intersection(steps.roots):
            self._kept.add(slot)
        noting = [
            step if inputs.isdisjoint(step.keys) else replace(step, compute=self._noting(step, inputs))
            for step in steps.order
        ]
        return replace(steps, order=tuple(noting))

    def _computed_ahead(self, steps: Steps, inputs: Set[Key]) -> dict[Key, Column]:
        """What steps give that read constants alone, inputs of the query among them; what fails is left to the rows."""
        values: Values = dict(steps.constants)
        found: dict[Key, Column] = {}
        for step in steps.order if not steps.is_guarded else ():
            if not all(key in values for key in step.keys) or not any(key in self._read for key in step.keys):
                continue
            if isinstance(step.node, Predict):
                continue
            try:
                column = step.compute(_NO_ROWS, values)
            except ExecutionError:
                continue
            if column.is_constant:
                column = _narrow(column)
                values[step.slot] = self._columns[step.slot] = found[step.slot] = column
                self._read[step.slot] = frozenset().union(*[self._read.get(key, frozenset()) for key in step.keys])
        return found

    def is_for_rows(self, step: Step, dictionary: Dictionary, nullable: bool, rows: int) -> bool:
        """Never: what is compiled is for all rows."""
        return False

    def over_entries(self, step: Step, dtype: DType, dictionary: Dictionary, nullable: bool) -> Column | None:
        """What the run's evaluator knows of the entries, or finds for all who ask later."""
        column = self._own.over_entries(step, dtype, dictionary, nullable)
        if column is not None and column.is_constant and column.dtype.kind is Kind.BOOLEAN:
            # Of a text that no entry has a comparison is as of any other.
            column = column.expand(len(dictionary) + nullable).map(torch.clone)
        self._entries[step.slot, dictionary.token, nullable] = column
        return column

    def given(self) -> Given:
        """What the steps that ran have read."""
        classed = {slot: _classed(self._columns[slot], partners) for slot, partners in self._partners.items()}
        constants = {slot: column for slot, column in classed.items() if column is not None and slot not in self._kept}
        kept = self._kept | classed.keys() - constants.keys()
        literals = frozenset().union(*[self._read[slot] for slot in kept])
        return Given(constants, self._entries, frozenset((slot, self._literals[slot]) for slot in literals))

    def _noting(self, step: Step, inputs: Iterable[Key]) -> Callable[[Batch, Values], Column]:
        read = [key for key in dict.fromkeys(step.keys) if key in inputs]

        def compute(batch: Batch, values: Values) -> Column:
            result = step.compute(batch, values)
            if not _is_open(step, result) or len(read) > _MOST_CONSTANTS:
                self._kept.update(read)
            for slot in read:
                self._partners.setdefault(slot, []).extend(values[key] for key in step.keys if key not in read)
            return result

        return compute


def _is_open(step: Step, result: Column) -> bool:
    """Whether what the step does is right for other constants: it asks for layouts alone, and its result has no bounds."""
    return isinstance(step.node, Call) and find(step.node.function).by_layout and result.dtype.kind is Kind.BOOLEAN


def _narrow(constant: Column) -> Column:
    """The constant as narrow as a literal of its value."""
    if constant.encoding is not Encoding.FLAT or constant.bounds is None or constant.data.dtype is torch.bool:
        return constant
    value = waits.number(constant.data, "the value of a constant picks the code")
    return replace(constant, data=constant.data.to(narrowest(value, value)), bounds=(value, value))


def _classed(constant: Column, partners: Iterable[Column]) -> Column | None:
    """The constant with the bounds of its class; None where it has none.

    Integers are of one class that have the same width, or fit the widest of the columns that they meet.
    """
    if constant.valid is not None or constant.encoding not in _CLASSED:
        return None
    if constant.bounds is None:
        return constant
    if constant.is_wide:
        low, high = _WIDE
        return replace(constant, bounds=_WIDE if constant.bounds[0] >= low else (-high - 1, -low - 1))
    widths = [constant.data.dtype]
    widths += [one.data.dtype for one in partners if one.encoding is Encoding.FLAT and not one.is_constant]
    width = max(widths, key=lambda dtype: dtype.itemsize)
    return replace(constant, data=constant.data.to(width), bounds=_limits(width))


def _limits(width: torch.dtype) -> Bounds:
    info = torch.iinfo(width)
    return info.min, info.max


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What the steps of a pipeline read that does not depend on rows.

    `constants`, by slot, have the bounds of their class. `entries` are values on the entries of dictionaries, None where they
    fail. `kept` are the inputs of the query that the code has in it.
    """

    constants: Mapping[Key, Column]
    entries: Mapping[_Entries, Column | None]
    kept: frozenset[tuple[Key, Literal]]

    @property
    def key(self) -> Hashable:
        """The same where one code serves both."""
        constants = frozenset((slot, column.layout.key) for slot, column in self.constants.items())
        entries = tuple(
            (asked, None if column is None else (column.layout.key, None if column.is_constant else len(column)))
            for asked, column in self.entries.items()
        )
        return constants, entries, self.kept

    @property
    def tensors(self) -> list[Tensor]:
        """Of the constants, then of the entries."""
        return [tensor for column in self._columns for tensor in _tensors(column)]

    def evaluator(self, own: Evaluator, tensors: Sequence[Tensor]) -> Evaluator:
        """One that runs the same steps on what lies in these tensors."""
        rest = iter(tensors)
        constants = {slot: _filled(column, rest) for slot, column in self.constants.items()}
        entries = {key: None if one is None else _filled(one, rest) for key, one in self.entries.items()}
        return _Given(own, constants, entries)

    @property
    def _columns(self) -> list[Column]:
        return [*self.constants.values(), *(column for column in self.entries.values() if column is not None)]


class _Given(Evaluator):
    """Takes what does not depend on rows as it is given."""

    def __init__(self, own: Evaluator, constants: dict[Key, Column], entries: dict[_Entries, Column | None]) -> None:
        super().__init__(own.settings, own.compiler)
        self._constants = constants
        self._entries = entries

    def compile(self, exprs: tuple[Expr, ...]) -> Steps:
        """The expressions as steps that read the constants given."""
        steps = super().compile(exprs)
        slots = steps.constants.keys() | {step.slot for step in steps.order}
        return _with_constants(steps, {slot: self._constants[slot] for slot in slots & self._constants.keys()})

    def is_for_rows(self, step: Step, dictionary: Dictionary, nullable: bool, rows: int) -> bool:
        """Never: what is compiled is for all rows."""
        return False

    def over_entries(self, step: Step, dtype: DType, dictionary: Dictionary, nullable: bool) -> Column | None:
        """What is given of the entries."""
        return self._entries[step.slot, dictionary.token, nullable]


def _with_constants(steps: Steps, constants: Mapping[Key, Column]) -> Steps:
    """The steps where these are constants, which replace those of their slots and the steps that compute them."""
    if not constants:
        return steps
    left = [(step, drops) for step, drops in zip(steps.order, steps.drops, strict=True) if step.slot not in constants]
    return replace(
        steps,
        order=tuple([step for step, _ in left]),
        drops=tuple([drops for _, drops in left]),
        constants=steps.constants | dict(constants),
    )


def _tensors(column: Column) -> list[Tensor]:
    return [column.data] if column.valid is None else [column.data, column.valid]


def _filled(column: Column, tensors: Iterator[Tensor]) -> Column:
    data = next(tensors)
    return replace(column, data=data, valid=None if column.valid is None else next(tensors))
