"""Lambdas in a run: the body of one, evaluated for the elements of many lists at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from tqp.data.column import Column
from tqp.functions.lists.applying import APPLIED
from tqp.ir.expr import LambdaCall
from tqp.operators.batch import Batch

if TYPE_CHECKING:
    from tqp.operators.batch import Key, Values

__all__ = ["applying"]

Run = Callable[[Batch], Column]
"""The body, for the rows of a batch."""


def applying(call: LambdaCall, keys: tuple[Key, ...], run: Run) -> Callable[[Batch, Values], Column]:
    """What computes the call from the values of its arguments."""
    told = APPLIED[call.function]
    count = len(keys) - len(call.captured)

    def compute(batch: Batch, values: Values) -> Column:
        args = [values[key] for key in keys]
        rows = next((len(arg) for arg in args if not arg.is_constant), None)
        whole = [arg.expand(1 if rows is None else rows) for arg in args[:count]]
        captured = args[count:]

        def apply(params: Sequence[Column], owners: Tensor) -> Column:
            columns = {ref.symbol: column for ref, column in zip(call.params, params, strict=False)}
            taken = (column if column.is_constant else column.take(owners) for column in captured)
            columns.update(zip((ref.symbol for ref in call.captured), taken, strict=True))
            return run(Batch.of(columns, owners.shape[0]))

        made = told(whole, apply, call.type)
        return made if rows is not None else made.map(lambda tensor: tensor[0])

    return compute
