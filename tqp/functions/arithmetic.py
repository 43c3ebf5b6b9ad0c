"""The operators + - * / // % and negation, on numbers, dates and intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import clipped, narrowest
from tqp.errors import BindError, ExecutionError
from tqp.functions import exact, steps
from tqp.functions.bignums import of_bignums
from tqp.functions.promotion import MAX_PRECISION, common_type, decimal_of_integer
from tqp.functions.registry import Args, Rises, Signature, TypeRule, expect, scalar
from tqp.functions.unify import fits, is_plain_integer, is_text_literal
from tqp.ir.expr import Expr, Literal
from tqp.ir.inputs import decided
from tqp.kernels import wide
from tqp.kernels.division import trunc_div, trunc_rest
from tqp.kernels.nan import signed_nan
from tqp.kernels.remainder import remainder as float_remainder
from tqp.types import (
    BIGINT,
    DOUBLE,
    FLOAT,
    HUGEINT,
    INTEGER,
    INTERVAL,
    NULL,
    DType,
    Kind,
    decimal,
    integer_range,
)

__all__ = ["integer_result"]

_SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "intdiv": "//", "mod": "%"}


def _mismatch(op: str, args: tuple[Expr, ...]) -> NoReturn:
    types = f" {_SYMBOLS[op]} ".join(str(arg.dtype) for arg in args)
    raise BindError(f"there is no {types}", hint="cast an operand to the type that is meant")


def integer_result(a: Expr, b: Expr) -> DType:
    """The type of arithmetic on two integer expressions; a literal that fits takes the other's type."""
    for literal, other in ((a, b), (b, a)):
        if is_plain_integer(literal) and not is_plain_integer(other) and fits(literal, other.dtype):
            return other.dtype
    low, high = integer_range(a.dtype), integer_range(b.dtype)
    if (low[0] < 0) == (high[0] < 0):
        return max(a.dtype, b.dtype, key=lambda dtype: integer_range(dtype)[1])
    signed, unsigned = (a.dtype, b.dtype) if low[0] < 0 else (b.dtype, a.dtype)
    if unsigned.kind is Kind.UHUGEINT:
        return DOUBLE
    if integer_range(signed)[1] >= integer_range(unsigned)[1]:
        return signed
    return HUGEINT if unsigned.kind is Kind.UBIGINT else BIGINT


def _as_decimal(dtype: DType) -> DType:
    return dtype if dtype.is_decimal else decimal_of_integer(dtype)


def _reads_text(op: str, place: int, other: DType) -> bool:
    """Whether a text literal at this place is a number beside one of this type: not where it may be a DATE or INTERVAL."""
    if not other.is_numeric:
        return False
    match op:
        case "add":
            return other != INTEGER
        case "sub":
            return other != INTEGER or place == 1
        case "mul":
            return other not in (BIGINT, DOUBLE) and not other.is_decimal
        case "div":
            return other == FLOAT or place == 1
    return True


def _numbers(op: str, args: tuple[Expr, ...]) -> tuple[DType, DType]:
    """The operands' types, where NULL and a text literal take the other's; BindError unless both are numbers.

    A text literal and a DECIMAL are both read as DOUBLE.
    """
    if len(args) != 2:
        raise BindError(f"{op} takes 2 arguments, not {len(args)}")
    a, b = args[0].dtype, args[1].dtype
    if a == NULL and b == NULL:
        a = b = BIGINT
    if a == NULL or (is_text_literal(args[0]) and _reads_text(op, 0, b)):
        a = b = DOUBLE if a != NULL and b.is_decimal else b
    if b == NULL or (is_text_literal(args[1]) and _reads_text(op, 1, a)):
        a = b = DOUBLE if b != NULL and a.is_decimal else a
    if not (a.is_numeric and b.is_numeric):
        _mismatch(op, args)
    return a, b


def _float_or_none(a: DType, b: DType) -> DType | None:
    if DOUBLE in (a, b):
        return DOUBLE
    return FLOAT if FLOAT in (a, b) else None


def _same_scale(wanted: DType, result: DType) -> DType:
    # Numbers that count the same units already need no cast, whatever their precision.
    return wanted if wanted.scale == result.scale else result


def _sum_types(op: str, args: tuple[Expr, ...], extra_digit: int = 1) -> Signature:
    a, b = _numbers(op, args)
    floating = _float_or_none(a, b)
    if floating is not None:
        return (floating, floating), floating
    if a.is_integer and b.is_integer:
        return _integers(args, a, b)
    x, y = _as_decimal(a), _as_decimal(b)
    scale = max(x.scale, y.scale)
    width = max(x.precision - x.scale, y.precision - y.scale) + scale + extra_digit
    if not extra_digit and width > MAX_PRECISION:
        return (DOUBLE, DOUBLE), DOUBLE
    result = decimal(min(width, MAX_PRECISION), scale)
    return (_same_scale(a, result), _same_scale(b, result)), result


def _integers(args: tuple[Expr, ...], a: DType, b: DType) -> Signature:
    result = integer_result(*args) if args[0].dtype == a and args[1].dtype == b else a
    return ((a, b) if result.is_integer else (result, result)), result


def _product_types(args: tuple[Expr, ...]) -> Signature:
    a, b = _numbers("mul", args)
    floating = _float_or_none(a, b)
    if floating is not None:
        return (floating, floating), floating
    if a.is_integer and b.is_integer:
        return _integers(args, a, b)
    x, y = _as_decimal(a), _as_decimal(b)
    scale, width = x.scale + y.scale, x.precision + y.precision
    if scale > MAX_PRECISION:
        raise BindError(
            f"the product of {a} and {b} needs {scale} digits behind the point; {MAX_PRECISION} are the most",
            hint="cast an operand to DOUBLE or to a DECIMAL of smaller scale",
        )
    if width > 18 and max(x.precision, y.precision) <= 18 and scale < 18:
        width = 18
    return (a, b), decimal(min(width, MAX_PRECISION), scale)


def _add_types(args: tuple[Expr, ...]) -> Signature:
    found = steps.sum_types(args)
    return found if found is not None else _sum_types("add", args)


def _sub_types(args: tuple[Expr, ...]) -> Signature:
    found = steps.difference_types(args)
    return found if found is not None else _sum_types("sub", args)


def _mul_types(args: tuple[Expr, ...]) -> Signature:
    found = steps.scaling_types(args)
    return found if found is not None else _product_types(args)


def _quotient_types(args: tuple[Expr, ...]) -> Signature:
    found = steps.division_types(args)
    if found is not None:
        return found
    a, b = _numbers("div", args)
    result = common_type(*(dtype for dtype in (a, b) if dtype.is_float)) if _float_or_none(a, b) else DOUBLE
    assert result is not None
    return (result, result), result


def _intdiv_types(args: tuple[Expr, ...]) -> Signature:
    a, b = _numbers("intdiv", args)
    if a.is_integer and b.is_integer:
        return _integers(args, a, b)
    result = _float_or_none(a, b) or DOUBLE
    return (result, result), result


def _mod_types(args: tuple[Expr, ...]) -> Signature:
    return _sum_types("mod", args, extra_digit=0)


def _combine(
    op: str,
    on_floats: Callable[[Tensor, Tensor], Tensor],
    on_time: Callable[[Args, DType], Column],
    rises: Rises | None = None,
) -> None:
    types: dict[str, TypeRule] = {"add": _add_types, "sub": _sub_types, "mul": _mul_types}

    @scalar(op, types=types[op], total=True, rises=rises, instead=of_bignums(f"bignums_{op}") if op != "mul" else None)
    def kernel(args: Args, out: DType) -> Column:
        a, b = args
        if a.dtype.is_exact and b.dtype.is_exact:
            return exact.combine(op, a, b, out)
        if out.is_float:
            return Column(on_floats(a.data, b.data), out)
        return on_time(args, out)


def _sum_rises(args: tuple[Expr, ...]) -> tuple[int, ...]:
    """In both; but a month after one time of a day may be before a month after an earlier one, see `instants`."""
    if {arg.dtype.kind for arg in args} != {Kind.TIMESTAMP, Kind.INTERVAL}:
        return (0, 1)
    shift = next(arg for arg in args if arg.dtype.kind is Kind.INTERVAL)
    return (0, 1) if isinstance(shift, Literal) and decided(steps.has_no_months, shift) else ()


_combine("add", torch.add, steps.total, _sum_rises)
_combine("sub", torch.sub, steps.difference, lambda args: _sum_rises(args)[:1])
_combine("mul", torch.mul, steps.scaled)


@scalar("div", types=_quotient_types)
def _div(args: Args, out: DType) -> Column:
    if not out.is_float:
        return steps.divided(args, out)
    return Column(args[0].data / args[1].data, out)


@scalar("intdiv", "divide", types=_intdiv_types)
def _intdiv(args: Args, out: DType) -> Column:
    a, b = args
    if out.is_float:
        exact.refuse_zero(b.data == 0, a, b)
        return Column(a.data / b.data, out)
    return _divide(a, b, out, remainder=False)


@scalar("mod", types=_mod_types)
def _mod(args: Args, out: DType) -> Column:
    a, b = args
    if out.is_float:
        return Column(signed_nan(float_remainder(a.data, b.data), a.data, b.data), out)
    return _divide(a, b, out, remainder=True)


def _divide(a: Column, b: Column, out: DType, *, remainder: bool) -> Column:
    """Quotient cut toward zero, or remainder with the sign of `a`, of exact numbers of one scale."""
    a, b = exact.narrowed(a), exact.narrowed(b)
    own, other = exact.limits(a), exact.limits(b)
    # One quotient of 64-bit numbers takes more than 64 bits.
    may_leave = own[0] == -(2**63) and other[0] <= -1 <= other[1] and integer_range(out)[1] >= 2**63
    if a.is_wide or b.is_wide or may_leave and not remainder:
        return _divide_wide(a, b, out, remainder=remainder)
    largest = max(abs(own[0]), abs(own[1]))
    dividend, divisor = a.data, b.data
    # NULL rows may hold 0, or the least number and -1, on which processors trap.
    if b.valid is not None:
        divisor = torch.where(b.valid, divisor, 1)
    if a.valid is not None:
        dividend = torch.where(a.valid, dividend, 0)
    if other[0] <= 0 <= other[1]:
        zero = divisor == 0
        exact.refuse_zero(zero, a, b)
        divisor = torch.where(zero, 1, divisor)
    if other[0] <= -1 <= other[1] and own[0] == integer_range(out)[0]:
        bad = (dividend == own[0]) & (divisor == -1)
        if not remainder and exact.first_bad(bad, (a, b)) is not None:
            raise ExecutionError(f"Overflow in division of {own[0]} / -1", hint="cast an operand to a wider type")
        divisor = torch.where(bad, 1, divisor)
    width = narrowest(min(own[0], other[0], -largest), max(own[1], other[1], largest)) or torch.int64
    dividend, divisor = exact.widened(dividend, width), exact.widened(divisor, width)
    if remainder:
        most = max(abs(other[0]), abs(other[1])) - 1
        low, high = max(own[0], -most, -largest), min(own[1], most, largest)
        return Column(trunc_rest(dividend, divisor), out, None, None, (min(low, 0), max(high, 0)))
    quotient = trunc_div(dividend, divisor)
    low = 0 if own[0] >= 0 and other[0] >= 0 else -largest
    # -2**63 / -1 was refused, or there is none.
    return Column(quotient, out, None, None, clipped((low, min(largest, 2**63 - 1)), integer_range(out)))


def _divide_wide(a: Column, b: Column, out: DType, *, remainder: bool) -> Column:
    known = exact.number(b)
    if known is not None and known > 0:
        quotient, rest, bad = wide.divmod_checked(exact.as_wide(a), known)
    else:
        divisor = exact.as_wide(b)
        zero = (divisor == 0).all(dim=-1)
        exact.refuse_zero(zero, a, b)
        divisor = torch.where(zero[..., None], wide.scalar(1, divisor.device), divisor)
        quotient, rest, bad = wide.divmod_checked(exact.as_wide(a), divisor)
        if not remainder and exact.first_bad(bad, (a, b)) is not None:
            raise ExecutionError(f"Overflow in division of {integer_range(out)[0]} / -1")
    return exact.wide_column(rest if remainder else quotient, out, integer_range(out))


def _neg_types(args: tuple[Expr, ...]) -> Signature:
    expect(args, 1, "-")
    (arg,) = args
    dtype = BIGINT if arg.dtype == NULL else arg.dtype
    if not (dtype.is_numeric or dtype == INTERVAL):
        raise BindError(f"there is no - {arg.dtype}", hint="cast the operand to a number")
    return (dtype,), dtype


@scalar("neg", types=_neg_types, total=True, instead=of_bignums("bignums_neg"))
def _neg(args: Args, out: DType) -> Column:
    (a,) = args
    if out == INTERVAL:
        return steps.negated(a)
    if not out.is_exact:
        return Column(-a.data, out)
    return exact.negated(a, out)
