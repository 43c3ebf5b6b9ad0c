"""Integers over powers of ten as floats, against exact fractions."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import torch

from tests.kernels.strategies import CPU
from tqp.kernels import quotients, wide

BITS = {torch.float32: 24, torch.float64: 53}


def nearest(value: Fraction, bits: int) -> float:
    """The float of so many bits that is nearest, halves to the even one."""
    if not value:
        return 0.0
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    unit = Fraction(2) ** (exponent - bits + (size >= Fraction(2) ** exponent))
    return float(round(size / unit) * unit) * (1 if value > 0 else -1)


def numbers(scale: int, generator: random.Random) -> list[int]:
    """Of all sizes, most of them beside a value that lies halfway between two floats."""
    found = [0, -(2**127), 2**127 - 1, 2**53 + 1, -(2**24) - 1]
    for bits in BITS.values():
        for _ in range(60):
            middle = Fraction(2 * generator.getrandbits(bits - 1) + 2**bits + 1) * Fraction(2) ** generator.randint(
                -130, 70
            )
            found.append(int(middle * 10**scale) + generator.randint(-1, 2))
    found += [generator.getrandbits(generator.randint(1, 127)) for _ in range(60)]
    return [generator.choice((1, -1)) * number for number in found if 9 < abs(number) < 2**127] + found[:3]


@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize("scale", range(39))
def test_the_nearest(scale: int, dtype: torch.dtype) -> None:
    generator = random.Random(scale)
    all_of_them = numbers(scale, generator)
    found = quotients.wide_to_float(wide.from_python(all_of_them, CPU), scale, dtype)
    assert found.dtype == dtype
    assert found.tolist() == [nearest(Fraction(number, 10**scale), BITS[dtype]) for number in all_of_them]
    for most in (2**24, 2**53, 2**63):
        narrow = [number for number in all_of_them if -most < number < most]
        found = quotients.narrow_to_float(torch.tensor(narrow, dtype=torch.int64), scale, most, dtype)
        assert found.tolist() == [nearest(Fraction(number, 10**scale), BITS[dtype]) for number in narrow]


def test_one_number() -> None:
    one = quotients.wide_to_float(wide.scalar(-1, CPU), 38, torch.float64)
    assert one.ndim == 0 and one.item() == -1e-38
    assert quotients.wide_to_float(wide.scalar(1, CPU), 38, torch.float32).item() == 9.999999350456404e-39
