"""Evaluate expressions on a batch.

Expressions are compiled once a program (`Compiler`); what runs is a loop over steps, each one call of its function's kernel on
whole columns. A value that the batch has already is not computed again. An expression over one text column runs on the
entries of the column's dictionary once a query, and rows only gather.

Where an expression fails on a row, that row may never reach it: the failure goes up to the CASE or COALESCE around it, which
then computes each branch for its own rows. Without one around it, it is the query's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from operator import methodcaller
from typing import Any

import torch
from torch import Tensor

from tqp.config import Settings
from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.errors import ExecutionError, ModelError, QueryInterruptedError
from tqp.functions.align import concat
from tqp.functions.registry import OfPairs, find
from tqp.interrupt import current
from tqp.ir.expr import Call, Case, ColumnRef, Expr, LambdaCall, Predict
from tqp.ir.own import MadeName
from tqp.ir.spoken import UNSPOKEN
from tqp.operators.batch import Batch, Key
from tqp.operators.by_rows import case_by_rows, caught_by_rows, first_by_rows
from tqp.operators.coded import CodeRanges
from tqp.operators.computing import truth
from tqp.operators.lambdas import asked_by_elements
from tqp.operators.pieces import Pieces
from tqp.operators.predict import one_of
from tqp.operators.steps import Compiler, Step, Steps
from tqp.types import DType

__all__ = ["Evaluate", "Evaluator", "Spread", "truth"]

_CODES = torch.int32

_Run = Callable[[Steps, Batch], None]

Evaluate = Callable[[Batch], Column]
"""An expression, ready to run: its values for the rows of a batch, a constant column where it does not depend on them."""


_Piece = tuple[Column, int] | None
"""The values for some entries of a dictionary, perhaps a constant, and how many; None where they cannot be computed."""

Spread = Callable[[Sequence[Callable[[], Any]]], list[Any]]
"""Does tasks, perhaps by several threads, and gives what each gives, in their order."""


class Evaluator:
    """Runs steps, and remembers for one execution of a query what they gave on the entries of dictionaries.

    `compiler` is that of the program, which other executions share. All steps that it runs come from `compile`, all that it
    knows of the entries of dictionaries from `over_entries`.
    """

    def __init__(self, settings: Settings, compiler: Compiler | None = None) -> None:
        self.settings = settings
        self.device = torch.device(settings.device)
        self.compiler = Compiler(self.device) if compiler is None else compiler
        self.spread: Spread | None = None
        """Who does several tasks side by side; None: the thread that asks."""
        self._interrupt = current()
        self._lookups: dict[tuple[int, int, bool], tuple[Dictionary, Column | None]] = {}
        self._pieces: dict[tuple[int, int, bool], Pieces[_Piece]] = {}
        self._ranges = CodeRanges(self.compiler.limits.compared_entries)
        self._asked: dict[tuple[int, int, bool], int] = {}
        # No fork goes on with the run of its parent.
        self._lock = threading.RLock()

    def prepare(self, expr: Expr) -> Evaluate:
        """The expression, compiled."""
        if isinstance(expr, ColumnRef):
            return methodcaller("column", expr.symbol)
        steps = self.compile((expr,))
        return partial(self._one, self._run if steps.is_straight else self._run_with_care, steps)

    def compile(self, exprs: tuple[Expr, ...]) -> Steps:
        """The expressions as steps."""
        return self.compiler.compile(exprs)

    def rows(self, exprs: tuple[Expr, ...]) -> Callable[[Batch], list[Column]]:
        """Several expressions, compiled together, as columns of the batch's rows."""
        steps = self.compile(exprs)
        return partial(self._rows, self._run if steps.is_straight else self._run_with_care, steps)

    def evaluate(self, expr: Expr, batch: Batch) -> Column:
        """The values of `expr` for the rows of `batch` (a constant column where it does not depend on them)."""
        return self.prepare(expr)(batch)

    def _one(self, run: _Run, steps: Steps, batch: Batch) -> Column:
        root, values = steps.roots[0], batch.values
        if root not in values:
            values.update(steps.constants)
            run(steps, batch)
        return values[root]

    def _rows(self, run: _Run, steps: Steps, batch: Batch) -> list[Column]:
        values = batch.values
        values.update(steps.constants)
        for symbol in steps.loads:
            if symbol not in values:
                batch.column(symbol)
        if steps.order:
            run(steps, batch)
        columns = list(map(values.__getitem__, steps.roots))
        for place, column in enumerate(columns):
            if column.is_constant:
                columns[place] = column.expand(batch.rows)
        return columns

    def _run(self, steps: Steps, batch: Batch) -> None:
        """Compute what the batch does not know yet of the roots that are steps; it has their constants."""
        values, interrupt = batch.values, self._interrupt
        for step in steps.order:
            if step.slot in values:
                continue
            if interrupt is not None and interrupt.stopped:
                raise interrupt.error()
            for symbol in step.loads:
                if symbol not in values:
                    batch.column(symbol)
            try:
                values[step.slot] = step.compute(batch, values)
            except ExecutionError as error:
                self._say_where(error, step)
                raise

    def _run_with_care(self, steps: Steps, batch: Batch) -> None:
        """The same where some steps need not be computed, or may fail."""
        values, interrupt = batch.values, self._interrupt
        wanted = self._wanted(steps, batch)
        failed: dict[Key, ExecutionError] = {}
        for step, drops in zip(steps.order, steps.drops, strict=True):
            slot = step.slot
            if slot not in wanted:
                continue
            if interrupt is not None and interrupt.stopped:
                raise interrupt.error()
            try:
                values[slot] = self._computed(step, batch, failed)
            except ExecutionError as error:
                if not steps.is_guarded:
                    raise
                failed[slot] = error
            for done in drops:
                values.pop(done, None)
        for root in steps.roots:
            if root in failed:
                raise failed[root]

    def _computed(self, step: Step, batch: Batch, failed: dict[Key, ExecutionError]) -> Column:
        values = batch.values
        try:
            for key in step.inputs:
                if key in failed:
                    raise failed[key]
            for symbol in step.loads:
                if symbol not in values:
                    batch.column(symbol)
            return step.compute(batch, values)
        except ExecutionError as error:
            self._say_where(error, step)
            # One of the arguments failed on some row, perhaps one that does not need it.
            if not step.is_guard:
                raise
            node = step.node
            if isinstance(node, Case):
                return case_by_rows(self.evaluate, node, batch, self.device)
            if isinstance(node, LambdaCall):
                return self.evaluate(asked_by_elements(node), batch)
            by_rows = caught_by_rows if isinstance(node, Call) and find(node.function).catches else first_by_rows
            return by_rows(self.evaluate, node, batch, self.device)

    def _say_where(self, error: ExecutionError, step: Step) -> None:
        """Note the innermost step that failed, or the lambda around it, unless somebody stopped the query in it."""
        if isinstance(error, QueryInterruptedError):
            return
        if error.expression is None or isinstance(step.node, LambdaCall):
            # Rows are numbered for what a `MadeName` calls: no text has these arguments.
            function = step.node.function if isinstance(step.node, Call) else None
            is_spoken = function not in UNSPOKEN and not isinstance(function, MadeName)
            error.say(self.compiler.shown, step.node, is_spoken=is_spoken)

    def _wanted(self, steps: Steps, batch: Batch) -> set[Key]:
        """The slots to compute: those that are not known already, directly or by the entries of a dictionary."""
        values = batch.values
        wanted = set(steps.roots)
        for step in reversed(steps.order):
            slot = step.slot
            if slot not in wanted:
                continue
            if slot not in values:
                column = self._at_once(step, batch) if step.may_be_spared else None
                if column is None:
                    wanted.update(step.inputs)
                    continue
                values[slot] = column
            wanted.discard(slot)
        return wanted

    def _at_once(self, step: Step, batch: Batch) -> Column | None:
        """The step's values where its arguments need not be computed for the rows; else None."""
        try:
            if step.text is not None and not batch.of_entries:
                column = self._on_dictionary(step, step.text, batch)
                if column is not None:
                    return column
            if step.pairs is not None:
                return self._of_pairs(step.pairs, step, batch)
        except (ExecutionError, ModelError):
            # It fails again where it is needed for the rows, and is dealt with there.
            return None
        if step.together is not None:
            assert isinstance(step.node, Predict)
            together = batch.values.get(step.together)
            return None if together is None else one_of(together, step.node)
        return None

    def _of_pairs(self, compute: OfPairs, step: Step, batch: Batch) -> Column | None:
        """A function of two arrays that are chosen rows of whole columns, which are not gathered; None of others.

        One of them may be a constant.
        """
        sides: list[tuple[Tensor, Tensor | None]] = []
        valid: Tensor | None = None
        for arg in step.node.children:
            part = batch.origin(arg.symbol) if isinstance(arg, ColumnRef) else None
            rows = None if part is None else part.rows
            if part is not None and isinstance(arg, ColumnRef) and rows is not None:
                column, known = part.columns[arg.symbol], part.valid(arg.symbol)
                if column.is_constant or len(column) == 0:
                    return None
                sides.append((column.data, rows))
            elif isinstance(arg, ColumnRef):
                return None
            else:
                column = self.evaluate(arg, batch)
                if not column.is_constant:
                    return None
                sides.append((column.data.unsqueeze(0), None))
                known = None if column.valid is None else column.valid.expand(batch.rows)
            if known is not None:
                valid = known if valid is None else valid & known
        if all(rows is None for _, rows in sides):
            return None
        zeros = torch.zeros((), dtype=torch.int64, device=self.device).expand(batch.rows)
        (a, i), (b, j) = sides
        return Column(compute(a, b, zeros if i is None else i, zeros if j is None else j), step.node.dtype, valid)

    def _on_dictionary(self, step: Step, symbol: str, batch: Batch) -> Column | None:
        """The step by its values for the entries of `symbol`, the one text column that it reads; None where that cannot be."""
        column = batch.column(symbol)
        dictionary = column.dictionary
        if dictionary is None or column.is_constant or not dictionary.is_sorted or len(dictionary) == 0:
            return None
        if step.asks_python and len(dictionary) > batch.rows:
            # Few rows: their strings alone are asked for, and remembered by the model.
            return None
        if self.is_for_rows(step, dictionary, column.valid is not None, batch.rows):
            return None
        lookup = self.over_entries(step, column.dtype, dictionary, column.valid is not None)
        if lookup is None:
            return None
        if lookup.is_constant:
            return lookup
        key = (step.slot, id(dictionary), column.valid is not None)
        passing = self._ranges.of(key, lookup, len(dictionary), batch.rows)
        if passing is not None:
            return Column(passing.holds(column.data), lookup.dtype, column.valid)
        codes = column.data if column.data.dtype == _CODES else column.data.to(_CODES)
        if column.valid is not None:
            null = torch.full((), len(dictionary), dtype=_CODES, device=self.device)
            codes = torch.where(column.valid, codes, null)
        return lookup.take(codes)

    def is_for_rows(self, step: Step, dictionary: Dictionary, nullable: bool, rows: int) -> bool:
        """Whether so many rows, and those of earlier batches, are few beside the entries, of which they then use few.

        Where the values for the entries are known, as whatever was announced with their dictionary or bounds, they are taken.
        """
        key = (step.slot, id(dictionary), nullable)
        if key in self._lookups or len(dictionary) <= self.compiler.limits.entries_at_once:
            return False
        # Two threads may count one batch for two: that is as right.
        self._asked[key] = asked = self._asked.get(key, 0) + rows
        return 2 * asked <= len(dictionary)

    def over_entries(self, step: Step, dtype: DType, dictionary: Dictionary, nullable: bool) -> Column | None:
        """The step's values for all entries of the one text column that it reads; computed once a run.

        Where the column may have NULLs the value for NULL comes after them. None where the step fails for an entry: perhaps no
        row has that one.
        """
        key = (step.slot, id(dictionary), nullable)
        found = self._lookups.get(key)
        if found is None:
            assert step.text is not None
            with self._lock:
                pieces = self._pieces.get(key)
                is_first = pieces is None
                if pieces is None:
                    pieces = self._pieces[key] = self._in_pieces(step, step.text, dtype, dictionary, nullable)
            # Not under the lock: who comes meanwhile takes pieces, too.
            if is_first and self.spread is not None and pieces.count > 1:
                self.spread([pieces.work] * pieces.count)
            columns = pieces.result()
            with self._lock:
                found = self._lookups.get(key)
                if found is None:
                    found = self._lookups[key] = dictionary, _below_one_another(columns)
        return found[1]

    def _in_pieces(
        self, step: Step, symbol: str, dtype: DType, dictionary: Dictionary, nullable: bool
    ) -> Pieces[_Piece]:
        """The step's values for the entries, and NULL: in pieces where they are many and there are threads for these."""
        count = len(dictionary) + nullable
        size = self.compiler.limits.entries_a_piece
        if size is None or self.spread is None or step.asks_python:
            size = count
        return Pieces(
            [
                partial(self._for_entries, step.node, symbol, dtype, dictionary, start, min(start + size, count))
                for start in range(0, count, size)
            ]
        )

    def _for_entries(
        self, expr: Expr, symbol: str, dtype: DType, dictionary: Dictionary, start: int, stop: int
    ) -> _Piece:
        """The values for some entries; that after the last one is NULL. None where the expression fails for one of them."""
        entries = len(dictionary)
        codes = torch.arange(start, stop, dtype=_CODES, device=self.device)
        valid = None
        if stop > entries:
            valid = codes < entries
            codes = codes.clamp(max=entries - 1)
        text = Column(codes, dtype, valid, dictionary, (min(start, entries - 1), min(stop, entries) - 1))
        rows = Batch.of({symbol: text}, stop - start)
        rows.of_entries = True
        try:
            column = self.evaluate(expr, rows)
        except (ExecutionError, ModelError):
            return None
        return column, stop - start


def _below_one_another(pieces: list[_Piece]) -> Column | None:
    known = [piece for piece in pieces if piece is not None]
    if len(known) < len(pieces):
        return None
    return known[0][0] if len(known) == 1 else concat([column for column, _ in known], [rows for _, rows in known])


def _of_lambda(compiler: Compiler, body: Expr, batch: Batch) -> Column:
    return Evaluator(Settings(device=str(compiler.device)), compiler).evaluate(body, batch)


Compiler.evaluate = _of_lambda
