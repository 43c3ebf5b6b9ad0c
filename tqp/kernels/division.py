"""Division of integers by one number: quotients and rests, rounded down or towards zero.

Processors take some 2 ns for each division, one after the other. NumPy divides by a number that is the same for all by multiplying
with its inverse, many at a time: a third to a twentieth of that, by width. It has only the quotient that is rounded down;
the others follow from that.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tqp.kernels.loops import dividing
from tqp.kernels.operation import Variant, operation

__all__ = ["digit", "floor_div", "floor_rest", "steps", "trunc_div", "trunc_rest"]

Divisor = Tensor | int
Numbers = npt.NDArray[Any]
Bounds = tuple[int, int]


_FEW: Final = 2**9
"""Fewer numbers are divided before NumPy is asked."""


def _is_one_number(x: Tensor, by: Divisor) -> bool:
    if x.numel() < _FEW or x.dtype.is_floating_point or x.dtype is torch.bool:
        return False
    if isinstance(by, Tensor):
        return by.ndim == 0 and by.dtype is x.dtype and int(by) > 0  # host: on the CPU
    return 0 < by <= torch.iinfo(x.dtype).max


def _operands(x: Tensor, by: Divisor) -> tuple[Numbers, Any]:
    values: Numbers = x.numpy()
    return values, values.dtype.type(int(by))  # host: on the CPU


def _truncated(values: Numbers, by: Any) -> Numbers:
    """Quotients cut towards zero."""
    if values.min() >= 0:
        quotients: Numbers = np.floor_divide(values, by)
        return quotients
    # Less than 0 is rounded up: by - 1 is added there, to which no number below 0 is too near the end of its width.
    raised: Numbers = np.right_shift(values, values.dtype.type(8 * values.itemsize - 1))
    np.bitwise_and(raised, by - 1, out=raised)
    np.add(raised, values, out=raised)
    np.floor_divide(raised, by, out=raised)
    return raised


def _rest(values: Numbers, by: Any, quotients: Numbers) -> Tensor:
    np.multiply(quotients, by, out=quotients)
    return torch.from_numpy(np.subtract(values, quotients, out=quotients))


def _floor_div_by_numpy(x: Tensor, by: Divisor) -> Tensor:
    return torch.from_numpy(np.floor_divide(*_operands(x, by)))


def _floor_rest_by_numpy(x: Tensor, by: Divisor) -> Tensor:
    values, number = _operands(x, by)
    # The least multiple may be below the width's end: it wraps around, and back.
    return _rest(values, number, np.floor_divide(values, number))


def _trunc_div_by_numpy(x: Tensor, by: Divisor) -> Tensor:
    return torch.from_numpy(_truncated(*_operands(x, by)))


def _trunc_rest_by_numpy(x: Tensor, by: Divisor) -> Tensor:
    values, number = _operands(x, by)
    return _rest(values, number, _truncated(values, number))


_WHY = "NumPy multiplies with the inverse of a number that is the same for all"


@operation(Variant(_floor_div_by_numpy, "cpu", _WHY, _is_one_number))
def floor_div(x: Tensor, by: Divisor) -> Tensor:
    """x / by, rounded down: `x` (…) integers, `by` an integer or such a tensor, not 0, and not -1 where x is the least number."""
    return torch.div(x, by, rounding_mode="floor")


@operation(Variant(_floor_rest_by_numpy, "cpu", _WHY, _is_one_number))
def floor_rest(x: Tensor, by: Divisor) -> Tensor:
    """x - by * `floor_div(x, by)`."""
    return torch.remainder(x, by)


@operation(Variant(_trunc_div_by_numpy, "cpu", _WHY, _is_one_number))
def trunc_div(x: Tensor, by: Divisor) -> Tensor:
    """x / by, rounded towards zero; as for `floor_div`."""
    return torch.div(x, by, rounding_mode="trunc")


@operation(Variant(_trunc_rest_by_numpy, "cpu", _WHY, _is_one_number))
def trunc_rest(x: Tensor, by: Divisor) -> Tensor:
    """x - by * `trunc_div(x, by)`: it has the sign of x."""
    return torch.fmod(x, by)


def _may_loop(x: Tensor, first: int, last: int) -> bool:
    return x.dtype is torch.int64 and x.ndim == 1 and first >= -(2**63) and last - first < dividing.EXACT


_ONCE: Final = "one pass, by products with the inverse, many at a time"


def _digit_by_loop(x: Tensor, by: int, size: int, bounds: Bounds | None, width: torch.dtype) -> Tensor:
    assert bounds is not None
    span = by * size
    found = torch.empty(x.shape, dtype=width, device=x.device)
    dividing.digits(x.contiguous().numpy(), bounds[0] // span * span, float(by), float(span), found.numpy())
    return found


def _digit_loops(x: Tensor, by: int, size: int, bounds: Bounds | None, width: torch.dtype) -> bool:
    span = by * size
    return (
        bounds is not None
        and span < dividing.HALVES
        and _may_loop(x, bounds[0] // span * span, bounds[1])
        and dividing.digits.ready(x.shape[0], torch.int64, int, float, float, width)
    )


@operation(Variant(_digit_by_loop, "cpu", _ONCE, _digit_loops))
def digit(x: Tensor, by: int, size: int, bounds: Bounds | None, width: torch.dtype) -> Tensor:
    """(x / by, rounded down) modulo `size`, as `width`, which holds size - 1: `x` (…) int64 within `bounds`, if there are any.

    Of what is not within them it is any number from 0 to size - 1.
    """
    found = floor_div(x, by)
    if bounds is not None and -(2**31) <= bounds[0] // by and bounds[1] // by < 2**31:
        # Few enough to be divided in half the width.
        found = found.to(torch.int32)
    return floor_rest(found, size).to(width)


def _steps_by_loop(x: Tensor, by: int, bounds: Bounds) -> Tensor:
    low, high = bounds[0] // by, bounds[1] // by
    found = torch.empty(x.shape, dtype=torch.int32, device=x.device)
    dividing.steps(x.contiguous().numpy(), low * by, float(by), float(high - low), found.numpy())
    return found


def _steps_loops(x: Tensor, by: int, bounds: Bounds) -> bool:
    return _may_loop(x, bounds[0] // by * by, bounds[1]) and dividing.steps.ready(
        x.shape[0], torch.int64, int, float, float, torch.int32
    )


@operation(Variant(_steps_by_loop, "cpu", _ONCE, _steps_loops))
def steps(x: Tensor, by: int, bounds: Bounds) -> Tensor:
    """How many multiples of `by` lie between the least of `bounds` and x, int32 (…): `x` (…) int64 within `bounds`.

    x / by, rounded down, less that of the least, which the caller has proven to fit. Of what is not within them it is anything.
    """
    return (floor_div(x, by) - bounds[0] // by).to(torch.int32)
