"""Expressions that fail for some rows: a CASE, COALESCE or TRY that computes each branch for the rows that reach it."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.errors import ExecutionError, QueryInterruptedError
from tqp.functions.align import concat
from tqp.ir.expr import Case, Expr
from tqp.kernels.rows import select
from tqp.operators.batch import Batch
from tqp.operators.computing import truth
from tqp.types import DType

__all__ = ["case_by_rows", "caught_by_rows", "first_by_rows"]

_Chosen = tuple[Tensor, Column]
"""Some rows of a batch (m,) int64, and their values (m,)."""

_Evaluate = Callable[[Expr, Batch], Column]


def case_by_rows(evaluate: _Evaluate, expr: Case, batch: Batch, device: torch.device) -> Column:
    """Each condition for the rows that reach it, each value for the rows that choose it."""
    open_rows = _all_rows(batch, device)
    chosen: list[_Chosen] = []
    for condition, value in zip(expr.conditions, expr.values, strict=True):
        rest = batch.choose(open_rows)
        mask = truth(evaluate(condition, rest).expand(rest.rows))
        rows = open_rows.index_select(0, select(mask))
        # A constant that fails does so for no rows, too.
        if rows.shape[0]:
            chosen.append((rows, evaluate(value, batch.choose(rows))))
        open_rows = open_rows.index_select(0, select(~mask))
    if open_rows.shape[0]:
        chosen.append((open_rows, evaluate(expr.default, batch.choose(open_rows))))
    return _put_together(chosen, expr.dtype, batch, device)


def first_by_rows(evaluate: _Evaluate, expr: Expr, batch: Batch, device: torch.device) -> Column:
    """The first value that is not NULL: each argument for the rows where those before it are NULL."""
    open_rows = _all_rows(batch, device)
    chosen: list[_Chosen] = []
    for place, arg in enumerate(expr.children, 1):
        rows = open_rows.shape[0]
        if rows == 0:
            break
        column = evaluate(arg, batch.choose(open_rows))
        if column.valid is None or place == len(expr.children):
            chosen.append((open_rows, column))
            break
        valid = column.valid.expand(rows)
        taken = select(valid)
        chosen.append((open_rows.index_select(0, taken), column.take(taken)))
        open_rows = open_rows.index_select(0, select(~valid))
    return _put_together(chosen, expr.dtype, batch, device)


def caught_by_rows(evaluate: _Evaluate, expr: Expr, batch: Batch, device: torch.device) -> Column:
    """The argument, NULL for rows for which it fails, found by halves. Cost: 2 log n evaluations for each of these."""
    chosen: list[_Chosen] = []
    pending = [_all_rows(batch, device)]
    while pending:
        rows = pending.pop()
        try:
            chosen.append((rows, evaluate(expr.children[0], batch.choose(rows))))
        except QueryInterruptedError:
            raise
        except ExecutionError:
            if rows.shape[0] <= 1:
                chosen.append((rows, constant(None, expr.dtype, device)))
            else:
                pending += rows.tensor_split(2)
    return _put_together(chosen, expr.dtype, batch, device)


def _all_rows(batch: Batch, device: torch.device) -> Tensor:
    return torch.arange(batch.rows, dtype=torch.int64, device=device)


def _put_together(chosen: list[_Chosen], dtype: DType, batch: Batch, device: torch.device) -> Column:
    """The values of some rows each, or one for them, which are all rows of the batch, in the order of the rows."""
    if not chosen:
        return constant(None, dtype, device).expand(0)
    order = torch.cat([rows for rows, _ in chosen])
    back = torch.empty_like(order).index_copy_(0, order, _all_rows(batch, device))
    return concat([column for _, column in chosen], [rows.shape[0] for rows, _ in chosen]).take(back)
