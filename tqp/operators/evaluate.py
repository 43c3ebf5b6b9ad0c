"""Evaluate expressions on a batch.

Every node becomes one call of its function's kernel on whole columns, in an order that is made once an expression
(`Steps`): no recursion, and a node that others share is computed once. Two things are done once a query instead of once
a row: an expression over one text column runs on the entries of the column's dictionary and rows only gather
(`_on_dictionary`), and a sub-expression that a batch met before is remembered.

Where an expression fails on a row, that row may never reach it: the failure goes up to the CASE or COALESCE around it, which
then computes each branch for its own rows. Without one around it, it is the query's.
"""

from __future__ import annotations

import threading
from dataclasses import replace

import torch
from torch import Tensor

from tqp.config import Settings
from tqp.data.column import Column, constant
from tqp.data.dictionary import Dictionary
from tqp.errors import ExecutionError, InternalError
from tqp.functions.align import concat, merge_rows
from tqp.functions.bind import bind
from tqp.functions.cast import cast
from tqp.functions.registry import OfPairs, find
from tqp.interrupt import checkpoint
from tqp.ir import words
from tqp.ir.expr import Call, Case, Cast, ColumnRef, Exists, Expr, InSubquery, Literal, Predict, ScalarSubquery
from tqp.ir.visit import walk
from tqp.kernels.rows import select
from tqp.operators.batch import Batch
from tqp.operators.predict import one_of, predict, reads_strings, whole
from tqp.operators.steps import Steps, is_guard, steps_of

__all__ = ["Evaluator", "truth"]

_CODES = torch.int32


class Evaluator:
    """What one execution of a query remembers between batches: constants and dictionary lookups."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.device = torch.device(settings.device)
        self._constants: dict[Literal, Column] = {}
        self._lookups: dict[tuple[Expr, int, bool], tuple[Dictionary, Column | None]] = {}
        self._steps: dict[Expr, Steps] = {}
        self._lock = threading.RLock()

    def evaluate(self, expr: Expr, batch: Batch) -> Column:
        """The values of `expr` for the rows of `batch` (a constant column where it does not depend on them)."""
        match expr:
            case ColumnRef():
                return batch.column(expr.symbol)
            case Literal():
                return self._constant(expr)
            case Call() | Cast() | Case() | Predict():
                column = batch.memo.get(expr)
                return self._run(expr, batch) if column is None else column
            case ScalarSubquery() | Exists() | InSubquery():
                raise InternalError("a subquery was not decorrelated")
            case _:
                raise InternalError(f"cannot evaluate {type(expr).__name__}")

    def _run(self, expr: Expr, batch: Batch) -> Column:
        steps = self._steps.get(expr)
        if steps is None:
            steps = self._steps.setdefault(expr, steps_of(expr))
        memo = batch.memo
        wanted = self._wanted(steps, batch)
        failed: dict[Expr, ExecutionError] = {}
        for step in steps.steps:
            node = step.node
            if node not in wanted or node in memo:
                continue
            checkpoint()
            error = next((failed[child] for child in step.inputs if child in failed), None) if failed else None
            try:
                memo[node] = self._compute(node, batch) if error is None else self._by_rows(node, batch, error)
            except ExecutionError as problem:
                if not steps.guarded:
                    raise
                failed[node] = problem
            for done in step.last_uses:
                memo.pop(done, None)
        if expr in failed:
            raise failed[expr]
        return memo[expr]

    def _wanted(self, steps: Steps, batch: Batch) -> set[Expr]:
        """The nodes to compute: those that are not known already, directly or by the entries of a dictionary."""
        memo = batch.memo
        wanted = {steps.steps[-1].node}
        for step in reversed(steps.steps):
            node = step.node
            if node not in wanted:
                continue
            if node not in memo:
                try:
                    column = self._at_once(node, steps, batch)
                except ExecutionError:
                    # It fails again where it is needed for the rows, and is dealt with there.
                    column = None
                if column is None:
                    wanted.update(step.inputs)
                    continue
                memo[node] = column
            wanted.discard(node)
        return wanted

    def _at_once(self, node: Expr, steps: Steps, batch: Batch) -> Column | None:
        """The node's values where its arguments need not be computed for the rows; else None."""
        if not batch.of_entries:
            symbol = steps.text_symbols.get(node)
            column = None if symbol is None else self._on_dictionary(node, symbol, batch)
            if column is not None:
                return column
        match node:
            case Call():
                compute = find(node.function).of_pairs
                return None if compute is None else self._of_pairs(compute, node, batch)
            case Predict(output=int()):
                together = batch.memo.get(whole(node))
                return None if together is None else one_of(together, node)
            case _:
                return None

    def _constant(self, literal: Literal) -> Column:
        column = self._constants.get(literal)
        if column is None:
            # One for all threads: what a model said of a constant is remembered by it.
            column = self._constants.setdefault(literal, constant(literal.value, literal.dtype, self.device))
        return column

    def _compute(self, expr: Expr, batch: Batch) -> Column:
        """The node's values, those of its arguments known already or columns of the batch."""
        if not is_guard(expr):
            return self._compute_eagerly(expr, batch)
        try:
            return self._compute_eagerly(expr, batch)
        except ExecutionError as error:
            return self._by_rows(expr, batch, error)

    def _compute_eagerly(self, expr: Expr, batch: Batch) -> Column:
        match expr:
            case Call():
                return self._call(expr, batch)
            case Cast():
                return cast(self.evaluate(expr.arg, batch), expr.type, expr.safe)
            case Case():
                return self._case(expr, batch)
            case Predict():
                args = [self.evaluate(arg, batch) for arg in expr.args]
                found = predict(expr, args, batch.rows, self.device)
                for other, column in found.items():
                    batch.memo[other] = column
                return found[expr]
            case _:
                raise InternalError(f"cannot evaluate {type(expr).__name__}")

    def _by_rows(self, expr: Expr, batch: Batch, error: ExecutionError) -> Column:
        """A node one of whose arguments failed on some row, perhaps one that does not need it."""
        if not is_guard(expr):
            raise error
        if isinstance(expr, Case):
            return self._case_by_rows(expr, batch)
        args = expr.children
        tests = tuple(bind(words.NOT, bind(words.IS_NULL, arg)) for arg in args[:-1])
        return self._case_by_rows(Case(tests, args[:-1], args[-1]), batch)

    def _call(self, expr: Call, batch: Batch) -> Column:
        function = find(expr.function)
        if function.strict and any(isinstance(arg, Literal) and arg.value is None for arg in expr.args):
            # The other arguments cannot matter, nor be wrong.
            return self._constant(Literal(None, expr.type))
        args = [self.evaluate(arg, batch) for arg in expr.args]
        result = function.kernel(args, expr.type)
        if not function.strict:
            return result
        valid = result.valid
        for arg in args:
            if arg.valid is not None:
                valid = arg.valid if valid is None else valid & arg.valid
        if valid is not None and valid.ndim == 1 and result.is_constant:
            result = result.expand(valid.shape[0])
        elif valid is not None and valid.ndim == 0 and not result.is_constant:
            valid = valid.expand(len(result))
        return replace(result, valid=valid)

    def _of_pairs(self, compute: OfPairs, expr: Call, batch: Batch) -> Column | None:
        """A function of two arrays that are chosen rows of whole columns, which are not gathered; None of others.

        One of them may be a constant.
        """
        sides: list[tuple[Tensor, Tensor | None]] = []
        valid: Tensor | None = None
        for arg in expr.args:
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
        return Column(compute(a, b, zeros if i is None else i, zeros if j is None else j), expr.type, valid)

    def _case(self, expr: Case, batch: Batch) -> Column:
        result = self.evaluate(expr.default, batch)
        pairs = list(zip(expr.conditions, expr.values, strict=True))
        for condition, value in reversed(pairs):
            mask = truth(self.evaluate(condition, batch))
            result = merge_rows(mask, self.evaluate(value, batch), result)
        return result

    def _case_by_rows(self, expr: Case, batch: Batch) -> Column:
        open_rows = torch.arange(batch.rows, dtype=torch.int64, device=self.device)
        chosen: list[tuple[Tensor, Column]] = []
        for condition, value in zip(expr.conditions, expr.values, strict=True):
            rest = batch.choose(open_rows)
            mask = truth(self.evaluate(condition, rest).expand(rest.rows))
            taken = select(mask)
            rows = open_rows.index_select(0, taken)
            # A constant that fails does so for no rows, too.
            if rows.shape[0]:
                chosen.append((rows, self.evaluate(value, batch.choose(rows)).expand(rows.shape[0])))
            open_rows = open_rows.index_select(0, select(~mask))
        rows = open_rows
        if rows.shape[0]:
            chosen.append((rows, self.evaluate(expr.default, batch.choose(rows)).expand(rows.shape[0])))
        if not chosen:
            return self._constant(Literal(None, expr.dtype)).expand(0)
        order = torch.cat([rows for rows, _ in chosen])
        back = torch.empty_like(order).index_copy_(0, order, torch.arange(batch.rows, device=self.device))
        return concat([column for _, column in chosen], [rows.shape[0] for rows, _ in chosen]).take(back)

    def _on_dictionary(self, expr: Expr, symbol: str, batch: Batch) -> Column | None:
        """`expr` by its values for the entries of `symbol`, the one text column that it reads; None where that cannot be."""
        column = batch.column(symbol)
        dictionary = column.dictionary
        if dictionary is None or column.is_constant or not dictionary.is_sorted or len(dictionary) == 0:
            return None
        if len(dictionary) > batch.rows and self._asks_python(expr):
            # Few rows: their strings alone are asked for, and remembered by the model.
            return None
        key = (expr, id(dictionary), column.valid is not None)
        with self._lock:
            found = self._lookups.get(key)
            if found is None:
                found = (dictionary, self._for_entries(expr, symbol, column, dictionary))
                self._lookups[key] = found
        lookup = found[1]
        if lookup is None:
            return None
        if lookup.is_constant:
            return lookup
        codes = column.data if column.data.dtype == _CODES else column.data.to(_CODES)
        if column.valid is not None:
            null = torch.full((), len(dictionary), dtype=_CODES, device=self.device)
            codes = torch.where(column.valid, codes, null)
        return lookup.take(codes)

    def _asks_python(self, expr: Expr) -> bool:
        """Whether a model that is asked string by string is part of the expression."""
        return any(isinstance(node, Predict) and reads_strings(node) for node in walk(expr))

    def _for_entries(self, expr: Expr, symbol: str, column: Column, dictionary: Dictionary) -> Column | None:
        """`expr` for every entry of the dictionary and, where the column has NULLs, for NULL after them.

        None where it fails for an entry: perhaps no row has that one.
        """
        entries = len(dictionary)
        nullable = column.valid is not None
        codes = torch.arange(entries + nullable, dtype=_CODES, device=self.device)
        valid = None
        if nullable:
            valid = codes < entries
            codes = codes.clamp(max=entries - 1)
        text = Column(codes, column.dtype, valid, dictionary, (0, entries - 1))
        rows = Batch.of({symbol: text}, entries + nullable)
        rows.of_entries = True
        try:
            return self.evaluate(expr, rows)
        except ExecutionError:
            return None


def truth(column: Column) -> Tensor:
    """A BOOLEAN column as a mask: True where it is true, False where false or NULL."""
    return column.data if column.valid is None else column.data & column.valid
