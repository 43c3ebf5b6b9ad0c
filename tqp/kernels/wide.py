"""128-bit integers as pairs of int64 limbs: (..., 2), `[..., 0]` the signed high half, `[..., 1]` the low half's bits.

All functions broadcast over the leading dimensions. Plain arithmetic wraps modulo 2**128 and is for callers that
have proven the range; the `_checked` forms also return a bool mask (...) that is True where the exact result leaves
-2**127 .. 2**127 - 1. Nothing syncs except `from_python` and `to_python`.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels import waits

__all__ = [
    "abs_checked", "add", "add_checked", "compare", "divmod_checked", "eq", "from_float64", "from_narrow",
    "from_python", "le", "lt", "mul", "mul_checked", "mul_narrow", "neg", "neg_checked", "of",
    "rescale_down", "scalar", "sign_mask", "sub", "sub_checked", "to_float64", "to_python",
    "unsigned_order",
]  # fmt: skip

_SIGN = -(2**63)
_HALF = 2**32 - 1
_MASK64 = 2**64 - 1


def of(high: Tensor, low: Tensor) -> Tensor:
    """Wide numbers of their limbs, two int64 tensors of one shape."""
    return torch.stack((high, low), dim=-1)


def from_narrow(values: Tensor) -> Tensor:
    """Integers of any signed dtype (...) as wide (..., 2)."""
    low = values.long()
    return torch.stack((low >> 63, low), dim=-1)


def from_python(numbers: Sequence[int], device: torch.device) -> Tensor:
    """(n, 2) of Python integers in the 128-bit range."""
    limbs = [(number >> 64, _signed(number)) for number in numbers]
    return torch.tensor(limbs, dtype=torch.int64, device=device).reshape(-1, 2)


def scalar(number: int, device: torch.device) -> Tensor:
    """(2,) of one Python integer in the 128-bit range."""
    # Two launches on a GPU, where a list of two would be a copy and a wait.
    limbs = torch.full((2,), _signed(number), dtype=torch.int64, device=device)
    limbs[0].fill_(number >> 64)
    return limbs


def _signed(number: int) -> int:
    low = number & _MASK64
    return low - 2**64 if low >= 2**63 else low


def to_python(values: Tensor) -> list[int]:
    """Python integers of (n, 2)."""
    return [(high << 64) + (low & _MASK64) for high, low in waits.values(values, "numbers for the host")]


def unsigned_order(low: Tensor) -> Tensor:
    """int64 whose signed order is the unsigned order of the bits of `low`."""
    return low ^ _SIGN


def _below(a: Tensor, b: Tensor) -> Tensor:
    """Unsigned a < b."""
    return (a ^ _SIGN) < (b ^ _SIGN)


def sign_mask(values: Tensor) -> Tensor:
    """bool (...): negative."""
    return values[..., 0] < 0


def eq(a: Tensor, b: Tensor) -> Tensor:
    """bool: a == b."""
    return (a == b).all(dim=-1)


def lt(a: Tensor, b: Tensor) -> Tensor:
    """bool: a < b."""
    return (a[..., 0] < b[..., 0]) | ((a[..., 0] == b[..., 0]) & _below(a[..., 1], b[..., 1]))


def le(a: Tensor, b: Tensor) -> Tensor:
    """bool: a <= b."""
    return ~lt(b, a)


def compare(a: Tensor, b: Tensor) -> Tensor:
    """int8: -1, 0 or 1 as a is less than, equal to or greater than b."""
    return lt(b, a).to(torch.int8) - lt(a, b).to(torch.int8)


def add(a: Tensor, b: Tensor) -> Tensor:
    """a + b modulo 2**128."""
    low = a[..., 1] + b[..., 1]
    return torch.stack((a[..., 0] + b[..., 0] + _below(low, b[..., 1]), low), dim=-1)


def neg(a: Tensor) -> Tensor:
    """-a modulo 2**128."""
    low = -a[..., 1]
    return torch.stack((~a[..., 0] + (low == 0), low), dim=-1)


def sub(a: Tensor, b: Tensor) -> Tensor:
    """a - b modulo 2**128."""
    low = a[..., 1] - b[..., 1]
    return torch.stack((a[..., 0] - b[..., 0] - _below(a[..., 1], b[..., 1]).long(), low), dim=-1)


def add_checked(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """a + b and where it overflows."""
    result = add(a, b)
    # Overflow: both operands have the sign that the result lacks.
    return result, ((a[..., 0] ^ result[..., 0]) & (b[..., 0] ^ result[..., 0])) < 0


def sub_checked(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """a - b and where it overflows."""
    result = sub(a, b)
    return result, ((a[..., 0] ^ b[..., 0]) & (a[..., 0] ^ result[..., 0])) < 0


def neg_checked(a: Tensor) -> tuple[Tensor, Tensor]:
    """-a and where it overflows (-2**127)."""
    return neg(a), (a[..., 0] == _SIGN) & (a[..., 1] == 0)


def abs_checked(a: Tensor) -> tuple[Tensor, Tensor]:
    """|a| and where it overflows (-2**127)."""
    negated, overflow = neg_checked(a)
    return torch.where(sign_mask(a)[..., None], negated, a), overflow


def _magnitude(a: Tensor) -> Tensor:
    """|a| as an unsigned 128-bit number."""
    return torch.where(sign_mask(a)[..., None], neg(a), a)


def _mul_unsigned(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """The 128-bit product (high, low) of two unsigned 64-bit numbers."""
    a_high, a_low = (a >> 32) & _HALF, a & _HALF
    b_high, b_low = (b >> 32) & _HALF, b & _HALF
    low = a_low * b_low
    middle = a_high * b_low + ((low >> 32) & _HALF)
    other = a_low * b_high + (middle & _HALF)
    high = a_high * b_high + ((middle >> 32) & _HALF) + ((other >> 32) & _HALF)
    return high, a * b


def mul_narrow(a: Tensor, b: Tensor) -> Tensor:
    """The exact wide product of integers of up to 64 bits; cannot overflow."""
    a, b = a.long(), b.long()
    high, low = _mul_unsigned(a, b)
    # As unsigned numbers, negatives are 2**64 too large.
    return torch.stack((high - ((a >> 63) & b) - ((b >> 63) & a), low), dim=-1)


def mul(a: Tensor, b: Tensor) -> Tensor:
    """a * b modulo 2**128."""
    high, low = _mul_unsigned(a[..., 1], b[..., 1])
    return torch.stack((high + a[..., 0] * b[..., 1] + a[..., 1] * b[..., 0], low), dim=-1)


def mul_checked(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """a * b and where it overflows."""
    negative = (a[..., 0] ^ b[..., 0]) < 0
    a, b = _magnitude(a), _magnitude(b)
    high, low = _mul_unsigned(a[..., 1], b[..., 1])
    left_carry, left = _mul_unsigned(a[..., 0], b[..., 1])
    right_carry, right = _mul_unsigned(a[..., 1], b[..., 0])
    cross = left + right
    total = high + cross
    overflow = (a[..., 0] != 0) & (b[..., 0] != 0) | (left_carry != 0) | (right_carry != 0)
    # At most one of left and right is not 0 unless that overflows anyway.
    overflow |= _below(total, cross)
    overflow |= (total < 0) & ~(negative & (total == _SIGN) & (low == 0))
    result = torch.stack((total, low), dim=-1)
    return torch.where(negative[..., None], neg(result), result), overflow


def _divmod_small(a: Tensor, divisor: int) -> tuple[Tensor, Tensor]:
    """Quotient (..., 2) and remainder (...) of unsigned 128-bit numbers by 1 <= divisor < 2**31: long division."""
    remainder = torch.zeros_like(a[..., 0])
    limbs = []
    for limb in (a[..., 0], a[..., 1]):
        digits = []
        for digit in ((limb >> 32) & _HALF, limb & _HALF):
            part = (remainder << 32) | digit
            quotient = torch.div(part, divisor, rounding_mode="floor")
            remainder = part - quotient * divisor
            digits.append(quotient)
        limbs.append((digits[0] << 32) | digits[1])
    return torch.stack(limbs, dim=-1), remainder


def _divmod_unsigned(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Quotient and remainder of numbers in 0 .. 2**127, the last of them as its bits: three rounds of some 50 passes.

    A round adds what is left, divided in float64, to the quotient. That is wrong by less than 2**-50 of itself: what is left of 127
    bits is some 77, then some 27, then less than the divisor, or negative by a hair.
    """
    quotient = torch.zeros_like(a ^ b)
    left = quotient + a
    divisor = to_float64(b).abs()  # 2**127 reads as its negative
    for first in (True, False, False):
        checkpoint()
        value = to_float64(left)
        part = _of_float64((value.abs() if first else value) / divisor)
        quotient, left = add(quotient, part), sub(left, mul(part, b))
    for _ in range(2):
        over = sign_mask(left)
        quotient = add(quotient, from_narrow(-over.long()))
        left = torch.where(over[..., None], add(left, b), left)
    under = ~_below_wide(left, b)
    return add(quotient, from_narrow(under.long())), torch.where(under[..., None], sub(left, b), left)


def _below_wide(a: Tensor, b: Tensor) -> Tensor:
    """Unsigned a < b."""
    return _below(a[..., 0], b[..., 0]) | ((a[..., 0] == b[..., 0]) & _below(a[..., 1], b[..., 1]))


def divmod_checked(a: Tensor, b: Tensor | int) -> tuple[Tensor, Tensor, Tensor]:
    """Quotient truncated toward zero, remainder with the sign of `a` (as in SQL), and where the quotient overflows.

    `b` is wide, or a positive Python integer; where `b` is 0 the result is undefined (mask it). Products of factors
    below 2**31, such as powers of ten, divide by long division; other divisors cost some 200 passes over the rows.
    """
    negative = sign_mask(a)
    if isinstance(b, int):
        quotient, remainder = _divmod_positive(_magnitude(a), b)
        opposite = negative
        overflow = torch.zeros_like(negative)
    else:
        quotient, remainder = _divmod_unsigned(_magnitude(a), _magnitude(b))
        opposite = negative ^ sign_mask(b)
        overflow = ~opposite & sign_mask(quotient)
    quotient = torch.where(opposite[..., None], neg(quotient), quotient)
    return quotient, torch.where(negative[..., None], neg(remainder), remainder), overflow


def _divmod_positive(a: Tensor, divisor: int) -> tuple[Tensor, Tensor]:
    """Unsigned quotient and remainder, both wide, by a positive Python integer below 2**127."""
    factors = _factors(divisor)
    if factors is None:
        return _divmod_unsigned(a, scalar(divisor, a.device))
    remainder, weight = torch.zeros_like(a), 1
    for factor in factors:
        a, digit = _divmod_small(a, factor)
        remainder = add(remainder, mul(from_narrow(digit), scalar(weight, a.device)))
        weight *= factor
    return a, remainder


def _factors(divisor: int) -> list[int] | None:
    """`divisor` as a product of factors below 2**31, where powers of ten get it there."""
    factors = []
    while divisor >= 2**31:
        step = next((10**k for k in range(9, 0, -1) if divisor % 10**k == 0), None)
        if step is None:
            return None
        factors.append(step)
        divisor //= step
    return [*factors, divisor]


def rescale_down(a: Tensor, digits: int) -> Tensor:
    """a / 10**digits, rounded half away from zero, for 0 <= digits <= 38."""
    if digits == 0:
        return a
    quotient, remainder = _divmod_positive(_magnitude(a), 10**digits)
    half = scalar(10**digits // 2, a.device)
    quotient = add(quotient, from_narrow(le(half, remainder)))
    return torch.where(sign_mask(a)[..., None], neg(quotient), quotient)


def to_float64(a: Tensor) -> Tensor:
    """float64 (...): exact to rounding of each half, as DuckDB converts HUGEINT."""
    # Small negative numbers convert by magnitude: 2**64 - low would round first.
    negative = a[..., 0] == -1
    low = torch.where(negative, -a[..., 1], a[..., 1])
    # An unsigned 64-bit number: halve it to fit the sign, keep the lost bit for the rounding.
    halved = (((low >> 1) & (2**63 - 1)) | (low & 1)).double() * 2.0
    low_float = torch.where(low < 0, halved, low.double())
    low_float = torch.where(negative & (low == 0), 2.0**64, low_float)
    return torch.where(negative, -low_float, a[..., 0].double() * 2.0**64 + low_float)


def from_float64(values: Tensor) -> tuple[Tensor, Tensor]:
    """Wide numbers of float64 values (fractions are cut off), and where they do not fit (NaN too)."""
    fits = (values >= -(2.0**127)) & (values < 2.0**127)
    return _of_float64(torch.where(fits, values, 0.0)), ~fits


def _of_float64(values: Tensor) -> Tensor:
    """Wide numbers, modulo 2**128, of float64 values of up to 2**127; fractions are cut off."""
    size = values.abs().trunc()
    high = torch.floor(size * 2.0**-64)
    result = of(_unsigned_bits(high), _unsigned_bits(size - high * 2.0**64))
    return torch.where((values < 0)[..., None], neg(result), result)


def _unsigned_bits(whole: Tensor) -> Tensor:
    """int64 bits of whole float64 numbers in 0 .. 2**64 - 1."""
    high = torch.floor(whole * 2.0**-32)
    return (high.long() << 32) | (whole - high * 2.0**32).long()
