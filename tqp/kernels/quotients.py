"""Integers over powers of ten as floats, rounded once to the nearest float, of two that are equally near to the even one."""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels import wide

__all__ = ["narrow_to_float", "wide_to_float"]

_HALF = 2**32 - 1
_SPLIT = 2.0**27 + 1
_EXACT_POWERS = 22
"""Up to here a power of ten is a float64."""
_STEP = 13
"""5**13 is below 2**31."""


def narrow_to_float(values: Tensor, scale: int, most: int, dtype: torch.dtype) -> Tensor:
    """values / 10**scale as float32 or float64, for integers of up to 64 bits that are no larger than `most`."""
    if scale == 0:
        return values.to(dtype)
    if most > 2**53 or scale > _EXACT_POWERS:
        return wide_to_float(wide.from_narrow(values), scale, dtype)
    whole, power = values.double(), 10.0**scale
    quotient = whole / power
    if dtype == torch.float64 or (most <= 2**24 and scale <= 10):
        return quotient.to(dtype)
    # Rounded twice, a quotient may land on a half that it is not: the first time it is rounded to an odd last bit.
    rest = _rest(whole, quotient, power)
    bits = quotient.view(torch.int64)
    moved = bits + torch.sign(rest * whole).long()
    return torch.where((rest != 0) & ((bits & 1) == 0), moved, bits).view(torch.float64).to(dtype)


def _rest(whole: Tensor, quotient: Tensor, divisor: float) -> Tensor:
    """whole - quotient * divisor, exactly, of a rounded quotient: Dekker's product."""
    shifted = quotient * _SPLIT
    high = shifted - (shifted - quotient)
    low = quotient - high
    divisor_shifted = divisor * _SPLIT
    divisor_high = divisor_shifted - (divisor_shifted - divisor)
    divisor_low = divisor - divisor_high
    product = quotient * divisor
    error = low * divisor_low - (((product - high * divisor_high) - low * divisor_high) - high * divisor_low)
    return (whole - product) - error


def wide_to_float(values: Tensor, scale: int, dtype: torch.dtype) -> Tensor:
    """values / 10**scale as float32 or float64, (..., 2) -> (...), for 0 <= scale <= 38: long division by 5**scale.

    Numbers are moved up until their first bit is the 126th or 127th, so that the quotient has more bits than a float; what
    lies behind its first 62 makes the last of these odd, and the powers of two are multiplied at the end.
    """
    checkpoint()
    negative = wide.sign_mask(values)
    values = torch.where(negative[..., None], wide.neg(values), values)
    _, exponents = torch.frexp(wide.to_float64(values).abs())
    moved = (127 - exponents.long()).clamp(0, 126)
    digits = _digits(_moved_up(values, moved))
    divisor = 5**scale
    places = 0 if divisor < 2**63 else 1
    digits += [torch.zeros_like(moved)] * places
    inexact = torch.zeros_like(negative)
    for begin in range(0, scale, _STEP):
        digits, rest = _divided(digits, 5 ** min(_STEP, scale - begin))
        inexact = inexact | (rest != 0)
    dropped = max((2 ** (127 + 32 * places) // divisor).bit_length() - 62, 0)
    first, lost = _without(digits, dropped)
    rounded = (first | (inexact | lost).long()).to(dtype).double()
    exponents = dropped - 32 * places - scale - moved
    result = (rounded * _power_of_two(exponents)).to(dtype)
    return torch.where(negative, -result, result)


def _moved_up(values: Tensor, places: Tensor) -> Tensor:
    """Unsigned numbers times 2**places, for 0 <= places < 128, where nothing leaves the 128 bits."""
    high, low = values[..., 0], values[..., 1]
    by_limb = places >= 64
    high, low = torch.where(by_limb, low, high), torch.where(by_limb, 0, low)
    places = places & 63
    # The low limb's first bits, in two steps: a shift by 64 means nothing.
    carried = ((low >> 1) & (2**63 - 1)) >> (63 - places)
    return wide.of((high << places) | carried, low << places)


def _digits(values: Tensor) -> list[Tensor]:
    """The four digits of unsigned numbers in base 2**32, the first one first."""
    return [part & _HALF for limb in (values[..., 0], values[..., 1]) for part in (limb >> 32, limb)]


def _divided(digits: list[Tensor], divisor: int) -> tuple[list[Tensor], Tensor]:
    """The digits of the quotient by a number below 2**31, and the rest."""
    rest, found = torch.zeros_like(digits[0]), []
    for digit in digits:
        part = (rest << 32) | digit
        quotient = torch.div(part, divisor, rounding_mode="floor")
        rest = part - quotient * divisor
        found.append(quotient)
    return found, rest


def _without(digits: list[Tensor], dropped: int) -> tuple[Tensor, Tensor]:
    """The number without its last `dropped` bits, which leaves 62, and whether one of these bits is set."""
    number, lost = torch.zeros_like(digits[0]), torch.zeros_like(digits[0])
    for place, digit in enumerate(reversed(digits)):
        up = 32 * place - dropped
        if 0 <= up < 62:
            number = number | (digit << up)
        elif -32 < up < 0:
            number = number | (digit >> -up)
            lost = lost | (digit & (2**-up - 1))
        elif up < 0:
            lost = lost | digit
    return number, lost != 0


def _power_of_two(exponents: Tensor) -> Tensor:
    """2.0**exponents, exactly."""
    return ((exponents + 1023) << 52).view(torch.float64)
