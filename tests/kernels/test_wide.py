"""`tqp.kernels.wide` against Python's integers."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.strategies import CPU, wide_numbers
from tqp.kernels import wide

PAIRS = st.lists(st.tuples(wide_numbers(), wide_numbers()), min_size=1, max_size=20)
NUMBERS = st.lists(wide_numbers(), max_size=20)


def of(numbers: list[int]) -> Tensor:
    return wide.from_python(numbers, CPU)


def wrapped(number: int) -> int:
    return (number + 2**127) % 2**128 - 2**127


def fits(number: int) -> bool:
    return -(2**127) <= number < 2**127


@given(NUMBERS)
def test_round_trip(numbers: list[int]) -> None:
    assert wide.to_python(of(numbers)) == numbers
    narrow = [number for number in numbers if -(2**63) <= number < 2**63]
    assert wide.to_python(wide.from_narrow(torch.tensor(narrow, dtype=torch.int64))) == narrow


@pytest.mark.parametrize(
    ("plain", "checked", "exact"),
    [
        (wide.add, wide.add_checked, operator.add),
        (wide.sub, wide.sub_checked, operator.sub),
        (wide.mul, wide.mul_checked, operator.mul),
    ],
)
@given(pairs=PAIRS)
def test_arithmetic(
    plain: Callable[[Tensor, Tensor], Tensor],
    checked: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]],
    exact: Callable[[int, int], int],
    pairs: list[tuple[int, int]],
) -> None:
    a, b = of([pair[0] for pair in pairs]), of([pair[1] for pair in pairs])
    wanted = [exact(*pair) for pair in pairs]
    assert wide.to_python(plain(a, b)) == [wrapped(number) for number in wanted]
    result, overflow = checked(a, b)
    assert overflow.tolist() == [not fits(number) for number in wanted]
    for got, number in zip(wide.to_python(result), wanted, strict=True):
        assert not fits(number) or got == number
    one = wide.scalar(pairs[0][1], CPU)
    assert wide.to_python(plain(a, one)) == [wrapped(exact(x, pairs[0][1])) for x, _ in pairs], "a constant broadcasts"


@given(NUMBERS)
def test_signs(numbers: list[int]) -> None:
    negated, overflow = wide.neg_checked(of(numbers))
    assert wide.to_python(negated) == [wrapped(-number) for number in numbers]
    assert overflow.tolist() == [number == -(2**127) for number in numbers]
    absolute, overflow = wide.abs_checked(of(numbers))
    assert wide.to_python(absolute) == [wrapped(abs(number)) for number in numbers]
    assert overflow.tolist() == [number == -(2**127) for number in numbers]
    assert wide.sign_mask(of(numbers)).tolist() == [number < 0 for number in numbers]


@given(PAIRS)
def test_comparisons(pairs: list[tuple[int, int]]) -> None:
    pairs = [*pairs, (pairs[0][0], pairs[0][0])]
    a, b = of([pair[0] for pair in pairs]), of([pair[1] for pair in pairs])
    assert wide.lt(a, b).tolist() == [x < y for x, y in pairs]
    assert wide.le(a, b).tolist() == [x <= y for x, y in pairs]
    assert wide.eq(a, b).tolist() == [x == y for x, y in pairs]
    assert wide.compare(a, b).tolist() == [(x > y) - (x < y) for x, y in pairs]


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1)), max_size=20))
def test_narrow_product(pairs: list[tuple[int, int]]) -> None:
    a = torch.tensor([pair[0] for pair in pairs], dtype=torch.int64)
    b = torch.tensor([pair[1] for pair in pairs], dtype=torch.int64)
    assert wide.to_python(wide.mul_narrow(a, b)) == [x * y for x, y in pairs]


def truncated(a: int, b: int) -> tuple[int, int]:
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient, a - quotient * b


@given(PAIRS)
def test_division(pairs: list[tuple[int, int]]) -> None:
    pairs = [(a, b or 1) for a, b in pairs]
    quotient, remainder, overflow = wide.divmod_checked(of([a for a, _ in pairs]), of([b for _, b in pairs]))
    for (a, b), q, r, bad in zip(
        pairs, wide.to_python(quotient), wide.to_python(remainder), overflow.tolist(), strict=True
    ):
        assert bad == (a == -(2**127) and b == -1)
        assert bad or (q, r) == truncated(a, b)


def test_division_at_the_edges_of_quotients() -> None:
    """Numbers beside multiples of their divisors, of all sizes: where a quotient in floats is off by one."""
    rng = random.Random(7)
    limit = 2**127
    pairs = [(limit - 1, 1), (-limit, 1), (-limit, limit - 1), (limit - 1, -limit), (-limit, -limit), (1, -limit)]
    for _ in range(5000):
        divisor = rng.getrandbits(rng.randint(1, 127)) or 1
        near = divisor * rng.randint(0, (limit - 1) // divisor) + rng.choice([-1, 0, 1, divisor - 1])
        pairs.append((min(max(near, 0), limit - 1) * rng.choice([1, -1]), divisor * rng.choice([1, -1])))
    quotient, remainder, overflow = wide.divmod_checked(of([a for a, _ in pairs]), of([b for _, b in pairs]))
    assert not overflow.any()
    found = zip(wide.to_python(quotient), wide.to_python(remainder), strict=True)
    assert list(found) == [truncated(a, b) for a, b in pairs]


@given(
    NUMBERS,
    st.sampled_from([1, 2, 3, 7, 10**3, 2**31 - 1, 2**31, 10**18 + 7, 3 * 10**15, 10**10, 10**38])
    | st.integers(1, 2**127 - 1),
)
def test_division_by_a_constant(numbers: list[int], divisor: int) -> None:
    quotient, remainder, overflow = wide.divmod_checked(of(numbers), divisor)
    assert list(zip(wide.to_python(quotient), wide.to_python(remainder), strict=True)) == [
        truncated(number, divisor) for number in numbers
    ]
    assert not overflow.any()


@given(NUMBERS, st.integers(0, 38))
def test_rescale(numbers: list[int], digits: int) -> None:
    unit = 10**digits
    rounded = [(2 * abs(n) + unit) // (2 * unit) * (1 if n >= 0 else -1) for n in numbers]
    assert wide.to_python(wide.rescale_down(of(numbers), digits)) == [wrapped(n) for n in rounded]


@given(NUMBERS)
def test_floats(numbers: list[int]) -> None:
    floats = wide.to_float64(of(numbers))
    assert floats.tolist() == pytest.approx([float(n) for n in numbers], rel=1e-15)
    for n, x in zip(numbers, floats.tolist(), strict=True):
        if abs(n) <= 2**64:
            assert x == float(n)
    back, lost = wide.from_float64(floats)
    for whole, x, bad in zip(wide.to_python(back), floats.tolist(), lost.tolist(), strict=True):
        assert bad != (-(2.0**127) <= x < 2.0**127)
        assert bad or whole == int(x)


def test_floats_that_do_not_fit() -> None:
    x = torch.tensor([float("nan"), float("inf"), -float("inf"), 2.0**127, -(2.0**127)], dtype=torch.float64)
    assert wide.from_float64(x)[1].tolist() == [True, True, True, True, False]
