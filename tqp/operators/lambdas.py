"""Lambdas in a run: the body of one, evaluated for the elements of many lists at once.

What the body asks of the row is computed for rows; where that fails for one of them, for the elements that ask for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from torch import Tensor

from tqp.data.column import Column, constant
from tqp.errors import ExecutionError, QueryInterruptedError
from tqp.functions.lists.applying import APPLIED
from tqp.ir.expr import ColumnRef, Expr, LambdaCall, Literal
from tqp.ir.inputs import Input
from tqp.ir.visit import rewrite
from tqp.operators.batch import Batch

if TYPE_CHECKING:
    from tqp.operators.batch import Key, Values

__all__ = ["applying", "asked_by_elements", "computes_for_rows"]

Run = Callable[[Batch], Column]
"""The body, for the rows of a batch."""


def applying(call: LambdaCall, keys: tuple[Key, ...], run: Run) -> Callable[[Batch, Values], Column]:
    """What computes the call from the values of its arguments."""
    told = APPLIED[call.function]
    count = len(keys) - len(call.captured)
    body = call.body
    assert body is not None

    def compute(batch: Batch, values: Values) -> Column:
        args = [values[key] for key in keys]
        rows = next((len(arg) for arg in args if not arg.is_constant), None)
        whole = [arg.expand(1 if rows is None else rows) for arg in args[:count]]
        captured = args[count:]

        def apply(params: Sequence[Column], owners: Tensor) -> Column:
            columns = {ref.symbol: column for ref, column in zip(call.params, params, strict=False)}
            taken = (column if column.is_constant else column.take(owners) for column in captured)
            columns.update(zip((ref.symbol for ref in call.captured), taken, strict=True))
            try:
                return run(Batch.of(columns, owners.shape[0]))
            except QueryInterruptedError:
                raise
            except ExecutionError:
                # A constant that fails does so for no elements, too.
                if owners.shape[0]:
                    raise
                return constant(None, body.dtype, owners.device).expand(0)

        made = told(whole, apply, call.type)
        return made if rows is not None else made.map(lambda tensor: tensor[0])

    return compute


def computes_for_rows(call: LambdaCall) -> bool:
    """Whether a value that the body asks of the row is more than a column or a constant, so that it may fail."""
    return not all(isinstance(arg, ColumnRef | Literal) for arg in _asked(call))


def asked_by_elements(call: LambdaCall) -> LambdaCall:
    """The same with these values in the body, which asks the row for columns and inputs alone."""
    assert call.body is not None
    leaves: dict[ColumnRef | int, tuple[ColumnRef, Expr]] = {}

    def leaf(node: Expr) -> Expr | None:
        if not isinstance(node, ColumnRef | Input):
            return None
        # Inputs that are equal now need not be so in another run.
        name = node.number if isinstance(node, Input) else node
        ref = ColumnRef(f"{call.captured[0].symbol} {len(leaves)}", node.dtype)
        return leaves.setdefault(name, (ref, node))[0]

    values = {ref: rewrite(arg, leaf) for ref, arg in zip(call.captured, _asked(call), strict=True)}
    body = rewrite(call.body, lambda node: values.get(node) if isinstance(node, ColumnRef) else None)
    args = call.args[: len(call.args) - len(call.captured)]
    captured = tuple([ref for ref, _ in leaves.values()])
    return replace(call, args=(*args, *(asked for _, asked in leaves.values())), captured=captured, body=body)


def _asked(call: LambdaCall) -> tuple[Expr, ...]:
    return call.args[len(call.args) - len(call.captured) :]
