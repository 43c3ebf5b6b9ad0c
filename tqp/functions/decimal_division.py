"""decimal_division: exact, to as many digits as SQL Server gives."""

from __future__ import annotations

import torch

from tqp.data.column import Column, constant
from tqp.errors import BindError, ExecutionError
from tqp.functions import decimals, exact
from tqp.functions.promotion import MAX_PRECISION, decimal_of_integer
from tqp.functions.registry import Args, Signature, expect, scalar
from tqp.ir.expr import Expr, Literal
from tqp.kernels import wide
from tqp.types import INTEGER, NULL, DType, decimal, integer_range

__all__: list[str] = []


def _types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 3:
        expect(args, 2, "decimal_division")
    if any(arg.dtype == NULL for arg in args):
        return tuple(arg.dtype for arg in args), NULL
    kinds = []
    for arg in args[:2]:
        dtype = decimal_of_integer(arg.dtype) if arg.dtype.is_integer else arg.dtype
        if not dtype.is_decimal:
            raise BindError(f"decimal_division takes DECIMALs, not {dtype}", hint="write CAST(... AS DECIMAL(18, 2))")
        kinds.append(dtype)
    first, second = kinds
    scale = max(6, first.scale + second.precision + 1) if len(args) == 2 else _scale(args[2])
    width = first.precision - first.scale + second.scale + scale
    if max(scale, width) > MAX_PRECISION:
        raise BindError(f"the quotient needs {max(scale, width)} digits; {MAX_PRECISION} are the most")
    return (first, second, *(INTEGER for _ in args[2:])), decimal(width, scale)


def _scale(arg: Expr) -> int:
    if not isinstance(arg, Literal) or not isinstance(arg.value, int) or arg.value < 0:
        raise BindError("the digits of decimal_division are a constant, from 0 on")
    return arg.value


@scalar("decimal_division", types=_types)
def _decimal_division(args: Args, out: DType) -> Column:
    """Halves go to the even one; ExecutionError for a division by 0. A third argument is the number of digits behind the point."""
    if out == NULL:
        return constant(None, out, args[0].device)
    first, second = args[:2]
    divisors = exact.as_wide(second)
    zero = (divisors == 0).all(-1)
    if exact.first_bad(zero, (first, second)) is not None:
        raise ExecutionError("decimal_division: division by zero")
    # As many digits as the result has, which holds them.
    scaled, _ = decimals.rescale(first, decimal(MAX_PRECISION, 0), out.scale - first.dtype.scale + second.dtype.scale)
    one = wide.scalar(1, divisors.device)
    found = decimals.divided_to_even(exact.as_wide(scaled), torch.where(zero[..., None], one, divisors))
    return exact.wide_column(found, out, integer_range(out))
