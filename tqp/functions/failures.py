"""Errors that a query asks for, and those that it expects: error(…) and TRY(…)."""

from __future__ import annotations

import pyarrow as pa

from tqp.data.column import Column, constant
from tqp.functions.entries import spread
from tqp.functions.measured import by_values
from tqp.functions.registry import Args, Signature, expect, scalar
from tqp.functions.signatures import fixed
from tqp.ir.expr import Expr
from tqp.types import NULL, VARCHAR, DType

__all__: list[str] = []


def _same_type(args: tuple[Expr, ...]) -> Signature:
    expect(args, 1, "TRY")
    return (args[0].dtype,), args[0].dtype


@scalar("try", types=_same_type, strict=False, strict_first=1, catches=True)
def _try(args: Args, out: DType) -> Column:
    """The argument; where it fails for a row the evaluator gives NULL in its place."""
    if not args[0].is_constant and len(args[0]) == 0:
        by_values()
    return args[0]


@scalar("error", types=fixed("error", NULL, VARCHAR))
def _error(args: Args, out: DType) -> Column:
    """ExecutionError with the text of the first row that has one; NULL where none has."""
    (text,) = args
    entries = spread(args)
    entries.check(pa.array([True] * entries.count), args, lambda entry: str(entries.array(0)[entry].as_py()))
    return constant(None, out, text.device)
