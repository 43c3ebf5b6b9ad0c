"""Filter and project stages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final

import torch

from tqp.data.selectivities import Condition
from tqp.errors import ExecutionError
from tqp.functions.registry import find
from tqp.ir.expr import Call, ColumnRef, Expr, Predict
from tqp.ir.plan import Schema
from tqp.ir.show import show_expr
from tqp.ir.source import Source
from tqp.ir.visit import symbols, walk
from tqp.kernels import waits
from tqp.kernels.rows import count_true, select
from tqp.operators.batch import Batch, Definition
from tqp.operators.blocks import Blocks
from tqp.operators.choice import Choice
from tqp.operators.evaluate import Evaluate, Evaluator
from tqp.operators.instructions import Writer
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, Run, Stage, each

__all__ = ["Expected", "FilterStage", "ProjectStage", "in_order", "keep"]

_ANSWERED: Final = Choice(
    "conditions", "some hold already", ("all are asked",), "the rows were chosen by an index for these"
)


def keep(batch: Batch, mask: torch.Tensor) -> Batch | None:
    """The rows of the batch where the mask is true; None where there is none."""
    if mask.ndim == 0:
        return batch if waits.truth(mask, "one condition for all rows") else None
    rows = select(mask)
    if rows.shape[0] == batch.rows:
        return batch
    return batch.choose(rows) if rows.shape[0] else None


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """The share of a table's rows that a condition keeps by statistics alone."""

    table: Source
    condition: Condition
    share: float


@dataclass(frozen=True, eq=False)
class FilterStage(Stage):
    """Keeps the rows for which all conditions are true; conditions run in order, on what the earlier ones left.

    `expected`, where these are all rows of a table: what they should keep.
    """

    conditions: tuple[Expr, ...]
    expected: Expected | None = None

    @property
    def expressions(self) -> Expressions:
        return each(self.conditions)

    def prepare(self, run: Run) -> Callable[[Batch], Sequence[Batch]]:
        limits, prepare, answered = run.limits, run.evaluator.prepare, run.answered
        conditions = [
            (prepare(condition), limits.predict_below if predicts else limits.compact_below)
            for condition, predicts in zip(self.conditions, self._predict_next, strict=True)
            if condition not in answered
        ]
        if len(conditions) == len(self.conditions):
            return partial(_filter, conditions)
        run.note(self, _ANSWERED)
        return partial(_filter, conditions) if conditions else _all_of

    @cached_property
    def _predict_next(self) -> tuple[bool, ...]:
        """Of each condition whether the one after it runs models."""
        return (*map(_predicts, self.conditions[1:]), False)

    def narrow(self, run: Run, blocks: Blocks) -> None:
        for condition in self.conditions:
            blocks.filter(condition)

    def write(self, writer: Writer) -> None:
        conditions = list(map(writer.value, self.conditions))
        writer.add("filter", conditions, (), writer.size())

    def describe(self) -> str:
        return "filter " + " AND ".join(map(show_expr, self.conditions))


def _all_of(batch: Batch) -> Sequence[Batch]:
    return (batch,)


def _filter(conditions: list[tuple[Evaluate, float]], batch: Batch) -> Sequence[Batch]:
    """`conditions`: each with the share of rows below which compacting before the next one pays."""
    mask = None
    last = len(conditions) - 1
    for place, (condition, below) in enumerate(conditions):
        try:
            column = condition(batch)
        except ExecutionError:
            if mask is None:
                raise
            # It may fail for rows only that are out already.
            kept = keep(batch, mask)
            if kept is None:
                return ()
            batch, mask = kept, None
            column = condition(batch)
        passed = column.data if column.valid is None else column.data & column.valid
        mask = passed if mask is None else mask & passed
        if place == last or (below and mask.ndim and count_true(mask) < below * mask.shape[0]):
            kept = keep(batch, mask)
            if kept is None:
                return ()
            batch, mask = kept, None
    return (batch,)


def _predicts(condition: Expr) -> bool:
    return any(isinstance(node, Predict) for node in walk(condition))


@dataclass(frozen=True, eq=False)
class ProjectStage(Stage):
    """Defines symbols by expressions; each is evaluated where it is first needed, predictions at once."""

    fields: Schema
    exprs: tuple[Expr, ...]

    @property
    def predicts(self) -> bool:
        """Whether it runs models, on all rows of a batch."""
        return bool(self._predictions)

    @cached_property
    def _predictions(self) -> tuple[str, ...]:
        """The symbols of predictions."""
        return tuple([f.symbol for f, expr in zip(self.fields, self.exprs, strict=True) if isinstance(expr, Predict)])

    @property
    def expressions(self) -> Expressions:
        return each(self.exprs)

    def extend(self, run: Run, layouts: Layouts) -> None:
        layouts.define(self._by_symbol)

    @cached_property
    def _by_symbol(self) -> dict[str, Expr]:
        """The new symbols and what they stand for."""
        pairs = zip(self.fields, self.exprs, strict=True)
        named = ((field.symbol, expr) for field, expr in pairs)
        return {symbol: expr for symbol, expr in named if not (isinstance(expr, ColumnRef) and expr.symbol == symbol)}

    def definitions(self, evaluator: Evaluator) -> dict[str, Definition]:
        """How each new symbol is evaluated on a batch."""
        pairs = self._by_symbol.items()
        return {symbol: Definition(evaluator.prepare(expr), self._reads[symbol]) for symbol, expr in pairs}

    @cached_property
    def _reads(self) -> dict[str, frozenset[str]]:
        """The symbols that each new one reads."""
        return {symbol: symbols(expr) for symbol, expr in self._by_symbol.items()}

    def prepare(self, run: Run) -> Callable[[Batch], Sequence[Batch]]:
        # The optimizer put a prediction where the rows are fewest, so it is not put off.
        return partial(_project, self.definitions(run.evaluator), self._predictions)

    def narrow(self, run: Run, blocks: Blocks) -> None:
        blocks.define(self._by_symbol, self.definitions(run.evaluator))

    def write(self, writer: Writer) -> None:
        writer.define(self._by_symbol)
        writer.read([symbol for symbol, expr in self._by_symbol.items() if isinstance(expr, Predict)])

    def describe(self) -> str:
        pairs = [(field.symbol, show_expr(expr)) for field, expr in zip(self.fields, self.exprs, strict=True)]
        return "project " + ", ".join(text if text == symbol else f"{symbol} = {text}" for symbol, text in pairs)


def _project(definitions: dict[str, Definition], now: Sequence[str], batch: Batch) -> Sequence[Batch]:
    batch = batch.define(definitions)
    for symbol in now:
        batch.column(symbol)
    return (batch,)


def in_order(conditions: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Cheap conditions first: those on codes of text after those on numbers, bigger ones after smaller ones, those that read
    strings behind these, models last."""
    return tuple(sorted(conditions, key=_cost))


def _cost(condition: Expr) -> int:
    cost = 0
    for node in walk(condition):
        cost += 8 if isinstance(node, ColumnRef) and node.dtype.is_coded else 1
        cost += 1000 if isinstance(node, Predict) else 0
        cost += 100 if isinstance(node, Call) and _reads_strings(node) else 0
    return cost


def _reads_strings(call: Call) -> bool:
    """Whether it looks into strings: of functions that a dictionary's entries may be given, those that no layout is enough for
    (comparisons and IN look at codes)."""
    function = find(call.function)
    return function.on_distinct and not function.by_layout
