"""Functions of whole numbers: common divisors and multiples, factorials, binomials, and how many bits are set."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import reduce
from typing import Final

import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.copies import placed
from tqp.errors import BindError, ExecutionError
from tqp.functions import exact
from tqp.functions.casts.text import wide_entries
from tqp.functions.entries import spread
from tqp.functions.numeric import absolute, require_arguments
from tqp.functions.registry import Args, Signature, TypeRule, scalar
from tqp.functions.signatures import fixed
from tqp.functions.unify import of_bits, untyped
from tqp.ir.expr import Expr
from tqp.kernels import waits, wide
from tqp.types import (
    BIGINT,
    HUGEINT,
    INTEGER,
    INTEGERS,
    NULL,
    SMALLINT,
    TINYINT,
    UBIGINT,
    UHUGEINT,
    DType,
    integer_range,
)

__all__: list[str] = []

_HUGE: Final = integer_range(HUGEINT)
_FACTORIALS: Final = tuple([math.factorial(number) for number in range(34)])
"""Those that HUGEINT holds."""
_MIDDLE: Final = 130
"""C(n, k) is beyond HUGEINT where k and n - k are larger than this."""


def _common_types(name: str) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        require_arguments(name, args, 2, 2)
        args = untyped(args)
        if not all((arg.dtype.is_integer and arg.dtype != UHUGEINT) or arg.dtype == NULL for arg in args):
            raise BindError(f"{name} takes integers, not {args[0].dtype} and {args[1].dtype}")
        out = HUGEINT if any(arg.dtype in (HUGEINT, UBIGINT) for arg in args) else BIGINT
        return (out, out), out

    return types


@scalar("gcd", "greatest_common_divisor", types=_common_types("gcd"))
def _gcd(args: Args, out: DType) -> Column:
    """Never negative; ExecutionError where that leaves the type."""
    valids = [arg.valid for arg in args if arg.valid is not None]
    valid = reduce(torch.logical_and, valids) if valids else None
    return absolute(replace(exact.wide_column(_divisors(args), out, integer_range(out)), valid=valid), out)


def _divisors(args: Args) -> Tensor:
    """The common divisors of two columns, of either sign, as limbs."""
    a, b = map(exact.narrowed, args)
    if a.is_wide or b.is_wide:
        return _wide_divisor(exact.as_wide(a), exact.as_wide(b))
    return wide.from_narrow(torch.gcd(a.data.long(), b.data.long()))


def _wide_divisor(a: Tensor, b: Tensor) -> Tensor:
    """Euclid's algorithm on all rows at once, as many steps as the slowest of them takes: up to some 180."""
    shape = max(a.shape, b.shape, key=len)
    a, b = a.expand(shape), b.expand(shape)
    one = wide.scalar(1, a.device)
    while True:
        is_zero = (b == 0).all(dim=-1, keepdim=True)
        if waits.truth(is_zero.all(), "whether all divisors are found"):
            return a
        _, rest, _ = wide.divmod_checked(a, torch.where(is_zero, one, b))
        a, b = torch.where(is_zero, a, b), torch.where(is_zero, b, rest)


@scalar("lcm", "least_common_multiple", types=_common_types("lcm"))
def _lcm(args: Args, out: DType) -> Column:
    first, second = args
    limbs = _divisors(args)
    valids = [arg.valid for arg in args if arg.valid is not None]
    valid = reduce(torch.logical_and, valids) if valids else None
    none = (limbs == 0).all(dim=-1, keepdim=True)
    parts, _, _ = wide.divmod_checked(exact.as_wide(first), torch.where(none, wide.scalar(1, limbs.device), limbs))
    product, bad = wide.mul_checked(parts, exact.as_wide(second))
    low, high = integer_range(out)
    floor, ceiling = wide.scalar(low, limbs.device), wide.scalar(high, limbs.device)
    bad = bad | wide.lt(product, floor) | wide.lt(ceiling, product)
    if exact.first_bad(bad, tuple(args)) is not None:
        raise ExecutionError(f"lcm value is out of range of {out}", hint="cast the operands to a wider type")
    return absolute(replace(exact.wide_column(product, out, (low, high)), valid=valid), out)


@scalar("factorial", types=fixed("factorial", HUGEINT, INTEGER))
def _factorial(args: Args, out: DType) -> Column:
    (number,) = args
    for bad, message in (
        (number.data < 0, "factorial of a negative number is undefined"),
        (number.data >= len(_FACTORIALS), f"a factorial beyond {len(_FACTORIALS) - 1}! leaves HUGEINT"),
    ):
        if exact.first_bad(bad, (number,)) is not None:
            raise ExecutionError(message)
    table = placed(wide.from_python(_FACTORIALS, torch.device("cpu")), number.device)
    places = number.data.long().clamp(0, len(_FACTORIALS) - 1)
    limbs = table.index_select(0, places.reshape(-1)).reshape(*places.shape, 2)
    return exact.wide_column(limbs, out, (1, _FACTORIALS[-1]))


@scalar("binom", types=fixed("binom", HUGEINT, INTEGER, INTEGER))
def _binom(args: Args, out: DType) -> Column:
    """In how many ways k of n are chosen, once for each pair of numbers."""
    for arg in args:
        if exact.first_bad(arg.data < 0, tuple(args)) is not None:
            raise ExecutionError("binom with negative input is undefined")
    entries = spread(args)
    pairs = zip(*[entries.array(place).to_pylist() for place in range(2)], strict=True)
    found = [_ways(n, k) for n, k in pairs]
    entries.check(
        pa.array([value is None for value in found]), args, lambda row: "binom: value out of range of HUGEINT"
    )
    return wide_entries([value or 0 for value in found], entries, out, None)


def _ways(n: int, k: int) -> int | None:
    if n < 0 or k < 0:
        # A row that is NULL.
        return 0
    if _MIDDLE < k < n - _MIDDLE:
        return None
    value = math.comb(n, k)
    return value if value <= _HUGE[1] else None


def _bit_count_types(args: tuple[Expr, ...]) -> Signature:
    require_arguments("bit_count", args, 1, 1)
    (arg,) = args
    if arg.dtype == NULL:
        return (BIGINT,), TINYINT
    if arg.dtype not in INTEGERS or arg.dtype == UHUGEINT:
        raise BindError(f"bit_count takes an integer, not {arg.dtype}", hint="cast it to one")
    # An UBIGINT counts as a HUGEINT.
    return (arg.dtype,), SMALLINT if arg.dtype in (HUGEINT, UBIGINT) else TINYINT


@scalar("bit_count", types=_bit_count_types, instead=of_bits("bits_count"))
def _bit_count(args: Args, out: DType) -> Column:
    """The bits that are set in the two's complement of the type."""
    (a,) = args
    low, high = integer_range(a.dtype)
    if exact.narrowed(a).is_wide or a.dtype == HUGEINT:
        limbs = exact.as_wide(a)
        return Column(_set_bits(limbs[..., 0]) + _set_bits(limbs[..., 1]), out, None, None, (0, 128))
    data = exact.narrowed(a).data.long()
    if low < 0 and high < 2**32:
        data = data & (2 * high + 1)
    return Column(_set_bits(data).to(torch.int8), out, None, None, (0, 64))


def _set_bits(x: Tensor) -> Tensor:
    """How many of 64 bits are set: sums of 1, 2, 4 and then 8 bits side by side."""
    x = x - ((x >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (x * 0x0101010101010101) >> 56
