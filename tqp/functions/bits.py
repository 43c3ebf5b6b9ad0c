"""Operators on the bits of integers. UBIGINT and HUGEINT may need 128 bits; narrower types calculate in 64."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions import exact
from tqp.functions.arithmetic import integer_result
from tqp.functions.registry import Args, Signature, expect, scalar
from tqp.functions.unify import of_bits, untyped
from tqp.ir.expr import Expr
from tqp.kernels import wide
from tqp.types import BIGINT, HUGEINT, INTEGERS, NULL, UBIGINT, UHUGEINT, DType, integer_range

__all__: list[str] = []

_BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}


def _bit_types(args: tuple[Expr, ...]) -> Signature:
    expect(args, 2, "the bit operator")
    a, b = args = untyped(args)
    if not all(arg.dtype.is_integer or arg.dtype == NULL for arg in args):
        raise BindError(f"bit operators take integers, not {a.dtype} and {b.dtype}")
    if NULL in (a.dtype, b.dtype):
        result = next((arg.dtype for arg in args if arg.dtype != NULL), BIGINT)
    else:
        result = integer_result(a, b)
        if not result.is_integer:
            raise BindError(f"bit operators do not take {a.dtype} and {b.dtype} together")
    return (result, result), result


def _same_integer(args: tuple[Expr, ...]) -> Signature:
    expect(args, 1, "~")
    (arg,) = args
    if arg.dtype == NULL:
        return (BIGINT,), BIGINT
    if arg.dtype == UHUGEINT:
        raise UnsupportedError("~ of a UHUGEINT is not supported", hint="cast it to HUGEINT")
    if arg.dtype not in INTEGERS:
        raise BindError(f"there is no ~ {arg.dtype}", hint="cast the operand to an integer")
    return (arg.dtype,), arg.dtype


def _needs_wide(*columns: Column) -> bool:
    return any(exact.narrowed(column).is_wide for column in columns)


def _narrow(column: Column) -> Tensor:
    return exact.narrowed(column).data.long()


def _bitwise(names: tuple[str, ...], function: Callable[[Tensor, Tensor], Tensor], on_bits: str) -> None:
    @scalar(*names, types=_bit_types, instead=of_bits(on_bits))
    def kernel(args: Args, out: DType) -> Column:
        if _needs_wide(*args):
            limbs = function(*map(exact.as_wide, args))
            return exact.wide_column(limbs, out, integer_range(out))
        return Column(function(*map(_narrow, args)), out)


_bitwise(("bitwiseand",), torch.bitwise_and, "bits_and")
_bitwise(("bitwiseor",), torch.bitwise_or, "bits_or")
_bitwise(("bitwisexor", "xor"), torch.bitwise_xor, "bits_xor")


@scalar("bitwisenot", types=_same_integer, instead=of_bits("bits_not"))
def _not(args: Args, out: DType) -> Column:
    low, high = integer_range(out)
    if out == UBIGINT or _needs_wide(*args):
        flipped = ~exact.as_wide(args[0])
        if out == UBIGINT:
            flipped = wide.of(torch.zeros_like(flipped[..., 0]), flipped[..., 1])
        return exact.wide_column(flipped, out, (low, high))
    return Column(_narrow(args[0]) ^ high if low == 0 else ~_narrow(args[0]), out)


@scalar("bitwiserightshift", types=_bit_types, instead=of_bits("bits_right"))
def _shift_right(args: Args, out: DType) -> Column:
    """The sign fills up; 0 where the shift is negative or as much as the type has bits."""
    size = _BITS[out.kind.value.removeprefix("U")]
    by = exact.as_wide(args[1])
    beyond = wide.lt(by, wide.scalar(0, by.device)) | wide.le(wide.scalar(size, by.device), by)
    count = torch.where(beyond, 0, by[..., 1])
    if _needs_wide(args[0]):
        shifted = _wide_right(exact.as_wide(args[0]), count)
        limbs = torch.where(beyond.unsqueeze(-1), torch.zeros_like(shifted), shifted)
        return exact.wide_column(limbs, out, integer_range(out))
    return Column(torch.where(beyond, 0, _narrow(args[0]) >> count.clamp(max=63)), out)


def _wide_right(limbs: Tensor, count: Tensor) -> Tensor:
    """(..., 2) shifted by 0..127 bits, the sign filling up."""
    high, low = limbs.unbind(-1)
    part = count & 63
    other = (64 - part).clamp(max=63)
    below = torch.where(part == 0, low, ((low >> part) & ((1 << other) - 1)) | (high << other))
    far = count >= 64
    return wide.of(torch.where(far, high >> 63, high >> part), torch.where(far, high >> part, below))


@scalar("bitwiseleftshift", types=_bit_types, instead=of_bits("bits_left"))
def _shift_left(args: Args, out: DType) -> Column:
    """Times a power of two; neither operand may be negative."""
    left, by = map(exact.as_wide, args)
    zero = wide.scalar(0, left.device)
    nothing = wide.eq(left, zero)
    far = wide.lt(wide.scalar(126, by.device), by)
    count = torch.where(far | wide.lt(by, zero), 0, by[..., 1])
    power = torch.ones_like(count) << (count & 63)
    factor = wide.of(torch.where(count >= 64, power, 0), torch.where(count >= 64, 0, power))
    product, overflow = wide.mul_checked(left, factor)
    high = integer_range(out)[1]
    bad = wide.lt(left, zero) | wide.lt(by, zero) | (~nothing & (far | overflow))
    bad = bad | wide.lt(wide.scalar(high, left.device), product)
    if exact.first_bad(bad, tuple(args)) is not None:
        raise ExecutionError(f"overflow in a left shift of {out}", hint="cast the left operand to a wider type")
    return (
        exact.wide_column(product, out, (0, high))
        if out in (UBIGINT, HUGEINT, UHUGEINT)
        else Column(product[..., 1], out)
    )
