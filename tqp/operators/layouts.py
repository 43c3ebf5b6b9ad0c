"""The form of a pipeline's batches, known before there is one: the layout of every symbol.

A source says what its columns look like, each stage adds those that it makes. The layout of an expression follows from the
layouts of what it reads: each of its steps is run once on columns without rows, on the CPU, and what came of it is remembered
for all queries by the step and the layouts of its arguments. So no function needs a rule of its own, and no device is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Final

import torch

from tqp.data.column import Column, Layout, constant, empty
from tqp.data.dictionary import Dictionary
from tqp.data.layout import Encoding
from tqp.errors import InternalError
from tqp.functions.measured import noticing
from tqp.functions.registry import find
from tqp.interrupt import obeying
from tqp.ir import words
from tqp.ir.expr import Call, Case, ColumnRef, Expr, Literal, Predict
from tqp.ir.visit import symbols, walk
from tqp.kernels import waits
from tqp.limits import CPU
from tqp.locks import Lock
from tqp.operators.batch import Batch, Key, deepest_first
from tqp.operators.evaluate import Evaluator
from tqp.operators.predict import predict
from tqp.operators.steps import Step, Steps
from tqp.types import BOOLEAN, DType

__all__ = ["Layouts", "Outcomes"]

_HOST: Final = torch.device("cpu")
_NO_ROWS: Final = Batch({}, 0)


class Layouts:
    """The layouts of the columns of a pipeline's batches, by symbol; each is found when somebody asks for it.

    `extend` says which columns there are, by `join`, `mark` and `define`, when one is asked for first.
    `settled`: with what is to be evaluated on the entries of a dictionary evaluated now, which tells the dictionary and the
    bounds of the result; it is remembered for the batches. Else such a result has a dictionary of each batch's own, as far
    as is known. For one thread at a time.
    """

    def __init__(self, evaluator: Evaluator, extend: Callable[[Layouts], None]) -> None:
        self._evaluator = evaluator
        self._extend: Callable[[Layouts], None] | None = extend
        self._origins: dict[str, tuple[Mapping[str, Column | Layout], bool] | Layout] = {}
        self._definitions: dict[str, Expr] = {}
        self._expected = inf
        self._rough: dict[Key, _Operand] = {}
        self._settled: dict[Key, _Operand] = {}

    def join(
        self, columns: Mapping[str, Column | Layout], is_padded: bool = False, names: Iterable[str] | None = None
    ) -> None:
        """The batches have these columns, too; `is_padded`: NULL in rows that have no partner there."""
        self._origins.update(dict.fromkeys(columns if names is None else names, (columns, is_padded)))

    def mark(self, symbol: str) -> None:
        """The batches have one more BOOLEAN column, which may be NULL."""
        self._origins[symbol] = Layout(BOOLEAN, Encoding.FLAT, torch.bool, False, True, None, None)

    def define(self, exprs: Mapping[str, Expr]) -> None:
        """The batches have columns that are computed."""
        self._definitions.update(exprs)

    def expect(self, rows: float) -> None:
        """Say about how many rows come: where they are few beside the entries of a dictionary, nothing is evaluated on these."""
        self._expected = rows

    def _begin(self) -> None:
        extend, self._extend = self._extend, None
        if extend is not None:
            extend(self)

    def __contains__(self, symbol: str) -> bool:
        self._begin()
        return symbol in self._origins or symbol in self._definitions

    def of(self, symbol: str, settled: bool = False) -> Layout:
        """The layout of the column of that symbol."""
        return self._column(symbol, settled).layout

    def of_expr(self, expr: Expr, settled: bool = False) -> Layout:
        """The layout of the values of an expression over the columns."""
        settled = settled and _can_settle(expr.dtype)
        for symbol in symbols(expr):
            self._column(symbol, settled)
        return self._value(expr, settled).layout

    def is_settled(self, key: Key) -> bool:
        """Whether somebody asked for the settled layout of the column, or of the step with that slot."""
        return key in self._settled

    def of_step(self, slot: int) -> Layout | None:
        """The layout of a step's value; None where nobody asked for a settled expression that it is part of."""
        found = self._settled.get(slot)
        if found is None:
            found = self._rough.get(slot)
            # What can be settled and is not runs on the entries of a dictionary.
            if found is None or _can_settle(found.layout.dtype):
                return None
        return found.layout

    def _column(self, symbol: str, settled: bool) -> _Operand:
        """What stands for the column of that symbol."""
        known = self._settled if settled else self._rough
        found = known.get(symbol)
        if found is not None:
            return found
        self._begin()

        def unknown(name: str) -> list[str]:
            expr = None if name in self._origins else self._definitions.get(name)
            if expr is None or (settled and not _can_settle(expr.dtype)):
                return []
            return [below for below in symbols(expr) if below not in known]

        for name in deepest_first(symbol, unknown):
            known[name] = self._made(name, settled)
        return known[symbol]

    def _made(self, symbol: str, settled: bool) -> _Operand:
        origin = self._origins.get(symbol)
        if origin is None:
            if symbol not in self._definitions:
                raise InternalError(f"no column {symbol} in the batches")
            expr = self._definitions[symbol]
            return self._value(expr, settled) if not settled or _can_settle(expr.dtype) else self._column(symbol, False)
        if isinstance(origin, Layout):
            return _Operand(origin, origin.key)
        columns, is_padded = origin
        column = columns[symbol]
        layout = column if isinstance(column, Layout) else column.layout
        if is_padded:
            layout = replace(layout, is_nullable=True, is_constant=False)
        return _Operand(layout, layout.key) if isinstance(column, Layout) else _of_column(column, layout)

    def _value(self, expr: Expr, settled: bool) -> _Operand:
        """What stands for the values of an expression whose columns are known."""
        known = self._settled if settled else self._rough
        if isinstance(expr, ColumnRef):
            return known[expr.symbol]
        steps = self._evaluator.compile((expr,))
        (root,) = steps.roots
        self._compute(steps, {root}, settled)
        if root not in known:
            known[root] = self._given(root, steps, settled)
        return known[root]

    def _compute(self, steps: Steps, needed: set[Key], settled: bool) -> None:
        """Find what stands for the values of the steps `needed`, and of those below them as far as that takes them."""
        known = self._settled if settled else self._rough
        wanted: list[Step] = []
        rough: set[Key] = set()
        for step in reversed(steps.order):
            slot = step.slot
            if slot not in needed or slot in known:
                continue
            if settled and not _can_settle(step.node.dtype):
                rough.add(slot)
                continue
            found = self._over_entries(step) if settled and step.text is not None else None
            if found is None:
                needed.update(step.inputs)
                wanted.append(step)
            else:
                known[slot] = found
        if rough:
            # Such as a condition, of which nobody needs to know what it is made of.
            self._compute(steps, set(rough), False)
            known.update((slot, self._rough[slot]) for slot in rough)
        for step in reversed(wanted):
            for key in step.keys:
                if key not in known:
                    known[key] = self._given(key, steps, settled)
            known[step.slot] = _computed(step, [known[key] for key in step.keys])

    def _given(self, key: Key, steps: Steps, settled: bool) -> _Operand:
        """What stands for a column or a constant that a step reads."""
        if isinstance(key, str):
            return self._column(key, settled)
        return _literal(steps.literals[key], steps.constants[key])

    def _over_entries(self, step: Step) -> _Operand | None:
        """What stands for the step's value on the entries of a dictionary; None where it is not evaluated there, or need not be."""
        if step.asks_python or not _can_settle(step.node.dtype):
            return None
        assert step.text is not None
        text = self._settled[step.text].layout
        dictionary = text.dictionary
        if dictionary is None or text.is_constant or not dictionary.is_sorted or len(dictionary) == 0:
            return None
        limits = self._evaluator.compiler.limits
        if len(dictionary) > max(limits.entries_at_once, limits.entries_a_row * self._expected):
            return None
        column = self._evaluator.over_entries(step, text.dtype, dictionary, text.is_nullable)
        if column is None:
            return None
        return _of_column(column, column.layout)


class _Operand:
    """What stands for a column where steps are run without rows: its layout, and of a constant the column itself.

    `key` is the same for operands of which every step makes the same; None where that cannot be said.
    """

    __slots__ = ("_column", "key", "layout")

    def __init__(self, layout: Layout, key: object, column: Column | None = None) -> None:
        self.layout = layout
        self.key = key
        self._column = column

    @property
    def column(self) -> Column:
        """A column on the CPU: the constant, or one without rows."""
        column = self._column
        if column is None:
            self._column = column = empty(self.layout, _HOST)
        elif column.device != _HOST:
            self._column = column = column.moved(lambda tensor: waits.fetched(tensor, "what is computed of a constant"))
        return column

    @property
    def is_doubtful(self) -> bool:
        """A text whose strings are not known, or a nested value: what a kernel does with them may depend on these."""
        layout = self.layout
        is_value = layout.is_constant and self._column is not None and self._column.is_constant
        is_unknown = layout.encoding is Encoding.CODES and layout.dictionary is None
        return (is_unknown or layout.dtype.has_children) and not is_value


@dataclass(frozen=True, slots=True, eq=False)
class _Outcome:
    """What a step makes of its arguments.

    `layout` lacks the dictionary if that is the one of argument number `source`. `value`: of a constant.
    """

    layout: Layout
    source: int | None = None
    value: Column | None = None

    def operand(self, operands: Sequence[_Operand]) -> _Operand:
        """What stands for the result of these arguments, for which others stood when it was computed."""
        layout, value = self.layout, self.value
        if self.source is not None:
            argument = operands[self.source]
            layout = replace(layout, dictionary=argument.layout.dictionary)
            if value is not None:
                value = replace(value, dictionary=argument.column.dictionary)
        return _Operand(layout, layout.key) if value is None else _of_column(value, layout)


class Outcomes:
    """The outcomes of steps, the latest of them, for all queries. Safe between threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._found: dict[object, _Outcome] = {}

    def __len__(self) -> int:
        return len(self._found)

    def get(self, key: object) -> _Outcome | None:
        """What was remembered."""
        return self._found.get(key)

    def put(self, key: object, outcome: _Outcome) -> None:
        """Remember an outcome, and forget the oldest if they are too many."""
        with self._lock:
            self._found[key] = outcome
            if len(self._found) > self._most:
                self._found.pop(next(iter(self._found)))


_OUTCOMES: Final = Outcomes(4096)
_MOST_ARGUMENTS: Final = 32
_LARGE: Final = 2**12
"""Dictionaries of so many strings are not kept with outcomes, which are for all queries."""
_SAFE: Final = frozenset({words.AND, words.OR, words.NOT, words.IS_NULL, words.COALESCE})
"""Functions of which no row fails, beside those that compare."""
_LONG: Final = 1000
"""Lists and texts that are longer are not kept as parts of keys."""


def _can_settle(dtype: DType) -> bool:
    """Whether values of the type have a dictionary or bounds."""
    return dtype.is_coded or dtype.is_ordinal


def _literal(literal: Literal, column: Column) -> _Operand:
    """A constant on the CPU with the dictionary of the one on the device, which is that of the batches."""
    layout = column.layout
    if column.device != _HOST:
        column = replace(constant(literal.value, literal.dtype, _HOST), dictionary=column.dictionary)
    # Not the node, which may know a whole query.
    key = literal.parts()
    return _Operand(layout, None if len(repr(key)) > _LONG else key, column)


def _of_column(column: Column, layout: Layout) -> _Operand:
    if not layout.is_constant:
        return _Operand(layout, layout.key)
    bounds = layout.bounds
    # A constant integer is known by its bounds; others would have to be fetched to be told apart.
    is_known = bounds is not None and bounds[0] == bounds[1] and column.valid is None and column.dictionary is None
    return _Operand(layout, layout.key if is_known else None, column)


def _computed(step: Step, operands: Sequence[_Operand]) -> _Operand:
    """What stands for the value of a step."""
    key: object = None
    keys = [operand.key for operand in operands]
    if not isinstance(step.node, Predict) and None not in keys and len(keys) <= _MOST_ARGUMENTS:
        key = (step.operation, *step.parameters.values(), *keys)
        found = _OUTCOMES.get(key)
        if found is not None:
            return found.operand(operands)
    outcome = _outcome(step, operands)
    if key is not None and (outcome.layout.dictionary is None or len(outcome.layout.dictionary) < _LARGE):
        _OUTCOMES.put(key, outcome)
    return outcome.operand(operands)


def _outcome(step: Step, operands: Sequence[_Operand]) -> _Outcome:
    """Run the step without rows; what fails there, and what is made of nested values, is known by its type alone."""
    dtype = step.node.dtype
    if any(operand.layout.dtype.has_children and operand.is_doubtful for operand in operands):
        return _Outcome(Layout.of_type(dtype))
    with obeying(None), noticing() as noticed:
        try:
            column = _run(step, operands)
            source, dictionary = _dictionary(step, operands, column)
        except Exception:
            # Whatever it is: what fails with rows, too, says so there, and is dealt with by the CASE around it.
            return _Outcome(Layout.of_type(dtype))
    is_doubtful = any(operand.is_doubtful for operand in operands)
    if is_doubtful:
        # With strings it may be another one, of all of them.
        source, dictionary = None, None
    of_constants = all(operand.layout.is_constant for operand in operands)
    layout = replace(column.layout, dictionary=dictionary)
    if layout.encoding is Encoding.CODES and source is None and dictionary is None:
        layout = replace(layout, bounds=None)
    if is_doubtful or noticed.by_values:
        layout = replace(layout, is_nullable=True)
    by_values = is_doubtful or noticed.by_values or isinstance(step.node, Predict)
    # A CASE of which some row fails is computed row by row: what branches no row takes is not in its bounds then.
    if by_values or (step.is_guard and _can_settle(dtype)) or any(operand.layout.is_measured for operand in operands):
        layout = replace(layout, is_measured=True, bounds=None if is_doubtful else layout.bounds)
    if column.is_constant and not is_doubtful:
        return _Outcome(layout, source, column)
    return _Outcome(replace(layout, is_constant=of_constants), source)


def _run(step: Step, operands: Sequence[_Operand]) -> Column:
    if isinstance(step.node, Predict):
        return predict(step.node, (), 0, _HOST, CPU)[step.node]
    return step.compute(_NO_ROWS, {key: one.column for key, one in zip(step.keys, operands, strict=True)})


def _dictionary(step: Step, operands: Sequence[_Operand], column: Column) -> tuple[int | None, Dictionary | None]:
    """Which argument has the dictionary of the result, if one has; else the dictionary itself, if it is always the same."""
    found = column.dictionary
    if found is None or (step.is_guard and _is_by_rows(step, operands)):
        return None, None
    for place, operand in enumerate(operands):
        if operand.column.dictionary is found:
            return place, None
    return None, found if _run(step, operands).dictionary is found else None


def _is_by_rows(step: Step, operands: Sequence[_Operand]) -> bool:
    """Whether the dictionary of a CASE depends on the rows: some may fail, and then those that do not choose the others."""
    texts = {operand.column.dictionary for operand in operands if operand.layout.encoding is Encoding.CODES}
    return len(texts) > 1 and not all(map(_never_fails, walk(step.node)))


def _never_fails(node: Expr) -> bool:
    if isinstance(node, Call):
        return node.function in _SAFE or find(node.function).by_layout
    return isinstance(node, ColumnRef | Literal | Case)
